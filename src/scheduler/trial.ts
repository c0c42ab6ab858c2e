// What would happen to an application that came now: the policy's own code decides it on a copy, so that nothing is changed.
import type { Resource } from '../model/resource.ts';
import type { Admission, NewApplication, NewAttempt, ResourceRequest } from './entries.ts';
import type { Explanation } from './explain/explanation.ts';
import type { ContainerRecord, PolicyAccount, SchedulingPolicy } from './policy.ts';
import type { OpenRequest, SchedulerAttempt } from './state/model.ts';

/** An application to try, with what its master would request once it runs. */
export interface TriedApplication {
  readonly application: NewApplication;
  readonly attemptId: string;
  /** Absent for a master outside the cluster. */
  readonly masterRequest: ResourceRequest | undefined;
  readonly request: ResourceRequest | undefined;
}

/** What would come of it. */
export interface TrialOutcome {
  readonly admission: Admission;
  /** Of the master, and of each container that it would request, as the scheduler makes it. */
  readonly masterResource: Resource | undefined;
  readonly resource: Resource | undefined;
  /** Where the master would stand; undefined: it would wait. */
  readonly masterNodeId: string | undefined;
  /** How many of the further containers by node. */
  readonly placed: ReadonlyMap<string, number>;
  /** Why the rest would wait; undefined where the scheduler would not take it in. */
  readonly explanation: Explanation | undefined;
}

const decisionsPerSlice = 1000;
/** So many decisions are followed: what else waits in a large cluster gets its containers first. */
const mostDecisions = 200_000;

/**
 * Tries an application on a copy of the policy: everything that waits now is served in its turn, and the application in its own. Nothing is
 * taken back from others, no delay passes, and nothing ends meanwhile. Takes time with everything that the policy knows.
 */
export function tryApplication(policy: SchedulingPolicy, tried: TriedApplication, nowMs: number): TrialOutcome {
  const copy = copyOf(policy, () => nowMs);
  const { application, attemptId, masterRequest, request } = tried;
  const { applicationId } = application;
  const admission = copy.addApplication(application);
  const placed = new Map<string, number>();
  const sized = (asked: ResourceRequest | undefined) => asked && copy.normalize(asked.resource, admission.queue);
  const sizes = { masterResource: sized(masterRequest), resource: sized(request) };
  if (!admission.accepted) return { admission, ...sizes, masterNodeId: undefined, placed, explanation: undefined };
  copy.addAttempt({ applicationId, attemptId, ...(masterRequest ? { masterRequest } : {}) });
  const ask = () => request && copy.updateRequests(attemptId, [request], []);
  if (!masterRequest) ask();
  let masterNodeId: string | undefined;
  let left = (masterRequest ? 1 : 0) + (request?.count ?? 0);
  let number = 0;
  for (let decided = 0, idle = 0; left > 0 && idle < 2 && decided < mostDecisions; ) {
    const decisions = copy.schedule(decisionsPerSlice, (of) => `${of} ${++number}`);
    decided += decisions.length;
    idle = decisions.length > 0 ? 0 : idle + 1;
    for (const decision of decisions) {
      if (decision.kind !== 'allocate' || decision.attemptId !== attemptId) continue;
      left--;
      const { nodeId } = decision;
      if (!decision.isMaster) placed.set(nodeId, (placed.get(nodeId) ?? 0) + 1);
      else {
        masterNodeId = nodeId;
        ask();
      }
    }
    if (decisions.length === 0 && !copy.hasWork()) break;
  }
  return { admission, ...sizes, masterNodeId, placed, explanation: copy.explanation(applicationId) };
}

/**
 * Whether the policy would take an application in, by its queues as they are: asked of a policy without applications, so that it costs little
 * however much runs. What a queue holds already is not counted.
 */
export function tryAdmission(
  policy: SchedulingPolicy,
  { application, masterRequest, request }: Omit<TriedApplication, 'attemptId'>,
  nowMs: number,
): TrialOutcome {
  const copy = policy.account.empty(() => nowMs);
  const admission = copy.addApplication(application);
  const sized = (asked: ResourceRequest | undefined) => asked && copy.normalize(asked.resource, admission.queue);
  const sizes = { masterResource: sized(masterRequest), resource: sized(request) };
  return { admission, ...sizes, masterNodeId: undefined, placed: new Map(), explanation: undefined };
}

