import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { conforms } from '../conformance/policy.conformance.ts';
import { Simulator } from '../conformance/simulator.ts';
import type { CapacityDescription, ShownQueue } from '../explain/description.ts';
import { ConfigurationRefused } from '../policy.ts';

const dominant = {
  'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
  'maximum-am-resource-percent': '1',
};
const two = {
  ...dominant,
  'root.queues': 'default,other',
  'root.default.capacity': '60',
  'root.default.user-limit-factor': '10',
  'root.other.capacity': '40',
  'root.other.maximum-capacity': '80',
  'root.other.ordering-policy': 'fair',
  'root.other.user-limit-factor': '10',
};

conforms('capacity', { simulator: { queues: two }, queues: ['root.default', 'root.other'] });
conforms('capacity with memory alone', {
  simulator: { queues: { ...two, 'resource-calculator': '' } },
  queues: ['root.default', 'root.other'],
});

function queueOf(simulator: Simulator, path: string): ShownQueue {
  const find = (queue: ShownQueue): ShownQueue | undefined => (queue.path === path ? queue : queue.children.map(find).find(Boolean));
  return find((simulator.policy.describe() as CapacityDescription).root)!;
}

function request(simulator: Simulator, attemptId: string, memoryMiB: number, count: number): void {
  simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [memoryMiB, 1], count }], []);
  simulator.run();
}

describe('the resource calculator', () => {
  const placed = (calculator: string): number => {
    const simulator = new Simulator({ queues: { ...two, 'resource-calculator': calculator } });
    simulator.addNodes(2, 4096, 2);
    const { attemptId, applicationId } = simulator.submit({ queue: 'default' });
    request(simulator, attemptId, 512, 20);
    return simulator.containersOf(applicationId).length;
  };

  it('gives vcores beyond what nodes have where only memory counts', () => assert.equal(placed(''), 16));

  it('gives no more than nodes have of anything under the dominant one', () => assert.equal(placed(dominant['resource-calculator']), 4));
});

