// Containers that change while they run, one situation at a time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentAttempt } from '../../src/resource-manager/applications/application.ts';
import type { TakenRequest } from '../../src/resource-manager/cluster/masters.ts';
import type { PolicyKind } from '../../src/scheduler/policy.ts';
import { checkCluster } from './invariants.ts';
import { nothingToRun, submissionOf } from './submissions.ts';
import { World } from './world.ts';

const size = (memoryMiB: number) => ({ memoryMiB, vcores: 1 });

/** A master on the only node (4096 MiB) with containers of the given sizes. */
async function holding(kind: PolicyKind, ...sizes: readonly number[]) {
  const world = new World(kind, 7);
  world.addNode('n0:45454');
  const id = world.cluster.newApplicationId();
  await world.submit(submissionOf(id, { queue: kind === 'fifo' ? undefined : 'b' }), 'ada');
  await world.exchange();
  await world.masters[0]!.register();
  const application = world.cluster.view.application(id)!;
  const attempt = currentAttempt(application)!;
  let { responseId } = attempt;
  const call = async (request: Omit<TakenRequest, 'responseId'> = {}) => {
    const answer = await world.cluster.allocate(
      application,
      attempt,
      { responseId: responseId++, ...request },
      0,
      new AbortController().signal,
    );
    await world.exchange();
    checkCluster(world);
    return answer;
  };
  await call({
    requests: sizes.map((memoryMiB, i) => ({ askId: `a${i}`, priority: 1 + i, resource: size(memoryMiB), count: 1, launch: nothingToRun })),
  });
  const { allocations } = await call();
  const ids = sizes.map((_size, i) => allocations.find(({ askId: requestId }) => requestId === `a${i}`)!.containerId);
  return { world, application, ids, call };
}

test('a container that becomes opportunistic no longer waits to grow', async () => {
  const { world, application, ids, call } = await holding('fifo', 1024, 2048);
  const [small = '', large = ''] = ids;
  await call({ updates: [{ containerId: small, updateType: 'INCREASE_RESOURCE', resource: size(3072) }] });
  await call({ updates: [{ containerId: small, updateType: 'DEMOTE_EXECUTION_TYPE' }] });
  await call({ releases: [large] });
  await call();
  assert.equal(world.cluster.view.container(small)!.resource[0], 1024);
  assert.equal(world.cluster.policy.usage(application.id)!.runningContainers, 1);
  world.close();
});

test('a container that waits to grow is given room whichever way it appears', async () => {
  const { world, ids, call } = await holding('fifo', 1024, 2048);
  const [small = ''] = ids;
  await call({ updates: [{ containerId: small, updateType: 'INCREASE_RESOURCE', resource: size(3072) }] });
  await world.cluster.resizeNode(world.cluster.view.node('n0:45454')!, [8192, 8], -1);
  await world.exchange();
  assert.deepEqual(
    (await call()).updated?.map(({ containerId, resource }) => [containerId, resource.memoryMiB]),
    [[small, 3072]],
  );
  world.close();
});

test('a container grows beyond what its queue is guaranteed while no other queue wants the room; what it waits for is no request of its master', async () => {
  const { world, application, ids, call } = await holding('capacity', 512, 1024);
  const [small = '', large = ''] = ids;
  await call({ updates: [{ containerId: small, updateType: 'INCREASE_RESOURCE', resource: size(2048) }] });
  await call();
  assert.equal(world.cluster.view.container(small)!.resource[0], 2048);
  assert.equal(world.cluster.policy.usage(application.id)!.runningContainers, 3);
  await call({ updates: [{ containerId: small, updateType: 'INCREASE_RESOURCE', resource: size(3072) }] });
  const asked = () =>
    world.cluster.policy
      .usage(application.id)!
      .requests()
      .filter(({ resourceName }) => resourceName === '*')
      .toArray();
  assert.deepEqual(
    asked().map(({ requestId, purpose }) => ({ requestId, purpose })),
    [{ requestId: '', purpose: { kind: 'growth', containerId: small } }],
  );
  await call({ releases: [small] });
  assert.deepEqual(asked(), []);
  assert.ok(world.cluster.view.container(large) !== undefined);
  world.close();
});

