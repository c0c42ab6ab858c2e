import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exitStatus } from '../../model/exit-status.ts';
import { currentAttempt } from '../applications/application.ts';
import { TracedCluster } from '../test-support/traced-cluster.ts';

const launch = { commands: ['x'], environment: {}, localResources: {}, serviceData: {} };
const size = (memoryMiB: number) => ({ memoryMiB, vcores: 1 });
const ask = (askId: string, count: number, memoryMiB = 512) => ({ askId, resource: size(memoryMiB), count, launch });

async function running(world: TracedCluster) {
  const { node, commands } = world.addNode();
  const application = await world.submit();
  const attempt = await world.startMaster(application, node);
  return { node, commands, application, attempt };
}

/** A call as it comes over the wire, with the number that the master chose. */
const call = (
  world: TracedCluster,
  { application, attempt }: Awaited<ReturnType<typeof running>>,
  responseId: number,
  more = {},
  waitMs = 0,
) => world.cluster.allocate(application, attempt, { responseId, ...more }, waitMs, new AbortController().signal);

describe('a master that calls', () => {
  it('is told of what it was given once, and gets the same answer when that was lost', async () => {
    using world = new TracedCluster();
    const master = await running(world);
    await call(world, master, 0, { requests: [ask('a', 2)] });
    await world.settle();
    const answer = await call(world, master, 1);
    assert.deepEqual([answer.responseId, answer.allocations.map(({ askId }) => askId)], [2, ['a', 'a']]);
    assert.equal(await call(world, master, 1), answer);
    assert.deepEqual((await call(world, master, 2)).allocations, []);
  });

  it('has asked once, although it repeats the call while the first waits for an answer', async () => {
    using world = new TracedCluster();
    const master = await running(world);
    const first = call(world, master, 0, { requests: [ask('a', 1, 8192)], progress: 0.5 }, 5000);
    const again = call(world, master, 0, { requests: [ask('a', 1, 8192)], progress: 0.5 }, 5000);
    world.clock.advance(5000);
    assert.deepEqual(await again, await first);
    const waiting = world.cluster.policy
      .usage(master.application.id)
      ?.requests()
      .filter(({ resourceName }) => resourceName === '*')
      .toArray();
    assert.deepEqual(
      waiting?.map(({ requestId, count }) => [requestId, count]),
      [['a', 1]],
    );
  });

  it('asks for no more places at a time than one look at all of them bears, those that it asked for before included', async () => {
    using world = new TracedCluster();
    const master = await running(world);
    const hosts = Array.from({ length: 999 }, (_, index) => `h${index}`);
    const asks = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({ askId: `a${from + index}`, resource: size(512), count: 1, nodes: hosts }));
    const { cluster } = world;
    assert.equal(cluster.beyondAsks(master.attempt, asks(0, 1000)), undefined);
    assert.match(cluster.beyondAsks(master.attempt, asks(0, 1001)) ?? '', /at most 1000000 places/);
    // Larger than the node: they stay.
    await call(world, master, 0, { requests: asks(0, 10).map((asked) => ({ ...asked, resource: size(8192) })) });
    assert.equal(cluster.beyondAsks(master.attempt, asks(10, 990)), undefined);
    assert.match(cluster.beyondAsks(master.attempt, asks(10, 991)) ?? '', /at most 1000000 places/);
    await call(world, master, 1, { cancels: asks(0, 10).map(({ askId }) => askId) });
    assert.equal(cluster.beyondAsks(master.attempt, asks(0, 1000)), undefined);
  });

  it('is told once how many instances its user wants, at once where it waits, and never of a number that could not be kept', async () => {
    using world = new TracedCluster();
    const master = await running(world);
    const { cluster } = world;
    const waiting = call(world, master, 0, {}, 5000);
    await cluster.setInstances(master.application, { before: 2, after: 5 });
    assert.equal((await waiting).instances, 5);
    assert.equal((await call(world, master, 1)).instances, undefined);
    assert.equal(world.store.liveApplications().find(({ id }) => id === master.application.id)?.wantedInstances, 5);
  });

  it('cannot fill what is kept of its notes with empty ones', async () => {
    using world = new TracedCluster();
    const { application } = await running(world);
    assert.equal(world.cluster.mayKeepNotes(application.id, Array(1000).fill('')), true);
    assert.equal(world.cluster.mayKeepNotes(application.id, Array(300_000).fill('')), false);
  });

  it('is told to register again where it is out of step, and to stop where its attempt is over', async () => {
    using world = new TracedCluster();
    const master = await running(world);
    assert.equal((await call(world, master, 7)).command, 'resync');
    await world.cluster.kill(master.application, 'enough');
    assert.equal((await call(world, master, 0)).command, 'shutdown');
  });

  it('is answered at once when something ends, and when its attempt does', async () => {
    using world = new TracedCluster();
    const master = await running(world);
    await call(world, master, 0, { requests: [ask('a', 1)] });
    await world.settle();
    const [{ containerId = '' } = {}] = (await call(world, master, 1)).allocations;
    const polled = call(world, master, 2, {}, 60_000);
    await world.settle();
    world.report(master.node, containerId, 'COMPLETE', 3);
    assert.deepEqual(
      (await polled).completed.map(({ exitCode }) => exitCode),
      [3],
    );
    const last = call(world, master, 3, {}, 60_000);
    await world.settle();
    void world.cluster.kill(master.application, 'enough');
    assert.equal((await last).command, 'shutdown');
  });

  it('is answered when its notes are durable, not before', async () => {
    using world = new TracedCluster();
    const master = await running(world);
    const release = world.hold('persist');
    let isAnswered = false;
    const answered = call(world, master, 0, { notes: ['one'] }).then(() => {
      isAnswered = true;
    });
    await world.settle();
    assert.deepEqual([isAnswered, world.cluster.notesOf(master.application.id)], [false, []]);
    release();
    await answered;
    assert.deepEqual(world.cluster.notesOf(master.application.id), ['one']);
  });

  it('gives back what it releases, but never its own container', async () => {
    using world = new TracedCluster();
    const master = await running(world);
    await call(world, master, 0, { requests: [ask('a', 1)] });
    await world.settle();
    const [{ containerId = '' } = {}] = (await call(world, master, 1)).allocations;
    const { completed } = await call(world, master, 2, {
      releases: [containerId, master.attempt.masterContainerId!, 'container_1_0001_01_000009'],
    });
    assert.equal(world.cluster.view.container(containerId), undefined);
    assert.ok(world.cluster.view.container(master.attempt.masterContainerId!));
    assert.deepEqual(
      completed.map(({ exitCode }) => exitCode),
      [exitStatus.killedByMaster, exitStatus.killedByMaster],
      'the second is of one that nobody knows',
    );
  });

  it('gives back tens of thousands that nobody knows in no time that others would notice, each once', { timeout: 20_000 }, async () => {
    using world = new TracedCluster();
    const master = await running(world);
    const releases = Array.from({ length: 100_000 }, (_, index) => `container_1_0001_01_${index + 100}`);
    const { completed } = await call(world, master, 0, { releases: [...releases, ...releases] });
    assert.equal(completed.length, releases.length);
  });
});

