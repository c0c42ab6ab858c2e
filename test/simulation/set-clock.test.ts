// The machine's clock is set while things are waited for: silence and waits last as long as they are said to (docs/protocol.md, P8).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, running } from './calling.ts';
import { submissionOf } from './submissions.ts';

const dayMs = 86_400_000;

/** Is given a container that it will start itself. */
async function given(master: Caller): Promise<void> {
  await master.call({ requests: [{ askId: 'a', resource: { memoryMiB: 128, vcores: 1 }, count: 1 }] });
  await master.world.exchange();
  assert.equal((await master.call()).allocations.length, 1);
}

test('a clock that is set forwards ends no master that speaks, no node that is there, and no container that was just given', async () => {
  const { world, master } = await running();
  await given(master);
  world.clock.set(dayMs);
  for (let round = 0; round < 7; round++) {
    await world.pass(5000);
    const { command, completed } = await master.call();
    assert.deepEqual([command, completed], [undefined, []]);
  }
  assert.equal(world.cluster.view.node(world.nodes[0]!.id)!.state, 'RUNNING');
  assert.equal(master.application.state, 'RUNNING');
  world.close();
});

test('a clock that is set forwards just before a silent one is looked at takes no time away from it', async () => {
  const { world, master } = await running();
  await world.pass(55_000);
  await master.call();
  world.clock.set(dayMs);
  // The watch looks 60 s after the registration; the master was heard five seconds before.
  await world.pass(50_000);
  assert.equal((await master.call()).command, undefined);
  world.close();
});

test('a clock that is set back lets nobody wait longer for what never began, nor for a master that is silent', async () => {
  const { world, master } = await running();
  await given(master);
  const id = world.cluster.newApplicationId();
  await world.submit(submissionOf(id, { queue: 'b', unmanaged: true, maximumAttempts: 1 }), 'ada');
  await world.exchange();
  world.clock.set(-dayMs);
  await world.pass(50_000);
  assert.equal((await master.call()).completed.length, 1, 'it was to be begun within 40 s');
  await world.pass(15_000);
  assert.equal(world.cluster.view.application(id)?.attempts[0]?.state, 'FAILED', 'its master was to speak within 60 s');
  world.close();
});

test('a clock that is set forwards takes no time from a node that has time to leave, also where it registers anew', async () => {
  const { world, master } = await running();
  const [node] = world.nodes;
  await world.cluster.drainNode(world.cluster.view.node(node!.id)!, 600);
  world.clock.set(dayMs);
  node!.register();
  await world.exchange();
  assert.equal(world.cluster.view.node(node!.id)!.state, 'DECOMMISSIONING');
  assert.equal((await master.call()).command, undefined);
  world.clock.set(-2 * dayMs);
  node!.register();
  await world.exchange();
  await world.pass(601_000);
  assert.equal(world.cluster.view.node(node!.id)!.state, 'DECOMMISSIONED');
  world.close();
});
