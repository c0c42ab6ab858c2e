import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../http/service.ts';
import type { Parts } from '../views/parts.ts';
import { nodeContainerRoutes } from './node-containers.ts';

const node = { id: 'host1:45454', connected: true, containers: new Set(['c1', 'c2', 'gone']) };
const container = (id: string, applicationId: string) => ({
  ...{ id, applicationId, state: 'RUNNING', isMaster: id === 'c1', executionType: 'GUARANTEED', resource: [512, 1], createdMs: 7 },
});
const application = (id: string, user: string) => ({ id, user, queue: 'root.a', submission: { name: `work of ${user}` } });
const containers = new Map([container('c1', 'a1'), container('c2', 'a2')].map((each) => [each.id, each]));
const applications = new Map([application('a1', 'ann'), application('a2', 'bob')].map((each) => [each.id, each]));
const parts = {
  cluster: {
    view: {
      node: (id: string) => (id === node.id ? node : undefined),
      container: (id: string) => containers.get(id),
      application: (id: string) => applications.get(id),
    },
  },
  access: { mayView: ({ user }: { user: string }, caller: string) => user === caller },
} as unknown as Parts;

function ask(nodeId: string, user: string): unknown {
  const answer = nodeContainerRoutes(parts)[0]!.handle({ params: { nodeId }, user } as unknown as Call<never>) as { body?: string };
  return JSON.parse(String(answer.body));
}

describe('containers of a node', () => {
  it('are told with the application that has them, and how many are hidden', () => {
    assert.deepEqual(ask(node.id, 'ann'), {
      containers: [
        {
          ...{ id: 'c1', applicationId: 'a1', applicationName: 'work of ann', user: 'ann', queue: 'root.a', state: 'RUNNING' },
          ...{ isMaster: true, executionType: 'GUARANTEED', memoryMiB: 512, vcores: 1, createdTime: 7 },
        },
      ],
      hidden: 1,
      connected: true,
    });
    assert.deepEqual(ask(node.id, 'eve'), { containers: [], hidden: 2, connected: true });
  });

  it('of a node that nobody knows are an error', () => {
    assert.throws(() => ask('elsewhere:1', 'ann'), /elsewhere:1/);
  });
});