describe('a master that registers', () => {
  it('again asks anew, and keeps what it holds', async () => {
    using world = new TracedCluster();
    const master = await running(world);
    await call(world, master, 0, { requests: [ask('a', 1), ask('b', 1, 8192)] });
    await world.settle();
    await world.startMaster(master.application, master.node);
    assert.deepEqual(world.cluster.policy.usage(master.application.id)?.requests().toArray(), []);
    assert.deepEqual(
      [...master.attempt.containers.values()].map(({ state, isMaster }) => [isMaster, state]),
      [
        [true, 'RUNNING'],
        [false, 'ACQUIRED'],
      ],
    );
    const { responseId, allocations } = await call(world, master, 0);
    assert.deepEqual([responseId, allocations], [1, []]);
  });

  it('anew is given nothing of what it had asked for before and was not durable by then, and hears nothing of it', async () => {
    using world = new TracedCluster();
    const master = await running(world);
    const release = world.hold('persist');
    await call(world, master, 0, { requests: [ask('a', 1)] });
    await world.settle();
    assert.equal([...world.cluster.view.containers()].length, 2);
    const at = { host: 'h', rpcPort: 1, trackingUrl: undefined };
    const { held, durable } = world.cluster.registerMaster(master.application, master.attempt, at)!;
    release();
    await durable;
    await world.settle();
    const { allocations, completed } = await call(world, master, 0);
    assert.deepEqual([held, allocations, completed, world.store.containers()], [[], [], [], []]);
    assert.equal([...world.cluster.view.containers()].length, 1);
    assert.equal(master.commands.filter(({ type }) => type === 'startContainers').length, 1, 'its own');
  });

  it('anew is answered once what was being kept for what it had asked before cannot come back', async () => {
    using world = new TracedCluster();
    const { node } = world.addNode();
    const application = await world.submit();
    const attempt = await world.startMaster(application, node);
    const release = world.hold('persist');
    await world.allocate(application, attempt, {
      requests: [{ askId: 'w', priority: 1, resource: { memoryMiB: 256, vcores: 1 }, count: 1 }],
    });
    await world.settle();
    const at = { host: 'h', rpcPort: 1, trackingUrl: undefined };
    const { held, durable } = world.cluster.registerMaster(application, attempt, at)!;
    assert.deepEqual(held, [], 'what is not durable is told to nobody');
    release();
    await durable;
    const workers = world.store.containers().filter(({ container }) => !container.isMaster);
    assert.deepEqual(workers, [], 'a restart now would find a container for a request that comes again');
  });

  it('as the next attempt hears nothing of what the one before was given and was not durable when that failed', async () => {
    using world = new TracedCluster();
    const { node } = world.addNode();
    const application = await world.submit({ maximumAttempts: 2 });
    const attempt = await world.startMaster(application, node);
    const release = world.hold('persist');
    await call(world, { node, commands: [], application, attempt }, 0, { requests: [ask('a', 1)] });
    await world.settle();
    world.report(node, attempt.masterContainerId!, 'COMPLETE', 1);
    release();
    await world.settle();
    assert.equal(application.attempts.length, 2);
    const next = await world.startMaster(application, node);
    assert.deepEqual((await call(world, { node, commands: [], application, attempt: next }, 0)).completed, []);
    assert.deepEqual(world.store.containers(), []);
  });

  it('as the next attempt hears nothing of what the one before gave back and nobody had ever given', async () => {
    using world = new TracedCluster();
    const { node } = world.addNode();
    const application = await world.submit({ maximumAttempts: 2, keepContainers: true });
    const attempt = await world.startMaster(application, node);
    const before = { node, commands: [], application, attempt };
    const { completed } = await call(world, before, 0, { releases: ['container_1_0001_01_000009'] });
    assert.equal(completed.length, 1, 'its own master hears that it is over');
    world.report(node, attempt.masterContainerId!, 'COMPLETE', 1);
    await world.settle();
    const next = await world.startMaster(application, node);
    const after = { node, commands: [], application, attempt: next };
    const { over } = world.cluster.registerMaster(application, next, { host: 'h', rpcPort: 1, trackingUrl: undefined })!;
    assert.deepEqual([over, (await call(world, after, 0)).completed], [[], []]);
  });

  it('by a name is answered again when it repeats itself, and keeps what it asked for', async () => {
    using world = new TracedCluster();
    const master = await running(world);
    const at = { host: 'h', rpcPort: 1, trackingUrl: undefined, registrationId: 'one' };
    const register = () => world.cluster.registerMaster(master.application, master.attempt, at)!;
    const { responseId: first } = register();
    assert.ok(first > 0);
    assert.equal(register().responseId, first);
    await call(world, master, first, { requests: [ask('a', 1), ask('b', 1, 8192)] });
    await world.settle();
    assert.deepEqual(register().held, [], 'the next answer tells of it, and that once (P4)');
    const { allocations, responseId } = await call(world, master, first + 1);
    assert.deepEqual([allocations.length, responseId], [1, first + 2]);
    assert.deepEqual(
      register().held.map(({ id }) => id),
      allocations.map(({ containerId }) => containerId),
    );
    const waiting = world.cluster.policy
      .usage(master.application.id)
      ?.requests()
      .filter(({ resourceName }) => resourceName === '*')
      .toArray();
    assert.deepEqual(
      waiting?.map(({ requestId }) => requestId),
      ['b'],
    );
  });

  it('by another name has other numbers than before: late calls and registrations of the former session change nothing', async () => {
    using world = new TracedCluster();
    const master = await running(world);
    const register = (registrationId: string) =>
      world.cluster.registerMaster(master.application, master.attempt, { host: 'h', rpcPort: 1, trackingUrl: undefined, registrationId })!;
    const { responseId: former } = register('one');
    const { responseId: present } = register('two');
    for (const late of [former, former + 1, 0]) {
      assert.equal((await call(world, master, late, { requests: [ask('a', 1)], notes: ['late'] })).command, 'resync');
    }
    assert.deepEqual(
      [world.cluster.policy.usage(master.application.id)?.requests().toArray(), world.cluster.notesOf(master.application.id)],
      [[], []],
    );
    assert.deepEqual(
      ['one', 'two', 'three'].map((name) => world.cluster.isSupersededRegistration(master.attempt, name)),
      [true, false, false],
    );
    assert.equal((await call(world, master, present)).responseId, present + 1);
  });

  it('without a name begins from 0 each time, as ever', async () => {
    using world = new TracedCluster();
    const master = await running(world);
    const at = { host: 'h', rpcPort: 1, trackingUrl: undefined };
    await call(world, master, 0);
    assert.equal(world.cluster.registerMaster(master.application, master.attempt, at)?.responseId, 0);
    assert.equal((await call(world, master, 0)).responseId, 1);
  });

  it('is refused where its attempt has not started or is over', async () => {
    using world = new TracedCluster();
    const waiting = await world.submit();
    const at = { host: 'h', rpcPort: 1, trackingUrl: undefined };
    assert.equal(world.cluster.registerMaster(waiting, currentAttempt(waiting)!, at), undefined);
    const { application, attempt } = await running(world);
    await world.cluster.kill(application, 'enough');
    assert.equal(world.cluster.registerMaster(application, attempt, at), undefined);
  });
});

