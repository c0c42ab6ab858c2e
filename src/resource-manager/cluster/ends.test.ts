import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { currentAttempt, publicState } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import { TracedCluster } from '../test-support/traced-cluster.ts';

const launch = { commands: ['x'], environment: {}, localResources: {}, serviceData: {} };
const bye = { finalStatus: 'SUCCEEDED', diagnostics: 'bye', trackingUrl: undefined } as const;

/** An application whose registered master holds `count` further containers. */
async function running(world: TracedCluster, count = 0) {
  const { node, commands } = world.addNode();
  const application = await world.submit();
  const attempt = await world.startMaster(application, node);
  if (count > 0)
    await world.allocate(application, attempt, { requests: [{ askId: 'a', resource: { memoryMiB: 512, vcores: 1 }, count, launch }] });
  world.trace();
  return { node, commands, application, attempt };
}

describe('the end of an application', () => {
  it('by a kill is durable before anything is freed or told', async () => {
    using world = new TracedCluster();
    const { application, attempt, commands } = await running(world, 2);
    const release = world.hold('persist');
    const told = commands.length;
    let isDurable = false;
    const killed = world.cluster.kill(application, 'enough').then(() => {
      isDurable = true;
    });
    await world.settle();
    assert.deepEqual(world.trace(), ['KILLING', 'FINAL_SAVING']);
    assert.deepEqual(
      [isDurable, publicState(application), attempt.state, world.cluster.view.containerCount],
      [false, 'RUNNING', 'FINAL_SAVING', 3],
    );
    assert.equal(commands.length, told, 'the node is told nothing');
    release();
    await killed;
    assert.deepEqual(world.trace(), [
      'write end KILLED',
      'write ended',
      'send stopContainers',
      'send stopContainers',
      'send stopContainers',
      'send finishApplications',
      'KILLED',
      'attemptFinished',
      'containerFinished',
      'containerFinished',
      'containerFinished',
      'applicationFinished',
    ]);
    assert.deepEqual([application.state, attempt.state, world.cluster.view.containerCount], ['KILLED', 'KILLED', 0]);
    assert.equal(world.cluster.policy.metrics().containersAllocated, 0);
  });

  it("by its master's word waits for the master's container", async () => {
    using world = new TracedCluster();
    const { node, application, attempt } = await running(world, 1);
    await world.cluster.unregisterMaster(application, attempt, bye);
    assert.deepEqual(world.trace(), ['write end FINISHING', 'FINAL_SAVING', 'FINISHING']);
    assert.deepEqual([publicState(application), world.cluster.view.containerCount], ['FINISHED', 2]);
    world.report(node, attempt.masterContainerId!, 'COMPLETE', 0);
    await world.settle();
    assert.deepEqual(world.trace(), [
      'write ended',
      'send stopContainers',
      'send finishApplications',
      'containerFinished',
      'attemptFinished',
      'FINISHED',
      'containerFinished',
      'applicationFinished',
    ]);
    assert.deepEqual([attempt.state, attempt.exitCode, attempt.finalStatus], ['FINISHED', 0, 'SUCCEEDED']);
  });

  it("by its master's word goes on at once where the master's container ended while that was written", async () => {
    using world = new TracedCluster();
    const { node, application, attempt } = await running(world);
    const release = world.hold('persist');
    const finished = world.cluster.unregisterMaster(application, attempt, bye);
    world.report(node, attempt.masterContainerId!, 'COMPLETE', 3);
    assert.deepEqual(world.trace(), ['FINAL_SAVING', 'containerFinished']);
    release();
    await finished;
    assert.deepEqual(world.trace(), [
      'write end FINISHING',
      'write ended',
      'send finishApplications',
      'FINISHING',
      'attemptFinished',
      'FINISHED',
      'applicationFinished',
    ]);
    assert.deepEqual([application.state, attempt.state, attempt.exitCode], ['FINISHED', 'FINISHED', 3]);
  });

  it('comes with the last attempt that fails; another one begins before', async () => {
    using world = new TracedCluster();
    const { node, application } = await running(world);
    world.report(node, currentAttempt(application)!.masterContainerId!, 'COMPLETE', 1);
    await world.settle();
    assert.deepEqual(world.trace(), [
      'write live',
      'containerFinished',
      'attemptFinished',
      'ACCEPTED',
      'write live',
      'containerCreated',
      'send startContainers',
      'attemptLaunched',
    ]);
    world.report(node, currentAttempt(application)!.masterContainerId!, 'COMPLETE', 1);
    await world.settle();
    assert.deepEqual(world.trace(), [
      'write end FAILED',
      'containerFinished',
      'FINAL_SAVING',
      'write ended',
      'send finishApplications',
      'FAILED',
      'attemptFinished',
      'applicationFinished',
    ]);
    assert.deepEqual(
      application.attempts.map(({ state }) => state),
      ['FAILED', 'FAILED'],
    );
  });

  it('comes at once where the scheduler refuses it', async () => {
    using world = new TracedCluster();
    world.addNode();
    world.trace();
    const application = await world.submit({}, 'stopped');
    assert.deepEqual(world.trace(), [
      'write live',
      'NEW_SAVING',
      'applicationCreated',
      'write end FAILED',
      'SUBMITTED',
      'FINAL_SAVING',
      'write ended',
      'FAILED',
      'applicationFinished',
    ]);
    assert.match(application.diagnostics, /root\.stopped is STOPPED/);
    assert.deepEqual(application.attempts, []);
  });

  it('while its submission is being written waits for nothing, and its attempt never begins', async () => {
    using world = new TracedCluster();
    const release = world.hold('persist');
    const submitting = world.submit();
    const [application] = world.cluster.view.applications();
    const killed = world.cluster.kill(application!, 'enough');
    assert.deepEqual(world.trace(), ['NEW_SAVING', 'applicationCreated', 'FINAL_SAVING']);
    release();
    await Promise.all([submitting, killed]);
    assert.deepEqual(world.trace(), ['write live', 'write end KILLED', 'write ended', 'KILLED', 'applicationFinished']);
    assert.deepEqual([application!.attempts, application!.admitted], [[], false]);
  });

  it('keeps what the scheduler last said of a master that waited', async () => {
    using world = new TracedCluster();
    world.addNode();
    const application = await world.submit({ resource: [8192, 1] });
    assert.equal(world.cluster.view.isWaiting(application), true);
    await world.cluster.kill(application, 'enough');
    assert.match(application.attempts[0]!.launchDiagnostics, /^\[.*\] .*waiting for resources/);
    assert.deepEqual([world.cluster.view.isWaiting(application), world.cluster.view.waitingText(application)], [false, undefined]);
  });

  it('of an unmanaged one needs no container to end', async () => {
    using world = new TracedCluster();
    const { node } = world.addNode();
    const application = await world.submit({ unmanaged: true });
    const attempt = await world.startMaster(application, node);
    world.trace();
    await world.cluster.unregisterMaster(application, attempt, bye);
    assert.deepEqual(world.trace(), [
      'write end FINISHED',
      'FINAL_SAVING',
      'write ended',
      'FINISHED',
      'attemptFinished',
      'applicationFinished',
    ]);
  });

  it('comes with the end of its lifetime', async () => {
    using world = new TracedCluster();
    world.addNode();
    const application = await world.submit({ lifetimeSeconds: 5 });
    world.clock.advance(4999);
    await world.settle();
    assert.equal(publicState(application), 'ACCEPTED');
    world.clock.advance(1);
    await world.settle();
    assert.equal(application.state, 'KILLED');
    assert.match(application.diagnostics, /exceeded the lifetime/);
  });

  it('comes once: a second wish waits for the first', async () => {
    using world = new TracedCluster();
    const { application, attempt } = await running(world);
    const release = world.hold('persist');
    const ends = [world.cluster.kill(application, 'first'), world.cluster.kill(application, 'second')];
    ends.push(world.cluster.unregisterMaster(application, attempt, bye)!);
    release();
    await Promise.all(ends);
    assert.equal(world.cluster.unregisterMaster(application, attempt, bye), undefined, 'it is durable');
    assert.equal(application.diagnostics, 'first');
    assert.equal(world.trace().filter((words) => words === 'applicationFinished').length, 1);
    assert.equal(await world.cluster.killByUser(application, 'ann', undefined), 'done');
  });

  for (const [how, wish] of [
    ["by its master's word", (world, { application, attempt }) => world.cluster.unregisterMaster(application, attempt, bye)!],
    ['by a kill', (world, { application }) => world.cluster.killByUser(application, 'ann', undefined)],
  ] as [string, (world: TracedCluster, ending: Awaited<ReturnType<typeof running>>) => Promise<unknown>][]) {
    it(`${how} is refused while the disk is full, each time it is asked for, and comes by itself with room again`, async () => {
      using world = new TracedCluster();
      const ending = await running(world);
      const { application } = ending;
      world.disk.isFull = true;
      await assert.rejects(wish(world, ending), { code: 'STORE_DISK_FULL' });
      const again = wish(world, ending);
      let isAnswered = false;
      again.catch(() => undefined).finally(() => void (isAnswered = true));
      await world.settle();
      assert.equal(isAnswered, false, 'it waits for the next try');
      world.clock.advance(1000);
      await assert.rejects(again, { code: 'STORE_DISK_FULL' });
      assert.deepEqual([publicState(application), world.store.finished(application.id)], ['RUNNING', undefined]);
      world.disk.isFull = false;
      const third = wish(world, ending);
      world.clock.advance(1000);
      await third;
      assert.notEqual(publicState(application), 'RUNNING');
      assert.equal(world.store.finished(application.id)?.state, publicState(application));
    });
  }
});