describe('limits', () => {
  it('holds a queue below its maximum', () => {
    const simulator = new Simulator({ queues: two });
    simulator.addNodes(1, 10_240, 64);
    const { attemptId, applicationId } = simulator.submit({ queue: 'other' });
    request(simulator, attemptId, 1024, 20);
    assert.equal(simulator.containersOf(applicationId).length, 8);
  });

  it('holds a user at its part of the queue, one container above at most', () => {
    const simulator = new Simulator({
      queues: { ...dominant, 'root.queues': 'default', 'root.default.capacity': '100', 'root.default.user-limit-factor': '0.5' },
    });
    simulator.addNodes(1, 8192, 64);
    const { attemptId, applicationId } = simulator.submit({ queue: 'default' });
    request(simulator, attemptId, 3072, 5);
    assert.equal(simulator.containersOf(applicationId).length, 2);
  });

  it('activates masters within the AM share, by priority, and explains the rest', () => {
    const simulator = new Simulator({ queues: { ...two, 'root.default.maximum-am-resource-percent': '0.1' } });
    simulator.addNodes(1, 20_480, 64);
    const first = simulator.submit({ queue: 'default', masterMiB: 2048 });
    const low = simulator.submit({ queue: 'default', masterMiB: 2048, priority: 1 });
    const high = simulator.submit({ queue: 'default', masterMiB: 2048, priority: 5 });
    simulator.run();
    assert.equal(simulator.containersOf(first.applicationId).length, 1);
    assert.match(
      simulator.policy.explain(low.applicationId),
      /^Application is added to the scheduler and is not yet activated\. Queue's AM resource limit exceeded\. /,
    );
    simulator.finish(first.applicationId);
    simulator.run();
    assert.equal(simulator.containersOf(high.applicationId).length, 1);
    assert.equal(simulator.containersOf(low.applicationId).length, 0);
  });

  it('follows the size of a node before what is too much for it is taken, as Hadoop does', () => {
    const limitAfter = (isOvercommitted: boolean): readonly number[] => {
      const simulator = new Simulator({ queues: { ...two, 'root.default.maximum-am-resource-percent': '0.5' } });
      simulator.addNodes(1, 8192, 8);
      const { attemptId, applicationId } = simulator.submit({ queue: 'other', masterMiB: 1024 });
      request(simulator, attemptId, 1024, 5);
      simulator.policy.updateNode('node0:1', { resource: [2048, 8], isOvercommitted });
      simulator.finish(applicationId);
      simulator.run();
      return queueOf(simulator, 'root.default').leaf!.amLimit;
    };
    assert.deepEqual([limitAfter(true)[0], limitAfter(false)[0]], [640, 1024]);
  });

  it('activates nobody who comes while the cluster has nothing, and goes by priority when it has', () => {
    const simulator = new Simulator({ queues: { ...two, 'root.default.maximum-am-resource-percent': '0.1' } });
    const empty =
      /^Application is added to the scheduler and is not yet activated\. Skipping AM assignment as cluster resource is empty\. {2}Details : /;
    const low = simulator.submit({ queue: 'default', masterMiB: 2048 });
    const high = simulator.submit({ queue: 'default', masterMiB: 2048, priority: 5 });
    const gone = simulator.submit({ queue: 'other', masterMiB: 2048 });
    const next = simulator.submit({ queue: 'other', masterMiB: 2048 });
    simulator.run();
    for (const { applicationId } of [low, high, gone, next]) assert.match(simulator.policy.explain(applicationId), empty);
    assert.equal(queueOf(simulator, 'root.default').leaf!.activeApplications, 0);
    simulator.finish(gone.applicationId);
    assert.match(simulator.policy.explain(next.applicationId), /^Application is Activated, waiting for resources/);
    simulator.addNodes(1, 20_480, 64);
    simulator.run();
    assert.equal(simulator.containersOf(high.applicationId).length, 1);
    assert.match(simulator.policy.explain(low.applicationId), /Queue's AM resource limit exceeded/);
  });

  it('says of a node that has nothing that it is too small', () => {
    const simulator = new Simulator({ queues: two });
    simulator.addNodes(1, 0, 0);
    const { applicationId } = simulator.submit({ queue: 'default', masterMiB: 128 });
    simulator.run();
    assert.deepEqual(simulator.policy.explanation(applicationId)?.application, {
      rule: 'NO_NODE_LARGE_ENOUGH',
      partition: '',
      asked: [128, 1],
      limit: [0, 0],
    });
  });

  it('lets the queue that stands first go first among equals, also after a change of queues', () => {
    const names = ['left', 'right', 'safe'];
    const equal: Record<string, string> = { ...dominant, 'root.queues': names.join() };
    for (const name of names) Object.assign(equal, { [`root.${name}.capacity`]: '33', [`root.${name}.user-limit-factor`]: '10' });
    equal['root.left.capacity'] = '34';
    const simulator = new Simulator({ queues: equal });
    const firstOf = (...queues: string[]): string | undefined => {
      const all = queues.map((queue) => simulator.submit({ queue, masterMiB: 4096 }));
      simulator.addNodes(1, 4096, 8);
      simulator.run();
      const first = queues.find((_, i) => simulator.containersOf(all[i]!.applicationId).length > 0);
      for (const { applicationId } of all) simulator.policy.removeApplication(applicationId);
      return first;
    };
    assert.equal(firstOf('safe', 'right'), 'right');
    const changed = Object.entries({ ...equal, 'root.left.user-limit-factor': '5' });
    simulator.policy.queueEditing!.replace(new Map(changed.map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value])));
    assert.deepEqual(
      queueOf(simulator, 'root').children.map(({ name }) => name),
      ['safe', 'right', 'left'],
    );
    assert.equal(firstOf('right', 'safe'), 'safe');
  });

  it('lets the least used queue go first', () => {
    const simulator = new Simulator({ queues: two });
    simulator.addNodes(1, 10_240, 64);
    const [one, other] = ['default', 'other'].map((queue) => simulator.submit({ queue }));
    for (const { attemptId } of [one!, other!])
      simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [1024, 1], count: 20 }], []);
    simulator.run();
    assert.deepEqual(
      [one!, other!].map(({ applicationId }) => simulator.containersOf(applicationId).length),
      [6, 4],
    );
  });

  it('lets what runs already run on in a queue that it is moved to, whatever max-parallel-apps', () => {
    const simulator = new Simulator({ queues: { ...two, 'root.other.max-parallel-apps': '1' } });
    simulator.addNodes(1);
    simulator.submit({ queue: 'other', masterMiB: 128 });
    const { applicationId } = simulator.submit({ queue: 'default', masterMiB: 128 });
    simulator.run();
    assert.ok('moved' in simulator.policy.moveApplication!(applicationId, 'other'));
    assert.equal(queueOf(simulator, 'root.other').leaf!.activeApplications, 2);
    simulator.submit({ queue: 'other', masterMiB: 128 });
    assert.equal(queueOf(simulator, 'root.other').leaf!.activeApplications, 2);
  });

  it('runs no more applications at once than max-parallel-apps', () => {
    const simulator = new Simulator({ queues: { ...two, 'root.default.max-parallel-apps': '1' } });
    simulator.addNodes(1);
    const first = simulator.submit({ queue: 'default', masterMiB: 512 });
    const second = simulator.submit({ queue: 'default', masterMiB: 512 });
    simulator.run();
    assert.equal(simulator.containersOf(second.applicationId).length, 0);
    assert.equal(simulator.policy.explain(second.applicationId), '');
    simulator.finish(first.applicationId);
    simulator.run();
    assert.equal(simulator.containersOf(second.applicationId).length, 1);
  });
});

