import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../../conformance/simulator.ts';
import { ConfigurationRefused, type SchedulerSettings } from '../../policy.ts';

const queues = { 'root.queues': 'a,b', 'root.a.capacity': '50', 'root.b.capacity': '50', 'root.a.queues': 'x,y' };
const leaves = { 'root.a.x.capacity': '50', 'root.a.y.capacity': '50' };
const mappings = 'workflow-priority-mappings';
const on = { [`${mappings}-override.enable`]: 'true' };

function submitted(keys: Record<string, string>, queue: string, tags: string[], settings: Partial<SchedulerSettings> = {}, priority = 1) {
  const simulator = new Simulator({ queues: { ...queues, ...leaves, ...keys }, settings: { aclEnabled: false, ...settings } });
  return simulator.submit({ queue, tags, priority }).admission;
}
const priorityOf = (...args: Parameters<typeof submitted>): number => {
  const admission = submitted(...args);
  assert.ok(admission.accepted);
  return admission.priority;
};

describe('priorities of workflows', () => {
  const mapped = { ...on, [mappings]: 'Nightly:root.a:5, nightly:root.a.y:7, weekly:root.b:3' };

  it('come from the nearest queue that maps the workflow', () => {
    assert.equal(priorityOf(mapped, 'root.a.x', ['workflowid:nightly']), 5);
    assert.equal(priorityOf(mapped, 'root.a.y', ['workflowid:nightly']), 7);
    assert.equal(priorityOf(mapped, 'root.b', ['workflowid:nightly']), 1);
    assert.equal(priorityOf(mapped, 'root.b', ['other', ' workflowid:weekly']), 3);
  });

  it('leave applications alone that name no workflow, or one that no queue maps', () => {
    for (const tags of [[], ['nightly'], ['workflowid:'], ['workflowid:hourly']]) assert.equal(priorityOf(mapped, 'root.a.x', tags), 1);
  });

  it('count only where they are turned on, with the tag that the settings name, up to the largest priority of the cluster', () => {
    const off = { ...mapped, [`${mappings}-override.enable`]: 'false' };
    assert.equal(priorityOf(off, 'root.a.x', ['workflowid:nightly']), 1);
    assert.equal(priorityOf(mapped, 'root.a.x', ['flow=nightly'], { workflowTagPrefix: 'flow=' }), 5);
    assert.equal(priorityOf(mapped, 'root.a.x', ['workflowid:nightly'], { maximumPriority: 4 }), 4);
  });

  it('refuse users who may not use them', () => {
    const keys = { ...mapped, 'root.a.x.acl_application_max_priority': '[user=ada max_priority=4]', 'root.acl_submit_applications': '*' };
    assert.deepEqual(submitted(keys, 'root.a.x', ['workflowid:nightly'], { aclEnabled: true }), {
      accepted: false,
      rejected:
        'Failed to submit application application_1_0001 submitted by user ada reason: org.apache.hadoop.security.AccessControlException: User ada (auth:SIMPLE) does not have permission to submit/update application_1_0001 for 5',
      queue: 'root.a.x',
    });
  });

  it('leave an application that is brought back after a restart with the priority it had', () => {
    const simulator = new Simulator({ queues: { ...queues, ...leaves, ...mapped } });
    const { admission } = simulator.submit({ queue: 'root.a.x', tags: ['workflowid:nightly'], priority: 2, recovering: true });
    assert.ok(admission.accepted);
    assert.equal(admission.priority, 2);
  });

  it('follow a change of the queue configuration', () => {
    const simulator = new Simulator({ queues: { ...queues, ...leaves, ...mapped } });
    const properties = (keys: Record<string, string>) =>
      new Map(Object.entries({ ...queues, ...leaves, ...keys }).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value]));
    simulator.policy.queueEditing!.replace(properties({ ...on, [mappings]: 'nightly:root.a:9' }));
    const { admission } = simulator.submit({ queue: 'root.a.x', tags: ['workflowid:nightly'] });
    assert.ok(admission.accepted && admission.priority === 9);
  });

  for (const [text, sentence] of [
    ['nightly:root.a', 'Illegal workflow priority mapping nightly:root.a'],
    ['a:b:c:d', 'Illegal workflow priority mapping a:b:c:d'],
    ['nightly:root.a:high', 'Illegal workflow priority for mapping nightly:root.a:high'],
  ] as const) {
    it(`are refused, also while they are off: ${text}`, () => {
      const refused = (error: unknown) => {
        assert.ok(error instanceof ConfigurationRefused);
        assert.equal(error.message, sentence);
        assert.equal(error.key, `yarn.scheduler.capacity.${mappings}`);
        assert.ok(error.remedy);
        return true;
      };
      assert.throws(() => new Simulator({ queues: { ...queues, ...leaves, [mappings]: text } }), refused);
    });
  }
});