/** A policy that decides as the given one would from here on, at the time of its own clock; with `preempts` it takes back what that one would. */
export function copyOf(policy: SchedulingPolicy, now: () => number, preempts = false): SchedulingPolicy {
  const { account } = policy;
  const { nodes } = account.ledger;
  const copy = account.empty(now, preempts);
  const [, ...labels] = nodes.partitions;
  copy.labels?.setPartitions(new Map(labels.map(({ name, exclusive }) => [name, { exclusive }])));
  for (const { name, rooms } of nodes.partitions) {
    for (const node of rooms.nodes) {
      if (!node) continue;
      const { nodeId, host, rack, resource } = node;
      copy.addNode({ nodeId, host, rack, resource: [...resource], label: name, attributes: nodes.attributes.of(node) });
      if (!node.schedulable) copy.updateNode(nodeId, { schedulable: false });
    }
    copy.account.ledger.nodes.partition(name).rooms.takeTurnOf(rooms);
  }
  const known = account.applications();
  for (const each of known) if (!each.held) enter(copy, each);
  account.inform?.(copy);
  for (const each of known) if (each.held) enter(copy, each);
  keepNodes(copy, account);
  account.inform?.(copy);
  return copy;
}

/** Nodes are kept for the same requests. */
function keepNodes(copy: SchedulingPolicy, account: PolicyAccount): void {
  const { ledger } = copy.account;
  for (const { nodeId, reservation } of account.ledger.nodes.byId.values()) {
    const node = ledger.nodes.byId.get(nodeId);
    const attempt = reservation && ledger.applications.get(reservation.application.applicationId)?.attempt;
    const request = attempt?.requests.get(reservation!.request.purpose ?? reservation!.request.requestId);
    if (node && attempt && request) ledger.reserve(attempt, request, node, reservation!.containerId);
  }
}

function enter(copy: SchedulingPolicy, { application, queue, masterLabel }: ReturnType<PolicyAccount['applications']>[number]): void {
  const { applicationId, user, priority, submitTimeMs, unmanaged, labelExpression, tags, attempt } = application;
  const admission = copy.addApplication({
    ...{ applicationId, user, queue, priority, submitTimeMs, unmanaged, tags },
    labelExpression,
    mapped: true,
    recovering: true,
  });
  if (!admission.accepted || !attempt) return;
  const { attemptId } = attempt;
  const held = [...application.containers].map((container): ContainerRecord => {
    const { containerId, resource, isMaster, tags: allocationTags } = container;
    return {
      ...{ containerId, applicationId, resource, isMaster, allocationTags },
      attemptId: container.attemptId,
      nodeId: container.node.nodeId,
      priority: container.priority,
    };
  });
  copy.addAttempt({ applicationId, attemptId, ...masterOf(attempt, held, masterLabel) });
  copy.updateBlacklist(attemptId, [...attempt.blacklist], []);
  for (const container of held) copy.recoverContainer(container);
  const requests = attempt.requests.inOrder().filter(({ isMaster }) => !isMaster);
  copy.updateRequests(attemptId, requests.map(askedAgain), []);
}

/** The request for a master, also for one that runs: limits for masters count its size. */
function masterOf(
  attempt: SchedulerAttempt,
  held: readonly ContainerRecord[],
  masterLabel: string | undefined,
): Pick<NewAttempt, 'masterRequest'> {
  const waiting = attempt.requests.inOrder().find(({ isMaster }) => isMaster);
  if (waiting) return { masterRequest: askedAgain(waiting) };
  const running = held.find(({ isMaster, attemptId }) => isMaster && attemptId === attempt.attemptId);
  if (!running) return {};
  const request = { requestId: 'master', priority: running.priority, resource: running.resource, count: 1 };
  return { masterRequest: masterLabel === undefined ? request : { ...request, labelExpression: masterLabel } };
}

const askedAgain = (request: OpenRequest): ResourceRequest => ({
  requestId: request.requestId,
  ...(request.purpose ? { purpose: request.purpose } : {}),
  priority: request.priority,
  // It was made a size that the policy gives.
  resource: request.resource,
  exact: true,
  count: request.count,
  nodes: request.nodes,
  racks: request.racks,
  relaxLocality: request.relaxLocality,
  ...(request.placeCounts ? { placeCounts: request.placeCounts } : {}),
  labelExpression: request.labelExpression,
  allocationRequestId: request.allocationRequestId,
  allocationTags: request.tags,
  ...(request.placement ? { placementConstraint: request.placement.constraint } : {}),
});