describe('reservations', () => {
  it('keeps a node for what fits none now, and serves it there first', () => {
    const simulator = new Simulator({ queues: two });
    simulator.addNodes(2, 8192, 8);
    const small = simulator.submit({ queue: 'default' });
    request(simulator, small.attemptId, 5120, 2);
    const large = simulator.submit({ queue: 'default' });
    request(simulator, large.attemptId, 6144, 1);
    assert.equal(simulator.policy.usage(large.applicationId)!.reservedContainers, 1);
    const all = () => [simulator.policy.metrics().acrossPartitions?.containers, queueOf(simulator, 'root.default').leaf!.containers];
    assert.deepEqual(all(), [3, 3]);
    const late = simulator.submit({ queue: 'default' });
    request(simulator, late.attemptId, 4096, 1);
    for (const containerId of simulator.containersOf(small.applicationId)) simulator.end(containerId);
    simulator.run();
    assert.equal(simulator.containersOf(large.applicationId).length, 1);
    assert.equal(simulator.policy.usage(large.applicationId)!.reservedContainers, 0);
    assert.equal(simulator.policy.metrics().containersReserved, 0);
    assert.deepEqual(all(), [2, 2]);
  });
});

describe('partitions', () => {
  const labelled = {
    ...two,
    'root.accessible-node-labels.gpu.capacity': '100',
    'root.default.accessible-node-labels': 'gpu',
    'root.default.accessible-node-labels.gpu.capacity': '100',
    'root.other.accessible-node-labels': ' ',
  };

  it('keeps requests with and without label apart', () => {
    const simulator = new Simulator({ queues: labelled });
    simulator.policy.labels?.setPartitions(new Map([['gpu', { exclusive: true }]]));
    simulator.addNodes(1);
    simulator.addNodes(1, 8192, 8, 'gpu');
    const plain = simulator.submit({ queue: 'default', masterMiB: 1024 });
    const gpu = simulator.submit({ queue: 'default', masterMiB: 1024, masterLabel: 'gpu' });
    simulator.run();
    const nodeOf = (applicationId: string) => simulator.containers.get(simulator.containersOf(applicationId)[0]!)!.nodeId;
    assert.equal(nodeOf(plain.applicationId), 'node0:1');
    assert.equal(nodeOf(gpu.applicationId), 'node0gpu:1');
  });

  it('takes the queue’s own label where none is named; an empty one names the nodes without', () => {
    const simulator = new Simulator({ queues: { ...labelled, 'root.default.default-node-label-expression': 'gpu' } });
    simulator.policy.labels?.setPartitions(new Map([['gpu', { exclusive: true }]]));
    simulator.addNodes(1);
    simulator.addNodes(1, 8192, 8, 'gpu');
    const labels = [{}, { labelExpression: '' }, { labelExpression: '', masterLabel: 'gpu' }, { masterLabel: '' }];
    const made = labels.map((asked) => simulator.submit({ queue: 'default', masterMiB: 1024, ...asked }));
    simulator.run();
    const nodeOf = (applicationId: string) => simulator.containers.get(simulator.containersOf(applicationId)[0]!)!.nodeId;
    assert.deepEqual(
      made.map(({ applicationId }) => nodeOf(applicationId)),
      ['node0gpu:1', 'node0:1', 'node0gpu:1', 'node0:1'],
    );
  });

  it('lends idle nodes of a shared partition to containers without label, not to masters', () => {
    const simulator = new Simulator({ queues: labelled });
    simulator.policy.labels?.setPartitions(new Map([['gpu', { exclusive: false }]]));
    simulator.addNodes(1, 8192, 8, 'gpu');
    const unmanaged = simulator.submit({ queue: 'default' });
    request(simulator, unmanaged.attemptId, 1024, 1);
    const master = simulator.submit({ queue: 'other', masterMiB: 1024 });
    simulator.run();
    assert.equal(simulator.containersOf(master.applicationId).length, 0);
    assert.equal(simulator.containersOf(unmanaged.applicationId).length, 1);
    assert.match(simulator.policy.explain(master.applicationId), /Skipping assigning to Node in Ignore Exclusivity mode\./);
  });

  it('names labels a queue may not use', () => {
    const simulator = new Simulator({ queues: labelled });
    simulator.policy.labels?.setPartitions(new Map([['gpu', { exclusive: true }]]));
    assert.equal(simulator.policy.checkLabels('default', 'gpu'), undefined);
    assert.match(simulator.policy.checkLabels('other', 'gpu')!, /queue=other doesn't have permission to access all labels/);
    assert.match(simulator.policy.checkLabels('default', 'gpu&&x')!, /specified more than one node label/);
  });
});

describe('queues', () => {
  it('are found by full path or by a short name that only one has', () => {
    const simulator = new Simulator({
      queues: {
        'root.queues': 'a,b',
        'root.a.capacity': '50',
        'root.a.queues': 'x',
        'root.a.x.capacity': '100',
        'root.b.capacity': '50',
        'root.b.queues': 'x,y',
        'root.b.x.capacity': '50',
        'root.b.y.capacity': '50',
      },
    });
    assert.deepEqual(simulator.policy.resolveQueue('y'), { queue: 'root.b.y' });
    assert.equal(simulator.policy.resolveQueue('x'), 'ambiguous');
    assert.equal(simulator.policy.resolveQueue('z'), 'unknown');
    assert.deepEqual(simulator.submit({ queue: 'x' }).admission, {
      accepted: false,
      rejected: 'Application application_1_0001 submitted by user ada to ambiguous queue: x please use full queue path instead.',
      queue: 'x',
    });
  });

  it('are made by mapping rules below parents that allow it', () => {
    const simulator = new Simulator({
      queues: {
        ...two,
        'root.default.auto-queue-creation-v2.enabled': 'true',
        'root.default.auto-queue-creation-v2.template.capacity': '3w',
        'queue-mappings': 'u:%user:root.default.%user',
      },
    });
    simulator.addNodes(1);
    assert.deepEqual(simulator.policy.place({ applicationId: 'x', user: 'eve', queue: undefined, name: '', tags: [] }), {
      queue: 'root.default.eve',
      mapped: true,
    });
    const { admission } = simulator.submit({ queue: 'root.default.eve', user: 'eve', mapped: true, masterMiB: 512 });
    assert.equal(admission.accepted, true);
    const queue = queueOf(simulator, 'root.default.eve');
    assert.deepEqual([queue.creation, queue.capacities[0]!.weight, queue.mode], ['dynamicFlexible', 3, 'weight']);
  });

  it('inherit access from their ancestors', () => {
    const simulator = new Simulator({
      queues: {
        ...two,
        'root.acl_submit_applications': ' ',
        'root.acl_administer_queue': 'root',
        'root.other.acl_submit_applications': 'eve crew, staff',
      },
    });
    const may = (queue: string, user: string, groups: string[] = []) =>
      simulator.policy.checkAccess(queue, user, groups, 'SUBMIT_APPLICATIONS');
    assert.deepEqual(
      [may('root.other', 'eve'), may('other', 'ada', ['staff']), may('root.other', 'ada', ['eve']), may('root.default', 'eve')],
      [true, true, false, false],
    );
    assert.equal(simulator.policy.checkAccess('root.nowhere.x', 'root', [], 'ADMINISTER_QUEUE'), true);
    assert.equal(simulator.policy.checkAccess('nowhere', 'root', [], 'ADMINISTER_QUEUE'), false);
  });
});

describe('reconfiguring', () => {
  const full = (queues: Record<string, string>) =>
    new Map(Object.entries(queues).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value]));

  it('changes shares under running applications', () => {
    const simulator = new Simulator({ queues: two });
    simulator.addNodes(1, 10_240, 10);
    const { applicationId } = simulator.submit({ queue: 'other', masterMiB: 1024 });
    simulator.run();
    simulator.policy.queueEditing!.replace(full({ ...two, 'root.default.capacity': '20', 'root.other.capacity': '80' }));
    simulator.run();
    assert.equal(queueOf(simulator, 'root.other').capacities[0]!.effectiveMinimum.amount[0], 8192);
    assert.equal(queueOf(simulator, 'root.other').allocatedContainers, 1);
    simulator.finish(applicationId);
    assert.equal(queueOf(simulator, 'root.other').allocatedContainers, 0);
  });

  it('refuses bad trees in words and leaves everything as it was', () => {
    const simulator = new Simulator({ queues: two });
    const refused = (queues: Record<string, string>, message: string | RegExp) =>
      assert.throws(
        () => simulator.policy.queueEditing!.replace(full({ ...two, ...queues })),
        (error) =>
          error instanceof ConfigurationRefused && (typeof message === 'string' ? error.message === message : message.test(error.message)),
      );
    refused(
      { 'root.default.capacity': '95' },
      'Illegal capacity sum of 1.35 for children of queue root for label=. It should be either 0 or 1.0',
    );
    refused({ 'root.default.capacity': 'much' }, 'For input string: "much"');
    refused({ 'root.default.capacity': '-20' }, 'Illegal capacity of -20.0 for queue root.default');
    refused({ 'root.default.state': 'SLEEPING' }, 'No enum constant org.apache.hadoop.yarn.api.records.QueueState.SLEEPING');
    refused({ 'root.default.capacity': '3w' }, /^Parent queue 'root' have children queue used mixed of/);
    refused({ 'root.default.ordering-policy': 'lottery' }, 'Unable to construct ordering policy for: lottery, lottery');
    refused(
      { 'root.queues': 'default', 'root.default.capacity': '100' },
      /^root\.other cannot be deleted from the capacity scheduler configuration, as the queue is not yet in stopped state/,
    );
    assert.equal(queueOf(simulator, 'root.default').capacities[0]!.capacity, Math.fround(Math.fround(0.6) * 100));
  });

  it('removes a queue that is stopped in the same change, where nothing is in it', () => {
    const simulator = new Simulator({ queues: two });
    simulator.addNodes(1);
    const gone = full({ ...two, 'root.queues': 'default', 'root.default.capacity': '100', 'root.other.state': 'STOPPED' });
    const { applicationId } = simulator.submit({ queue: 'other', masterMiB: 512 });
    assert.throws(() => simulator.policy.queueEditing!.replace(gone), /root\.other cannot be deleted .*RUNNING$/);
    simulator.finish(applicationId);
    simulator.policy.queueEditing!.replace(gone);
    assert.equal(simulator.submit({ queue: 'other', masterMiB: 512 }).admission.accepted, false);
  });

  it('drains a stopped queue before it is stopped', () => {
    const simulator = new Simulator({ queues: two });
    simulator.addNodes(1);
    const { applicationId } = simulator.submit({ queue: 'other', masterMiB: 512 });
    simulator.policy.queueEditing!.replace(full({ ...two, 'root.other.state': 'STOPPED' }));
    assert.equal(queueOf(simulator, 'root.other').state, 'DRAINING');
    assert.equal(simulator.submit({ queue: 'other', masterMiB: 512 }).admission.accepted, false);
    simulator.finish(applicationId);
    assert.equal(queueOf(simulator, 'root.other').state, 'STOPPED');
  });
});

