import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure } from '../../model/errors.ts';
import { LabelManager, type LabelStore, labelNodeId } from './label-manager.ts';

/** A store in memory. */
function memoryStore(): LabelStore & { kinds: Map<string, Map<string, string>> } {
  const kinds = new Map<string, Map<string, string>>();
  const of = (kind: string) => kinds.get(kind) ?? kinds.set(kind, new Map()).get(kind)!;
  return {
    kinds,
    records: (kind) => of(kind),
    putRecord: async (kind, key, value) => void of(kind).set(key, value),
    dropRecord: async (kind, key) => void of(kind).delete(key),
  };
}

function manager(store = memoryStore(), options: { enabled?: boolean; used?: Record<string, string> } = {}) {
  const told: string[][] = [];
  const labels = new LabelManager({
    enabled: options.enabled ?? true,
    store,
    queueUsing: (label) => options.used?.[label],
    partitionsChanged: (partitions) => void told.push([...partitions.keys()]),
    nodesChanged: () => void told.push(['nodes']),
  });
  return { labels, store, told };
}

/** A store of which writes fail while `isBroken` says so. */
function breakableStore() {
  const store = memoryStore();
  const state = { isBroken: false };
  const write = (run: () => Promise<void>) => (state.isBroken ? Promise.reject(new Error('the disk is full')) : run());
  return {
    state,
    store: {
      ...store,
      putRecord: (kind: string, key: string, value: string) => write(() => store.putRecord(kind, key, value)),
      dropRecord: (kind: string, key: string) => write(() => store.dropRecord(kind, key)),
    },
  };
}

const unavailable = (error: unknown) => error instanceof Failure && error.code === 'UNAVAILABLE';

const refused = (pattern: RegExp) => (error: unknown) =>
  error instanceof Failure && error.entry.status === 400 && pattern.test(error.message);

