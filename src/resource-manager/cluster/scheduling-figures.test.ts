import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TracedCluster } from '../test-support/traced-cluster.ts';

const launch = { commands: ['x'], environment: {}, localResources: {}, serviceData: {} };

it('what masters, nodes and the scheduler do is counted', async () => {
  using world = new TracedCluster();
  const { node } = world.addNode();
  const { calls, commits, nodeMessages, messageIntervals } = world.cluster.schedulingFigures;
  const application = await world.submit();
  const attempt = await world.startMaster(application, node);
  const before = { calls: calls.count, commits: commits.count, nodeMessages: nodeMessages.count };
  assert.ok(before.commits > 0, 'the container of the master');
  await world.allocate(application, attempt, { requests: [{ askId: 'a', resource: { memoryMiB: 512, vcores: 1 }, count: 2, launch }] });
  world.clock.advance(10_000);
  for (const time of [1, 2, 3]) {
    world.clock.advance(1000);
    world.cluster.takeNodeMessage(node, { type: 'health', healthy: true, report: '', time });
  }
  assert.deepEqual(
    { calls: calls.count, commits: commits.count, nodeMessages: nodeMessages.count },
    { calls: before.calls + 1, commits: before.commits + 2, nodeMessages: before.nodeMessages + 3 },
  );
  world.clock.advance(10_000);
  assert.deepEqual([messageIntervals.count, messageIntervals.percentile(50)], [3, 1000]);
});