describe('labels', () => {
  const shared = new Map([
    ['gpu', { exclusive: false }],
    ['spare', { exclusive: false }],
  ]);
  const queues = {
    ...dominant,
    'root.queues': 'default',
    'root.default.capacity': '100',
    'root.accessible-node-labels.gpu.capacity': '100',
    'root.default.accessible-node-labels': 'gpu',
    'root.default.accessible-node-labels.gpu.capacity': '100',
  };
  const labelled = () => {
    const simulator = new Simulator({ queues });
    simulator.policy.labels?.setPartitions(shared);
    simulator.addNodes(1, 8192, 8, 'gpu');
    return simulator;
  };

  it('moves the use of masters with their node and lists the partition it is in', () => {
    const simulator = labelled();
    simulator.submit({ queue: 'default', masterMiB: 512, masterLabel: 'gpu' });
    simulator.run();
    simulator.policy.updateNode('node0gpu:1', { label: 'spare' });
    simulator.run();
    const queue = queueOf(simulator, 'root.default');
    const masters = queue.usage.map(({ partition, amUsed }) => [partition, amUsed?.[0]]);
    assert.deepEqual(new Map(masters as [string, number][]).get('gpu'), 0);
    assert.deepEqual(new Map(masters as [string, number][]).get('spare'), 512);
    assert.deepEqual(queue.capacities.map(({ partition }) => partition).sort(), ['', 'gpu', 'spare']);
  });

  it('promises nobody what no queue names, and lists it where containers came to stand in it', () => {
    const simulator = labelled();
    simulator.submit({ queue: 'default', masterMiB: 2048, masterLabel: 'gpu' });
    simulator.run();
    simulator.policy.updateNode('node0gpu:1', { label: 'spare' });
    simulator.run();
    const { capacity, absoluteCapacity, usedCapacity, absoluteUsedCapacity } = queueOf(simulator, 'root').capacities.find(
      ({ partition }) => partition === 'spare',
    )!;
    // Against a promise of nothing use is measured by the smallest allocation.
    assert.deepEqual([capacity, absoluteCapacity, usedCapacity, absoluteUsedCapacity], [0, 0, 200, 25]);
  });

  it('lists a partition that something is asked for in once sizes were worked out anew', () => {
    const simulator = labelled();
    const partitions = () => queueOf(simulator, 'root.default').capacities.map(({ partition }) => partition);
    simulator.submit({ queue: 'default', masterMiB: 512, masterLabel: 'spare' });
    simulator.run();
    assert.deepEqual(partitions(), ['', 'gpu']);
    simulator.addNodes(1, 8192, 8);
    simulator.run();
    assert.deepEqual(partitions(), ['', 'gpu', 'spare']);
  });

  it('shows the limit of a user who could only borrow', () => {
    const simulator = labelled();
    simulator.submit({ queue: 'default', masterMiB: 512 });
    simulator.run();
    assert.ok(queueOf(simulator, 'root.default').leaf!.users[0]!.limit[0]! > 0);
  });

  it('knows nothing more of a user whose last attempt ended', () => {
    const simulator = labelled();
    const { applicationId, attemptId } = simulator.submit({ queue: 'default', masterMiB: 512, masterLabel: 'gpu' });
    simulator.run();
    assert.equal(queueOf(simulator, 'root.default').leaf!.users[0]!.usage.length, 2);
    simulator.policy.removeAttempt(attemptId, false);
    const [user] = queueOf(simulator, 'root.default').leaf!.users;
    assert.deepEqual([user!.limit[0], user!.usage.map(({ partition }) => partition)], [0, ['']], applicationId);
  });
});

