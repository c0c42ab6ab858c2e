import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../../conformance/simulator.ts';
import { ConfigurationRefused } from '../../policy.ts';
import { clusterOptions } from './cluster-options.ts';
import { keyOf, type OptionTable, type QueueOption } from './option.ts';
import { isClusterKey, isQueueKey, optionOf, optionTables } from './options.ts';
import { CapacityProperties } from './properties.ts';
import { automaticOptions, joinedOptions, plainOptions, reservationOptions } from './queue-options.ts';

const rows: readonly QueueOption[] = Object.values(optionTables).flatMap((table: OptionTable) => Object.values(table));
const two = { 'root.queues': 'a,b', 'root.a.capacity': '50', 'root.b.capacity': '50' };
const properties = (keys: Record<string, string>) =>
  new CapacityProperties(new Map(Object.entries(keys).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value])));

describe('the table of options', () => {
  it('has each key once for queues and once for the cluster', () => {
    const keys = rows.map((option) => `${option.scope === 'cluster' ? (option.prefix ?? '') : 'root.a.'}${option.key}`);
    assert.deepEqual(
      keys.filter((key, place) => keys.indexOf(key) !== place),
      [],
    );
  });

  it('has a default of the right type for every number and boolean', () => {
    for (const { key, type, default: preset } of rows) {
      if (type === 'boolean') assert.equal(typeof preset, 'boolean', key);
      if (type === 'integer' || type === 'float') assert.equal(typeof preset, 'number', key);
    }
  });

  it('knows the keys of queues from those of the cluster', () => {
    for (const key of ['capacity', 'user-settings.ada.weight', 'accessible-node-labels.gpu.capacity', 'leaf-queue-template.capacity']) {
      assert.ok(isQueueKey(key), key);
      assert.ok(!isClusterKey(key), key);
    }
    for (const key of ['node-locality-delay', 'user.ada.max-parallel-apps', 'multi-node-sorting.policy.names']) {
      assert.ok(isClusterKey(key), key);
      assert.ok(!isQueueKey(key), key);
    }
    // Queues inherit it from the cluster.
    assert.ok(isQueueKey('max-parallel-apps') && isClusterKey('max-parallel-apps'));
    assert.ok(!isQueueKey('leaf-queue-template.') && !isQueueKey('capacity.x'));
  });

  it('finds the row of a key, of whatever queue, label, template or user', () => {
    const rowOf = (key: string) => optionOf(`yarn.scheduler.capacity.${key}`);
    assert.equal(rowOf('root.a.maximum-capacity'), joinedOptions.maximumCapacity);
    assert.equal(rowOf('root.maximum-capacity'), joinedOptions.maximumCapacity);
    assert.equal(rowOf('root.a.b.accessible-node-labels.gpu.maximum-capacity'), joinedOptions.labelMaximumCapacity);
    for (const template of ['leaf-queue-template', 'auto-queue-creation-v2.leaf-template', '*.auto-queue-creation-v2.template'])
      assert.equal(rowOf(`root.a.${template}.user-limit-factor`), joinedOptions.userLimitFactor, template);
    assert.equal(rowOf('user.ada.max-parallel-apps'), clusterOptions.namedUserParallelApplications);
    assert.equal(rowOf('maximum-applications'), clusterOptions.maximumApplications);
    // A name of a queue is none of an option; another scheduler's key and one that nothing reads are nobody's.
    for (const key of ['root.maximum-applications.capacity-', 'x.maximum-applications', 'root.a.xmaximum-applications'])
      assert.equal(rowOf(key), undefined, key);
    assert.equal(optionOf('yarn.scheduler.fair.maximum-applications'), undefined);
    assert.equal(rowOf('schedule-asynchronously.maximum-threads'), undefined);
  });
});

