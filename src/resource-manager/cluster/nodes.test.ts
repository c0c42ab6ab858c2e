import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exitStatus } from '../../model/exit-status.ts';
import type { Container } from '../applications/container.ts';
import { TracedCluster } from '../test-support/traced-cluster.ts';

const launch = { commands: ['x'], environment: {}, localResources: {}, serviceData: {} };
const size = (memoryMiB: number) => ({ memoryMiB, vcores: 1 });

/** A master of 1 GiB on a node of 4 GiB, and containers of the given sizes, one after the other. */
async function holding(world: TracedCluster, ...sizes: readonly number[]) {
  const { node, commands } = world.addNode();
  const application = await world.submit();
  const attempt = await world.startMaster(application, node);
  const containers: Container[] = [];
  for (const [index, memoryMiB] of sizes.entries()) {
    world.clock.advance(10);
    const askId = `a${index}`;
    await world.allocate(application, attempt, { requests: [{ askId, resource: size(memoryMiB), count: 1, launch }] });
    containers.push([...world.cluster.view.containers()].find(({ requestId }) => requestId === askId)!);
  }
  return { node, commands, application, attempt, containers };
}

describe('a node that shrinks', () => {
  it('loses its youngest containers until the rest fits, its masters last', async () => {
    using world = new TracedCluster();
    const { node, containers, attempt } = await holding(world, 1024, 1024, 1024);
    const live = () => containers.map(({ id }) => world.cluster.view.container(id) !== undefined);
    await world.cluster.resizeNode(node, [3072, 8], 0);
    assert.deepEqual(live(), [true, true, false]);
    await world.cluster.resizeNode(node, [1024, 8], 0);
    assert.deepEqual(live(), [false, false, false]);
    assert.equal(attempt.state, 'RUNNING');
    assert.equal(containers[2]!.exitCode, exitStatus.preempted);
    await world.cluster.resizeNode(node, [512, 8], 0);
    assert.equal(attempt.state, 'FAILED');
  });

  it('tells the scheduler where what is too much is taken at once', async (context) => {
    using world = new TracedCluster();
    const { node } = await holding(world, 1024);
    const { mock } = context.mock.method(world.cluster.policy, 'updateNode');
    await world.cluster.resizeNode(node, [1024, 8], -1);
    await world.cluster.resizeNode(node, [1024, 7], 0);
    const told = mock.calls.map(({ arguments: [, change] }) => change).filter(({ resource }) => resource);
    assert.deepEqual(
      told.map(({ isOvercommitted }) => isOvercommitted),
      [false, true],
    );
  });

  it('keeps them for as long as it was told to, or for good', async () => {
    using world = new TracedCluster();
    const { node } = await holding(world, 1024);
    await world.cluster.resizeNode(node, [1024, 8], -1);
    assert.equal(node.containers.size, 2);
    await world.cluster.resizeNode(node, [1024, 8], 5000);
    world.clock.advance(4999);
    assert.equal(node.containers.size, 2);
    world.clock.advance(1);
    assert.equal(node.containers.size, 1);
  });

  it('is of that size when it comes back', async () => {
    using world = new TracedCluster();
    const { node } = world.addNode();
    await world.cluster.resizeNode(node, [2048, 4], 0);
    world.cluster.nodeDisconnected(node);
    const { commands } = world.addNode();
    assert.deepEqual(node.resource, [2048, 4]);
    assert.deepEqual(
      commands.find(({ type }) => type === 'updateResource'),
      { type: 'updateResource', resource: { memoryMiB: 2048, vcores: 4 } },
    );
  });
});

describe('a node that registers anew', () => {
  it('is not lost when the connection of its former session has been away for the expiry', async () => {
    using world = new TracedCluster();
    const { node } = world.addNode();
    world.cluster.nodeConnected(node, false);
    world.addNode();
    world.clock.advance(40_000);
    assert.equal(node.state, 'RUNNING');
  });

  it('is not what a registration of a session before says that comes late', async () => {
    using world = new TracedCluster();
    const { node, commands } = world.addNode('n1:45454', [], 2);
    const application = await world.submit();
    const late = world.introduce('n1:45454', [], 1);
    assert.equal(late.node, undefined);
    assert.deepEqual(late.commands, [{ type: 'refuse', reason: 'Another node manager has registered as n1:45454 since.' }]);
    assert.equal(node.containers.size, 1);
    commands.length = 0;
    await world.cluster.kill(application, 'enough');
    assert.deepEqual(
      commands.map(({ type }) => type),
      ['stopContainers', 'finishApplications'],
    );
  });
});