describe('automatic queues', () => {
  const flexible = {
    ...dominant,
    'root.queues': 'tenants,other',
    'root.tenants.capacity': '4w',
    'root.other.capacity': '1w',
    'root.tenants.auto-queue-creation-v2.enabled': 'true',
    'root.tenants.auto-queue-creation-v2.maximum-queue-depth': '3',
    'root.tenants.auto-queue-creation-v2.template.capacity': '2w',
    'root.tenants.*.auto-queue-creation-v2.leaf-template.capacity': '5w',
    'root.tenants.*.auto-queue-creation-v2.leaf-template.minimum-user-limit-percent': '40',
  };
  const weights = (simulator: Simulator) =>
    ['root.tenants.x', 'root.tenants.team', 'root.tenants.team.y'].map((path) => queueOf(simulator, path).capacities[0]!.weight);
  const begun = (): Simulator => {
    const simulator = new Simulator({ queues: flexible });
    simulator.addNodes(1, 10_240, 16);
    for (const queue of ['root.tenants.x', 'root.tenants.team.y']) simulator.submit({ queue });
    return simulator;
  };

  it('take what templates with wildcards say, the nearer ones first', () => {
    const simulator = begun();
    assert.deepEqual(weights(simulator), [2, 2, 5]);
    assert.equal(queueOf(simulator, 'root.tenants.team.y').leaf!.userLimit, 40);
  });

  it('follow their templates and keys of their own when these change', () => {
    const simulator = begun();
    const change = (changes: Record<string, string>) =>
      simulator.policy.queueEditing!.replace(
        new Map(Object.entries({ ...flexible, ...changes }).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value])),
      );
    change({ 'root.tenants.auto-queue-creation-v2.template.capacity': '9w', 'root.tenants.x.capacity': '4w' });
    assert.deepEqual(weights(simulator), [4, 9, 5]);
    assert.throws(() => change({ 'root.tenants.x.capacity': '-4w' }), ConfigurationRefused);
    assert.throws(() => change({ 'root.tenants.*.auto-queue-creation-v2.leaf-template.user-limit-factor': 'much' }), {
      key: 'yarn.scheduler.capacity.root.tenants.*.auto-queue-creation-v2.leaf-template.user-limit-factor',
    });
    assert.deepEqual(weights(simulator), [4, 9, 5]);
  });
});