describe('node labels', () => {
  it('adds labels once and tells of them', async () => {
    const { labels, told } = manager();
    await labels.add([
      { name: 'gpu', exclusive: true },
      { name: 'soft', exclusive: false },
    ]);
    await labels.add([{ name: 'gpu', exclusive: true }]);
    await labels.add([]);
    assert.deepEqual(told, [['gpu', 'soft']]);
    await assert.rejects(labels.add([{ name: 'gpu', exclusive: false }]), refused(/an existing label with : <gpu:exclusivity=false>$/));
  });
  it('refuses bad names and changes nothing', async () => {
    const { labels } = manager();
    await assert.rejects(
      labels.add([
        { name: 'ok', exclusive: true },
        { name: 'a b', exclusive: true },
      ]),
      refused(/now it is= a b$/),
    );
    await assert.rejects(labels.add([{ name: '', exclusive: true }]), refused(/^label added is empty or exceeds 255/));
    await assert.rejects(labels.add([{ name: undefined, exclusive: true }]), refused(/^label added is empty/));
    await assert.rejects(labels.add([{ name: '', exclusive: false }]), refused(/an existing label with : <:exclusivity=false>$/));
    await assert.rejects(labels.add([{ name: '-a', exclusive: true }]), refused(/^label name should only/));
    assert.deepEqual(labels.labels(), []);
  });
  it('has no more than the queues can be asked about', async () => {
    const { labels } = manager();
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({ name: `l${from + index}`, exclusive: true }));
    await labels.add(many(0, 199));
    await assert.rejects(labels.add(many(190, 11)), refused(/^A cluster has at most 200 node labels/));
    assert.equal(labels.labels().length, 199);
    await labels.add(many(190, 10));
    await labels.add(many(0, 200));
    assert.equal(labels.labels().length, 200);
  });

  it('places labels on nodes and hosts', async () => {
    const { labels } = manager();
    await labels.add([
      { name: 'gpu', exclusive: true },
      { name: 'ssd', exclusive: false },
    ]);
    await labels.replace(
      new Map([
        ['a:1', ['gpu']],
        ['b:0', ['ssd']],
      ]),
    );
    assert.equal(labels.labelOf('a:1'), 'gpu');
    assert.equal(labels.labelOf('a:2'), '');
    assert.equal(labels.labelOf('b:77'), 'ssd');
    assert.deepEqual(
      [...labels.placements(['b:77', 'c:1'])],
      [
        ['a:1', 'gpu'],
        ['b:0', 'ssd'],
        ['b:77', 'ssd'],
      ],
    );
    await labels.replace(new Map([['a:0', ['ssd']]]));
    assert.equal(labels.labelOf('a:1'), 'ssd');
    await labels.replace(new Map([['a:0', []]]));
    assert.equal(labels.labelOf('a:1'), '');
  });
  it('refuses two labels and unknown ones', async () => {
    const { labels } = manager();
    await labels.add([
      { name: 'gpu', exclusive: true },
      { name: 'ssd', exclusive: true },
    ]);
    await assert.rejects(labels.replace(new Map([['a:1', ['gpu', 'ssd']]])), refused(/^2 labels specified on host=a, please/));
    await assert.rejects(labels.replace(new Map([['a:1', ['none']]])), refused(/new labels=\[none\]$/));
  });
  it('removes labels unless a queue uses them', async () => {
    const { labels } = manager(memoryStore(), { used: { gpu: 'root.models' } });
    await labels.add([
      { name: 'gpu', exclusive: true },
      { name: 'ssd', exclusive: true },
    ]);
    await labels.replace(new Map([['a:1', ['ssd']]]));
    await assert.rejects(labels.remove(['gpu']), refused(/^Cannot remove label=gpu, because queue=root.models is using/));
    // Queues may name a label before there is one.
    const before = manager(memoryStore(), { used: { gpu: 'root.models' } }).labels;
    await assert.rejects(before.remove(['gpu']), refused(/^Cannot remove label=gpu, because queue=root.models is using/));
    await assert.rejects(labels.remove(['none']), refused(/^Node label=none to be removed doesn't existed/));
    await assert.rejects(labels.remove(['']), refused(/^Label to be removed is null or empty/));
    await labels.remove(['ssd']);
    assert.equal(labels.labelOf('a:1'), '');
  });
  it('survives a restart', async () => {
    const first = manager();
    await first.labels.add([{ name: 'soft', exclusive: false }]);
    await first.labels.replace(new Map([['a:1', ['soft']]]));
    const { labels } = manager(first.store);
    assert.deepEqual(labels.labels(), [{ name: 'soft', exclusive: false }]);
    assert.equal(labels.labelOf('a:1'), 'soft');
  });
  it('writes a label that is there already, where a failed removal may have been made all the same', async () => {
    const store = memoryStore();
    let fails = false;
    const { labels } = manager({
      ...store,
      async dropRecord(kind, key) {
        await store.dropRecord(kind, key);
        if (fails) throw new Error('it was written, and not synced');
      },
    });
    await labels.add([{ name: 'gpu', exclusive: true }]);
    fails = true;
    await assert.rejects(labels.remove(['gpu']), unavailable);
    assert.ok(labels.label('gpu'));
    await labels.add([{ name: 'gpu', exclusive: true }]);
    assert.ok(manager(store).labels.label('gpu'), 'after a restart');
  });
  it('answers that a label is there when that is durable, also while another adds it', async () => {
    const store = memoryStore();
    const writes: (() => void)[] = [];
    const { labels } = manager({ ...store, putRecord: () => new Promise<void>((done) => void writes.push(done)) });
    const both = ['gpu', 'gpu'].map((name) => labels.add([{ name, exclusive: true }]));
    let answered = 0;
    for (const added of both) void added.then(() => answered++);
    await new Promise((done) => setImmediate(done));
    assert.deepEqual([answered, writes.length], [0, 2]);
    for (const done of writes) done();
    await Promise.all(both);
  });
  it('refuses every change while labels are off', async () => {
    const { labels } = manager(memoryStore(), { enabled: false });
    await assert.rejects(labels.add([{ name: 'gpu', exclusive: true }]), refused(/^Node-label-based scheduling is disabled/));
  });
  it('leaves nodes that differ from their host alone where the host is given what it has', async () => {
    const { labels } = manager(memoryStore());
    await labels.add([{ name: 'gpu', exclusive: true }]);
    await labels.replace(new Map([['a:5', ['gpu']]]));
    await labels.replace(new Map([['a:0', []]]));
    assert.equal(labels.labelOf('a:5'), 'gpu');
    await labels.replace(new Map([['a:0', ['gpu']]]));
    await labels.replace(new Map([['a:0', []]]));
    assert.equal(labels.labelOf('a:5'), '');
  });
  it('counts an empty label beside another one', async () => {
    const { labels } = manager(memoryStore());
    await labels.add([{ name: 'gpu', exclusive: true }]);
    await assert.rejects(labels.replace(new Map([['a:5', ['gpu', '']]])), refused(/^2 labels specified on host=a/));
    await labels.replace(new Map([['a:5', ['']]]));
    assert.equal(labels.labelOf('a:5'), '');
  });
  /** Steps and what each shows are recorded of Hadoop 3.4.2: `[""]` is what a node shows that has the empty label by its name. */
  it('tells the empty label, given by its name, from none', async () => {
    const { labels, store } = manager();
    await labels.add([{ name: 'gpu', exclusive: true }]);
    const shown = (of = labels) => [of.labelOf('a:5'), of.isNamedDefault('a:5'), Object.fromEntries(of.placements(['a:5']))];
    assert.deepEqual(shown(), ['', false, {}]);
    await labels.replace(new Map([['a:0', ['']]]));
    assert.deepEqual(shown(), ['', true, { 'a:0': '' }]);
    await labels.replace(new Map([['x:0', ['']]]));
    assert.deepEqual(shown(), ['', true, { 'a:0': '', 'x:0': '' }]);
    await labels.replace(new Map([['a:0', ['gpu']]]));
    assert.deepEqual(shown(), ['gpu', false, { 'a:0': 'gpu', 'a:5': 'gpu', 'x:0': '' }]);
    await labels.replace(new Map([['a:5', ['']]]));
    assert.deepEqual(shown(), ['', true, { 'a:0': 'gpu', 'x:0': '' }]);
    assert.deepEqual(shown(manager(store).labels), ['', true, { 'a:0': 'gpu', 'x:0': '' }], 'after a restart');
    await labels.replace(new Map([['a:0', ['']]]));
    assert.deepEqual(shown(), ['', true, { 'a:0': '', 'x:0': '' }]);
    await labels.replace(new Map([['a:0', []]]));
    assert.deepEqual(shown(), ['', false, { 'x:0': '' }]);
  });
  it('takes a bare host for all its nodes', () => {
    assert.equal(labelNodeId('a'), 'a:0');
    assert.throws(() => labelNodeId('a:b'), /^InvalidId: Invalid port: b/);
  });

  it('are as before where a change cannot be stored, and all hear of it', async () => {
    const { store, state } = breakableStore();
    const { labels, told } = manager(store);
    await labels.add([{ name: 'x', exclusive: true }]);
    await labels.replace(
      new Map([
        ['n1:0', ['x']],
        ['n1:5', ['x']],
      ]),
    );
    const before = { labels: labels.labels(), placed: [...labels.placements([])].sort() };
    state.isBroken = true;
    told.length = 0;
    await assert.rejects(labels.add([{ name: 'y', exclusive: false }]), unavailable);
    await assert.rejects(labels.remove(['x']), unavailable);
    await assert.rejects(
      labels.replace(
        new Map([
          ['n1:0', []],
          ['n2:5', ['x']],
        ]),
      ),
      unavailable,
    );
    assert.deepEqual({ labels: labels.labels(), placed: [...labels.placements([])].sort() }, before);
    assert.deepEqual(told, [['x', 'y'], ['x'], ['nodes'], [], ['x'], ['nodes'], ['nodes'], ['nodes']]);
    state.isBroken = false;
    await labels.add([{ name: 'y', exclusive: false }]);
    assert.deepEqual([...store.records('label').keys()], ['x', 'y']);
  });
});
