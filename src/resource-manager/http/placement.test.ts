import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Query } from '../../http/query.ts';
import type { Call } from '../../http/service.ts';
import type { Parts } from '../views/parts.ts';
import { placementRoutes } from './placement.ts';

const container = (id: string, applicationId: string, memoryMiB: number) => ({ id, applicationId, resource: [memoryMiB, 1] });
const application = (id: string, user: string) => ({ id, user, queue: 'root.a', submission: { name: `work of ${user}` } });
const containers = new Map(
  [container('c1', 'a1', 512), container('c2', 'a2', 1024), container('c3', 'a3', 2048), container('c4', 'a1', 256)].map((each) => [
    each.id,
    each,
  ]),
);
const applications = new Map([application('a1', 'ann'), application('a2', 'bob'), application('a3', 'ann')].map((each) => [each.id, each]));
let looks = 0;
const parts = {
  cluster: {
    view: {
      nodes: () => [
        { id: 'host2:1', containers: new Set(['c4']) },
        { id: 'host1:1', containers: new Set(['c1', 'c2', 'c3', 'gone']) },
      ],
      container: (id: string) => containers.get(id),
      application: (id: string) => applications.get(id),
    },
  },
  access: {
    mayView({ user }: { user: string }, caller: string) {
      looks += 1;
      return user === caller || caller === 'admin';
    },
  },
} as unknown as Parts;

function ask(user: string, query = '') {
  const answer = placementRoutes(parts)[0]!.handle({ params: {}, user, query: new Query(query) } as unknown as Call<never>) as {
    body?: string;
  };
  return JSON.parse(String(answer.body));
}

describe('the placement of the cluster', () => {
  it('tells what each application has on each node, the largest first, and of hidden ones the sum', () => {
    const none = { containers: 0, memoryMiB: 0, vcores: 0 };
    const a1 = (memoryMiB: number) => ({ applicationId: 'a1', containers: 1, memoryMiB, vcores: 1 });
    assert.deepEqual(ask('ann'), {
      nodes: [
        {
          id: 'host1:1',
          shares: [{ applicationId: 'a3', containers: 1, memoryMiB: 2048, vcores: 1 }, a1(512)],
          hidden: { containers: 1, memoryMiB: 1024, vcores: 1 },
        },
        { id: 'host2:1', shares: [a1(256)], hidden: none },
      ],
      applications: ['a1', 'a3'].map((id) => ({ id, name: 'work of ann', user: 'ann', queue: 'root.a' })),
      more: false,
    });
    const { nodes, applications: named } = ask('eve');
    assert.deepEqual([named, nodes[0].shares, nodes[0].hidden], [[], [], { containers: 3, memoryMiB: 3584, vcores: 3 }]);
    assert.equal(ask('admin').applications.length, 3);
  });

  it('asks once for each application whether it may be viewed', () => {
    looks = 0;
    ask('eve');
    assert.equal(looks, 3);
  });

  it('tells of as many nodes as are asked for, and whether there are more', () => {
    const { nodes, more } = ask('ann', 'limit=1');
    assert.deepEqual([nodes.map(({ id }: { id: string }) => id), more], [['host1:1'], true]);
    assert.throws(() => ask('ann', 'limit=0'), /limit must be a whole number from 1 to 1000/);
  });
});
