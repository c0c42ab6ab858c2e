// What a master that runs outside the cluster needs to register; told to the submitter alone, as in Hadoop's application reports.

import type { Audit } from '../../auth/audit-log.ts';
import { failure } from '../../model/errors.ts';
import { currentAttempt } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Caller } from './caller.ts';
import { type ApplicationLookup, findApplication } from './find-application.ts';
import { mustBeWithinToken } from './token-limits.ts';

export interface MasterAccessPorts {
  readonly applications: ApplicationLookup;
  readonly audit: Audit;
}

/**
 * The attempt and the token of an unmanaged master that is expected now.
 * @throws Failure ID_MALFORMED, APPLICATION_NOT_FOUND, MASTER_IS_MANAGED, MASTER_ACCESS_REFUSED, MASTER_NOT_EXPECTED
 */
export function readMasterAccess(
  { applications, audit }: MasterAccessPorts,
  caller: Caller,
  applicationId: string,
): { readonly attemptId: string; readonly token: string } {
  const application = findApplication(applications, applicationId);
  const { id, user: owner, submission } = application;
  if (!submission.unmanaged) throw failure('MASTER_IS_MANAGED', { id });
  if (caller.user !== owner) throw failure('MASTER_ACCESS_REFUSED', { id, owner });
  mustBeWithinToken(audit, caller, application, 'read the token of a master');
  const attempt = currentAttempt(application);
  if (attempt === undefined || !isMasterExpected(attempt))
    throw failure('MASTER_NOT_EXPECTED', { attemptId: attempt?.id ?? id, state: attempt?.state ?? application.state });
  audit.changed(caller, { operation: 'read the token of a master', target: attempt.id });
  return { attemptId: attempt.id, token: attempt.token };
}

/** Whether a master that runs outside the cluster may register for the attempt, or has. */
export const isMasterExpected = ({ state }: Attempt): boolean => state === 'LAUNCHED' || state === 'RUNNING';
