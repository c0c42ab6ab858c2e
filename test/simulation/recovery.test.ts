// What a restart of the resource manager keeps, one situation at a time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentAttempt, finalStatus } from '../../src/resource-manager/applications/application.ts';
import type { Submission } from '../../src/resource-manager/applications/submission.ts';
import { checkCluster } from './invariants.ts';
import type { SimulatedMaster } from './simulated-master.ts';
import { submissionOf } from './submissions.ts';
import { World } from './world.ts';

/** A cluster with one node that runs the registered master of one application. */
async function running(more: Partial<Submission> = {}): Promise<{ world: World; id: string; master: SimulatedMaster }> {
  const world = new World('capacity', 7, { logAggregation: true });
  world.addNode('n0:45454');
  const id = world.cluster.newApplicationId();
  await world.submit(submissionOf(id, { queue: 'b', ...more }), 'ada');
  await world.exchange();
  const [master] = world.masters;
  assert.ok(master);
  await master.register();
  runAll(world);
  await world.exchange();
  return { world, id, master };
}

function runAll(world: World): void {
  for (const node of world.nodes) for (const container of node.containers.values()) node.run(container);
}

async function restart(world: World): Promise<void> {
  world.kill();
  world.start();
  for (const node of world.nodes) node.register();
  await world.exchange();
}

const application = (world: World, id: string) => world.cluster.findAny(id)!;

test('containers are adopted after every restart, not only after the first', async () => {
  const { world, id, master } = await running();
  for (let i = 0; i < 3; i++) {
    await restart(world);
    assert.equal(world.cluster.view.containerCount, 1, `restart ${i + 1}`);
    assert.equal(application(world, id).state, 'RUNNING');
    await master.listen();
  }
  const second = world.cluster.newApplicationId();
  await world.submit(submissionOf(second, { queue: 'a1' }), 'ben');
  await world.exchange();
  await restart(world);
  assert.equal(world.cluster.view.containerCount, 2);
  assert.equal(application(world, second).state, 'ACCEPTED');
  checkCluster(world);
  world.close();
});

test('the logs of an application that ended shortly before a restart are still told to be gathered', async () => {
  const { world, id, master } = await running();
  await master.finish('SUCCEEDED');
  for (const container of world.nodes[0]!.containers.values()) world.nodes[0]!.complete(container, 0);
  world.nodes[0]!.speak();
  await world.settle();
  assert.equal(world.store.finished(id)!.state, 'FINISHED');
  assert.equal(application(world, id).logAggregation.get('n0:45454')!.status, 'NOT_START');
  await restart(world);
  assert.equal(application(world, id).logAggregation.get('n0:45454')!.status, 'SUCCEEDED');
  world.clock.advance(20_000);
  await world.settle();
  assert.equal(world.cluster.view.applicationCount, 0);
  assert.equal(application(world, id).logAggregation.get('n0:45454')!.status, 'SUCCEEDED');
  world.close();
});

test('an attempt that ended with its application is shown as ended although nothing more was stored', async () => {
  const { world, id, master } = await running();
  void master.finish('SUCCEEDED');
  await world.settle(1);
  world.kill();
  world.start();
  const ended = application(world, id);
  assert.equal(ended.state, 'FINISHED');
  assert.equal(ended.attempts[0]!.state, 'FINISHED');
  assert.equal(finalStatus(ended), 'SUCCEEDED');
  world.close();
});

test('a master that says UNDEFINED has finished all the same', async () => {
  const { world, id, master } = await running();
  await master.finish('UNDEFINED');
  for (const container of world.nodes[0]!.containers.values()) world.nodes[0]!.complete(container, 0);
  await world.exchange();
  assert.equal(application(world, id).state, 'FINISHED');
  world.close();
});

