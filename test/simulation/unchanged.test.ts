// Who asks for what is so already is answered when that is durable, too (docs/protocol.md, P1).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { running } from './calling.ts';
import { World } from './world.ts';

test('that an application has a priority is answered when it is durable, not while it is being written', async () => {
  const { world, master } = await running();
  const { cluster, disk } = world;
  const before = master.application.priority;
  disk.full = true;
  const changed = assert.rejects(cluster.setPriority(master.application, 5));
  assert.equal(master.application.priority, 5);
  const same = assert.rejects(cluster.settled(master.application));
  await world.settle();
  await Promise.all([changed, same]);
  assert.equal(master.application.priority, before);
  // What was refused is written as it was before; until then that is not certain.
  await assert.rejects(cluster.settled(master.application));
  disk.full = false;
  await cluster.settled(master.application);
  world.kill();
  world.start();
  assert.equal(master.application.priority, before);
  world.close();
});

test('that an attempt is over is answered when it is durable, not while it is being written', async () => {
  const { world, master } = await running();
  const { cluster, disk } = world;
  const { application, attempt } = master;
  disk.full = true;
  const failed = assert.rejects(cluster.failAttempt(application, attempt));
  const again = assert.rejects(cluster.failAttempt(application, attempt));
  await world.settle();
  await Promise.all([failed, again]);
  assert.equal(application.attempts.length, 2);
  disk.full = false;
  await cluster.failAttempt(application, attempt);
  assert.equal(application.attempts.length, 2);
  world.kill();
  world.start();
  assert.equal(world.cluster.view.application(master.id)!.attempts[0]!.state, 'FAILED');
  world.close();
});

test('who fails an attempt that is over changes nothing of the next one, which waits', async () => {
  const { world, master } = await running();
  const { cluster } = world;
  const { application, attempt } = master;
  world.nodes[0]!.link.part();
  await world.pass(20_000);
  await cluster.failAttempt(application, attempt);
  await world.settle();
  const seen = () => [cluster.sizes().waiting, application.attempts.map(({ state }) => state)];
  assert.deepEqual(seen(), [1, ['FAILED', 'SCHEDULED']]);
  await cluster.failAttempt(application, attempt);
  assert.deepEqual(seen(), [1, ['FAILED', 'SCHEDULED']]);
  world.close();
});

test('that a reservation is there is answered when it is durable, not while it is being written', async () => {
  const { world } = await running();
  const { reservations } = world.manager;
  const nowMs = world.clock.now();
  const wanted = {
    ...{ arrivalMs: nowMs, deadlineMs: nowMs + 60_000, interpreter: 'ALL' as const, name: undefined, recurrence: '0' },
    requests: [{ capability: [256, 1], containers: 1, concurrency: 1, durationMs: 10_000 }],
  };
  const id = reservations!.newId();
  const submit = () => world.manager.reservations!.submit(id, 'r', 'ada', wanted);
  world.disk.full = true;
  const both = [1, 2].map(() => assert.rejects(submit()));
  await world.settle();
  await Promise.all(both);
  world.disk.full = false;
  await Promise.all([submit(), submit()]);
  world.kill();
  world.start();
  assert.ok(world.manager.reservations!.reservation(id));
  world.close();
});

test('what is refused after it was written is taken back, with the next write at the latest', async () => {
  const world = new World('capacity', 7, { slowestSyncMs: () => 5 });
  const { labels } = world.manager;
  const pass = async (ms: number) => {
    await world.settle();
    await world.pass(ms);
    await world.settle();
  };
  const failing = async (change: Promise<void>) => {
    world.disk.failOnce('after', () => undefined);
    const refused = assert.rejects(change);
    await pass(10);
    await refused;
  };
  await failing(labels.add([{ name: 'x', exclusive: true }]));
  const added = labels.add([{ name: 'y', exclusive: false }]);
  await pass(10);
  await added;
  assert.deepEqual([...world.store.records('label').keys()], ['y']);
  await failing(labels.remove(['y']));
  await failing(world.store.setMeta('version', '1'));
  assert.equal(world.store.meta('version'), '1');
  await pass(1100);
  assert.deepEqual([[...world.store.records('label').keys()], world.store.meta('version')], [['y'], undefined]);
  world.close();
});

test('that a label is there is answered when it is durable, not while it is being written', async () => {
  const { world } = await running();
  const { labels } = world.manager;
  world.disk.full = true;
  const both = [1, 2].map(() => assert.rejects(labels.add([{ name: 'z', exclusive: true }])));
  await world.settle();
  await Promise.all(both);
  world.disk.full = false;
  await labels.add([{ name: 'z', exclusive: true }]);
  world.kill();
  world.start();
  assert.ok(world.manager.labels.label('z'));
  world.close();
});
