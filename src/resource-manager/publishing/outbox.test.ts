// What is owed reaches its receiver in order, over restarts of the sender, and stays within its bounds (docs/protocol.md, P12).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Delivery } from '../../client/delivery-queue.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { rejectedTable } from '../../storage/broken-rows.ts';
import { type Database, openDatabase } from '../../storage/sqlite.ts';
import { ResourceManagerStore } from '../store/resource-manager-store.ts';
import { Outbox, type OutboxOptions } from './outbox.ts';
import { SqliteOutboxStore } from './outbox-store.ts';

const turns = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await new Promise<void>((done) => setImmediate(done));
};

/** A database with the schema, that outlives the outboxes on it. */
function aDatabase(): Database {
  const database = openDatabase(':memory:', { logger: silentLogger });
  new ResourceManagerStore(database);
  return database;
}

/** An outbox and a receiver that answers as it is told, then takes everything. */
function anOutbox(database: Database, answers: (Delivery | Error)[] = [], more: Partial<OutboxOptions> = {}) {
  const clock = new ManualClock();
  const sent: unknown[][] = [];
  const outbox = new Outbox<unknown>({
    receiver: 'timeline',
    store: new SqliteOutboxStore(database),
    async send(texts) {
      const messages = JSON.parse(`[${texts}]`) as unknown[];
      sent.push(messages);
      const answer = answers.shift() ?? { kind: 'taken' };
      if (answer instanceof Error) throw answer;
      return answer;
    },
    clock,
    logger: silentLogger,
    maximumCharacters: 1_000_000,
    maximumAgeMs: 60_000,
    ...more,
  });
  return { outbox, sent, clock };
}

const away = (): Error => new Error('connect ECONNREFUSED');
const keptIn = (database: Database): number => new SqliteOutboxStore(database).kept('timeline').messages;