describe('automatic leaves of the older kind', () => {
  it('get amounts while the parent has some to give, then nothing', () => {
    const queues = {
      ...dominant,
      'root.queues': 'shop,other',
      'root.shop.capacity': '[memory=2048,vcores=3]',
      'root.other.capacity': '[memory=6144,vcores=5]',
      'root.shop.auto-create-child-queue.enabled': 'true',
      'root.shop.leaf-queue-template.capacity': '[memory=512,vcores=1]',
      'queue-mappings': 'u:%user:root.shop.%user',
    };
    const simulator = new Simulator({ queues });
    simulator.addNodes(1, 8192, 8);
    for (const user of ['a', 'b', 'c', 'd']) simulator.submit({ queue: `root.shop.${user}`, user, mapped: true });
    const facts = ['a', 'b', 'c', 'd'].map((user) => {
      const [{ capacity, usedCapacity, vector, configuredMinimum }] = queueOf(simulator, `root.shop.${user}`).capacities as [
        ShownQueue['capacities'][number],
      ];
      return [Math.round(capacity), Number.isFinite(usedCapacity), vector.text, configuredMinimum.amount[0]];
    });
    const got = [33, true, '[memory-mb=512.0,vcores=1.0]', 512];
    assert.deepEqual(facts, [got, got, got, [0, true, '[memory-mb=512.0,vcores=1.0]', 0]]);
  });
});

describe('mapping rules', () => {
  it('may begin with the short name of a parent', () => {
    const queues = {
      ...two,
      'root.other.queues': 'etl',
      'root.other.etl.capacity': '100',
      'root.other.ordering-policy': '',
      'queue-mappings': 'u:ada:other.etl,u:bob:default',
    };
    const { policy } = new Simulator({ queues });
    const place = (user: string, queue = 'default') => policy.place({ applicationId: 'application_1_1', user, queue, name: 'n', tags: [] });
    assert.deepEqual(place('ada'), { queue: 'root.other.etl', mapped: true });
    assert.deepEqual(place('bob'), { queue: 'root.default', mapped: true });
    assert.deepEqual(place('ada', 'root.default'), { queue: 'root.default' });
  });
});
