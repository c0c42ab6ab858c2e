import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Simulator } from '../scheduler/conformance/simulator.ts';
import { ConfigurationRefused } from '../scheduler/policy.ts';
import { QueueConfiguration, storedQueues } from './queue-configuration.ts';

const queues = { 'root.queues': 'default,other', 'root.default.capacity': '60', 'root.other.capacity': '40' };
const file = new Map(Object.entries(queues).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value]));
const none = { remove: [], add: [], update: [], global: [] };
const capacities = (one: string, two: string) => ({
  ...none,
  update: [
    { queue: 'root.default', parameters: [['capacity', one]] as const },
    { queue: 'root.other', parameters: [['capacity', two]] as const },
  ],
});

function build(storeClass: string, saved = new Map<string, string>()) {
  const store = {
    meta: (key: string) => saved.get(key),
    setMeta: async (key: string, value: string) => {
      saved.set(key, value);
    },
  };
  const stored = storedQueues(true, storeClass, store);
  const prefix = 'yarn.scheduler.capacity.';
  const { policy } = new Simulator({
    queues: Object.fromEntries([...(stored?.properties ?? file)].map(([key, value]) => [key.slice(prefix.length), value])),
  });
  return { policy, configuration: new QueueConfiguration({ policy, file, stored, storeClass, store, changed: () => {} }) };
}

test('changes count, refused ones do not, and both leave store and queues alike', async () => {
  const { configuration } = build('memory');
  await configuration.change(capacities('70', '30'));
  assert.equal(configuration.version, 2);
  await assert.rejects(configuration.change(capacities('70', '70')), ConfigurationRefused);
  assert.equal(configuration.version, 2);
  assert.equal(configuration.properties().get('yarn.scheduler.capacity.root.other.capacity'), '30');
});

test('validation stores nothing', () => {
  const { configuration } = build('memory');
  assert.equal(configuration.validate(capacities('10', '90')).get('yarn.scheduler.capacity.root.other.capacity'), '90');
  assert.throws(() => configuration.validate(capacities('10', '10')), ConfigurationRefused);
  assert.equal(configuration.properties().get('yarn.scheduler.capacity.root.other.capacity'), '40');
});

test('format goes back to the file', async () => {
  const { configuration } = build('memory');
  await configuration.change(capacities('70', '30'));
  await configuration.format();
  assert.equal(configuration.version, 1);
  assert.deepEqual(configuration.properties(), file);
});

test('a durable store brings changes back after a restart, memory does not', async () => {
  for (const [storeClass, expected] of [
    ['leveldb', '30'],
    ['memory', '40'],
  ] as const) {
    const saved = new Map<string, string>();
    await build(storeClass, saved).configuration.change(capacities('70', '30'));
    const { configuration } = build(storeClass, saved);
    assert.equal(configuration.properties().get('yarn.scheduler.capacity.root.other.capacity'), expected);
    assert.equal(configuration.version, storeClass === 'leveldb' ? 2 : 1);
  }
});

test('a queue that was removed stays away although the file names it', async () => {
  const saved = new Map<string, string>();
  const { configuration } = build('leveldb', saved);
  const stop = { ...none, update: [{ queue: 'root.other', parameters: [['state', 'STOPPED']] as const }] };
  await configuration.change(stop);
  await configuration.change({ ...none, remove: ['root.other'], update: [{ queue: 'root.default', parameters: [['capacity', '100']] }] });
  const { policy } = build('leveldb', saved);
  assert.equal(policy.resolveQueue('root.other'), 'unknown');
});

test('a file cannot be changed', () => {
  assert.equal(build('file').configuration.mutable, false);
});
