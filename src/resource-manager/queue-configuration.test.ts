import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../lib/log.ts';
import { Failure } from '../model/errors.ts';
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

function build(storeClass: string, saved = new Map<string, string>(), write = async () => {}) {
  const store = {
    meta: (key: string) => saved.get(key),
    setMeta: async (key: string, value: string) => {
      await write();
      saved.set(key, value);
    },
  };
  const stored = storedQueues(true, storeClass, store);
  const prefix = 'yarn.scheduler.capacity.';
  const { policy } = new Simulator({
    queues: Object.fromEntries([...(stored?.properties ?? file)].map(([key, value]) => [key.slice(prefix.length), value])),
  });
  return {
    policy,
    configuration: new QueueConfiguration({ policy, file, stored, storeClass, store, logger: silentLogger, changed: () => {} }),
  };
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

test('format is refused while a queue runs that the file does not know, and changes nothing', async () => {
  const saved = new Map<string, string>();
  const { configuration } = build('leveldb', saved);
  await configuration.change({ ...none, add: [{ queue: 'root.late', parameters: [['capacity', '0']] }] });
  const stored = saved.get('queue-configuration');
  await assert.rejects(configuration.format(), /^Error: root\.late cannot be deleted .*RUNNING$/);
  assert.equal(configuration.version, 2);
  assert.equal(saved.get('queue-configuration'), stored);
  await configuration.change({ ...none, update: [{ queue: 'root.late', parameters: [['state', 'STOPPED']] }] });
  await configuration.format();
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

/** The capacity of `root.other` in percent, as properties and as queues have it. */
function otherOf({ configuration, policy }: ReturnType<typeof build>): [stated: string | undefined, running: number] {
  const description = policy.describe();
  const queues = description.kind === 'capacity' ? description.root.children : [];
  return [
    configuration.properties().get('yarn.scheduler.capacity.root.other.capacity'),
    // Shares are float32.
    Math.round(queues.find(({ path }) => path === 'root.other')?.capacities[0]?.capacity ?? Number.NaN),
  ];
}

test('a change that cannot be stored changes neither queues nor store, and the next one works', async () => {
  const saved = new Map<string, string>();
  let isBroken = true;
  const built = build('leveldb', saved, async () => {
    if (isBroken) throw new Error('the disk is full');
  });
  const { configuration } = built;
  const before = otherOf(built);
  for (const run of [() => configuration.change(capacities('70', '30')), () => configuration.format()]) {
    await assert.rejects(run(), (error: unknown) => error instanceof Failure && error.code === 'UNAVAILABLE' && error.entry.status === 503);
    assert.deepEqual([otherOf(built), configuration.version, saved.size], [before, 1, 0]);
  }
  isBroken = false;
  await configuration.change(capacities('80', '20'));
  assert.deepEqual([otherOf(built), configuration.version], [['20', 20], 2]);
  assert.deepEqual([storedOther(saved), storedVersion(saved)], ['20', 2]);
});

test('queues stay as they are until the change is stored', async () => {
  let store: () => void = () => {};
  const built = build('leveldb', new Map(), () => new Promise((done) => (store = done)));
  const before = otherOf(built);
  const changed = built.configuration.change(capacities('70', '30'));
  await new Promise((done) => setImmediate(done));
  assert.deepEqual([otherOf(built), built.configuration.version], [before, 1]);
  store();
  await changed;
  assert.deepEqual([otherOf(built), built.configuration.version], [['30', 30], 2]);
});

test('changes that come at once are made one after the other, whichever of them fail', async () => {
  const saved = new Map<string, string>();
  let writes = 0;
  const built = build('leveldb', saved, async () => {
    // The first write lasts longest; the second fails.
    const turn = ++writes;
    for (let wait = 10; wait > turn; wait--) await new Promise((done) => setImmediate(done));
    if (turn === 2) throw new Error('the disk is full');
  });
  const { configuration } = built;
  const outcomes = await Promise.allSettled([
    configuration.change(capacities('70', '30')),
    configuration.change(capacities('80', '20')),
    configuration.change(capacities('80', '80')),
    configuration.change({ ...none, update: [{ queue: 'root.default', parameters: [['maximum-capacity', '75']] }] }),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  );
  assert.deepEqual([otherOf(built), configuration.version], [['30', 30], 3]);
  assert.deepEqual([storedOther(saved), storedVersion(saved)], ['30', 3]);
});

test('a change that the queues refuse once it is stored is taken out of the store again', async () => {
  const saved = new Map<string, string>();
  const built = build('leveldb', saved);
  const { configuration, policy } = built;
  await configuration.change(capacities('70', '30'));
  await configuration.change({ ...none, update: [{ queue: 'root.other', parameters: [['state', 'STOPPED']] }] });
  const editing = policy.queueEditing!;
  const { replace } = editing;
  editing.replace = () => {
    editing.replace = replace;
    throw new ConfigurationRefused('an application came meanwhile');
  };
  await assert.rejects(
    configuration.change({ ...none, remove: ['root.other'], update: [{ queue: 'root.default', parameters: [['capacity', '100']] }] }),
    /an application came meanwhile/,
  );
  assert.deepEqual([otherOf(built), configuration.version], [['30', 30], 3]);
  assert.deepEqual([storedOther(saved), storedVersion(saved)], ['30', 3]);
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

const storedAt = (saved: ReadonlyMap<string, string>) =>
  storedQueues(true, 'leveldb', { meta: (key) => saved.get(key), setMeta: async () => {} });
const storedOther = (saved: ReadonlyMap<string, string>) => storedAt(saved)?.properties.get('yarn.scheduler.capacity.root.other.capacity');
const storedVersion = (saved: ReadonlyMap<string, string>) => storedAt(saved)?.version;