describe('reading an option', () => {
  it('takes the key of the queue, then that of the cluster where queues inherit it, then the default', () => {
    const own = properties({ 'root.a.max-parallel-apps': '3', 'max-parallel-apps': '7' });
    const { maximumParallelApplications, maximumApplications } = plainOptions;
    assert.equal(own.read(maximumParallelApplications, { queue: 'root.a' }), 3);
    assert.equal(own.read(maximumParallelApplications, { queue: 'root.b' }), 7);
    assert.equal(properties({}).read(maximumParallelApplications, { queue: 'root.b' }), 2_147_483_647);
    // A number of the cluster's alone is no queue's.
    assert.equal(properties({ 'maximum-applications': '9' }).read(maximumApplications, { queue: 'root.a' }), -1);
  });

  it('takes what the caller says instead of the cluster’s value and the default', () => {
    const cluster = properties({ 'user-limit-factor': '4' });
    assert.equal(cluster.read(joinedOptions.userLimitFactor, { queue: 'root.a' }, -1), -1);
    assert.equal(cluster.read(joinedOptions.userLimitFactor, { queue: 'root.a' }), 4);
  });

  it('reads numbers in single precision and booleans in any case; what is neither true nor false counts as absent', () => {
    const read = properties({ 'root.a.maximum-am-resource-percent': '0.1', 'root.a.reservable': ' TRUE ', 'root.b.reservable': 'yes' });
    assert.equal(read.read(joinedOptions.amShare, { queue: 'root.a' }), Math.fround(0.1));
    assert.equal(read.read(joinedOptions.amShare, { queue: 'root.b' }), Math.fround(0.1));
    assert.equal(read.read(plainOptions.isPlan, { queue: 'root.a' }), true);
    assert.equal(read.read(plainOptions.isPlan, { queue: 'root.b' }), false);
  });

  it('names key and remedy for what is no number', () => {
    const fault = (read: () => unknown, key: string) =>
      assert.throws(read, (error: unknown) => {
        assert.ok(error instanceof ConfigurationRefused);
        assert.equal(error.message, 'For input string: "few"');
        assert.equal(error.key, `yarn.scheduler.capacity.${key}`);
        assert.equal(error.remedy, 'Give it a number.');
        return true;
      });
    const few = properties({ 'user.ada.max-parallel-apps': 'few', 'root.a.priority': 'few' });
    fault(() => few.read(clusterOptions.namedUserParallelApplications, { user: 'ada' }), 'user.ada.max-parallel-apps');
    fault(() => few.readAll(plainOptions, { queue: 'root.a' }), 'root.a.priority');
  });

  it('lays the keys of a template over those of the file', () => {
    const overlay = new Map([[keyOf(plainOptions.queuePriority, { queue: 'root.a' }), '5']]);
    const file = properties({ 'root.a.priority': '2' }).all;
    assert.equal(new CapacityProperties(file, overlay).read(plainOptions.queuePriority, { queue: 'root.a' }), 5);
    assert.equal(new CapacityProperties(file).read(plainOptions.queuePriority, { queue: 'root.a' }), 2);
  });
});

describe('a number that is read only when something happens', () => {
  const later = [
    keyOf(automaticOptions.mostQueues, { queue: 'root.a' }),
    keyOf(automaticOptions.mostLeaves, { queue: 'root.a' }),
    keyOf(reservationOptions.reservationWindowMs, { queue: 'root.a' }),
    keyOf(reservationOptions.averageCapacity, { queue: 'root.a' }),
    keyOf(clusterOptions.queueExpirationSeconds),
    keyOf(clusterOptions.userParallelApplications),
  ].map((key) => key.slice('yarn.scheduler.capacity.'.length));
  for (const key of later) {
    it(`is refused with the file: ${key}`, () => {
      assert.throws(
        () => new Simulator({ queues: { ...two, [key]: 'many' } }),
        (error: unknown) => error instanceof ConfigurationRefused && error.key === `yarn.scheduler.capacity.${key}`,
      );
    });
  }
});
