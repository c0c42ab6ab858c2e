// The requests of one attempt, explained one by one: limits first, then nodes, then whose turn it is. Policies bring their limits.

import { reservedWaitingReason, viewNodes, waitingReasonOfNodes } from '../placement/node-refusals.ts';
import type { OpenRequest, SchedulerAttempt } from '../state/model.ts';
import type { NodeTable, Partition } from '../state/nodes.ts';
import { shownName } from '../state/requests.ts';
import { type Explanation, mostRequests, type NodesView, type RequestExplanation, type WaitingReason } from './explanation.ts';

/** What a policy knows beyond nodes. */
export interface RequestRules {
  /** The whole application is held back. */
  readonly held?: WaitingReason | undefined;
  /** Limits that refuse the request, in the order in which they are checked. */
  rules(request: OpenRequest, partition: Partition): readonly (WaitingReason | undefined)[];
  /** Who comes first, for a request that nothing else holds back. */
  turn(request: OpenRequest, partition: Partition): WaitingReason | undefined;
  /** The request as nodes are asked for it now: how far it may go, what of its resources counts. */
  onNodes(request: OpenRequest, partition: Partition): OpenRequest;
}

/** The first requests in the order in which they are served. */
export function explainRequests(
  attempt: SchedulerAttempt | undefined,
  nodes: NodeTable,
  rules: RequestRules,
): Pick<Explanation, 'requests' | 'further'> {
  const all = attempt?.requests.inOrder() ?? [];
  const known = new Map<string, NodesView>();
  const requests = all.slice(0, mostRequests).map((request): RequestExplanation => {
    const partition = nodes.partitions[request.partition]!;
    const wanted = rules.onNodes(request, partition);
    // Requests of one shape get the same answers; a constraint may make any request different.
    const key = request.placement
      ? shownName(request)
      : JSON.stringify([request.partition, request.resource, request.relaxLocality, wanted.reach, request.nodes, request.racks]);
    let view = known.get(key);
    if (!view) known.set(key, (view = viewNodes(nodes, partition, wanted, attempt!.blacklist)));
    return {
      requestId: shownName(request),
      isMaster: request.isMaster,
      priority: request.priority,
      allocationRequestId: request.allocationRequestId,
      resource: request.resource,
      count: request.count,
      partition: partition.name,
      sinceMs: request.sinceMs,
      waitingReasons: waitingReasonsOf(
        request,
        partition,
        waitingReasonOfNodes(view, partition, wanted, nodes, attempt!.application),
        rules,
      ),
      nodes: view,
    };
  });
  return { requests, further: all.length - requests.length };
}

function waitingReasonsOf(
  request: OpenRequest,
  partition: Partition,
  ofNodes: WaitingReason | undefined,
  rules: RequestRules,
): [WaitingReason, ...WaitingReason[]] {
  const limits = rules
    .rules(request, partition)
    .filter((limit) => limit !== undefined)
    // The maximum of the root is the size of the partition: its nodes say more.
    .filter((limit) => !(ofNodes && limit.rule === 'ANCESTOR_MAXIMUM' && limit.queue === 'root'));
  const found = rules.held
    ? [rules.held, ofNodes]
    : [reservedWaitingReason(request, partition), ...(partition.nodes === 0 ? [ofNodes, ...limits] : [...limits, ofNodes])];
  const [first, ...further] = found.filter((waitingReason) => waitingReason !== undefined);
  if (first) return [first, ...further];
  return [rules.turn(request, partition) ?? { rule: 'NOT_YET_LOOKED_AT', partition: partition.name, asked: request.resource }];
}
