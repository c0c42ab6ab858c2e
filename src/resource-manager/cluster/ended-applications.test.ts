import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LogAggregationStatus } from '../../wire/cluster/node-channel.ts';
import { logAggregationStatus } from '../applications/log-gathering.ts';
import { anApplication, anAttempt } from '../test-support/builders.ts';
import { TracedCluster } from '../test-support/traced-cluster.ts';

const logTimeoutMs = 300_000;

/** What the store has of an ended application’s logs: over all nodes, and node by node. */
function storedLogs({ store }: TracedCluster, id: string): [LogAggregationStatus, ...(readonly [string, string])[]] {
  const application = store.applicationOf(store.finished(id)!);
  return [
    logAggregationStatus(application),
    ...application.logAggregation.entries().map(([nodeId, { status }]) => [nodeId, status] as const),
  ];
}

/** An application that has ended; the first of its nodes has gathered its logs, the second has begun. */
async function ended(world: TracedCluster) {
  const { node } = world.addNode();
  const other = world.addNode('n2:45454').node;
  const { id } = await world.submit();
  const application = world.cluster.view.application(id)!;
  const tells = async (one: typeof node, status: LogAggregationStatus, diagnostics = '') => {
    world.cluster.takeNodeMessage(one, { type: 'logAggregation', applicationId: id, status, diagnostics });
    await world.settle();
  };
  await tells(other, 'RUNNING', 'begun');
  await world.cluster.kill(application, 'enough');
  await tells(node, 'SUCCEEDED');
  return { id, tells, other };
}

describe('ended applications', () => {
  it('count nodes that do not tell of the end of their logs in time as timed out', async () => {
    using world = new TracedCluster({ logAggregationEnabled: true, logTimeoutMs });
    const { id, tells, other } = await ended(world);
    world.clock.advance(logTimeoutMs - 1);
    await world.settle();
    assert.deepEqual(storedLogs(world, id), ['RUNNING', ['n1:45454', 'SUCCEEDED'], ['n2:45454', 'RUNNING']]);
    world.clock.advance(logTimeoutMs / 10);
    await world.settle();
    assert.deepEqual(storedLogs(world, id), ['TIME_OUT', ['n1:45454', 'SUCCEEDED'], ['n2:45454', 'TIME_OUT']]);
    assert.equal(world.store.applicationOf(world.store.finished(id)!).logAggregation.get('n2:45454')?.diagnostics, 'begun');
    await tells(other, 'SUCCEEDED');
    assert.equal(storedLogs(world, id)[0], 'SUCCEEDED', 'what comes late is told all the same');
  });

  it('do so where they are rows of the store alone, and without the gathering of logs nobody does', async () => {
    using world = new TracedCluster({ logTimeoutMs });
    const row = (id: string, logAggregationEnabled: boolean) =>
      anApplication({
        id,
        state: 'FINISHED',
        finishedMs: world.clock.now(),
        attempts: [anAttempt({ state: 'FINISHED' })],
        logAggregationEnabled,
        logAggregation: new Map([['n1:1', { status: 'NOT_START', diagnostics: '' }]]),
      });
    const [awaited, none] = ['application_1_0001', 'application_1_0002'] as const;
    await world.store.putFinished(row(awaited, true), undefined, true);
    await world.store.putFinished(row(none, false), undefined, true);
    assert.deepEqual(storedLogs(world, awaited), ['NOT_START', ['n1:1', 'NOT_START']]);
    world.clock.advance(logTimeoutMs + logTimeoutMs / 10);
    await world.settle();
    assert.deepEqual(storedLogs(world, awaited), ['TIME_OUT', ['n1:1', 'TIME_OUT']]);
    assert.deepEqual(storedLogs(world, none), ['DISABLED', ['n1:1', 'NOT_START']]);
    assert.equal(world.cluster.view.application(awaited), undefined, 'nothing of it is in memory');
  });

  it('that are live never time out', async () => {
    using world = new TracedCluster({ logAggregationEnabled: true, logTimeoutMs });
    world.addNode();
    const application = await world.submit();
    world.clock.advance(logTimeoutMs * 2);
    await world.settle();
    assert.notEqual(logAggregationStatus(application), 'TIME_OUT');
  });
});
