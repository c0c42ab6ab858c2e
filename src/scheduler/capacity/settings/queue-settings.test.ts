import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResourceTypes } from '../../../model/resource.ts';
import { ConfigurationRefused } from '../../policy.ts';
import { CapacityProperties } from './properties.ts';
import { type QueueSettings, readQueue, readQueueTree, templateOverlay } from './queue-settings.ts';
import { walk } from './validation.ts';

const types = new ResourceTypes();
const cluster = { maximumAllocation: [8192, 4], preemptionEnabled: true, intraQueuePreemption: true, reservationSystem: false };
const two = { 'root.queues': 'a,b', 'root.a.queues': 'x' };

const propertiesOf = (keys: Record<string, string>): CapacityProperties =>
  new CapacityProperties(new Map(Object.entries(keys).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value])));

function queueOf(path: string, keys: Record<string, string>, global = cluster): QueueSettings {
  const root = readQueueTree(propertiesOf({ ...two, ...keys }), types, global);
  return [...walk(root)].find((queue) => queue.path === path)!;
}
const fault = (keys: Record<string, string>): [string, string | undefined] => {
  try {
    readQueueTree(propertiesOf({ ...two, ...keys }), types, cluster);
  } catch (error) {
    assert.ok(error instanceof ConfigurationRefused);
    return [error.message, error.key?.slice('yarn.scheduler.capacity.'.length)];
  }
  return ['', undefined];
};

