import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { resourceTypes } from '../config/resource-types.ts';
import { ConfigurationError } from '../config/table.ts';
import { schedulingDefaults } from '../model/scheduling-defaults.ts';
import { createPolicy } from '../scheduler/create-policy.ts';
import type { PolicyOptions } from '../scheduler/policy.ts';
import { policyOptions, queueFiles } from './policy-options.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-policy-options-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let folders = 0;

/** Settings of a folder with these files, and of the keys laid over them. */
function configurationOf(set: Record<string, string> = {}, files?: Record<string, string>) {
  if (!files) return loadConfiguration({ dataDir: folder, set });
  const confDir = join(folder, String(folders++));
  mkdirSync(confDir);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(confDir, name), text);
  return loadConfiguration({ confDir, dataDir: folder, set });
}

function optionsOf(set: Record<string, string> = {}, files?: Record<string, string>): PolicyOptions {
  const configuration = configurationOf(set, files);
  return policyOptions(configuration, resourceTypes(configuration), (user) => [`group-of-${user}`], { now: () => 7, steadyMs: () => 1 });
}

const capacityFile = (keys: Record<string, string>): string =>
  `<configuration>${Object.entries(keys)
    .map(([key, value]) => `<property><name>yarn.scheduler.capacity.${key}</name><value>${value}</value></property>`)
    .join('')}</configuration>`;

const refused = (key: string, problem: RegExp) => (error: unknown) =>
  error instanceof ConfigurationError && error.key === key && problem.test(error.message) && error.remedy !== '';

describe('what the scheduler is told', () => {
  it('is the defaults where the settings say nothing', () => {
    const { kind, settings, clock } = optionsOf();
    assert.equal(kind, 'capacity');
    assert.equal(clock.now(), 7);
    assert.deepEqual(settings.minimumAllocation, [1024, 1]);
    assert.deepEqual(settings.maximumAllocation, [8192, 4]);
    assert.deepEqual(settings.fair, schedulingDefaults.fair);
    assert.equal(settings.preemption, undefined);
    assert.equal(settings.heartbeatIntervalMs, 1000);
    assert.equal(settings.workflowTagPrefix, 'workflowid:');
    assert.equal(settings.maximumPriority, 0);
    assert.deepEqual(
      [settings.aclEnabled, settings.nodeLabelsEnabled, settings.reservationSystem, settings.deletesQueues],
      [false, false, false, false],
    );
    assert.deepEqual(settings.groupsOf('ada'), ['group-of-ada']);
  });

  it('names the policy by its short name or by a class', () => {
    const kindOf = (name: string) => optionsOf({ 'yarn.resourcemanager.scheduler.class': name }).kind;
    const classes = 'org.apache.hadoop.yarn.server.resourcemanager.scheduler';
    assert.equal(kindOf('fifo'), 'fifo');
    assert.equal(kindOf('fair'), 'fair');
    assert.equal(kindOf(`${classes}.fair.FairScheduler`), 'fair');
    assert.equal(kindOf(`${classes}.fifo.FifoScheduler`), 'fifo');
    assert.equal(kindOf(`${classes}.capacity.CapacityScheduler`), 'capacity');
  });

  it('has preemption only where the monitor runs', () => {
    const monitor = { 'yarn.resourcemanager.scheduler.monitor.enable': 'true' };
    assert.deepEqual(optionsOf(monitor).settings.preemption, schedulingDefaults.preemption);
    const preemption = 'yarn.resourcemanager.monitor.capacity.preemption';
    const own = optionsOf({
      ...monitor,
      [`${preemption}.max_wait_before_kill`]: '5s',
      [`${preemption}.intra-queue-preemption.preemption-order-policy`]: 'priority_first',
      'yarn.resourcemanager.scheduler.monitor.policies': 'org.example.One,org.example.AutoCreatedQueueDeletionPolicy',
    }).settings;
    assert.equal(own.preemption?.maximumWaitBeforeKillMs, 5000);
    assert.equal(own.preemption?.intraQueueOrder, 'priority_first');
    assert.equal(own.deletesQueues, true);
    assert.equal(optionsOf({ [`${preemption}.observe_only`]: 'true' }).settings.preemption, undefined);
  });

  it('is refused where the smallest container is above the largest', () => {
    assert.throws(
      () => optionsOf({ 'yarn.scheduler.minimum-allocation-mb': '9000' }),
      refused('yarn.scheduler.minimum-allocation-mb', /the smallest allocation \(9000\) is above the largest \(8192\)/),
    );
    assert.throws(
      () => optionsOf({ 'yarn.scheduler.maximum-allocation-vcores': '1', 'yarn.scheduler.minimum-allocation-vcores': '2' }),
      refused('yarn.scheduler.minimum-allocation-vcores', /\(2\) is above the largest \(1\)/),
    );
  });
});

