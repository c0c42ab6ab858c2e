// `POST /apps` and `POST /apps/new-application`.

import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { type Answer, empty, json, ok } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { parseApplicationId } from '../../model/ids.ts';
import type { Placement } from '../../scheduler/policy.ts';
import { newApplication } from '../../wire/cluster/application.ts';
import { resourceInfoOf } from '../../wire/cluster/resource.ts';
import type { PlainSubmission, SubmissionContext } from '../../wire/cluster/submission.ts';
import type { Submission } from '../applications/application.ts';
import type { Parts } from './parts.ts';
import { checkMasterResource, parseSubmission, type SubmissionLimits } from './submission.ts';

const accessControl = 'org.apache.hadoop.security.AccessControlException';

function limitsOf({ configuration, policy, types }: Parts): SubmissionLimits {
  const own = configuration.values(resourceManagerSettings);
  return {
    configuredMaximum: policy.configuredMaximum(),
    maximumTags: own.maximumTags,
    maximumTagLength: own.maximumTagLength,
    lowerCaseTags: own.applicationTagLowercase,
    types,
  };
}

/** Hands out an id; nothing is kept of it. */
export function answerNewApplication(parts: Parts, call: Call): Answer {
  mustBeEnabled(parts);
  parts.access.writer(call.caller);
  return ok(newApplication, {
    'application-id': parts.cluster.newApplicationId(),
    'maximum-resource-capability': resourceInfoOf(parts.policy.maximumAllocation(), parts.types),
  });
}

function mustBeEnabled({ configuration }: Parts): void {
  if (!configuration.values(resourceManagerSettings).restSubmissionsEnabled) throw failure('SUBMISSION_DISABLED');
}

/** Takes a submission: 202 when it is durable, also for an id that is known already. */
export async function answerSubmission(parts: Parts, call: Call<SubmissionContext>): Promise<Answer> {
  mustBeEnabled(parts);
  const user = parts.access.writer(call.caller);
  const submission = parseSubmission(call.body, limitsOf(parts));
  const location = `${call.scheme}://${call.host}${call.path.replace(/\/$/, '')}/${call.body['application-id']}`;
  await submit(parts, call, submission, user);
  return empty(202, {
    location,
    'content-type': call.format === 'json' ? 'application/json;charset=utf-8' : 'application/xml; charset=utf-8',
  });
}

/** `POST /api/v1/applications`: the same in one call; an id is made where none is given, what is absent stays unset. */
export async function answerPlainSubmission(parts: Parts, call: Call<PlainSubmission>): Promise<Answer> {
  mustBeEnabled(parts);
  const user = parts.access.writer(call.caller);
  const id = call.body['application-id'] ?? parts.cluster.newApplicationId();
  const submission = parseSubmission({ ...call.body, 'application-id': id }, limitsOf(parts), 'unset');
  await submit(parts, call, submission, user);
  const { applicationId } = submission;
  return json({ id: applicationId }, 202, { location: `${call.scheme}://${call.host}/api/v1/applications/${applicationId}` });
}

/** Checks and keeps a submission. @throws Failure SUBMISSION_REFUSED */
export async function submit(parts: Parts, call: Pick<Call, 'caller'>, asked: Submission, user: string): Promise<void> {
  const { cluster, store, access } = parts;
  const { applicationId } = asked;
  const submission = withMasterLabel(parts, asked);
  const known = cluster.view.application(applicationId) !== undefined || store.finished(applicationId) !== undefined;
  if (known) {
    await cluster.view.submission(applicationId);
    return;
  }
  let queue: { queue: string; mapped?: boolean };
  try {
    queue = admissible(parts, submission, user);
  } catch (problem) {
    access.refused(call.caller, { operation: 'submit application', target: applicationId });
    throw problem;
  }
  const { clusterTimestamp, sequence } = parseApplicationId(applicationId);
  cluster.reserveSequence(clusterTimestamp, sequence);
  // Only the capacity scheduler knows priorities of applications.
  const ranked = parts.policy.kind === 'capacity' ? submission : { ...submission, priority: 0 };
  await cluster.submit({ submission: ranked, user, queue: queue.queue, mapped: queue.mapped ?? false });
  access.changed(call.caller, { operation: 'submit application', target: applicationId, queue: queue.queue });
}

/** The master of an application that names no label gets the cluster's label for masters. */
function withMasterLabel({ configuration }: Parts, submission: Submission): Submission {
  const { nodeLabelsEnabled, masterLabel } = configuration.values(resourceManagerSettings);
  const named = submission.masterLabelExpression || submission.applicationLabelExpression;
  return nodeLabelsEnabled && masterLabel && !named && !submission.unmanaged
    ? { ...submission, masterLabelExpression: masterLabel }
    : submission;
}

/** Rules 16 to 20: placement, size, labels, priority, access. Returns the queue. @throws Failure SUBMISSION_REFUSED */
function admissible(parts: Parts, submission: Submission, user: string): { queue: string; mapped?: boolean } {
  const { policy, access, types } = parts;
  const refuse = (reason: string) => failure('SUBMISSION_REFUSED', { reason });
  const { applicationId, unmanaged, resource, priority } = submission;
  const placement = place(parts, submission, user);
  if ('rejected' in placement) throw refuse(placement.rejected);
  const { queue } = placement;
  if (submission.queue === '' && !placement.mapped && policy.kind === 'capacity')
    throw refuse(`Failed to place application ${applicationId} in a queue and submit context queue is null or empty`);
  if (!unmanaged) {
    checkMasterResource(resource, policy.maximumAllocation(queue), policy.configuredMaximum(), types);
    const expression = submission.masterLabelExpression || submission.applicationLabelExpression || undefined;
    const wrong = policy.checkLabels(queue, expression);
    if (wrong !== undefined) throw refuse(wrong);
  }
  const tooHigh = policy.checkPriority(applicationId, user, access.groupsOf(user), queue, priority);
  if (tooHigh !== undefined) throw refuse(tooHigh.includes('Exception: ') ? tooHigh : `${accessControl}: ${tooHigh}`);
  if (
    access.aclEnabled &&
    !access.mayUseQueue(queue, user, 'SUBMIT_APPLICATIONS') &&
    !access.mayUseQueue(queue, user, 'ADMINISTER_QUEUE')
  ) {
    const fair = policy.kind === 'fair' ? ` denied by ACL for queue ${queue}` : '';
    if (typeof policy.resolveQueue(queue) === 'object') {
      throw refuse(`${accessControl}: User ${user} does not have permission to submit ${applicationId} to queue ${queue}${fair}`);
    }
  }
  return placement;
}

/**
 * The queue by the mapping rules. A submitter whom the settings list (a gateway of many users) may name with the tag `userid=NAME` for whom to
 * look, if the submitter may use that user's queue (Hadoop's RMAppManager.getUserNameForPlacement).
 */
function place({ policy, access, configuration }: Parts, submission: Submission, user: string): Placement {
  const { applicationId, queue, name, tags } = submission;
  const placeAs = (whom: string) => policy.place({ applicationId, user: whom, queue, name, tags });
  const own = configuration.values(resourceManagerSettings);
  const tag = own.applicationTagPlacementEnabled ? tags.find((text) => text.startsWith('userid=')) : undefined;
  const [, whom, ...rest] = tag?.split('=') ?? [];
  if (whom && rest.length === 0 && own.applicationTagPlacementUsers.includes(user)) {
    const placement = placeAs(whom);
    if ('queue' in placement && access.mayUseQueue(placement.queue, user, 'SUBMIT_APPLICATIONS')) return placement;
  }
  return placeAs(user);
}