describe('what a queue is told', () => {
  it('makes queues without children leaves, unless they make children themselves or hold a plan', () => {
    assert.deepEqual([queueOf('root.a', {}).isLeaf, queueOf('root.a.x', {}).isLeaf], [false, true]);
    for (const [key, kind] of [
      ['auto-create-child-queue.enabled', 'legacy'],
      ['auto-queue-creation-v2.enabled', 'flexible'],
    ] as const) {
      const queue = queueOf('root.b', { [`root.b.${key}`]: 'true' });
      assert.deepEqual([queue.isLeaf, queue.autoCreation], [false, kind]);
    }
    assert.deepEqual([queueOf('root.b', { 'root.b.reservable': 'true' }).isLeaf, queueOf('root.b', {}).autoCreation], [false, 'off']);
    assert.deepEqual(fault({ 'root.a.reservable': 'true' }), ['Only Leaf Queues can be reservable for root.a', 'root.a.reservable']);
  });

  it('reads amounts of its largest container with units, what is not named as none', () => {
    const largest = (value: string) => queueOf('root.b', { 'root.b.maximum-allocation': value }).maximumAllocation;
    assert.deepEqual(largest('memory-mb=2048,vcores=2'), [2048, 2]);
    assert.deepEqual(largest(' memory=2g , vcores=1'), [2048, 1]);
    assert.deepEqual(largest('memory-mb=512 M'), [512, 0]);
    const key = 'root.b.maximum-allocation';
    assert.deepEqual(fault({ [key]: 'x' }), [
      '"x" is not a valid resource type/amount pair. Please provide key=amount pairs separated by commas.',
      key,
    ]);
    assert.deepEqual(fault({ [key]: 'memory-mb=1T' }), ['Acceptable units are M/G or empty', key]);
    assert.deepEqual(fault({ [key]: 'memory-mb=1,stones=1' }), ['Unknown resource: stones', key]);
  });

  it('reads whole numbers as Java does: times have 64 bits, all else 32', () => {
    const applications = 'root.b.maximum-applications';
    assert.equal(queueOf('root.b', { [applications]: '0x10' }).maximumApplications, 16);
    assert.deepEqual(fault({ [applications]: '99999999999' }), ['For input string: "99999999999"', applications]);
    assert.equal(queueOf('root.b', { 'root.b.maximum-application-lifetime': '99999999999' }).maximumLifetimeSeconds, 99_999_999_999);
  });

  it('needs a class for an order of nodes that it names', () => {
    const problem =
      'near Class is not configured or not an instance of org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.MultiNodeLookupPolicy';
    assert.deepEqual(fault({ 'root.b.multi-node-sorting.policy': 'near' }), [problem, 'root.b.multi-node-sorting.policy']);
    assert.deepEqual(fault({ 'multi-node-sorting.policy': 'near' }), [problem, 'multi-node-sorting.policy']);
    assert.deepEqual(fault({ 'multi-node-sorting.policy': 'near', 'multi-node-sorting.policy.near.class': 'x.Near' }), ['', undefined]);
  });

  it('may use the labels of its parent where it names none, the root all', () => {
    const labels = (path: string, keys: Record<string, string>) => queueOf(path, keys).accessibleLabels;
    assert.deepEqual(labels('root', { 'root.accessible-node-labels': 'gpu' }), ['*']);
    assert.deepEqual(labels('root.a.x', { 'root.a.accessible-node-labels': 'gpu, ssd' }), ['gpu', 'ssd']);
    assert.deepEqual(labels('root.a.x', { 'root.a.accessible-node-labels': 'gpu', 'root.a.x.accessible-node-labels': ' ' }), []);
    assert.deepEqual(labels('root.b', { 'root.b.accessible-node-labels': 'gpu,*' }), ['*']);
  });

  it('has the default label of its parent where it may use all that the parent may', () => {
    const label = (keys: Record<string, string>) =>
      queueOf('root.a.x', { 'root.a.default-node-label-expression': ' gpu ', ...keys }).defaultLabel;
    assert.equal(label({ 'root.a.accessible-node-labels': 'gpu' }), 'gpu');
    assert.equal(label({ 'root.a.accessible-node-labels': 'gpu', 'root.a.x.accessible-node-labels': 'ssd' }), undefined);
    assert.equal(label({ 'root.a.x.default-node-label-expression': 'ssd' }), 'ssd');
  });

  it('is promised parts by label; labels that only may be used are promised nothing', () => {
    const { labels } = queueOf('root.b', {
      'root.b.capacity': '40',
      'root.b.accessible-node-labels': 'gpu,ssd',
      'root.b.accessible-node-labels.gpu.capacity': '3w',
      'root.b.accessible-node-labels.gpu.maximum-am-resource-percent': '0.5',
      'root.b.maximum-am-resource-percent': '0.2',
    });
    const shown = [...labels].map(([label, { capacity, amShare, configured }]) => [
      label,
      capacity.kind,
      capacity.value,
      amShare,
      configured,
    ]);
    assert.deepEqual(shown, [
      ['', 'percentage', 40, Math.fround(0.2), true],
      ['gpu', 'weight', 3, 0.5, true],
      ['ssd', 'percentage', 0, 0, false],
    ]);
  });

  it('takes limits of users and masters from the cluster where it names none', () => {
    const limits = { 'minimum-user-limit-percent': '25', 'user-limit-factor': '3', 'maximum-am-resource-percent': '0.3' };
    const plain = queueOf('root.b', limits);
    assert.deepEqual([plain.userLimitPercent, plain.userLimitFactor, plain.configuredAmShare], [25, 3, Math.fround(0.3)]);
    const own = queueOf('root.b', { ...limits, 'root.b.user-limit-factor': '-1', 'root.b.maximum-am-resource-percent': '1' });
    assert.deepEqual([own.userLimitPercent, own.userLimitFactor, own.configuredAmShare], [25, -1, 1]);
  });

  it('gives users the weights of its parent, each overridden by its own', () => {
    const weights = queueOf('root.a.x', {
      'root.a.user-settings.ada.weight': '2',
      'root.a.user-settings.ben.weight': '0.5',
      'root.a.x.user-settings.ada.weight': '1.5',
      'root.a.x.user-settings.eve.limit': '9',
    }).userWeights;
    assert.deepEqual(
      [...weights],
      [
        ['ada', 1.5],
        ['ben', 0.5],
      ],
    );
    assert.deepEqual(fault({ 'root.b.user-settings.ada.weight': 'much' }), ['For input string: "much"', 'root.b.user-settings.ada.weight']);
  });

  it('ends applications after the lifetime of the nearest queue that names one', () => {
    const lifetimes = (keys: Record<string, string>): number[] => {
      const { maximumLifetimeSeconds, defaultLifetimeSeconds } = queueOf('root.a.x', keys);
      return [maximumLifetimeSeconds, defaultLifetimeSeconds];
    };
    assert.deepEqual(lifetimes({}), [-1, -1]);
    assert.deepEqual(lifetimes({ 'root.a.maximum-application-lifetime': '100' }), [100, 100]);
    assert.deepEqual(lifetimes({ 'root.a.maximum-application-lifetime': '100', 'root.a.default-application-lifetime': '60' }), [100, 60]);
    assert.deepEqual(
      lifetimes({
        'root.a.maximum-application-lifetime': '100',
        'root.a.default-application-lifetime': '60',
        'root.a.x.maximum-application-lifetime': '40',
      }),
      [40, 40],
    );
    assert.deepEqual(lifetimes({ 'root.a.x.default-application-lifetime': '60' }), [-1, 60]);
  });

  it('bounds containers by memory, vcores or all resources, within its parent and the cluster', () => {
    const maximum = (keys: Record<string, string>) => queueOf('root.a.x', keys).maximumAllocation;
    assert.deepEqual(maximum({}), [8192, 4]);
    assert.deepEqual(maximum({ 'root.a.maximum-allocation-mb': '4096', 'root.a.x.maximum-allocation-vcores': '2' }), [4096, 2]);
    assert.deepEqual(maximum({ 'root.a.x.maximum-allocation': 'memory=2048, vcores=1' }), [2048, 1]);
    assert.deepEqual(maximum({ 'root.a.maximum-allocation-mb': '-1' }), [8192, 4]);
    assert.deepEqual(fault({ 'root.b.maximum-allocation': 'cores=1' }), ['Unknown resource: cores', 'root.b.maximum-allocation']);
    assert.match(fault({ 'root.b.maximum-allocation-vcores': '5' })[0], /cannot be larger than the cluster setting for queue root\.b /);
  });

  it('orders applications in leaves and queues in parents, parents as those above them', () => {
    assert.deepEqual([queueOf('root.a', {}).orderingPolicy, queueOf('root.b', {}).orderingPolicy], ['utilization', 'fifo']);
    assert.equal(queueOf('root.a', { 'root.ordering-policy': 'priority-utilization' }).orderingPolicy, 'priority-utilization');
    assert.equal(queueOf('root.b', { 'root.b.ordering-policy': ' fair ' }).orderingPolicy, 'fair');
    assert.deepEqual(fault({ 'root.b.ordering-policy': 'lottery' }), [
      'Unable to construct ordering policy for: lottery, lottery',
      'root.b.ordering-policy',
    ]);
    const fairClass = 'org.apache.hadoop.yarn.server.resourcemanager.scheduler.policy.FairOrderingPolicy';
    assert.equal(queueOf('root.b', { 'root.b.ordering-policy': fairClass }).orderingPolicy, 'fair');
    for (const name of ['com.example.FirstComePolicy', ' '])
      assert.equal(fault({ 'root.b.ordering-policy': name })[0], `Unable to construct ordering policy for: ${name}, ${name}`);
    assert.equal(fault({ 'root.a.ordering-policy': ' ' })[0], 'Unable to construct queue ordering policy=  queue=root.a');
    assert.deepEqual(fault({ 'root.a.ordering-policy': 'fair' }), [
      'Unable to construct queue ordering policy=fair queue=root.a',
      'root.a.ordering-policy',
    ]);
  });

  it('is left alone by preemption where it, a queue above it or the cluster says so', () => {
    const disabled = (keys: Record<string, string>, global = cluster) => {
      const { preemptionDisabled, intraQueuePreemptionDisabled } = queueOf('root.a.x', keys, global);
      return [preemptionDisabled, intraQueuePreemptionDisabled];
    };
    assert.deepEqual(disabled({}), [false, false]);
    assert.deepEqual(disabled({ 'root.a.disable_preemption': 'true', 'root.a.intra-queue-preemption.disable_preemption': 'true' }), [
      true,
      true,
    ]);
    assert.deepEqual(disabled({ 'root.a.disable_preemption': 'true', 'root.a.x.disable_preemption': 'false' }), [false, false]);
    assert.deepEqual(disabled({}, { ...cluster, preemptionEnabled: false }), [true, true]);
    assert.deepEqual(disabled({}, { ...cluster, intraQueuePreemption: false }), [false, true]);
  });

  it('is refused for capacities out of their range', () => {
    assert.match(fault({ 'root.b.capacity': '101' })[0], /^Illegal capacity of 101\.0 for queue root\.b$/);
    assert.match(fault({ 'root.b.capacity': '10001w' })[0], /^Illegal weight=10001\.0 for queue=root\.blabel=\. /);
    assert.deepEqual(fault({ 'root.b.accessible-node-labels.gpu.capacity': '-2' })[1], 'root.b.accessible-node-labels.gpu.capacity');
    assert.deepEqual(fault({ 'root.b.maximum-capacity': '3w' }), ['For input string: "3w"', 'root.b.maximum-capacity']);
    assert.equal(queueOf('root.b', { 'root.b.maximum-capacity': '-1' }).labels.get('')!.maximum.value, 100);
  });
});

