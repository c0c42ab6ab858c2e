// A node that comes back without what it remembered, and tokens of the time before (docs/protocol.md, P5).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ContainerTokenContent, readContainerToken } from '../../src/auth/container-token.ts';
import { currentAttempt } from '../../src/resource-manager/applications/application.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { submissionOf } from './submissions.ts';
import { World } from './world.ts';

const contentOf = (token: string): ContainerTokenContent => readContainerToken(Buffer.alloc(32), token)!;

/** A master on one node that is given containers on the other, which it starts itself; its calls, one by one. */
async function besideItsMaster() {
  const world = new World('capacity', 7, { logAggregation: false });
  for (const id of ['n0:45454', 'n1:45454']) world.addNode(id);
  const id = world.cluster.newApplicationId();
  await world.submit(submissionOf(id, { queue: 'b' }), 'ada');
  await world.exchange();
  const { masterNodeId } = currentAttempt(world.cluster.view.application(id)!)!;
  const other = world.nodes.find((node) => node.id !== masterNodeId)!;
  const register = async () => {
    const application = world.cluster.view.application(id)!;
    const at = { host: 'h', rpcPort: 1, trackingUrl: '', heardEnds: [] };
    const { held, durable, responseId } = world.cluster.registerMaster(application, currentAttempt(application)!, at)!;
    await durable;
    next = responseId;
    return held.map((container) => contentOf(world.cluster.tokenOf(application, container)));
  };
  let next = 0;
  const given = async (askId: string): Promise<ContainerTokenContent> => {
    const application = world.cluster.view.application(id)!;
    const resource = { memoryMiB: 128, vcores: 1 };
    const ask = { askId, resource, count: 1, nodes: [other.id.split(':')[0]!], relaxLocality: false };
    for (const requests of [[ask], [], []]) {
      const call = { responseId: next, requests };
      const { allocations, responseId } = await world.cluster.allocate(
        application,
        currentAttempt(application)!,
        call,
        0,
        new AbortController().signal,
      );
      next = responseId;
      await world.exchange();
      if (allocations[0]) return contentOf(allocations[0].containerToken);
    }
    throw new Error('nothing was given');
  };
  await register();
  return { world, other, register, given };
}

/** Its machine is gone, and comes back without anything. */
async function losesItsMemory(world: World, node: SimulatedNode): Promise<void> {
  node.lose(false);
  node.start();
  node.register();
  await world.exchange();
}

test('a token starts nothing on a node that has lost since what it remembered', async () => {
  const { world, other, given } = await besideItsMaster();
  const before = await given('a');
  other.order(before);
  other.run(other.containers.get(before.containerId)!);
  await losesItsMemory(world, other);
  other.order(before);
  assert.deepEqual([...other.containers.keys()], []);
  // What is given from now on starts.
  const after = await given('b');
  other.order(after);
  assert.deepEqual([...other.containers.keys()], [after.containerId]);
  world.close();
});

test('nor does a token that a later resource manager made for what was given before', async () => {
  const { world, other, given, register } = await besideItsMaster();
  const before = await given('a');
  other.order(before);
  other.run(other.containers.get(before.containerId)!);
  world.kill();
  world.start();
  const [again] = await register();
  assert.equal(again?.containerId, before.containerId);
  await losesItsMemory(world, other);
  other.order(again);
  assert.deepEqual([...other.containers.keys()], []);
  world.close();
});