/** The master of an attempt that runs is given up after a minute from now, and no sooner. */
async function expires(world: TracedCluster, attempt: Attempt): Promise<void> {
  world.clock.advance(59_999);
  await world.settle();
  assert.equal(attempt.state, 'RUNNING');
  world.clock.advance(1);
  await world.settle();
  assert.equal(attempt.state, 'FAILED');
}

describe('the end of an attempt', () => {
  it('comes when its master is silent for too long', async () => {
    using world = new TracedCluster();
    const { node, application, attempt } = await running(world);
    await expires(world, attempt);
    assert.match(attempt.diagnostics, /timed out/);
    assert.equal(application.attempts.length, 2);
    assert.ok(node.containers.has(currentAttempt(application)!.masterContainerId!));
  });

  it('does not come for a master that registered late and has not called since', async () => {
    using world = new TracedCluster();
    const { node } = world.addNode();
    const application = await world.submit();
    const attempt = currentAttempt(application)!;
    world.clock.advance(59_000);
    await world.startMaster(application, node);
    await expires(world, attempt);
  });

  it('comes for a master that is done and does not go, counted from when that is durable', async () => {
    using world = new TracedCluster();
    const { application, attempt } = await running(world);
    world.clock.advance(50_000);
    const release = world.hold('persist');
    const done = world.cluster.unregisterMaster(application, attempt, bye);
    world.clock.advance(20_000);
    await world.settle();
    assert.equal(attempt.state, 'FINAL_SAVING');
    release();
    await done;
    world.clock.advance(59_999);
    await world.settle();
    assert.deepEqual([attempt.state, application.state], ['FINISHING', 'FINISHING']);
    world.clock.advance(1);
    await world.settle();
    assert.deepEqual([attempt.state, application.state], ['FINISHED', 'FINISHED']);
  });

  it('leaves its containers to the next one where the submission says so', async () => {
    using world = new TracedCluster();
    const { node } = world.addNode();
    const application = await world.submit({ keepContainers: true });
    const attempt = await world.startMaster(application, node);
    await world.allocate(application, attempt, {
      requests: [{ askId: 'a', resource: { memoryMiB: 512, vcores: 1 }, count: 2, launch }],
    });
    world.report(node, attempt.masterContainerId!, 'COMPLETE', 1);
    await world.settle();
    const next = currentAttempt(application)!;
    assert.deepEqual([attempt.containers.size, [...next.containers.values()].filter(({ isMaster }) => !isMaster).length], [0, 2]);
    const [kept] = [...next.containers.values()].filter(({ isMaster }) => !isMaster);
    world.report(node, kept!.id, 'COMPLETE', 0);
    await world.startMaster(application, node);
    const { completed } = await world.allocate(application, next);
    assert.deepEqual(
      completed.map(({ containerId }) => containerId),
      [kept!.id],
    );
  });

  it('on a node that was lost before it heard of the container is no failure of the application', async () => {
    using world = new TracedCluster({ maximumAttempts: 1 });
    const { node } = world.addNode();
    const application = await world.submit();
    assert.equal(currentAttempt(application)?.state, 'LAUNCHED');
    world.cluster.nodeDisconnected(node);
    world.addNode();
    await world.settle();
    assert.deepEqual(
      application.attempts.map(({ state }) => state),
      ['FAILED', 'LAUNCHED'],
    );
    assert.equal(application.state, 'ACCEPTED');
  });
});