describe('a node that reports', () => {
  it('hears of what it should not run, and of applications that are over', async () => {
    using world = new TracedCluster();
    const { node, commands } = world.addNode();
    commands.length = 0;
    world.report(node, 'container_1795000000000_0009_01_000001', 'RUNNING');
    assert.deepEqual(
      commands.map(({ type }) => type),
      ['stopContainers', 'finishApplications'],
    );
    assert.equal(world.cluster.view.containerCount, 0);
  });

  it('tells how often a container was changed before this process of the resource manager', async () => {
    using world = new TracedCluster();
    const { node, containers } = await holding(world, 1024);
    const [container] = containers;
    for (const [told, known] of [
      [3, 3],
      [2, 3],
    ]) {
      world.report(node, container!.id, 'RUNNING', -1000, told);
      assert.equal(container!.version, known);
    }
  });

  it('is corrected where it missed a change', async () => {
    using world = new TracedCluster();
    const { node, commands, containers } = await holding(world, 512);
    commands.length = 0;
    // Its reports say 1024 MiB.
    world.report(node, containers[0]!.id, 'RUNNING');
    assert.deepEqual(commands, [
      { type: 'updateContainers', containers: [{ containerId: containers[0]!.id, version: 0, resource: size(512) }] },
    ]);
    assert.equal(containers[0]!.state, 'RUNNING');
  });

  it('has lost what it does not tell of when it registers again', async () => {
    using world = new TracedCluster();
    const { containers, application, attempt } = await holding(world, 512);
    world.addNode();
    await world.settle();
    // The master is the first that is missed: the others end with its attempt.
    assert.deepEqual([containers[0]!.state, attempt.state], ['KILLED', 'FAILED']);
    assert.equal(application.attempts.length, 2);
  });
});

describe('a node that leaves', () => {
  it('is refused for good once it is drained, and nothing of it stays', async () => {
    using world = new TracedCluster();
    const { node, commands, application } = await holding(world, 512);
    await world.cluster.drainNode(node, 60);
    assert.equal(node.state, 'DECOMMISSIONING');
    await world.cluster.kill(application, 'enough');
    assert.equal(node.state, 'DECOMMISSIONED');
    assert.deepEqual([node.containers.size, node.applications.size, world.cluster.policy.nodeUsage(node.id)], [0, 0, undefined]);
    assert.equal(commands.at(-1)?.type, 'refuse');
  });

  it('counts for what it holds meanwhile, and for all of its size once it stays', async () => {
    using world = new TracedCluster();
    const { node, containers } = await holding(world, 512);
    const has = () => world.cluster.policy.clusterResource();
    await world.cluster.drainNode(node, 60);
    assert.deepEqual(has(), [1536, 2]);
    world.report(node, containers[0]!.id, 'COMPLETE', 0);
    assert.deepEqual(has(), [1024, 1]);
    await world.cluster.resizeNode(node, [2048, 4], -1);
    assert.deepEqual(has(), [1024, 1]);
    await world.cluster.resumeNode(node);
    assert.deepEqual([node.state, has()], ['RUNNING', [2048, 4]]);
  });

  it('by hand stays out for the next process too, once that is written', async () => {
    using world = new TracedCluster();
    const { node } = world.addNode();
    world.trace();
    const release = world.hold('persist');
    const drained = world.cluster.drainNode(node, undefined);
    assert.deepEqual([node.state, world.store.nodeOrders.leavingNodes()], ['RUNNING', []]);
    release();
    await drained;
    assert.equal(node.state, 'DECOMMISSIONED');
    const [leaving] = world.store.nodeOrders.leavingNodes();
    assert.deepEqual(leaving, { nodeId: 'n1:45454', httpAddress: 'n1:8042', byHand: true, untilMs: world.clock.now() });
    assert.equal(await world.cluster.resumeNode(node), true);
    assert.deepEqual(world.store.nodeOrders.leavingNodes(), []);
    assert.deepEqual(world.trace(), ['write leavingNode', 'send refuse', 'nodeStateChanged', 'write stayingNode', 'send resync']);
  });

  it('ends its containers when it is silent for too long', async () => {
    using world = new TracedCluster();
    const { node, containers } = await holding(world, 512);
    world.report(node, containers[0]!.id, 'RUNNING');
    world.cluster.nodeDisconnected(node);
    world.clock.advance(29_999);
    assert.equal(world.cluster.view.containerCount, 2);
    world.clock.advance(1);
    assert.deepEqual([node.state, containers[0]!.state, world.cluster.view.containerCount], ['LOST', 'KILLED', 0]);
  });
});

