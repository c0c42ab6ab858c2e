import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { failure } from '../../model/errors.ts';
import { RecordWriter } from './record-writer.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A disk that has room or not, and what is on it; writes of one turn go together. */
function stand() {
  const clock = new ManualClock();
  const disk = { full: false, fault: undefined as Error | undefined, records: new Map<string, number>(), writes: 0 };
  let batch: { change: () => void; done: () => void; failed: (error: Error) => void }[] = [];
  const database = {
    hurry: () => undefined,
    write: (change: () => void) =>
      new Promise<void>((done, failed) => {
        disk.writes++;
        if (batch.push({ change, done, failed }) > 1) return;
        setImmediate(() => {
          const all = batch;
          batch = [];
          for (const one of all) {
            if (disk.fault) one.failed(disk.fault);
            else if (disk.full) one.failed(new Error('database or disk is full'));
            else {
              try {
                one.change();
                one.done();
              } catch (error) {
                one.failed(error as Error);
              }
            }
          }
        });
      }),
  };
  const writer = new RecordWriter(database, { clock, logger: silentLogger });
  const troubles: (string | undefined)[] = [];
  writer.onTrouble((trouble) => troubles.push(trouble));
  const durable: string[] = [];
  return {
    clock,
    disk,
    writer,
    troubles,
    durable,
    put: (key: string, value: number) =>
      void writer.write(key, () => void disk.records.set(key, value)).then(() => durable.push(`${key} ${value}`)),
    remove: (key: string) => void writer.write(key, () => void disk.records.delete(key)).then(() => durable.push(`${key} removed`)),
    records: () => [...disk.records].map(([key, value]) => `${key} ${value}`),
    async retry() {
      clock.advance(1000);
      for (let turns = 0; turns < 5; turns++) await turn();
    },
  };
}

describe('records of a node', () => {
  it('are durable when they are written, in their order', async () => {
    const { put, records, durable, writer } = stand();
    put('a', 1);
    put('b', 1);
    put('a', 2);
    await writer.durable();
    assert.deepEqual(records(), ['a 2', 'b 1']);
    assert.deepEqual(durable, ['a 1', 'b 1', 'a 2']);
    await writer.durable();
  });

  it('are waited for without writing anything, also those before that failed alone', async () => {
    const { disk, put, records, writer, retry } = stand();
    let isRefused = true;
    void writer.write('a', () => {
      if (isRefused) throw new Error('refused');
      disk.records.set('a', 1);
    });
    put('b', 1);
    let all = false;
    const waiting = writer.durable().then(() => {
      all = true;
    });
    assert.equal(disk.writes, 2);
    for (let turns = 0; turns < 5; turns++) await turn();
    assert.deepEqual([records(), all], [['b 1'], false]);
    isRefused = false;
    await retry();
    await waiting;
    assert.deepEqual(records(), ['b 1', 'a 1']);
  });

  it('wait for room, nobody is told before, and the newest of each counts', async () => {
    const { disk, put, remove, records, durable, writer, troubles, retry } = stand();
    put('a', 1);
    await writer.durable();
    disk.full = true;
    put('a', 2);
    put('b', 1);
    put('a', 3);
    put('c', 1);
    await turn();
    await turn();
    remove('c');
    put('b', 2);
    let all = false;
    void writer.durable().then(() => {
      all = true;
    });
    await retry();
    await retry();
    assert.deepEqual(durable, ['a 1']);
    assert.equal(all, false);
    assert.deepEqual(troubles, ['database or disk is full']);
    assert.equal(writer.trouble, 'database or disk is full');
    disk.full = false;
    await retry();
    assert.deepEqual(records().sort(), ['a 3', 'b 2']);
    assert.deepEqual(new Set(durable), new Set(['a 1', 'a 2', 'a 3', 'b 1', 'b 2', 'c 1', 'c removed']));
    assert.equal(all, true);
    assert.deepEqual(troubles, ['database or disk is full', undefined]);
    put('d', 1);
    await writer.durable();
    assert.ok(records().includes('d 1'));
  });

  it('that come while others are tried again are not overtaken by them', async () => {
    const { disk, clock, put, records, retry } = stand();
    disk.full = true;
    put('a', 1);
    await turn();
    await turn();
    disk.full = false;
    clock.advance(1000);
    put('a', 2);
    put('b', 1);
    await retry();
    assert.deepEqual(records().sort(), ['a 2', 'b 1']);
  });

  it('wait for another program that locks them, and only after a minute that is told', async () => {
    const { disk, put, records, troubles, retry } = stand();
    disk.fault = failure('STORE_BUSY', { file: '/disk/node.sqlite' });
    put('a', 1);
    await turn();
    for (let seconds = 0; seconds < 59; seconds++) await retry();
    assert.deepEqual(troubles, []);
    await retry();
    await retry();
    assert.equal(troubles.length, 1);
    disk.fault = undefined;
    await retry();
    assert.deepEqual([records(), troubles.length], [['a 1'], 2]);
  });

  it('that wait when the node ends are given up', async () => {
    const { disk, put, records, durable, writer, retry } = stand();
    disk.full = true;
    put('a', 1);
    await turn();
    writer.close();
    disk.full = false;
    await retry();
    assert.deepEqual([records(), durable], [[], []]);
  });
});
