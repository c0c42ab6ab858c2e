// What a submission would come to: the same rules in the same order, then the scheduler on a copy. Nothing is changed, nothing is staged.
import type { PacedTurns } from '../../lib/paced-turns.ts';
import { failure } from '../../model/errors.ts';
import { formatAttemptId, parseApplicationId } from '../../model/ids.ts';
import type { Resource, ResourceTypes } from '../../model/resource.ts';
import type { ResourceRequest } from '../../scheduler/entries.ts';
import type { WaitingReason } from '../../scheduler/explain/explanation.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import { type TrialOutcome, tryAdmission, tryApplication } from '../../scheduler/trial.ts';
import { type CommandJob, commandMaster } from '../../wire/cluster/command-job.ts';
import type { Submission } from '../applications/submission.ts';
import type { Admitted } from './admission.ts';
import type { Caller } from './caller.ts';
import { refusedInstances, sizeOfInstance } from './instance-limits.ts';
import { type ConstraintPorts, requestedConstraint } from './placement-constraints.ts';
import type { SubmissionRequest } from './submission-request.ts';
import { judge, type SubmissionKey, type SubmitPorts } from './submit.ts';
import { jobOf } from './submitted-job.ts';

export interface TrySubmissionPorts extends ConstraintPorts {
  readonly submit: SubmitPorts;
  readonly policy: SchedulingPolicy;
  readonly types: ResourceTypes;
  /** A copy of the scheduler takes time with the size of the cluster. */
  readonly turns: Readonly<Record<TrialDepth, PacedTurns>>;
}

/** Containers of one kind, and what would become of them. */
export interface TriedContainers {
  readonly role: 'master' | 'instance';
  readonly count: number;
  readonly resource: Resource;
  /** How many would stand where. */
  readonly nodes: ReadonlyMap<string, number>;
  readonly waiting: number;
  /** Why the rest would wait. */
  readonly reasons: readonly WaitingReason[];
  /** Why their master would be refused them. */
  readonly refused: string | undefined;
}

/** How far a submission is tried: whether it would be refused, or also where its containers would stand, which takes time with all that runs. */
export type TrialDepth = 'admission' | 'placement';

/** What a submission would come to. */
export type TriedSubmission =
  | { readonly takenBefore: string }
  | {
      readonly submission: Submission;
      readonly queue: string;
      readonly mapped: boolean;
      readonly priority: number;
      /** Why it would end at once as FAILED. */
      readonly rejected: string | undefined;
      readonly lifetimeSeconds: number | undefined;
      readonly containers: readonly TriedContainers[];
      readonly depth: TrialDepth;
    };

/**
 * Says what the submission would come to now. Of a command that Heddle's own master runs, its instances are tried too.
 * @throws Failure as `judge`, and OVERLOADED
 */
export async function trySubmission(
  ports: TrySubmissionPorts,
  caller: Caller,
  request: SubmissionRequest,
  once?: SubmissionKey,
  depth: TrialDepth = 'placement',
): Promise<TriedSubmission> {
  const judged = () => judge(ports.submit, caller, request, once, 'try a submission');
  // Refusals need no turn.
  const first = judged();
  if ('takenBefore' in first) return first;
  const tried = ports.turns[depth].take(() => {
    const now = judged();
    return 'takenBefore' in now ? now : triedOf(ports, caller, now.admitted, depth);
  });
  if (!tried) throw failure('OVERLOADED', { what: 'Trying submissions', seconds: 5 });
  return tried;
}

