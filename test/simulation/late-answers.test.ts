// Answers that a master gets late or twice: what each one says of what the others have said (docs/protocol.md, P4 and P6).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../src/model/errors.ts';
import { running } from './calling.ts';
import { checkCluster } from './invariants.ts';
import { registerMaster } from './master-door.ts';

test('a registration that comes again does not list what the next answer gives, also where that is over by then', async () => {
  const { world, master } = await running();
  await master.register([], 'first');
  await master.ask('a');
  await world.exchange();
  const [node] = world.nodes;
  const container = [...node!.containers.values()].find(({ id }) => id !== master.attempt.masterContainerId)!;
  node!.complete(container, 7);
  await world.exchange();
  const { held, over } = await master.register([], 'first');
  assert.deepEqual([held, over], [[], []]);
  const { allocations, completed } = await master.call();
  assert.deepEqual(
    [allocations.map(({ containerId }) => containerId), completed.map(({ containerId }) => containerId)],
    [[container.id], [container.id]],
  );
  checkCluster(world);
  world.close();
});

test('an answer that tells ends does not leave when who comes after it is told them', async () => {
  const { world, master } = await running();
  await master.ask('a');
  await world.exchange();
  await master.call();
  const [node] = world.nodes;
  const container = [...node!.containers.values()].find(({ id }) => id !== master.attempt.masterContainerId)!;
  node!.complete(container, 7);
  node!.speak();
  await world.settle();
  // The answer is made, and it is not durable yet that it tells an end, when the master registers anew.
  const late = master.call();
  const { over } = await master.register();
  const { command, completed } = await late;
  assert.deepEqual([command, completed], ['resync', []]);
  assert.deepEqual(
    over.map(({ containerId }) => containerId),
    [container.id],
  );
  world.close();
});

test('a registration that comes after another one of the same master is refused, and takes back nothing', async () => {
  const { world, master } = await running();
  const { id: attemptId, token } = master.attempt;
  const register = (registrationId: string) => registerMaster(world.manager, { attemptId, token }, { heardEnds: [], registrationId });
  await register('first');
  master.responseId = (await register('second')).responseId;
  await master.ask('a');
  await assert.rejects(register('first'), (error) => error instanceof Failure && error.code === 'REGISTRATION_SUPERSEDED');
  await world.exchange();
  const { command, allocations } = await master.call();
  assert.deepEqual([command, allocations.map(({ askId }) => askId)], [undefined, ['a']]);
  checkCluster(world);
  world.close();
});
