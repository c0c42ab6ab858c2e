// Places that a master avoids: hosts, nodes and racks of its blacklist get none of its containers, whoever gives them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentAttempt } from '../../src/resource-manager/applications/application.ts';
import type { TakenRequest } from '../../src/resource-manager/cluster/masters.ts';
import { explainOpportunistic } from '../../src/resource-manager/http/explain-opportunistic.ts';
import type { PolicyKind } from '../../src/scheduler/policy.ts';
import { checkCluster } from './invariants.ts';
import { nothingToRun, submissionOf } from './submissions.ts';
import { World } from './world.ts';

const size = (memoryMiB: number) => ({ memoryMiB, vcores: 1 });

/** A registered master in a cluster of three nodes; n0 and n2 are in the rack /r0, n1 in /r1. */
async function registered(kind: PolicyKind, submission: Parameters<typeof submissionOf>[1] = {}) {
  const world = new World(kind, 7);
  for (const id of ['n0:45454', 'n1:45454', 'n2:45454']) world.addNode(id);
  const id = world.cluster.newApplicationId();
  await world.submit(submissionOf(id, { queue: kind === 'fifo' ? undefined : 'b', ...submission }), 'ada');
  await world.exchange();
  await world.masters.at(-1)!.register();
  const application = () => world.cluster.view.application(id)!;
  const attempt = () => currentAttempt(application())!;
  const call = async (request: Omit<TakenRequest, 'responseId'> = {}) => {
    const { signal } = new AbortController();
    const answered = world.cluster.allocate(application(), attempt(), { responseId: attempt().responseId, ...request }, 0, signal);
    await world.exchange();
    const answer = await answered;
    checkCluster(world);
    return answer;
  };
  /** The hosts that containers of a request are given on, in order. */
  const hostsOf = async (request: Omit<NonNullable<TakenRequest['requests']>[number], 'askId' | 'resource'>) => {
    const asked = { askId: 'a', resource: size(256), ...request };
    const allocations = [...(await call({ requests: [asked] })).allocations, ...(await call()).allocations];
    const withdrawn = await call({ cancels: ['a'], releases: allocations.map(({ containerId }) => containerId) });
    await call({ releases: withdrawn.allocations.map(({ containerId }) => containerId) });
    return [...new Set(allocations.map(({ nodeId }) => nodeId.split(':')[0]))].sort();
  };
  return { world, application, attempt, call, hostsOf };
}

const everywhere = (executionType: 'GUARANTEED' | 'OPPORTUNISTIC') => ({ count: 6, executionType });

for (const kind of ['capacity', 'fair', 'fifo'] as const) {
  for (const executionType of ['GUARANTEED', 'OPPORTUNISTIC'] as const) {
    test(`${kind}: a master gets ${executionType} containers on no host, node or rack that it avoids, until it names them again`, async () => {
      const { world, attempt, call, hostsOf } = await registered(kind);
      const large = { ...everywhere(executionType), resource: size(1024) };
      await call({ blacklistAdditions: ['n0', 'n1:45454'] });
      assert.deepEqual([...attempt().blacklistedNodes], ['n0', 'n1:45454']);
      assert.deepEqual(await hostsOf(everywhere(executionType)), ['n2']);
      await call({ blacklistAdditions: ['/r0'], blacklistRemovals: ['n1:45454', 'n0', 'n9'] });
      assert.deepEqual(await hostsOf(everywhere(executionType)), ['n1']);
      await call({ blacklistRemovals: ['/r0'] });
      assert.equal((await hostsOf({ ...large, count: 9 })).length, 3);
      world.close();
    });
  }
}