describe('an outbox', () => {
  it('sends what one turn tells together and in order, once it is durable, and keeps nothing that was taken', async () => {
    const database = aDatabase();
    const { outbox, sent, clock } = anOutbox(database);
    outbox.push([1, 2]);
    outbox.push([{ three: '\u{1F9F5}' }]);
    assert.equal(database.pendingWrites, 1);
    assert.deepEqual(sent, []);
    await outbox.idle();
    assert.deepEqual(sent, [[1, 2, { three: '\u{1F9F5}' }]]);
    assert.equal(outbox.size, 0);
    await turns();
    assert.deepEqual([database.pendingWrites, keptIn(database)], [0, 3], 'no commit is made for that alone');
    outbox.push([4]);
    database.flush();
    assert.equal(keptIn(database), 1, 'what was taken goes with the next');
    await turns();
    clock.advance(1000);
    await turns();
    assert.equal(keptIn(database), 0, 'or after a while');
  });

  it('writes in the commit of the turn, with what else is written then', async () => {
    const database = aDatabase();
    const { outbox } = anOutbox(database, [away()]);
    const stored: string[] = [];
    void database.write(() => void stored.push('change'));
    outbox.push(['news']);
    assert.equal(keptIn(database), 0);
    database.flush();
    assert.deepEqual([stored, keptIn(database)], [['change'], 1]);
    await outbox.close();
  });

  it('gathers what comes one after the other before it sends it, and sends at once what is left when it is closed', async () => {
    const database = aDatabase();
    const { outbox, sent, clock } = anOutbox(database, [], { lingerMs: 100 });
    outbox.push(['begun']);
    await turns();
    clock.advance(60);
    outbox.push(['ended']);
    await turns();
    assert.deepEqual([sent, keptIn(database)], [[], 2]);
    clock.advance(40);
    await outbox.idle();
    assert.deepEqual(sent, [['begun', 'ended']]);
    outbox.push(['last']);
    await outbox.close();
    assert.deepEqual(sent.at(-1), ['last']);
  });

  it('sends what is urgent at once with what is before it, and gathers what comes after that', async () => {
    const database = aDatabase();
    const { outbox, sent, clock } = anOutbox(database, [], { lingerMs: 100 });
    outbox.push(['begun']);
    await turns();
    outbox.push(['ended'], 'now');
    await outbox.idle();
    assert.deepEqual(sent, [['begun', 'ended']]);
    outbox.push(['next']);
    await turns();
    assert.deepEqual(sent.length, 1);
    clock.advance(100);
    await outbox.idle();
    assert.deepEqual(sent.at(-1), ['next']);
  });

  it('gives up what was lost from its store, says so, and waits for nothing of it', async () => {
    const database = aDatabase();
    const { outbox, sent, clock } = anOutbox(database, [away()]);
    for (const message of ['a', 'b', 'c']) {
      outbox.push([message]);
      await turns();
    }
    assert.equal(outbox.size, 3);
    await database.write(() => void database.prepare(`DELETE FROM outbox WHERE texts IN ('"b"', '"c"')`).run());
    clock.advance(1000);
    await outbox.idle();
    assert.deepEqual([sent.at(-1), outbox.size, outbox.givenUp], [['a'], 0, 2]);
    clock.advance(1000);
    await turns();
    assert.equal(anOutbox(database).outbox.givenUp, 2);
    // What comes later is counted as before.
    outbox.push(['d']);
    await outbox.idle();
    assert.deepEqual([sent.at(-1), outbox.size, outbox.givenUp], [['d'], 0, 2]);
  });

  it('gives up what cannot be read any more, and not what was kept beside it', async () => {
    const database = aDatabase();
    const before = anOutbox(database, [away(), away(), away()]);
    for (const messages of [['a'], ['b', 'c'], ['d']]) {
      before.outbox.push(messages);
      await turns();
    }
    await database.write(() => void database.prepare(`UPDATE outbox SET texts = '"b","c' WHERE messages = 2`).run());
    const sent: string[] = [];
    const send = async (texts: string): Promise<Delivery> => {
      sent.push(texts);
      return texts.includes('"b"') ? { kind: 'refused', status: 400, reason: 'no JSON' } : { kind: 'taken' };
    };
    const { outbox } = anOutbox(database, [], { send });
    await outbox.idle();
    assert.deepEqual(sent, ['"a","b","c,"d"', '"a"', '"d"']);
    assert.deepEqual([outbox.size, outbox.givenUp], [0, 2]);
    await database.write(() => undefined);
    const aside = database.prepare(`SELECT place, fault FROM ${rejectedTable}`).all();
    assert.deepEqual(
      aside.map(({ place, fault }) => `${place}: ${fault}`),
      ['outbox: texts is no JSON'],
    );
  });

  it('tells after a restart what was not taken before it, before anything new', async () => {
    const database = aDatabase();
    const before = anOutbox(database, [away(), away()]);
    before.outbox.push(['a']);
    await turns();
    before.outbox.push(['b']);
    await turns();
    // The process is killed: nothing is closed.
    const after = anOutbox(database, [away()]);
    after.outbox.push(['c']);
    await turns();
    assert.equal(after.outbox.size, 3);
    after.clock.advance(250);
    await after.outbox.idle();
    assert.deepEqual(after.sent.at(-1), ['a', 'b', 'c']);
    after.clock.advance(1000);
    await turns();
    assert.equal(keptIn(database), 0);
  });

  it('leaves for the next process what a receiver that is away did not take until the close', async () => {
    const database = aDatabase();
    const { outbox } = anOutbox(database, [away()]);
    outbox.push(['a']);
    await turns();
    outbox.push(['b']);
    await outbox.close();
    database.flush();
    assert.equal(keptIn(database), 2);
  });

  it('waits longer from one try to the next, and at least as long as the receiver says', async () => {
    const { outbox, sent, clock } = anOutbox(aDatabase(), [away(), { kind: 'again', afterMs: 5_000 }, away()], { longestPauseMs: 300 });
    outbox.push([1]);
    await turns();
    for (const [pauseMs, tries] of [
      [249, 1],
      [1, 2],
      [4_999, 2],
      [1, 3],
      [299, 3],
      [1, 4],
    ] as const) {
      clock.advance(pauseMs);
      await turns();
      assert.equal(sent.length, tries);
    }
    assert.equal(outbox.size, 0);
  });

  it('sends each by itself when a batch is refused, and gives up only what is refused then, counted over restarts', async () => {
    const database = aDatabase();
    const refused: Delivery = { kind: 'refused', status: 400, reason: 'bad' };
    const { outbox, sent } = anOutbox(database, [refused, { kind: 'taken' }, refused]);
    outbox.push(['good', 'bad', 'good too']);
    await outbox.idle();
    await turns();
    assert.deepEqual(sent, [['good', 'bad', 'good too'], ['good'], ['bad'], ['good too']]);
    assert.deepEqual([outbox.givenUp, keptIn(database)], [1, 0]);
    assert.equal(anOutbox(database).outbox.givenUp, 1);
  });

  it('counts what a receiver refuses of a batch that it takes', async () => {
    const { outbox } = anOutbox(aDatabase(), [{ kind: 'taken', refused: 2 }]);
    outbox.push([1, 2, 3]);
    await outbox.idle();
    assert.equal(outbox.givenUp, 2);
  });

  it('gives up the oldest where more is kept than may be', async () => {
    const database = aDatabase();
    const { outbox, sent, clock } = anOutbox(database, Array.from({ length: 20 }, away), { maximumCharacters: 1000, batchMessages: 1 });
    for (let number = 0; number < 10; number++) {
      outbox.push([`${number} ${'x'.repeat(196)}`]);
      await turns();
    }
    assert.equal(outbox.size + outbox.givenUp, 10);
    const kept = outbox.size;
    assert.ok(kept >= 4 && kept <= 5, `${kept}`);
    assert.equal(keptIn(database), kept);
    sent.splice(0);
    for (let i = 0; i < 30; i++) {
      clock.advance(15_000);
      await turns();
    }
    const numbers = sent.map(([text]) => Number(String(text).split(' ')[0]));
    assert.deepEqual(
      [...new Set(numbers)],
      Array.from({ length: kept }, (_, i) => 10 - kept + i),
    );
  });

  it('gives up what is older than may be, also of an earlier process', async () => {
    const database = aDatabase();
    const before = anOutbox(database, [away()]);
    before.outbox.push(['old', 'older']);
    await turns();
    const { outbox, sent } = anOutbox(database, [], { maximumAgeMs: -1 });
    await turns();
    assert.deepEqual([outbox.size, outbox.givenUp, sent], [0, 2, []]);
    await turns();
    assert.equal(keptIn(database), 0);
  });

  it('looks for what is too old while its receiver is away', async () => {
    const { outbox, clock } = anOutbox(aDatabase(), Array.from({ length: 1000 }, away));
    outbox.push(['old']);
    await turns();
    for (let i = 0; i < 50 && outbox.givenUp === 0; i++) {
      clock.advance(15_000);
      await turns();
    }
    assert.deepEqual([outbox.size, outbox.givenUp], [0, 1]);
  });

  it('keeps what could not be stored and stores it later, in order, before it is sent', async () => {
    const database = aDatabase();
    const store = new SqliteOutboxStore(database);
    let isFull = true;
    const keep: typeof store.keep = async (receiver, keptMs, take) => {
      if (!isFull) return store.keep(receiver, keptMs, take);
      take();
      throw new Error('database or disk is full');
    };
    const limited = {
      keep,
      nextNumber: () => store.nextNumber(),
      next: store.next.bind(store),
      forget: store.forget.bind(store),
      setAside: store.setAside.bind(store),
      kept: store.kept.bind(store),
      givenUp: () => 0,
    };
    const { outbox, sent, clock } = anOutbox(database, [], { store: limited });
    outbox.push(['a']);
    await turns();
    outbox.push(['b']);
    await turns();
    assert.deepEqual([sent, outbox.size], [[], 2]);
    isFull = false;
    clock.advance(1000);
    await outbox.idle();
    assert.deepEqual(sent, [['a', 'b']]);
  });

  it('keeps once what was written although the disk failed, and counts it right, sent meanwhile or not', async () => {
    for (const isAway of [false, true]) {
      const database = aDatabase();
      const store = new SqliteOutboxStore(database);
      let isFailing = true;
      const keep: typeof store.keep = async (receiver, keptMs, take) => {
        await store.keep(receiver, keptMs, take);
        if (isFailing) throw new Error('disk I/O error');
      };
      const failing = {
        keep,
        nextNumber: () => store.nextNumber(),
        next: store.next.bind(store),
        forget: store.forget.bind(store),
        setAside: store.setAside.bind(store),
        kept: store.kept.bind(store),
        givenUp: () => 0,
      };
      // A message of before, whose delivery goes on meanwhile.
      void store.keep('timeline', new ManualClock().now(), () => [{ number: store.nextNumber(), messages: 1, texts: '"x"' }]);
      await turns();
      const { outbox, sent, clock } = anOutbox(database, isAway ? [away()] : [], { store: failing });
      outbox.push(['a']);
      await turns();
      outbox.push(['b']);
      await turns();
      isFailing = false;
      clock.advance(1000);
      await turns();
      await outbox.idle();
      assert.deepEqual([sent.flat(), outbox.size], [isAway ? ['x', 'x', 'a', 'b'] : ['x', 'a', 'b'], 0]);
      clock.advance(1000);
      await turns();
      assert.equal(keptIn(database), 0);
    }
  });
});
