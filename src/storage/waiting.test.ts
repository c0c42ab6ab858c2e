// What a lock of another program, a slow disk and a full one do to a database: reads go on, nothing is told as kept that is not.
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { pino } from 'pino';
import { ManualClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { Failure, failure } from '../model/errors.ts';
import { type DatabaseOptions, openDatabase } from './sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-waiting-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const aPath = (): string => join(folder, `${files++}.sqlite`);

function aDatabase(path: string, options: Partial<DatabaseOptions> = {}) {
  const database = openDatabase(path, { logger: silentLogger, ...options });
  database.migrate([{ id: 1, sql: 'CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT' }]);
  const insert = database.prepare('INSERT INTO thing (id, name) VALUES (?, ?)');
  const select = database.prepare('SELECT id FROM thing ORDER BY id');
  return {
    database,
    put: (id: number, name = 'n') => database.write(() => void insert.run(id, name)),
    ids: () => select.all().map((row) => row['id']),
  };
}

const turn = () => new Promise<void>((done) => setImmediate(done));
/** How a promise stands now. */
async function standing(promise: Promise<unknown>): Promise<string> {
  await turn();
  return Promise.race([promise.then(() => 'kept', codeOf), turn().then(() => 'waits')]);
}
const codeOf = (error: unknown): string => (error instanceof Failure ? error.code : String(error));

describe('another program that locks the file', () => {
  it('keeps changes waiting and reads answered; they go on when the lock is gone', async () => {
    const path = aPath();
    const clock = new ManualClock();
    const { database, put, ids } = aDatabase(path, { clock });
    await put(1);
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const waiting = [put(2), put(3)];
    assert.equal(await standing(Promise.race(waiting)), 'waits');
    assert.deepEqual(ids(), [1]);
    clock.advance(4000);
    const later = put(4);
    assert.equal(await standing(Promise.race([...waiting, later])), 'waits');
    other.exec('ROLLBACK');
    clock.advance(100);
    await Promise.all([...waiting, later]);
    assert.deepEqual(ids(), [1, 2, 3, 4]);
    other.close();
    database.close();
  });

  it('has each change refused after its own time, and nothing of it is kept', async () => {
    const path = aPath();
    const clock = new ManualClock();
    const { database, put, ids } = aDatabase(path, { clock });
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const first = put(1).catch(codeOf);
    await turn();
    clock.advance(3000);
    const second = put(2).catch(codeOf);
    clock.advance(2100);
    assert.equal(await first, 'STORE_BUSY');
    assert.equal(await standing(second), 'waits');
    other.exec('ROLLBACK');
    other.close();
    clock.advance(100);
    await second;
    assert.deepEqual(ids(), [2]);
    database.close();
  });
});

describe('a slow disk', () => {
  /** A disk that brings nothing home before it is told to. */
  function aDisk() {
    const waiting: ((error: unknown) => void)[] = [];
    return {
      sync: { start: (done: (error: unknown) => void) => void waiting.push(done), now: () => undefined, close: () => undefined },
      waiting,
      arrive: (error?: unknown) => waiting.shift()?.(error),
    };
  }

  it('keeps changes waiting and reads answered; what came meanwhile shares the next way', async () => {
    const disk = aDisk();
    const { database, put, ids } = aDatabase(aPath(), { sync: disk.sync });
    const first = put(1);
    assert.equal(await standing(first), 'waits');
    const [second, third] = [put(2), put(3)];
    await turn();
    assert.deepEqual([ids(), disk.waiting.length], [[1], 1]);
    disk.arrive();
    await first;
    assert.equal(await standing(second), 'waits');
    assert.deepEqual([ids(), disk.waiting.length], [[1, 2, 3], 1]);
    disk.arrive();
    await Promise.all([second, third]);
    assert.equal(disk.waiting.length, 0);
    database.close();
  });

  it('keeps those waiting that changes ask for themselves', async () => {
    const disk = aDisk();
    const { database, put, ids } = aDatabase(aPath(), { sync: disk.sync });
    let inner: Promise<void> | undefined;
    const outer = database.write(() => void (inner = put(1)));
    assert.equal(await standing(outer), 'waits');
    await turn();
    assert.deepEqual([ids(), disk.waiting.length], [[], 1]);
    disk.arrive();
    await outer;
    await turn();
    assert.deepEqual([ids(), disk.waiting.length], [[1], 1]);
    disk.arrive();
    await inner;
    database.close();
  });

  it('that fails has its changes refused', async () => {
    const disk = aDisk();
    const { database, put } = aDatabase(aPath(), { sync: disk.sync });
    const change = put(1).catch(codeOf);
    await turn();
    disk.arrive(Object.assign(new Error('i/o error'), { code: 'EIO' }));
    assert.equal(await change, 'STORE_DISK_FAILED');
    database.close();
  });

  it('is waited for when the database is closed', async () => {
    const disk = aDisk();
    const { database, put } = aDatabase(aPath(), { sync: disk.sync });
    const changes = [put(1)];
    await turn();
    changes.push(put(2));
    database.close();
    await Promise.all(changes);
    disk.arrive();
  });
});

describe('a change that nobody waits for', () => {
  it('goes with the next that somebody waits for, in its order, or alone when its patience is over', async () => {
    const clock = new ManualClock();
    const { database, ids } = aDatabase(aPath(), { clock });
    const put = (id: number, patienceMs = 0) =>
      database.write(() => void database.prepare('INSERT INTO thing (id, name) VALUES (?, ?)').run(id, String(ids().length)), patienceMs);
    const patient = [put(1, 50), put(2, 50)];
    assert.equal(await standing(Promise.race(patient)), 'waits');
    assert.deepEqual([ids(), database.pendingWrites], [[], 2]);
    await Promise.all([...patient, put(3)]);
    assert.deepEqual(
      database
        .prepare('SELECT name FROM thing ORDER BY id')
        .all()
        .map(({ name }) => name),
      ['0', '1', '2'],
    );
    const alone = put(4, 50);
    clock.advance(49);
    assert.equal(await standing(alone), 'waits');
    clock.advance(1);
    await alone;
    const hurried = put(5, 50);
    database.hurry();
    await hurried;
    const last = put(6, 50);
    database.close();
    await last;
  });

  it('waits for another program that locks the file as the others do, and is kept when that is over', async () => {
    const path = aPath();
    const clock = new ManualClock();
    const { database, put, ids } = aDatabase(path, { clock });
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const refused = put(1).catch(codeOf);
    await turn();
    clock.advance(5100);
    assert.equal(await refused, 'STORE_BUSY');
    other.exec('ROLLBACK');
    other.close();
    const patient = database.write(() => void database.prepare("INSERT INTO thing (id, name) VALUES (2, 'n')").run(), 50);
    clock.advance(50);
    await patient;
    assert.deepEqual(ids(), [2]);
    database.close();
  });
});

describe('a store that is removed or replaced while it is open', () => {
  const ways: Record<string, (path: string) => void> = {
    'its file': (path) => rmSync(path),
    'its log': (path) => rmSync(`${path}-wal`),
    'its folder': (path) => rmSync(dirname(path), { recursive: true }),
    'its file, for a copy': (path) => {
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    },
  };
  for (const [what, remove] of Object.entries(ways))
    it(`(${what}) has changes refused; reads go on, and nothing of them is shown`, async () => {
      const path = join(mkdtempSync(join(folder, 'place-')), 'state.sqlite');
      const { database, put, ids } = aDatabase(path);
      await put(1);
      remove(path);
      assert.equal(await put(2).catch(codeOf), 'STORE_GONE');
      assert.deepEqual(ids(), [1]);
      database.close();
    });

  it('while a change is on its way to the disk has that refused, too', async () => {
    const path = aPath();
    let arrive: (() => void) | undefined;
    const sync = {
      start: (done: (error: unknown) => void) => void (arrive = () => done(undefined)),
      now: () => undefined,
      close: () => undefined,
    };
    const { database, put } = aDatabase(path, { sync });
    const change = put(1).catch(codeOf);
    await turn();
    rmSync(path);
    arrive?.();
    assert.equal(await change, 'STORE_GONE');
    database.close();
  });
});

describe('a full disk', () => {
  it('has changes refused by its name, told once in the log; reads go on, and with room again changes are kept', async () => {
    const lines: string[] = [];
    const logger = pino({ base: undefined }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
    const path = aPath();
    const { database, put, ids } = aDatabase(path, { logger });
    await put(1);
    const limit = (pages: number) => database.prepare(`PRAGMA max_page_count = ${pages}`).get();
    limit(1);
    for (const id of [2, 3]) {
      await assert.rejects(put(id, 'x'.repeat(100_000)), (error: unknown) => {
        assert.ok(error instanceof Failure);
        assert.deepEqual([error.code, error.entry.status], ['STORE_DISK_FULL', 503]);
        assert.equal(error.message, `The disk of ${folder} is full: nothing can be kept in ${path}.`);
        return true;
      });
    }
    assert.deepEqual(ids(), [1]);
    limit(1_000_000);
    await put(4, 'x'.repeat(100_000));
    assert.deepEqual(ids(), [1, 4]);
    assert.deepEqual(lines, ['a commit failed', 'changes are kept again']);
    database.close();
  });
});

describe('a disk that is at fault in one change', () => {
  it('has all changes of the turn refused: they may belong together', async () => {
    const { database, put, ids } = aDatabase(aPath());
    const failing = database.write(() => {
      throw failure('STORE_DISK_FAILED', { folder, file: 'f', reason: 'r' });
    });
    const outcomes = [put(1), failing, put(2)].map((change) => change.catch(codeOf));
    assert.deepEqual(await Promise.all(outcomes), ['STORE_DISK_FAILED', 'STORE_DISK_FAILED', 'STORE_DISK_FAILED']);
    assert.deepEqual(ids(), []);
    database.close();
  });
});

describe('a file that was a store', () => {
  for (const [how, lose] of [
    ['is empty', (path: string) => truncateSync(path)],
    ['is gone', (path: string) => rmSync(path)],
    [
      'is empty',
      (path: string) => {
        rmSync(path);
        new DatabaseSync(path).exec('PRAGMA user_version = 0; VACUUM');
      },
    ],
  ] as const) {
    it(`and ${how} is not taken for a new one`, () => {
      const path = aPath();
      aDatabase(path).database.close();
      lose(path);
      assert.throws(() => aDatabase(path), {
        name: 'StoreUnusable',
        message: new RegExp(`^${path} ${how}, though a store was kept there .*\\n.*"heddle doctor --store --repair"`),
      });
    });
  }

  it('is marked by the first start that knows of marks; before that an empty file is a new store', () => {
    const path = aPath();
    writeFileSync(path, '');
    aDatabase(path).database.close();
    rmSync(`${path}-kept`);
    aDatabase(path).database.close();
    assert.ok(existsSync(`${path}-kept`));
  });
});
