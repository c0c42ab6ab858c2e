// What the ended containers of an application add up to, whenever the resource manager is killed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Caller, running } from './calling.ts';
import { submissionOf } from './submissions.ts';
import type { World } from './world.ts';

const tasks = 3;

/** Runs tasks that take two seconds each and fail; the resource manager dies after each of the named steps. Answers what it counts at last. */
async function countedAfter(...deaths: readonly string[]) {
  const { world, master } = await running();
  const [node] = world.nodes;
  const begin = async (): Promise<void> => {
    world.kill();
    world.start();
    node!.register();
    await world.exchange();
    await master.register();
    await world.exchange();
  };
  const step = async (name: string): Promise<void> => {
    if (deaths.includes(name)) await begin();
  };
  await master.ask('a', tasks);
  await world.exchange();
  await step('running');
  world.clock.advance(2_000);
  for (const container of [...node!.containers.values()]) if (!container.order.isMaster) node!.complete(container, 7);
  node!.speak();
  await world.settle();
  await step('ended');
  await master.call();
  await step('told');
  await master.call();
  await step('heard');
  // Another application is written meanwhile: not this one.
  await world.submit(submissionOf(world.cluster.newApplicationId(), { queue: 'b' }), 'bob');
  await step('later');
  const { endedContainers, resourceSeconds } = master.application;
  world.close();
  return { ...endedContainers, used: [...resourceSeconds.used] };
}

test('each container that ended is counted once, also by processes that come after a kill', async () => {
  const steps = ['running', 'ended', 'told', 'heard', 'later'];
  const undisturbed = await countedAfter();
  assert.deepEqual([undisturbed.failed, undisturbed.stopped, undisturbed.used[1]! >= tasks * 2000], [tasks, 0, true]);
  for (const deaths of [...steps.map((step) => [step]), ['ended', 'told'], ['ended', 'heard'], steps])
    assert.deepEqual(await countedAfter(...deaths), undisturbed, `killed after ${deaths.join(', ')}`);
});

test('what was taken back and may run on its node yet is not counted again when the node ends it', async () => {
  const { world, master } = await running();
  const [node] = world.nodes;
  await master.ask('a');
  await world.exchange();
  const [container] = [...node!.containers.values()].filter(({ order }) => !order.isMaster);
  // The order to stop it is lost.
  node!.link.drop();
  await master.call({ releases: [container!.id] });
  await master.call();
  const counted = structuredClone(master.application.endedContainers);
  assert.deepEqual(counted, { succeeded: 0, failed: 0, stopped: 1 });
  restart(world);
  assert.deepEqual(master.application.endedContainers, counted);
  node!.register();
  await world.exchange();
  assert.deepEqual(master.application.endedContainers, counted);
  world.close();
});

test('what is given up before its node comes back counts, and stays counted', async () => {
  const { world, master } = await running();
  await master.ask('a');
  await world.exchange();
  restart(world);
  const { held } = await master.register();
  await master.call({ releases: held.map(({ id }) => id) });
  await master.call();
  restart(world);
  assert.deepEqual(new Caller(world, master.id).application.endedContainers, { succeeded: 0, failed: 0, stopped: 1 });
  world.close();
});

function restart(world: World): void {
  world.kill();
  world.start();
}
