import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Attempt } from '../applications/application.ts';
import type { Node } from '../nodes/node.ts';
import { explainOpportunistic, type OpportunisticSource } from './explain-opportunistic.ts';

it('says what opportunistic requests wait for', () => {
  const node = (id: string, memoryMiB: number, load: number) => ({
    id: `${id}:1`,
    host: id,
    rack: '/r',
    state: 'RUNNING',
    resource: [memoryMiB, 8],
    opportunisticQueueLength: 2,
    load,
  });
  const nodes = [node('a', 4096, 2), node('b', 1024, 0), node('c', 8192, 1)];
  const request = (requestId: string, memoryMiB: number, nodes: string[] = [], relaxLocality = true) => ({
    requestId: requestId,
    priority: 1,
    resource: [memoryMiB, 1],
    count: 1,
    nodes,
    racks: [],
    relaxLocality,
  });
  const cluster: OpportunisticSource = {
    view: { nodes: () => nodes.values() as unknown as IteratorObject<Node, undefined>, nodeCount: nodes.length },
    opportunistic: {
      requestsOf: () => [request('full', 4096), request('large', 10_000), request('there', 512, ['a'], false)],
      loadOf: ({ id }) => nodes.find((node) => node.id === id)!.load,
    },
  };
  const explained = explainOpportunistic(cluster, { id: 'x', startedMs: 5, blacklistedNodes: new Set(['c']) } as unknown as Attempt);
  assert.deepEqual(
    explained.map(({ requestId, hindrances: [{ rule }] }) => [requestId, rule]),
    [
      ['full', 'OPPORTUNISTIC_QUEUES_FULL'],
      ['large', 'NODES_BLACKLISTED'],
      ['there', 'OPPORTUNISTIC_QUEUES_FULL'],
    ],
  );
  assert.deepEqual(
    explained[0]!.nodes.groups.map(({ why, nodeIds }) => [why, nodeIds[0]]),
    [
      ['QUEUE_FULL', 'a:1'],
      ['TOO_SMALL', 'b:1'],
      ['BLACKLISTED', 'c:1'],
    ],
  );
});