describe('a node that is unhealthy', () => {
  it('is no part of what the cluster has until it recovers: what begins meanwhile finds nothing of it', async () => {
    using world = new TracedCluster();
    const { node, application } = await holding(world, 512);
    const { policy } = world.cluster;
    world.cluster.takeNodeMessage(node, { type: 'health', healthy: false, report: 'ERROR', time: 2 });
    await world.settle();
    assert.deepEqual([node.state, node.containers.size, policy.nodeUsage(node.id)], ['UNHEALTHY', 0, undefined]);
    assert.deepEqual(policy.clusterResource(), [0, 0]);
    assert.equal(application.attempts.length, 2);
    assert.match(policy.explain(application.id), /^Application is added .* Skipping AM assignment as cluster resource is empty/);
    world.cluster.takeNodeMessage(node, { type: 'health', healthy: true, report: '', time: 3 });
    await world.settle();
    assert.deepEqual(policy.clusterResource(), [4096, 8]);
    assert.deepEqual([node.state, node.containers.size], ['RUNNING', 1]);
  });

  it('and says so when it registers again ends what runs on it', async () => {
    using world = new TracedCluster();
    const { node, containers } = await holding(world, 512);
    const { commands } = world.introduce(node.id, [], 1, false);
    assert.deepEqual([node.state, containers[0]!.state], ['UNHEALTHY', 'KILLED']);
    assert.equal(commands[0]?.type, 'registered');
    assert.deepEqual(world.cluster.policy.clusterResource(), [0, 0]);
    world.introduce(node.id, [], 2);
    assert.deepEqual([node.state, world.cluster.policy.clusterResource()], ['RUNNING', [4096, 8]]);
  });
});

describe('a node that is there and says nothing', () => {
  it('stays, and is looked at now and then', (test) => {
    using world = new TracedCluster();
    const { node } = world.addNode();
    const { mock } = test.mock.method(world.clock, 'setTimer');
    const expiries = 20;
    world.clock.advance(expiries * 30_000);
    assert.equal(node.state, 'RUNNING');
    const looks = mock.calls.filter(({ arguments: [delayMs] }) => delayMs < 3000);
    assert.deepEqual(looks, []);
  });
});

describe('the size of a node', () => {
  it('is that of the file once it is read again, also where the node registers while the size before is being dropped', async () => {
    using world = new TracedCluster();
    const { node } = world.addNode();
    await world.cluster.resizeNode(node, [2048, 2], 0);
    const release = world.hold('persist');
    const changed = world.cluster.useDynamicResources(new Map([[node.id, { amounts: new Map([[0, 3072]]), overcommitTimeoutMs: 0 }]]));
    const { node: again } = world.addNode();
    release();
    await changed;
    assert.equal(again.resource[0], 3072);
    assert.equal(world.cluster.view.node(node.id)?.resource[0], 3072);
  });

  it("is that of the file also where an administrator's is still being written", async () => {
    using world = new TracedCluster();
    const { node } = world.addNode();
    const release = world.hold('persist');
    const resized = world.cluster.resizeNode(node, [2048, 2], 0);
    const changed = world.cluster.useDynamicResources(new Map([[node.id, { amounts: new Map([[0, 3072]]), overcommitTimeoutMs: 0 }]]));
    release();
    await Promise.all([resized, changed]);
    assert.equal(world.cluster.view.node(node.id)?.resource[0], 3072);
  });
});
