// Whether a submission is admitted, and to which queue: placement, size, label, priority, access, in the order of RMAppManager. The rules of
// its own members are in `submission-request.ts`. Nothing is changed here.
import { failure } from '../../model/errors.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import type { Placement } from '../../scheduler/entries.ts';
import type { QueueAcl, SchedulingPolicy } from '../../scheduler/policy.ts';
import type { Submission } from '../applications/submission.ts';
import type { Caller } from './caller.ts';
import { refusedSize } from './resource-limits.ts';
import type { AskedSubmission } from './submission-request.ts';

/** What the checks ask. */
export interface AdmissionPorts {
  readonly policy: Pick<
    SchedulingPolicy,
    'place' | 'resolveQueue' | 'maximumAllocation' | 'configuredMaximum' | 'checkLabels' | 'priorities' | 'submissionDenied'
  >;
  readonly access: { readonly aclEnabled: boolean; mayUseQueue(queue: string, user: string, acl: QueueAcl): boolean };
  readonly types: ResourceTypes;
  readonly settings: AdmissionSettings;
}

export interface AdmissionSettings {
  /** The label of masters that name none (`…node-labels.am.default-node-label-expression`); undefined where labels are off. */
  readonly masterLabel: string | undefined;
  /** `…application-tag-based-placement.username.whitelist`: users who may name others by a tag; undefined where that is off. */
  readonly taggingUsers: readonly string[] | undefined;
}

/** Where an admitted submission goes. */
export interface Admitted {
  readonly submission: Submission;
  readonly queue: string;
  /** Whether a mapping rule chose the queue. */
  readonly mapped: boolean;
}

const accessControl = 'org.apache.hadoop.security.AccessControlException';
/** `exception`: what Hadoop's protocol calls it, where clients tell it from other refusals. */
const refuse = (reason: string, exception?: string) =>
  failure('SUBMISSION_REFUSED', exception === undefined ? { reason } : { reason, exception });

/** Holds a submission against queues and user. @throws Failure SUBMISSION_REFUSED with the first reason */
export function admit(ports: AdmissionPorts, caller: Caller, asked: AskedSubmission): Admitted {
  const submission = withMasterLabel(asked, ports.settings);
  const { queue, mapped = false } = placed(ports, caller, submission);
  checkMaster(ports, submission, queue);
  const priority = checkedPriority(ports, caller, submission, queue);
  checkAccess(ports, caller, submission, queue);
  return { submission: { ...submission, priority }, queue, mapped };
}

/** The master of an application that names no label gets the cluster's label for masters. */
function withMasterLabel(submission: AskedSubmission, { masterLabel }: AdmissionSettings): AskedSubmission {
  const named = submission.masterLabelExpression || submission.applicationLabelExpression;
  return masterLabel && !named && !submission.unmanaged ? { ...submission, masterLabelExpression: masterLabel } : submission;
}

function placed(ports: AdmissionPorts, caller: Caller, submission: AskedSubmission): { queue: string; mapped?: boolean } {
  const placement = place(ports, caller, submission);
  if ('rejected' in placement) throw refuse(placement.rejected);
  return placement;
}

/**
 * The queue by the mapping rules. A submitter in the list of the settings (a gateway of many users) may name with the tag `userid=NAME` the user to
 * place as, if the submitter may use that user's queue (RMAppManager.getUserNameForPlacement).
 */
function place({ policy, access, settings }: AdmissionPorts, { user }: Caller, submission: AskedSubmission): Placement {
  const { applicationId, queue, name, tags } = submission;
  const placeAs = (placedUser: string) => policy.place({ applicationId, user: placedUser, queue, name, tags });
  const tag = settings.taggingUsers?.includes(user) ? tags.find((text) => text.startsWith('userid=')) : undefined;
  const [, tagged, ...rest] = tag?.split('=') ?? [];
  if (tagged && rest.length === 0) {
    const placement = placeAs(tagged);
    if ('queue' in placement && access.mayUseQueue(placement.queue, user, 'SUBMIT_APPLICATIONS')) return placement;
  }
  return placeAs(user);
}

/** Size and label of a master that runs in a container. */
function checkMaster({ policy, types }: AdmissionPorts, submission: AskedSubmission, queue: string): void {
  if (submission.unmanaged) return;
  const limits = { maximum: policy.maximumAllocation(queue), configuredMaximum: policy.configuredMaximum() };
  const refusedResource = refusedSize(submission.resource, limits, types);
  if (refusedResource !== undefined) throw refuse(refusedResource, 'InvalidResourceRequestException');
  const expression = submission.masterLabelExpression || submission.applicationLabelExpression || undefined;
  const refusedLabel = policy.checkLabels(queue, expression);
  if (refusedLabel !== undefined) throw refuse(refusedLabel, 'InvalidLabelResourceRequestException');
}

/** The priority that the scheduler takes, before the cluster's cap. */
function checkedPriority({ policy }: AdmissionPorts, caller: Caller, { applicationId, priority }: AskedSubmission, queue: string): number {
  const checked = policy.priorities.check({ applicationId, user: caller.user, groups: caller.groups(), queue, priority });
  if ('priority' in checked) return checked.priority;
  throw refuse(checked.refused.includes('Exception: ') ? checked.refused : `${accessControl}: ${checked.refused}`);
}

/** Submitters and administrators of the queue pass; a queue that does not exist yet is refused later, by the scheduler. */
function checkAccess({ policy, access }: AdmissionPorts, { user }: Caller, { applicationId }: AskedSubmission, queue: string): void {
  if (!access.aclEnabled) return;
  if (access.mayUseQueue(queue, user, 'SUBMIT_APPLICATIONS') || access.mayUseQueue(queue, user, 'ADMINISTER_QUEUE')) return;
  if (typeof policy.resolveQueue(queue) !== 'object') return;
  throw refuse(`${accessControl}: ${policy.submissionDenied(applicationId, user, queue)}`);
}
