// The staging area: users leave files for their applications and read their own; nodes read them for their user.

import type { Audit } from '../../auth/audit-log.ts';
import { failure } from '../../model/errors.ts';
import type { StagedPlace, StagingArea } from '../staging/staging-area.ts';
import type { Caller } from './caller.ts';

export interface StagingPorts {
  readonly area: Pick<StagingArea, 'put' | 'read' | 'remove'>;
  readonly audit: Audit;
}

/** What the bytes of a file must come to, where the caller says so. */
export interface ExpectedFile {
  readonly bytes: number | undefined;
  /** In hexadecimal digits. */
  readonly sha256: string | undefined;
}

/** A file is staged, read and removed by its user alone. @throws Failure STAGING_REFUSED */
function mustOwn({ audit }: StagingPorts, caller: Caller, owner: string): void {
  if (caller.user === owner) return;
  const refusal = failure('STAGING_REFUSED', { user: caller.user, owner });
  throw audit.refused(caller, { operation: 'use the staging area', target: owner }, refusal);
}

/** Takes a file of the caller's own. @throws Failure STAGING_… */
export async function stageFile(
  ports: StagingPorts,
  caller: Caller,
  place: StagedPlace,
  content: AsyncIterable<Uint8Array>,
  expected: ExpectedFile,
): ReturnType<StagingArea['put']> {
  mustOwn(ports, caller, place.user);
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

/** Removes the files of an application of the caller's own. @throws Failure STAGING_REFUSED, STAGING_NAME_BAD */
export async function removeStagedFiles(ports: StagingPorts, caller: Caller, owner: string, applicationId: string): Promise<void> {
  mustOwn(ports, caller, owner);
  await ports.area.remove(owner, applicationId);
}