test('what a master was told that its containers became holds over a restart, also where their node had not heard of it', async () => {
  for (const heardBy of ['nobody', 'node'] as const) {
    const { world, ids, call } = await holding('fifo', 1024, 1024);
    const [one = '', two = ''] = ids;
    const node = world.nodes[0]!;
    if (heardBy === 'nobody') node.link.part();
    await call({
      updates: [
        { containerId: one, updateType: 'INCREASE_RESOURCE', resource: size(1536) },
        { containerId: two, updateType: 'DEMOTE_EXECUTION_TYPE' },
      ],
    });
    const { updated } = await call();
    assert.deepEqual(updated?.map(({ containerId }) => containerId).sort(), [one, two].sort());
    world.kill();
    if (heardBy === 'nobody') node.link.mend();
    world.start();
    node.register();
    await world.exchange();
    checkCluster(world);
    const now = (id: string) => {
      const { resource, executionType } = world.cluster.view.container(id)!;
      const onNode = node.containers.get(id)!;
      return [resource[0], executionType, onNode.resource.memoryMiB, onNode.executionType];
    };
    assert.deepEqual(now(one), [1536, 'GUARANTEED', 1536, 'GUARANTEED'], heardBy);
    assert.deepEqual(now(two), [1024, 'OPPORTUNISTIC', 1024, 'OPPORTUNISTIC'], heardBy);
    world.close();
  }
});

test('a change of a container is told when it is durable, the last one of several', async () => {
  const { world, ids, call } = await holding('fifo', 2048);
  const [containerId = ''] = ids;
  const [node] = world.nodes;
  world.disk.full = true;
  for (const memoryMiB of [1536, 1024])
    await call({ updates: [{ containerId, updateType: 'DECREASE_RESOURCE', resource: size(memoryMiB) }] });
  assert.deepEqual([(await call()).updated, node!.containers.get(containerId)!.resource.memoryMiB], [undefined, 2048]);
  world.disk.full = false;
  await world.pass(2000);
  await world.exchange();
  const { updated } = await call();
  assert.deepEqual(
    updated?.map(({ resource }) => resource.memoryMiB),
    [1024],
  );
  assert.equal(node!.containers.get(containerId)!.resource.memoryMiB, 1024);
  assert.deepEqual(world.store.containers()[0]?.container.resource, [1024, 1]);
  world.close();
});

test('another type of a container is told when it is durable', async () => {
  const { world, ids, call } = await holding('fifo', 1024);
  const [containerId = ''] = ids;
  const [node] = world.nodes;
  const kept = () => world.store.containers()[0]?.container.executionType;
  for (const [updateType, before, after] of [
    ['DEMOTE_EXECUTION_TYPE', 'GUARANTEED', 'OPPORTUNISTIC'],
    ['PROMOTE_EXECUTION_TYPE', 'OPPORTUNISTIC', 'GUARANTEED'],
  ] as const) {
    world.disk.full = true;
    await call({ updates: [{ containerId, updateType }] });
    assert.deepEqual([(await call()).updated, node!.containers.get(containerId)!.executionType, kept()], [undefined, before, before]);
    world.disk.full = false;
    await world.pass(2000);
    await world.exchange();
    assert.deepEqual(
      (await call()).updated?.map(({ executionType }) => executionType),
      [after],
    );
    assert.deepEqual([node!.containers.get(containerId)!.executionType, kept()], [after, after]);
  }
  world.close();
});

test('a container that ends no longer waits to be promoted', async () => {
  const { world, application, ids, call } = await holding('fifo', 1024, 2048);
  await call({
    requests: [{ askId: 'o', priority: 1, resource: size(4096), count: 1, executionType: 'OPPORTUNISTIC', launch: nothingToRun }],
  });
  const [{ containerId = '' } = {}] = (await call()).allocations;
  await call({ updates: [{ containerId, updateType: 'PROMOTE_EXECUTION_TYPE' }] });
  const waiting = () =>
    world.cluster.policy
      .usage(application.id)!
      .requests()
      .map(({ purpose }) => purpose?.kind)
      .toArray();
  assert.ok(waiting().includes('promotion'));
  await call({ releases: [containerId] });
  assert.deepEqual(waiting(), []);
  assert.equal(ids.length, 2);
  world.close();
});

test('a master that uses the words of the resource manager for its own requests neither meets nor cancels what a container waits for', async () => {
  const { world, application, ids, call } = await holding('fifo', 1024, 2048);
  const [small = '', large = ''] = ids;
  await call({ updates: [{ containerId: small, updateType: 'INCREASE_RESOURCE', resource: size(3072) }] });
  const askId = `growth of ${small}`;
  await call({ requests: [{ askId, priority: 9, resource: size(8192 / 2), count: 1 }] });
  await call({ cancels: [askId, ''] });
  const waiting = world.cluster.policy
    .usage(application.id)!
    .requests()
    .filter(({ resourceName }) => resourceName === '*')
    .toArray();
  assert.deepEqual(
    waiting.map(({ purpose }) => purpose),
    [{ kind: 'growth', containerId: small }],
  );
  await call({ releases: [large] });
  const { updated, allocations } = await call();
  assert.deepEqual(
    updated?.map(({ containerId, resource }) => [containerId, resource.memoryMiB]),
    [[small, 3072]],
  );
  assert.deepEqual(allocations, []);
  world.close();
});
