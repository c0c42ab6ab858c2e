import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exitStatus } from '../../model/exit-status.ts';
import { type Application, currentAttempt } from '../applications/application.ts';
import type { Submission } from '../applications/submission.ts';
import { TracedCluster } from '../test-support/traced-cluster.ts';

/** An application that fails with each of the exit statuses in turn, on a node that is always the same. */
async function failing(world: TracedCluster, statuses: readonly number[], more: Partial<Submission> = {}): Promise<Application> {
  const { node } = world.addNode();
  const application = await world.submit(more);
  for (const status of statuses) {
    world.report(node, currentAttempt(application)!.masterContainerId!, 'COMPLETE', status);
    await world.settle();
  }
  return application;
}

describe('failures of attempts', () => {
  it('count until there are as many as the application has attempts', async () => {
    using world = new TracedCluster({ maximumAttempts: 3 });
    const application = await failing(world, [1, 1, 1]);
    assert.deepEqual([application.state, application.attempts.length], ['FAILED', 3]);
    assert.match(application.diagnostics, /failed 3 times due to/);
  });

  it('that are not the fault of the application do not count', async () => {
    using world = new TracedCluster();
    const application = await failing(world, [exitStatus.preempted, exitStatus.aborted, exitStatus.disksFailed, 1]);
    assert.deepEqual([application.state, application.attempts.length, application.failures.length], ['ACCEPTED', 5, 1]);
  });

  it('are forgotten after the validity interval that the submission names', async () => {
    using world = new TracedCluster();
    const { node } = world.addNode();
    const application = await world.submit({ failuresValidityIntervalMs: 1000 });
    for (let i = 0; i < 4; i++) {
      world.report(node, currentAttempt(application)!.masterContainerId!, 'COMPLETE', 1);
      await world.settle();
      world.clock.advance(1001);
    }
    assert.deepEqual([application.state, application.attempts.length], ['ACCEPTED', 5]);
  });
});

describe('nodes that the next master avoids', () => {
  const avoiding = { masterBlacklistThreshold: 0.8 };

  it('are those on which one died, while they are few enough', async () => {
    using world = new TracedCluster({ ...avoiding, maximumAttempts: 9 });
    const nodes = [world.addNode('n1:45454').node, world.addNode('n2:45454').node];
    const application = await world.submit();
    const first = currentAttempt(application)!.masterNodeId!;
    world.report(nodes.find(({ id }) => id === first)!, currentAttempt(application)!.masterContainerId!, 'COMPLETE', 1);
    await world.settle();
    const second = currentAttempt(application)!.masterNodeId!;
    assert.notEqual(second, first);
    assert.deepEqual(world.cluster.avoidedNodes(application), [first]);
    world.report(nodes.find(({ id }) => id === second)!, currentAttempt(application)!.masterContainerId!, 'COMPLETE', 1);
    await world.settle();
    assert.deepEqual(world.cluster.avoidedNodes(application), [], 'two of two nodes are too many');
    assert.equal(currentAttempt(application)!.state, 'LAUNCHED');
  });

  it('are none where the submission wants that, and some where it wants them although the cluster does not', async () => {
    using world = new TracedCluster({ ...avoiding, maximumAttempts: 9 });
    world.addNode('n2:45454');
    world.addNode('n3:45454');
    const without = await failing(world, [], { masterBlacklisting: { enabled: false } });
    without.blacklistedBySystem.push('n1:45454');
    assert.deepEqual(world.cluster.avoidedNodes(without), []);
    using other = new TracedCluster();
    other.addNode('n2:45454');
    const having = await failing(other, [], { masterBlacklisting: { enabled: true } });
    having.blacklistedBySystem.push('n1:45454');
    assert.deepEqual(other.cluster.avoidedNodes(having), ['n1:45454']);
  });
});
