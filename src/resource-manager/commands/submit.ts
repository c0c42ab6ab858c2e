// Submitting an application (ClientRMService.submitApplication): its own rules, then admission, then the cluster.

import type { Audit } from '../../auth/audit-log.ts';
import { Failure } from '../../model/errors.ts';
import { parseApplicationId } from '../../model/ids.ts';
import { type AdmissionPorts, type Admitted, admit } from './admission.ts';
import type { Caller } from './caller.ts';
import { checkedSubmission, type SubmissionLimits, type SubmissionRequest } from './submission-request.ts';
import { mustReachQueue } from './token-limits.ts';

/** Where admitted submissions go. */
export interface SubmittedApplications {
  /** Of a known application: settles with its first write, at once where that is done. Undefined: the id is free. */
  submissionOf(applicationId: string): Promise<void> | undefined;
  /** No id of this number is handed out any more. */
  reserveId(clusterTimestamp: number, sequence: number): void;
  /** Creates the application; resolves when it is durable. */
  create(application: Admitted & { readonly user: string }): Promise<void>;
}

export interface SubmitPorts {
  readonly applications: SubmittedApplications;
  readonly admission: AdmissionPorts;
  /** Read at each submission: the configured maximum follows the queues. */
  readonly limits: () => SubmissionLimits;
  readonly audit: Audit;
}

/**
 * Submits an application in the caller's name. Resolves when it is durable; a known id is taken as a repetition and changes nothing.
 * @throws Failure of the request's own rules, SUBMISSION_REFUSED, BEARER_QUEUE
 */
export async function submit(
  { applications, admission, limits, audit }: SubmitPorts,
  caller: Caller,
  request: SubmissionRequest,
): Promise<void> {
  const submission = checkedSubmission(request, limits());
  const { applicationId } = submission;
  const known = applications.submissionOf(applicationId);
  if (known) return known;
  let admitted: Admitted;
  try {
    admitted = admit(admission, caller, submission);
    const found = admission.policy.resolveQueue(admitted.queue);
    mustReachQueue(audit, caller, typeof found === 'object' ? found.queue : admitted.queue, {
      operation: 'submit application',
      target: applicationId,
    });
  } catch (problem) {
    if (problem instanceof Failure && problem.code !== 'BEARER_QUEUE')
      audit.refused(caller, { operation: 'submit application', target: applicationId }, problem);
    throw problem;
  }
  const { clusterTimestamp, sequence } = parseApplicationId(applicationId);
  applications.reserveId(clusterTimestamp, sequence);
  await applications.create({ ...admitted, user: caller.user });
  audit.changed(caller, { operation: 'submit application', target: applicationId, queue: admitted.queue });
}
