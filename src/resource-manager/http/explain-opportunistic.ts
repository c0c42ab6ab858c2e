// Why opportunistic requests wait: they are served beside the scheduler, by what nodes let wait.

import {
  mostNodesNamed,
  mostRequests,
  type NodeRefusal,
  type RequestExplanation,
  type WaitingReason,
  type WaitingRule,
} from '../../scheduler/explain/explanation.ts';
import { type Attempt, avoids } from '../applications/attempt.ts';
import type { Cluster } from '../cluster.ts';

/** What of the cluster is asked. */
export type OpportunisticSource = {
  readonly opportunistic: Pick<Cluster['opportunistic'], 'requestsOf' | 'loadOf'>;
  readonly view: Pick<Cluster['view'], 'nodes' | 'nodeCount'>;
};

/** The opportunistic requests of an attempt. */
export function explainOpportunistic(cluster: OpportunisticSource, attempt: Attempt): RequestExplanation[] {
  const all = cluster.opportunistic.requestsOf(attempt.id);
  return all.slice(0, mostRequests).map((request): RequestExplanation => {
    const groups = new Map<NodeRefusal, { why: NodeRefusal; count: number; nodeIds: string[] }>();
    for (const node of cluster.view.nodes()) {
      const why: NodeRefusal = avoids(attempt, node)
        ? 'BLACKLISTED'
        : request.resource.some((amount, i) => amount > (node.resource[i] ?? 0))
          ? 'TOO_SMALL'
          : node.state !== 'RUNNING'
            ? 'UNSCHEDULABLE'
            : cluster.opportunistic.loadOf(node) >= node.opportunisticQueueLength
              ? 'QUEUE_FULL'
              : request.relaxLocality ||
                  request.nodes.includes(node.host) ||
                  request.nodes.includes(node.id) ||
                  request.racks.includes(node.rack)
                ? 'FITS'
                : 'ELSEWHERE';
      let group = groups.get(why);
      if (!group) groups.set(why, (group = { why, count: 0, nodeIds: [] }));
      group.count++;
      if (group.nodeIds.length < mostNodesNamed) group.nodeIds.push(node.id);
    }
    const rule = rules.find(([why]) => groups.has(why))?.[1] ?? 'NO_NODES';
    const largest = request.resource.map((_, i) => Math.max(0, ...[...cluster.view.nodes()].map(({ resource }) => resource[i] ?? 0)));
    const waitingReason: WaitingReason = {
      rule,
      partition: '',
      asked: request.resource,
      ...(rule === 'PREFERRED_PLACES' && { other: [...request.nodes, ...request.racks].slice(0, mostNodesNamed).join(', ') }),
      ...(rule === 'NO_NODE_LARGE_ENOUGH' && { limit: largest }),
    };
    return {
      requestId: request.requestId,
      isMaster: false,
      priority: request.priority,
      allocationRequestId: -1,
      resource: request.resource,
      count: request.count,
      partition: '',
      sinceMs: request.sinceMs ?? attempt.startedMs,
      waitingReasons: [waitingReason],
      nodes: { count: cluster.view.nodeCount, groups: [...groups.values()].sort((a, b) => b.count - a.count) },
    };
  });
}

/** What decides where nodes say different things. */
const rules: readonly (readonly [NodeRefusal, WaitingRule])[] = [
  ['FITS', 'NOT_YET_LOOKED_AT'],
  ['QUEUE_FULL', 'OPPORTUNISTIC_QUEUES_FULL'],
  ['ELSEWHERE', 'PREFERRED_PLACES'],
  ['UNSCHEDULABLE', 'NODES_UNSCHEDULABLE'],
  ['BLACKLISTED', 'NODES_BLACKLISTED'],
  ['TOO_SMALL', 'NO_NODE_LARGE_ENOUGH'],
];