describe('types of resources', () => {
  it('are memory, vcores and those that the settings register, with their bounds', () => {
    const set = {
      'yarn.resource-types': 'memory-mb, yarn.io/gpu ,disk',
      'yarn.resource-types.disk.units': 'G',
      'yarn.resource-types.disk.minimum-allocation': '2',
      'yarn.resource-types.disk.maximum-allocation': '50',
    };
    const { types } = resourceTypes(configurationOf(set));
    assert.deepEqual(
      types.map(({ name, units }) => [name, units]),
      [
        ['memory-mb', 'Mi'],
        ['vcores', ''],
        ['yarn.io/gpu', ''],
        ['disk', 'G'],
      ],
    );
    const { settings } = optionsOf(set);
    assert.deepEqual(settings.minimumAllocation, [1024, 1, 0, 2]);
    assert.equal(settings.maximumAllocation[3], 50);
  });

  it('are refused for names and units that Hadoop refuses', () => {
    const types = (set: Record<string, string>) => () => resourceTypes(configurationOf(set));
    assert.throws(types({ 'yarn.resource-types': 'memory' }), refused('yarn.resource-types', /'memory' is reserved/));
    assert.throws(types({ 'yarn.resource-types': '1st' }), refused('yarn.resource-types', /'1st' is not a valid resource name/));
    assert.throws(
      types({ 'yarn.resource-types': 'disk', 'yarn.resource-types.disk.units': 'gallons' }),
      refused('yarn.resource-types.disk.units', /Unknown unit 'gallons'/),
    );
    assert.throws(
      types({ 'yarn.resource-types': 'yarn.io/gpu', 'yarn.resource-types.yarn.io/gpu.units': 'G' }),
      refused('yarn.resource-types.yarn.io/gpu.units', /GPUs are counted without a unit/),
    );
  });
});

describe('queue files', () => {
  it('have one queue, open to all, where none is named; other keys stay', () => {
    const { properties } = queueFiles(configurationOf({ 'yarn.scheduler.capacity.node-locality-delay': '3' }));
    assert.equal(properties.get('yarn.scheduler.capacity.root.queues'), 'default');
    assert.equal(properties.get('yarn.scheduler.capacity.node-locality-delay'), '3');
    assert.doesNotThrow(() => createPolicy(optionsOf()));
  });

  it('are those of the folder of settings, with single keys laid over them', () => {
    const files = { 'capacity-scheduler.xml': capacityFile({ 'root.queues': 'a', 'root.a.capacity': '100', 'root.a.state': 'RUNNING' }) };
    const { properties } = optionsOf({ 'yarn.scheduler.capacity.root.a.state': 'STOPPED' }, files);
    assert.equal(properties.get('yarn.scheduler.capacity.root.queues'), 'a');
    assert.equal(properties.get('yarn.scheduler.capacity.root.a.state'), 'STOPPED');
  });

  it('may have their mapping rules in a file of its own', () => {
    const rules = { 'root.queues': 'a', 'root.a.capacity': '100', 'mapping-rule-format': 'json', 'mapping-rule-json-file': 'rules.json' };
    const text = '{"rules":[]}';
    const { properties } = optionsOf({}, { 'capacity-scheduler.xml': capacityFile(rules), 'rules.json': text });
    assert.equal(properties.get('yarn.scheduler.capacity.mapping-rule-json'), text);
    assert.throws(
      () => optionsOf({}, { 'capacity-scheduler.xml': capacityFile(rules) }),
      refused('yarn.scheduler.capacity.mapping-rule-json-file', /rules\.json/),
    );
  });

  it('of the fair policy are fair-scheduler.xml, or the file that is named', () => {
    const fair = { 'yarn.resourcemanager.scheduler.class': 'fair' };
    const text = '<allocations><queue name="a"/></allocations>';
    assert.equal(optionsOf(fair, { 'fair-scheduler.xml': text }).allocations, text);
    assert.equal(optionsOf(fair).allocations, undefined);
    const named = { ...fair, 'yarn.scheduler.fair.allocation.file': 'pools.xml' };
    assert.equal(optionsOf(named, { 'pools.xml': text }).allocations, text);
    assert.throws(() => optionsOf(named, {}), refused('yarn.scheduler.fair.allocation.file', /there is no file .*pools\.xml/));
  });
});
