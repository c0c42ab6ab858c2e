import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../../conformance/simulator.ts';
import type { SchedulerSettings } from '../../policy.ts';

const queues = {
  'root.queues': 'a,b',
  'root.a.capacity': '50',
  'root.b.capacity': '50',
  'root.a.queues': 'x',
  'root.a.x.capacity': '100',
  'root.acl_submit_applications': ' ',
  'root.acl_administer_queue': ' ',
  'root.a.acl_submit_applications': 'ada staff',
  'root.a.x.acl_administer_queue': 'eve',
  'root.a.x.acl_application_max_priority': '[user=ada max_priority=8][group=staff max_priority=4]',
  'root.a.accessible-node-labels': 'gpu',
  'root.a.default-node-label-expression': 'gpu',
};
function simulatorOf(settings: Partial<SchedulerSettings> = {}, more: Record<string, string> = {}): Simulator {
  const simulator = new Simulator({ queues: { ...queues, ...more }, settings });
  simulator.policy.labels!.setPartitions(
    new Map([
      ['gpu', { exclusive: true }],
      ['ssd', { exclusive: true }],
    ]),
  );
  return simulator;
}

describe('who may do what in a queue', () => {
  it('goes by the lists of the queue and of those above it', () => {
    const { policy } = simulatorOf();
    assert.equal(policy.checkAccess('root.a.x', 'ada', [], 'SUBMIT_APPLICATIONS'), true);
    assert.equal(policy.checkAccess('root.a.x', 'ben', ['staff'], 'SUBMIT_APPLICATIONS'), true);
    assert.equal(policy.checkAccess('root.b', 'ada', [], 'SUBMIT_APPLICATIONS'), false);
    assert.equal(policy.checkAccess('root.a.x', 'eve', [], 'ADMINISTER_QUEUE'), true);
    assert.equal(policy.checkAccess('root.a', 'eve', [], 'ADMINISTER_QUEUE'), false);
  });

  it('takes the nearest queue that is there for one that is not', () => {
    const { policy } = simulatorOf();
    assert.equal(policy.checkAccess('root.a.x.ada.jobs', 'eve', [], 'ADMINISTER_QUEUE'), true);
    assert.equal(policy.checkAccess('nowhere', 'ada', [], 'SUBMIT_APPLICATIONS'), false);
    assert.deepEqual([policy.isUnguarded('nowhere'), policy.isUnguarded('root.a')], [true, false]);
  });

  it('is open to all where access lists are off', () => {
    assert.equal(simulatorOf({ aclEnabled: false }).policy.checkAccess('root.b', 'anybody', [], 'ADMINISTER_QUEUE'), true);
  });
});

describe('the priorities that a queue grants', () => {
  const check = (user: string, groups: string[], priority: number, settings: Partial<SchedulerSettings> = {}, queue = 'root.a.x') =>
    simulatorOf(settings).policy.priorities.check({ applicationId: 'application_1_0001', user, groups, queue, priority });

  it('are those of the user or of a group, up to their maximum', () => {
    assert.deepEqual(check('ada', [], 8), { priority: 8 });
    assert.deepEqual(check('ben', ['staff'], 4), { priority: 4 });
    assert.deepEqual(check('ben', ['staff'], 5), {
      refused:
        'org.apache.hadoop.security.AccessControlException: User ben (auth:SIMPLE) does not have permission to submit/update application_1_0001 for 5',
    });
    assert.ok('refused' in check('eve', [], 0));
  });

  it('are compared after the cluster’s cap, and only with access lists on and in queues that have some', () => {
    assert.deepEqual(check('ada', [], 9, { maximumPriority: 8 }), { priority: 9 });
    assert.deepEqual(check('eve', [], 9, { aclEnabled: false }), { priority: 9 });
    assert.deepEqual(check('eve', [], 9, {}, 'root.b'), { priority: 9 });
  });

  it('do not bound what administrators of the cluster set, but for its cap', () => {
    const simulator = simulatorOf();
    const { applicationId } = simulator.submit({ queue: 'root.a.x', priority: 1 });
    assert.equal(simulator.policy.priorities.set(applicationId, 50), 10);
    assert.equal(simulator.policy.priorities.set('unknown', 3), 3);
  });
});

describe('the labels that a queue may use', () => {
  const label = (queue: string, expression: string | undefined, settings: Partial<SchedulerSettings> = {}) =>
    simulatorOf(settings).policy.checkLabels(queue, expression);

  it('are its own or those of its parent', () => {
    assert.deepEqual([label('root.a.x', 'gpu'), label('root.a.x', undefined), label('root.b', '')], [undefined, undefined, undefined]);
    assert.match(
      label('root.a.x', 'ssd')!,
      /^Invalid resource request, queue=x doesn't have permission to access all labels .*Queue labels=gpu$/,
    );
  });

  it('are one at a time, known to the cluster, and none where labels are off', () => {
    assert.match(label('root.b', 'gpu && ssd')!, /specified more than one node label/);
    assert.equal(label('root.b', 'tpu'), 'Invalid label resource request, cluster do not contain , label= tpu');
    assert.match(label('root.a.x', undefined, { nodeLabelsEnabled: false })!, /^Invalid resource request, node label not enabled/);
  });

  it('are found by the queue that names them first', () => {
    const { labels } = simulatorOf().policy;
    // The first in the order of Hadoop's map.
    assert.equal(labels!.queueUsing('gpu'), 'root.a.x');
    assert.equal(labels!.queueUsing('tpu'), undefined);
  });
});

describe('moving an application', () => {
  it('is refused by stopped and full queues and by those that are no leaves', () => {
    const simulator = simulatorOf({}, { 'root.b.state': 'STOPPED', 'root.a.x.maximum-applications': '1' });
    const { policy } = simulator;
    simulator.submit({ queue: 'root.a.x' });
    const full = { ...queues, 'root.a.x.maximum-applications': '1', 'root.b.state': 'RUNNING' };
    policy.queueEditing!.replace(new Map(Object.entries(full).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value])));
    const { applicationId } = simulator.submit({ queue: 'root.b' });
    const refused = (queue: string) => {
      const result = policy.moveApplication!(applicationId, queue);
      return 'refused' in result ? result.refused : '';
    };
    assert.match(refused('root.a.x'), /^Queue root\.a\.x already has 1 applications, cannot accept submission of application: /);
    assert.match(refused('root.a'), /^The specified Queue: root\.a is not a Leaf Queue\.$/);
    assert.equal(refused('nowhere'), "The specified Queue: nowhere doesn't exist");
    assert.deepEqual(policy.moveApplication!(applicationId, 'root.b'), { moved: 'root.b' });
    assert.deepEqual(policy.moveApplication!('unknown', 'root.b'), { refused: 'App to be moved unknown not found.' });
  });
});