describe('templates of automatic queues', () => {
  const keys = {
    ...two,
    'root.b.auto-queue-creation-v2.enabled': 'true',
    'root.b.auto-queue-creation-v2.template.capacity': '2w',
    'root.b.auto-queue-creation-v2.leaf-template.user-limit-factor': '5',
    'root.*.auto-queue-creation-v2.template.capacity': '7w',
    'root.*.auto-queue-creation-v2.template.priority': '3',
  };

  it('come from the queue itself, then from wildcards, key by key', () => {
    const { templates } = queueOf('root.b', keys);
    assert.deepEqual(Object.fromEntries(templates.common), { capacity: '2w', priority: '3' });
    assert.deepEqual([templates.parent, templates.leaf], [[], [['user-limit-factor', '5']]]);
    assert.deepEqual(queueOf('root.a.x', keys).templates, { common: [], parent: [], leaf: [] });
  });

  it('are the keys of the queue that is made of them, whose users and masters are not limited otherwise', () => {
    const properties = propertiesOf(keys);
    const parent = queueOf('root.b', keys);
    const overlay = templateOverlay('root.b.ada', [...parent.templates.common, ['maximum-applications', '4']]);
    const made = readQueue(new CapacityProperties(properties.all, overlay), types, cluster, 'root.b.ada', parent, 'dynamicFlexible');
    assert.deepEqual([made.labels.get('')!.capacity.value, made.queuePriority, made.maximumApplications], [2, 3, 4]);
    assert.deepEqual([made.userLimitFactor, made.configuredAmShare], [-1, 1]);
  });
});