test('what opportunistic requests wait for names the nodes that the master avoids', async () => {
  const { world, attempt, call } = await registered('fifo');
  const { cluster } = world;
  await cluster.resizeNode(cluster.view.node('n1:45454')!, [1024, 8], -1);
  await cluster.resizeNode(cluster.view.node('n2:45454')!, [8192, 8], -1);
  await call({ blacklistAdditions: ['n2'] });
  const there = { nodes: ['n0'], relaxLocality: false };
  const opportunistic = { executionType: 'OPPORTUNISTIC' as const, count: 1 };
  // n0 lets three containers wait; without a launch context they do not begin.
  await call({ requests: [{ askId: 'filling', resource: size(128), ...opportunistic, count: 3, ...there }] });
  await call({
    requests: [
      { askId: 'full', resource: size(4096), ...opportunistic },
      { askId: 'large', resource: size(8000), ...opportunistic },
      { askId: 'there', resource: size(512), ...opportunistic, ...there },
    ],
  });
  const explained = explainOpportunistic(cluster, attempt());
  assert.deepEqual(
    explained.map(({ requestId, waitingReasons: [{ rule }] }) => [requestId, rule]),
    [
      ['full', 'OPPORTUNISTIC_QUEUES_FULL'],
      ['large', 'NODES_BLACKLISTED'],
      ['there', 'OPPORTUNISTIC_QUEUES_FULL'],
    ],
  );
  assert.deepEqual(
    explained[0]!.nodes.groups.map(({ why, nodeIds }) => [why, nodeIds]),
    [
      ['QUEUE_FULL', ['n0:45454']],
      ['TOO_SMALL', ['n1:45454']],
      ['BLACKLISTED', ['n2:45454']],
    ],
  );
  world.close();
});

for (const kind of ['capacity', 'fifo'] as const) {
  test(`${kind}: what a master avoids outlives a restart of the resource manager`, async () => {
    const { world, attempt, call, hostsOf } = await registered(kind);
    await call({ blacklistAdditions: ['n0', 'n1'] });
    await call({ blacklistRemovals: ['n1'] });
    world.kill();
    world.start();
    for (const node of world.nodes) node.register();
    await world.exchange();
    await world.masters.at(-1)!.register();
    assert.deepEqual([...attempt().blacklistedNodes], ['n0']);
    for (const executionType of ['GUARANTEED', 'OPPORTUNISTIC'] as const)
      assert.deepEqual(await hostsOf(everywhere(executionType)), ['n1', 'n2'], executionType);
    world.close();
  });
}

test('a call that names a blacklist is refused while that cannot be stored, and the same again is answered when it is durable', async () => {
  const { world, attempt, application } = await registered('fifo');
  world.disk.full = true;
  const request = { responseId: attempt().responseId, blacklistAdditions: ['n0'], notes: ['one'] };
  const call = () => world.cluster.allocate(application(), attempt(), request, 0, new AbortController().signal);
  await assert.rejects(call(), /The disk of \/disk is full/);
  const again = call();
  world.clock.advance(1000);
  await assert.rejects(again, /The disk of \/disk is full/);
  const last = call();
  world.disk.full = false;
  world.clock.advance(1000);
  await world.exchange();
  assert.equal((await last).responseId, request.responseId + 1);
  assert.deepEqual(world.store.notesOf(application().id), ['one']);
  const [kept] = world.store.liveApplications();
  assert.deepEqual([...kept!.attempts[0]!.blacklistedNodes], ['n0']);
  world.close();
});

test('the next attempt avoids the same places where it takes over the containers, and its master may stand on them', async () => {
  for (const keepContainers of [true, false]) {
    const { world, attempt, call } = await registered('fifo', { keepContainers, maximumAttempts: 2 });
    await call({ requests: [{ askId: 'kept', resource: size(256), count: 1, launch: nothingToRun }] });
    await call({ blacklistAdditions: ['n0', 'n1', 'n2'] });
    const { id, masterContainerId } = attempt();
    for (const node of world.nodes) {
      const master = node.containers.get(masterContainerId!);
      if (master) node.complete(master, 1);
    }
    await world.exchange();
    await world.exchange();
    assert.notEqual(attempt().id, id);
    assert.notEqual(attempt().masterContainerId, undefined);
    assert.deepEqual([...attempt().blacklistedNodes], keepContainers ? ['n0', 'n1', 'n2'] : []);
    world.close();
  }
});
