import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { placedApplications, segmentsOf } from './placement.ts';

const share = (applicationId: string, containers: number, memoryMiB: number, vcores: number) => ({
  applicationId,
  containers,
  memoryMiB,
  vcores,
});
const none = { containers: 0, memoryMiB: 0, vcores: 0 };
const placement = {
  nodes: [
    { id: 'n1', shares: [share('a2', 2, 2048, 2), share('a1', 1, 512, 1)], hidden: { containers: 3, memoryMiB: 1024, vcores: 3 } },
    { id: 'n2', shares: [share('a1', 4, 2048, 1)], hidden: none },
    { id: 'n3', shares: [share('a3', 1, 9000, 9)], hidden: none },
  ],
  applications: ['a1', 'a2', 'a3'].map((id) => ({ id, name: `work ${id}`, user: 'ann', queue: 'root.a' })),
  more: false,
};

describe('what fills a node', () => {
  it('are the shares of applications and of what is hidden, of the type that is shown', () => {
    assert.deepEqual(segmentsOf(placement.nodes[0]!, 'memory-mb', 4096), [
      { applicationId: 'a2', share: 0.5 },
      { applicationId: 'a1', share: 0.125 },
      { applicationId: undefined, share: 0.25 },
    ]);
    assert.deepEqual(segmentsOf(placement.nodes[1]!, 'vcores', 4), [{ applicationId: 'a1', share: 0.25 }]);
  });

  it('is not known of other types, and nothing where the node has none', () => {
    assert.deepEqual([segmentsOf(placement.nodes[0]!, 'yarn.io/gpu', 4), segmentsOf(placement.nodes[0]!, 'vcores', 0)], [[], []]);
  });

  it('is summed for each application over the nodes that are shown, the largest first', () => {
    const list = placedApplications(placement, new Set(['n1', 'n2']), 'memory-mb');
    assert.deepEqual(
      list.map(({ id, name, nodes, containers, memoryMiB, vcores }) => [id, name, nodes, containers, memoryMiB, vcores]),
      [
        ['a1', 'work a1', 2, 5, 2560, 2],
        ['a2', 'work a2', 1, 2, 2048, 2],
      ],
    );
    assert.deepEqual(
      placedApplications(placement, new Set(['n1', 'n2', 'n3']), 'vcores').map(({ id }) => id),
      ['a3', 'a1', 'a2'],
    );
  });
});
