import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { QueryClient } from '@tanstack/react-query';
import { grouped, queuesQuery, queueWaitsQuery } from './queues.ts';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

/** Answers by the end of the path. */
function answering(answers: Readonly<Record<string, unknown>>): string[] {
  const asked: string[] = [];
  globalThis.fetch = (async (url: string) => {
    const { pathname, search } = new URL(url);
    asked.push(`${pathname.split('/').slice(-2).join('/')}${search}`);
    const found = Object.entries(answers).find(([end]) => pathname.endsWith(end));
    return found ? Response.json(found[1]) : new Response('{"message":"hidden"}', { status: 403 });
  }) as typeof fetch;
  return asked;
}

const reason = (rule: string) => ({ rule, sentence: `${rule}.`, remedy: `without ${rule}` });
const waitingFor = (rule: string) => ({ waiting: true, sentence: 'It waits', requests: [{ reasons: [reason(rule)] }] });

describe('what pages ask about queues', () => {
  it('is one tree of any scheduler', async () => {
    answering({
      '/scheduler': { scheduler: { schedulerInfo: { rootQueue: { queueName: 'root', numActiveApps: 3 } } } },
    });
    const tree = await new QueryClient().fetchQuery(queuesQuery);
    assert.deepEqual([tree.scheduler, tree.root.active], ['fair scheduler', 3]);
  });

  it('groups what waits by the rule that holds it back, the most frequent first', () => {
    const named = (id: string, explanation: Parameters<typeof grouped>[0][number]['explanation']) => ({
      id,
      name: `name of ${id}`,
      explanation,
    });
    const waits = grouped([
      named('a', waitingFor('NODES_FULL')),
      named('b', { ...waitingFor('NODES_FULL'), application: reason('QUEUE_MASTER_LIMIT') }),
      named('c', waitingFor('QUEUE_MASTER_LIMIT')),
      named('d', { ...waitingFor('NODES_FULL'), waiting: false }),
      named('e', undefined),
      named('f', { waiting: true, sentence: 'It is being started', requests: [] }),
    ]);
    assert.deepEqual(
      waits.map(({ rule, applications }) => [rule, applications.map(({ id }) => id)]),
      [
        ['QUEUE_MASTER_LIMIT', ['b', 'c']],
        ['NODES_FULL', ['a']],
      ],
    );
  });

  it('leaves out applications that the caller may not view', async () => {
    const asked = answering({
      '/applications': {
        applications: [
          { id: 'mine', name: 'm' },
          { id: 'theirs', name: 't' },
        ],
      },
      '/mine/explain': waitingFor('QUEUE_MAXIMUM'),
    });
    const waits = await new QueryClient().fetchQuery(queueWaitsQuery('root.a'));
    assert.deepEqual(
      waits.map(({ applications }) => applications),
      [[{ id: 'mine', name: 'm' }]],
    );
    assert.match(asked[0]!, /queue=root\.a&states=ACCEPTED%2CRUNNING/);
    assert.equal(asked.length, 3);
  });
});