test('a master that fell silent is stopped, the containers that it keeps go on', async () => {
  const { world, id, master } = await running({ keepContainers: true });
  const { cluster } = world;
  const attempt = currentAttempt(application(world, id))!;
  await cluster.allocate(
    application(world, id),
    attempt,
    {
      responseId: attempt.responseId,
      requests: [{ askId: 'a', resource: { memoryMiB: 128, vcores: 1 }, count: 2, launch: submissionOf(id).launch }],
    },
    0,
    new AbortController().signal,
  );
  await world.exchange();
  runAll(world);
  await world.exchange();
  assert.equal(cluster.view.containerCount, 3);
  world.clock.advance(61_000);
  await world.exchange();
  const [first, second] = application(world, id).attempts;
  assert.equal(first!.state, 'FAILED');
  assert.equal(master.state, 'dead');
  assert.equal([...second!.containers.values()].filter(({ isMaster }) => isMaster).length, 1);
  assert.equal(second!.containers.size, 3);
  await restart(world);
  assert.equal(currentAttempt(application(world, id))!.containers.size, 3);
  checkCluster(world);
  world.close();
});

test('an order to start a master that was lost costs no attempt', async () => {
  const world = new World('capacity', 7);
  world.addNode('n0:45454');
  const id = world.cluster.newApplicationId();
  await world.submit(submissionOf(id, { queue: 'b', maximumAttempts: 1 }), 'ada');
  await world.settle();
  // The node is killed before it takes the order, and comes back without the container.
  world.nodes[0]!.register();
  await world.exchange();
  const [master] = world.masters;
  assert.equal(master!.attemptId, application(world, id).attempts[1]!.id);
  assert.equal(application(world, id).state, 'ACCEPTED');
  world.close();
});

test('a lifetime goes on while no resource manager runs', async () => {
  const { world, id } = await running({ lifetimeSeconds: 100 });
  world.kill();
  world.clock.advance(101_000);
  world.start();
  await world.settle();
  world.clock.advance(1);
  await world.settle();
  assert.equal(application(world, id).state, 'KILLED');
  assert.match(application(world, id).diagnostics, /exceeded the lifetime/);
  for (const node of world.nodes) node.register();
  await world.exchange();
  assert.equal(world.nodes[0]!.containers.size, 0);
  world.close();
});

test('a container that is never started is taken back', async () => {
  const { world, id } = await running();
  const { cluster, clock } = world;
  const attempt = () => currentAttempt(application(world, id))!;
  const call = (more = {}) =>
    cluster.allocate(application(world, id), attempt(), { responseId: attempt().responseId, ...more }, 0, new AbortController().signal);
  await call({ requests: [{ askId: 'a', resource: { memoryMiB: 128, vcores: 1 }, count: 1 }] });
  await world.settle();
  const { allocations } = await call();
  assert.equal(allocations.length, 1);
  clock.advance(45_000);
  const { completed } = await call();
  assert.deepEqual(
    completed.map(({ containerId, exitCode, diagnostics }) => ({ containerId, exitCode, diagnostics })),
    [{ containerId: allocations[0]!.containerId, exitCode: -100, diagnostics: 'Container expired since it was unused' }],
  );
  await world.exchange();
  assert.deepEqual((await call()).completed, []);
  world.close();
});

test('an application whose queue was removed while no resource manager ran is killed with the reason', async () => {
  const { world, id } = await running();
  world.queues = new Map([
    ['yarn.scheduler.capacity.root.queues', 'a,r'],
    ['yarn.scheduler.capacity.root.a.capacity', '80'],
    ['yarn.scheduler.capacity.root.a.accessible-node-labels.y.capacity', '100'],
  ]);
  await restart(world);
  const ended = application(world, id);
  assert.equal(ended.state, 'KILLED');
  assert.match(ended.diagnostics, /queue/);
  assert.equal(ended.attempts[0]!.state, 'KILLED');
  await world.exchange();
  assert.equal(world.nodes[0]!.containers.size, 0);
  world.close();
});

test('what waited in a queue that was stopped meanwhile goes on waiting', async () => {
  const world = new World('capacity', 7);
  const id = world.cluster.newApplicationId();
  await world.submit(submissionOf(id, { queue: 'b' }), 'ada');
  await world.settle();
  world.queues = new Map([['yarn.scheduler.capacity.root.b.state', 'STOPPED']]);
  await restart(world);
  assert.equal(application(world, id).state, 'ACCEPTED');
  world.addNode('n0:45454');
  await world.exchange();
  assert.equal(currentAttempt(application(world, id))!.state, 'LAUNCHED');
  world.close();
});
