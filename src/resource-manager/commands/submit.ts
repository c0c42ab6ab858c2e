// Submitting an application (ClientRMService.submitApplication): its own rules, then admission, then the cluster. Under a key it happens once (docs/protocol.md, P17).

import type { Audit } from '../../auth/audit-log.ts';
import type { Clock } from '../../lib/clock.ts';
import { Failure, failure } from '../../model/errors.ts';
import { parseApplicationId } from '../../model/ids.ts';
import type { Submission } from '../applications/submission.ts';
import type { SubmissionKeys, TakenKey } from '../applications/submission-keys.ts';
import { type AdmissionPorts, type Admitted, admit } from './admission.ts';
import type { Caller } from './caller.ts';
import { checkedSubmission, type SubmissionLimits, type SubmissionRequest } from './submission-request.ts';
import { mustReachQueue } from './token-limits.ts';

/** Where admitted submissions go. */
export interface SubmittedApplications {
  /** Of a known application: settles with its first write, at once where that is done. Undefined: the id is free. */
  submissionOf(applicationId: string): Promise<void> | undefined;
  /** Why there is no room for a submission; undefined: there is. */
  beyondRoom(user: string, submission: Submission): string | undefined;
  /** No id of this number is handed out any more. */
  reserveId(clusterTimestamp: number, sequence: number): void;
  /** Creates the application; resolves when it is durable. */
  create(application: Admitted & { readonly user: string; readonly key?: TakenKey | undefined }): Promise<void>;
}

export interface SubmitPorts {
  readonly applications: SubmittedApplications;
  readonly admission: AdmissionPorts;
  /** Read at each submission: the configured maximum follows the queues. */
  readonly limits: () => SubmissionLimits;
  readonly audit: Audit;
  readonly keys: Pick<SubmissionKeys, 'find' | 'take'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** A key under which a user submits once, and what tells one request under it from another. */
export interface SubmissionKey {
  readonly key: string;
  /** SHA-256 of the request, base64url. */
  readonly digest: string;
}

/** The characters of a key: what a header can carry. */
const keyText = /^[\x21-\x7e]{1,255}$/;
const operation = 'submit application';

/** What a submission comes to: one that was taken before, or one that may be taken, in its queue. */
export type Judged = { readonly takenBefore: string } | { readonly admitted: Admitted };

/**
 * Holds a submission against all rules; nothing is changed. `operation` is how a refusal is called in the audit log.
 * @throws Failure of the request's own rules, SUBMISSION_REFUSED, BEARER_QUEUE, SUBMISSION_KEY_MALFORMED, SUBMISSION_KEY_TAKEN
 */
export function judge(
  { applications, admission, limits, audit, keys, clock }: SubmitPorts,
  caller: Caller,
  request: SubmissionRequest,
  once: SubmissionKey | undefined,
  operation: string,
): Judged {
  if (once && !keyText.test(once.key)) throw failure('SUBMISSION_KEY_MALFORMED');
  const before = once && keys.find(caller.user, once.key, clock.now());
  if (before) {
    if (before.digest !== once.digest) throw failure('SUBMISSION_KEY_TAKEN', { id: before.applicationId });
    return { takenBefore: before.applicationId };
  }
  const submission = checkedSubmission(request, limits());
  const { applicationId } = submission;
  if (applications.submissionOf(applicationId)) return { takenBefore: applicationId };
  try {
    const admitted = admit(admission, caller, submission);
    const found = admission.policy.resolveQueue(admitted.queue);
    mustReachQueue(audit, caller, typeof found === 'object' ? found.queue : admitted.queue, { operation, target: applicationId });
    const beyond = applications.beyondRoom(caller.user, admitted.submission);
    if (beyond !== undefined) throw failure('SUBMISSION_REFUSED', { reason: beyond });
    return { admitted };
  } catch (problem) {
    if (problem instanceof Failure && problem.code !== 'BEARER_QUEUE') audit.refused(caller, { operation, target: applicationId }, problem);
    throw problem;
  }
}

/**
 * Submits an application in the caller's name. Resolves to its id when it is durable; a known id is taken as a repetition and changes nothing,
 * and a known key `once` gives the id that it was taken for.
 * @throws Failure as `judge`
 */
export async function submit(ports: SubmitPorts, caller: Caller, request: SubmissionRequest, once?: SubmissionKey): Promise<string> {
  const { applications, audit, keys, clock } = ports;
  const judged = judge(ports, caller, request, once, operation);
  if ('takenBefore' in judged) {
    await applications.submissionOf(judged.takenBefore);
    return judged.takenBefore;
  }
  const { admitted } = judged;
  const { applicationId } = admitted.submission;
  const { clusterTimestamp, sequence } = parseApplicationId(applicationId);
  applications.reserveId(clusterTimestamp, sequence);
  const { user } = caller;
  // From here to the write nothing waits: of two requests under one key the second finds the first.
  const key = once && keys.take({ ...once, applicationId, user, takenMs: clock.now() });
  try {
    await applications.create({ ...admitted, user, key });
  } catch (problem) {
    key?.undo();
    throw problem;
  }
  audit.changed(caller, { operation, target: applicationId, queue: admitted.queue });
  return applicationId;
}