describe('opportunistic requests', () => {
  const free = (askId: string, count: number, more = {}) => ({ ...ask(askId, count), executionType: 'OPPORTUNISTIC' as const, ...more });

  it('are served up to what nodes let wait, and again when one begins', async () => {
    using world = new TracedCluster();
    const master = await running(world);
    await call(world, master, 0, { requests: [free('o', 3)] });
    await world.settle();
    const { allocations } = await call(world, master, 1);
    assert.deepEqual([allocations.length, world.cluster.opportunistic.loadOf(master.node)], [2, 2]);
    world.report(master.node, allocations[0]!.containerId, 'RUNNING');
    await world.settle();
    assert.deepEqual(
      [(await call(world, master, 2)).allocations.length, world.cluster.opportunistic.requestsOf(master.attempt.id)],
      [1, []],
    );
    assert.equal(world.cluster.policy.nodeUsage(master.node.id)?.containers, 1, 'they have no room in the scheduler');
  });

  it('prefer the nodes that they name', async () => {
    using world = new TracedCluster();
    const master = await running(world);
    world.addNode('n2:45454');
    await call(world, master, 0, { requests: [free('o', 2, { nodes: ['n2'], relaxLocality: false })] });
    await world.settle();
    const { allocations } = await call(world, master, 1);
    assert.deepEqual(
      allocations.map(({ nodeId }) => nodeId),
      ['n2:45454', 'n2:45454'],
    );
    assert.equal(world.cluster.opportunistic.counts.nodeLocal, 2);
  });

  it('are given guaranteed containers where such are asked for under the same id instead', async () => {
    using world = new TracedCluster();
    const master = await running(world);
    await call(world, master, 0, { requests: [free('o', 9, { resource: size(8192) })] });
    await call(world, master, 1, { requests: [ask('o', 1)] });
    await world.settle();
    const { allocations } = await call(world, master, 2);
    assert.deepEqual(
      allocations.map(({ executionType }) => executionType),
      ['GUARANTEED'],
    );
    assert.deepEqual(world.cluster.opportunistic.requestsOf(master.attempt.id), []);
  });
});

describe('ended applications', () => {
  it('leave the memory after a while; only 500 wait for that', async () => {
    using world = new TracedCluster();
    const ended = [];
    for (let i = 0; i < 503; i++) {
      const application = await world.submit({ resource: [8192, 1] });
      await world.cluster.kill(application, 'enough');
      ended.push(application.id);
    }
    await world.settle();
    assert.equal(world.cluster.view.applicationCount, 500);
    assert.deepEqual(
      ended.slice(0, 4).map((id) => world.cluster.view.application(id) !== undefined),
      [false, false, false, true],
    );
    assert.equal(world.cluster.findAny(ended[0]!)?.state, 'KILLED');
    world.clock.advance(10_000);
    assert.equal(world.cluster.view.applicationCount, 0);
    const { nodes: _nodes, ...kept } = world.cluster.sizes();
    assert.deepEqual(
      Object.values(kept).filter((count) => count !== 0),
      [],
    );
  });
});
