// The staging area: users leave files for their applications and read their own; nodes read them for their user.

import type { Audit } from '../../auth/audit-log.ts';
import { failure } from '../../model/errors.ts';
import type { StagedPlace, StagingArea } from '../staging/staging-area.ts';
import type { Caller } from './caller.ts';
import type { ApplicationLookup } from './find-application.ts';
import { mustBeWithinToken } from './token-limits.ts';

export interface StagingPorts {
  readonly area: Pick<StagingArea, 'put' | 'read' | 'remove'>;
  readonly applications: ApplicationLookup;
  readonly audit: Audit;
}

/** What the bytes of a file must come to, where the caller says so. */
export interface ExpectedFile {
  readonly bytes: number | undefined;
  /** In hexadecimal digits. */
  readonly sha256: string | undefined;
}

const operation = 'use the staging area';

/** A file is staged, read and removed by its user alone. @throws Failure STAGING_REFUSED */
function mustOwn({ audit }: StagingPorts, caller: Caller, owner: string): void {
  if (caller.user === owner) return;
  const refusal = failure('STAGING_REFUSED', { user: caller.user, owner });
  throw audit.refused(caller, { operation, target: owner }, refusal);
}

/**
 * What an application runs is changed by who may change it: a token that does not reach its queue brings no code there. Before it is submitted
 * it is in no queue. @throws Failure STAGING_REFUSED, BEARER_QUEUE
 */
function mustOwnOf(ports: StagingPorts, caller: Caller, owner: string, applicationId: string): void {
  mustOwn(ports, caller, owner);
  const application = ports.applications.findAny(applicationId);
  if (application) mustBeWithinToken(ports.audit, caller, application, operation);
}

/** Takes a file of the caller's own. @throws Failure STAGING_…, BEARER_QUEUE */
export async function stageFile(
  ports: StagingPorts,
  caller: Caller,
  place: StagedPlace,
  content: AsyncIterable<Uint8Array>,
  expected: ExpectedFile,
): ReturnType<StagingArea['put']> {
  mustOwnOf(ports, caller, place.user, place.applicationId);
  const staged = await ports.area.put(place, content, expected);
  const { applicationId, name } = place;
  ports.audit.changed(caller, { operation: 'stage a file', target: applicationId, name, bytes: staged.bytes });
  return staged;
}

/** Opens a file of the caller's own. @throws Failure STAGING_REFUSED, STAGING_NAME_BAD, STAGING_ABSENT */
export async function readStagedFile(ports: StagingPorts, caller: Caller, place: StagedPlace): ReturnType<StagingArea['read']> {
  mustOwn(ports, caller, place.user);
  return ports.area.read(place);
}

/** Opens a file for a node, which reads for `user`. @throws Failure STAGING_REFUSED, STAGING_NAME_BAD, STAGING_ABSENT */
export async function readStagedFileForNode({ area }: StagingPorts, user: string, place: StagedPlace): ReturnType<StagingArea['read']> {
  if (user !== place.user) throw failure('STAGING_REFUSED', { user, owner: place.user });
  return area.read(place);
}

/** Removes the files of an application of the caller's own. @throws Failure STAGING_REFUSED, STAGING_NAME_BAD, BEARER_QUEUE */
export async function removeStagedFiles(ports: StagingPorts, caller: Caller, owner: string, applicationId: string): Promise<void> {
  mustOwnOf(ports, caller, owner, applicationId);
  await ports.area.remove(owner, applicationId);
  ports.audit.changed(caller, { operation: 'remove staged files', target: applicationId });
}
