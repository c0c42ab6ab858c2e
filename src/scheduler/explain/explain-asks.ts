// The requests of one attempt, explained one by one: limits first, then nodes, then whose turn it is. Policies bring their limits.

import { hindranceOfNodes, reservedHindrance, viewNodes } from '../placement/node-refusals.ts';
import type { SchedulerAttempt } from '../state/applications.ts';
import type { OpenAsk } from '../state/asks.ts';
import type { NodeTable, Partition } from '../state/nodes.ts';
import { type AskExplanation, type Explanation, type Hindrance, mostAsks, type NodesView } from './explanation.ts';

/** What a policy knows beyond nodes. */
export interface AskRules {
  /** The whole application is held back. */
  readonly held?: Hindrance | undefined;
  /** Limits that refuse the request, in the order in which they are checked. */
  rules(ask: OpenAsk, partition: Partition): readonly (Hindrance | undefined)[];
  /** Who comes first, for a request that nothing else holds back. */
  turn(ask: OpenAsk, partition: Partition): Hindrance | undefined;
  /** The request as nodes are asked for it now: how far it may go, what of its resources counts. */
  onNodes(ask: OpenAsk, partition: Partition): OpenAsk;
}

/** The first requests in the order in which they are served. */
export function explainAsks(
  attempt: SchedulerAttempt | undefined,
  nodes: NodeTable,
  rules: AskRules,
): Pick<Explanation, 'asks' | 'further'> {
  const all = attempt?.asks.inOrder() ?? [];
  const known = new Map<string, NodesView>();
  const asks = all.slice(0, mostAsks).map((ask): AskExplanation => {
    const partition = nodes.partitions[ask.partition]!;
    const wanted = rules.onNodes(ask, partition);
    // Requests of one shape get the same answers; a constraint may make any request different.
    const key = ask.placement
      ? ask.askId
      : JSON.stringify([ask.partition, ask.resource, ask.relaxLocality, wanted.reach, ask.nodes, ask.racks]);
    let view = known.get(key);
    if (!view) known.set(key, (view = viewNodes(nodes, partition, wanted, attempt!.blacklist)));
    return {
      askId: ask.askId,
      isMaster: ask.isMaster,
      priority: ask.priority,
      allocationRequestId: ask.allocationRequestId,
      resource: ask.resource,
      count: ask.count,
      partition: partition.name,
      sinceMs: ask.sinceMs,
      hindrances: hindrancesOf(ask, wanted, partition, view, rules),
      nodes: view,
    };
  });
  return { asks, further: all.length - asks.length };
}

function hindrancesOf(ask: OpenAsk, wanted: OpenAsk, partition: Partition, view: NodesView, rules: AskRules): [Hindrance, ...Hindrance[]] {
  const ofNodes = hindranceOfNodes(view, partition, wanted);
  const limits = rules
    .rules(ask, partition)
    .filter((limit) => limit !== undefined)
    // The maximum of the root is the size of the partition: its nodes say more.
    .filter((limit) => !(ofNodes && limit.rule === 'ANCESTOR_MAXIMUM' && limit.queue === 'root'));
  const found = rules.held
    ? [rules.held, ofNodes]
    : [reservedHindrance(ask, partition), ...(partition.nodes === 0 ? [ofNodes, ...limits] : [...limits, ofNodes])];
  const [first, ...further] = found.filter((hindrance) => hindrance !== undefined);
  if (first) return [first, ...further];
  return [rules.turn(ask, partition) ?? { rule: 'NOT_YET_LOOKED_AT', partition: partition.name, asked: ask.resource }];
}