function triedOf(ports: TrySubmissionPorts, { user }: Caller, { submission, queue, mapped }: Admitted, depth: TrialDepth): TriedSubmission {
  const { policy, types, submit } = ports;
  const { applicationId, unmanaged, tags, priority, reservationId, applicationLabelExpression } = submission;
  const attemptId = formatAttemptId({ ...parseApplicationId(applicationId), attempt: 1 });
  const job = jobOf(submission);
  const request = job && instancesOf(ports, attemptId, job);
  const refused = job && refusedInstances(job, policy, types, queue);
  const nowMs = submit.clock.now();
  const tried = {
    application: {
      ...{ applicationId, user, queue, reservationId, priority, tags, mapped, unmanaged },
      submitTimeMs: nowMs,
      labelExpression: applicationLabelExpression,
    },
    attemptId,
    masterRequest: unmanaged ? undefined : masterRequestOf(submission),
    request: refused !== undefined || job?.opportunistic ? undefined : request,
  };
  const isPlaced = depth === 'placement';
  const outcome = isPlaced ? tryApplication(policy, tried, nowMs) : tryAdmission(policy, tried, nowMs);
  const { admission } = outcome;
  const ofNobody = { nodes: new Map(), waiting: 0, reasons: [] };
  const all = [...(unmanaged ? [] : [masterOutcome(outcome)]), ...(request ? [instanceOutcome(outcome, request, refused)] : [])];
  return {
    ...{ submission, mapped, depth },
    queue: admission.queue,
    priority: admission.accepted ? admission.priority : priority,
    rejected: admission.accepted ? undefined : admission.rejected,
    lifetimeSeconds: admission.accepted ? lifetimeOf(submission, admission) : undefined,
    containers: admission.accepted ? (isPlaced ? all : all.map((each) => ({ ...each, ...ofNobody }))) : [],
  };
}

/** What the application would ask for its master; the scheduler makes it a size that it gives. */
function masterRequestOf({ resource, masterLabelExpression, applicationLabelExpression, masterPlaces }: Submission): ResourceRequest {
  const labelExpression = masterLabelExpression || applicationLabelExpression;
  return {
    ...{ requestId: 'master', priority: 0, resource, count: 1 },
    ...(labelExpression === undefined ? {} : { labelExpression }),
    ...(masterPlaces ? { nodes: masterPlaces.nodes, racks: masterPlaces.racks, relaxLocality: masterPlaces.relaxed } : {}),
  };
}

/** What that master would ask for. @throws Failure PLACEMENT_CONSTRAINTS_DISABLED, PLACEMENT_CONSTRAINT_REFUSED */
function instancesOf(ports: TrySubmissionPorts, attemptId: string, job: CommandJob): ResourceRequest {
  const { tags: allocationTags = [], constraint } = job.placement ?? {};
  const placementConstraint = requestedConstraint(ports, attemptId, { allocationTags, placementConstraint: constraint });
  return {
    ...{ requestId: 'instances', priority: commandMaster.priority, count: job.instances, allocationTags },
    resource: sizeOfInstance(job, ports.types),
    ...(placementConstraint ? { placementConstraint } : {}),
  };
}

function masterOutcome({ masterResource = [], masterNodeId, explanation }: TrialOutcome): TriedContainers {
  const of = explanation?.requests.find(({ isMaster }) => isMaster);
  const reasons = masterNodeId !== undefined ? [] : (of?.waitingReasons ?? (explanation?.application ? [explanation.application] : []));
  const nodes = new Map(masterNodeId === undefined ? [] : [[masterNodeId, 1]]);
  return { role: 'master', count: 1, resource: masterResource, nodes, waiting: 1 - nodes.size, reasons, refused: undefined };
}

function instanceOutcome(
  { resource, placed, explanation }: TrialOutcome,
  request: ResourceRequest,
  refused: string | undefined,
): TriedContainers {
  const { count, requestId } = request;
  const running = [...placed.values()].reduce((sum, each) => sum + each, 0);
  const of = explanation?.requests.find((each) => each.requestId === requestId);
  return {
    ...{ count, nodes: placed, waiting: count - running, refused },
    role: 'instance',
    resource: resource ?? request.resource,
    reasons: of?.waitingReasons ?? [],
  };
}

type Accepted = Extract<TrialOutcome['admission'], { accepted: true }>;

/** As the queue limits it; undefined: it may run for ever. */
function lifetimeOf(
  { lifetimeSeconds }: Submission,
  { defaultLifetimeSeconds: usual, maximumLifetimeSeconds: most }: Accepted,
): number | undefined {
  const wanted = lifetimeSeconds ?? (usual > 0 ? usual : undefined);
  return most > 0 ? Math.min(wanted ?? most, most) : wanted;
}
