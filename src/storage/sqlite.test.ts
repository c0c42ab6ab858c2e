import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { pino } from 'pino';
import { ManualClock } from '../lib/clock.ts';
import { type Logger, silentLogger } from '../lib/log.ts';
import { type Database, openDatabase, openStore } from './sqlite.ts';
import { StoreUnusable } from './store-faults.ts';
import type { Migration } from './store-kind.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-sqlite-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const aPath = (): string => join(folder, `${files++}.sqlite`);
const things: readonly Migration[] = [{ id: 1, sql: 'CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT' }];

/** A database with the table `thing`, its insertion and what it holds. */
function aDatabase(path = ':memory:', logger: Logger = silentLogger) {
  const database = openDatabase(path, { logger });
  database.migrate(things);
  const insert = database.prepare('INSERT INTO thing (id, name) VALUES (?, ?)');
  const select = database.prepare('SELECT name FROM thing ORDER BY id');
  return {
    database,
    put: (id: number, name: string) => database.write(() => void insert.run(id, name)),
    insertNow: (id: number, name: string) => void insert.run(id, name),
    names: () => select.all().map((row) => row['name']),
  };
}

/** Where a descriptor leads; nothing where it was closed meanwhile. */
function linkOf(descriptor: string): string {
  try {
    return readlinkSync(descriptor);
  } catch {
    return '';
  }
}

/** A logger that keeps its lines. */
function rememberedLog(): { logger: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'trace', base: undefined }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { logger, lines };
}

describe('writes', () => {
  it('are committed together, in their order, at the end of the turn', async () => {
    const { database, put, names } = aDatabase();
    const written = [put(1, 'a'), put(2, 'b'), put(3, 'c')];
    assert.equal(database.pendingWrites, 3);
    assert.deepEqual(names(), [], 'nothing is done inside the turn that asked for it');
    await Promise.all(written);
    assert.equal(database.pendingWrites, 0);
    assert.deepEqual(names(), ['a', 'b', 'c']);
    database.close();
  });

  it('are counted with how long they took, whatever the clock is set to', async () => {
    const clock = new ManualClock();
    clock.set(3_600_000);
    const database = openDatabase(':memory:', { logger: silentLogger, clock });
    const written = database.write(() => undefined);
    clock.advance(20);
    await written;
    assert.match(database.commitTimes.text(), /_sum 0\.02\n\w+_count 1\n/);
    database.close();
  });

  it('that fail are undone alone, and only their callers hear of it', async () => {
    const { database, put, insertNow, names } = aDatabase();
    const failing = database.write(() => {
      insertNow(10, 'written before the fault');
      throw new Error('changed its mind');
    });
    const outcomes = await Promise.allSettled([put(1, 'a'), put(1, 'the same key'), failing, put(2, 'b')]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    );
    assert.match(String((outcomes[1] as PromiseRejectedResult).reason), /UNIQUE constraint failed/);
    assert.match(String((outcomes[2] as PromiseRejectedResult).reason), /changed its mind/);
    assert.deepEqual(names(), ['a', 'b']);
    database.close();
  });

  it('are told to whoever keeps something of them: each that begins, what was undone alone, and what becomes of all', async () => {
    const { database, put } = aDatabase();
    database.migrate([...things, { id: 2, sql: 'CREATE TABLE child (of INTEGER REFERENCES thing (id) DEFERRABLE INITIALLY DEFERRED)' }]);
    const told: string[] = [];
    const tell = (what: string) => () => void told.push(what);
    database.watch({ begun: tell('begun'), failed: tell('failed'), committed: tell('committed'), undone: tell('undone') });
    const wrong = database.write(() => {
      throw new Error('no');
    });
    await Promise.all([put(1, 'a'), assert.rejects(wrong), put(2, 'b')]);
    assert.deepEqual(told.splice(0), ['begun', 'failed', 'begun', 'begun', 'committed']);
    const orphan = database.prepare('INSERT INTO child (of) VALUES (7)');
    await assert.rejects(database.write(() => void orphan.run()));
    assert.deepEqual(told, ['begun', 'undone']);
  });

  it('that throw nothing in particular have failed all the same', async () => {
    const { database, insertNow, names } = aDatabase();
    const failing = database.write(() => {
      insertNow(1, 'a');
      throw undefined;
    });
    await assert.rejects(failing, (reason) => reason === undefined);
    assert.deepEqual(names(), []);
    database.close();
  });

  it('see what the ones before them in the same turn did', async () => {
    const { database, put, names } = aDatabase();
    const count = database.prepare('SELECT COUNT(*) AS n FROM thing');
    let seen: unknown;
    await Promise.all([put(1, 'a'), database.write(() => void (seen = count.get()?.['n']))]);
    assert.equal(seen, 1);
    assert.deepEqual(names(), ['a']);
    database.close();
  });

  it('asked for inside a change are committed in the next turn', async () => {
    const { database, insertNow, put, names } = aDatabase();
    let inner: Promise<void> | undefined;
    await database.write(() => {
      insertNow(1, 'outer');
      inner = put(2, 'inner');
    });
    assert.deepEqual(names(), ['outer']);
    await inner;
    assert.deepEqual(names(), ['outer', 'inner']);
    database.close();
  });

  it('are done at once by a flush, and not again afterwards', async () => {
    const { database, put, names } = aDatabase();
    const written = put(1, 'a');
    database.flush();
    assert.deepEqual(names(), ['a']);
    database.flush();
    await written;
    await put(2, 'b');
    assert.deepEqual(names(), ['a', 'b']);
    database.close();
  });

  it('all fail when the transaction cannot be committed, and the next ones work again', async () => {
    const { logger, lines } = rememberedLog();
    const database = openDatabase(':memory:', { logger });
    database.migrate([
      {
        id: 1,
        sql: `CREATE TABLE parent (id INTEGER PRIMARY KEY);
              CREATE TABLE child (parent INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED);`,
      },
    ]);
    const orphan = database.prepare('INSERT INTO child (parent) VALUES (7)');
    const parent = database.prepare('INSERT INTO parent (id) VALUES (?)');
    const outcomes = await Promise.allSettled([
      database.write(() => void parent.run(1)),
      database.write(() => void orphan.run()), // a deferred rule is only looked at by COMMIT
    ]);
    for (const outcome of outcomes) {
      assert.equal(outcome.status, 'rejected');
      assert.match(String((outcome as PromiseRejectedResult).reason), /FOREIGN KEY constraint failed/);
    }
    assert.deepEqual(
      lines.map(({ msg, changes, path }) => [msg, changes, path]),
      [['a commit failed', 2, ':memory:']],
    );
    await database.write(() => void parent.run(2));
    assert.deepEqual(
      database
        .prepare('SELECT id FROM parent')
        .all()
        .map((row) => row['id']),
      [2],
    );
    database.close();
  });

  it('of two connections to one file are both kept', async () => {
    const path = aPath();
    const { database, put, names } = aDatabase(path);
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    other.exec("INSERT INTO thing VALUES (1, 'other')");
    other.exec('COMMIT');
    await put(2, 'own');
    assert.deepEqual(names(), ['other', 'own']);
    other.close();
    database.close();
  });
});

describe('closing', () => {
  it('commits what waits', async () => {
    const path = aPath();
    const first = aDatabase(path);
    const written = [first.put(1, 'a'), first.put(2, 'b')];
    first.database.close();
    await Promise.all(written);
    const second = aDatabase(path);
    assert.deepEqual(second.names(), ['a', 'b']);
    second.database.close();
  });

  it('twice is harmless', () => {
    const { database } = aDatabase();
    database.close();
    database.close();
  });

  it('refuses later writes', async () => {
    const { database, put } = aDatabase();
    database.close();
    await assert.rejects(put(1, 'a'), /the database is closed/);
    assert.equal(database.pendingWrites, 0);
    database.flush();
  });

  it('rejects writes that its last changes ask for, instead of forgetting them', async () => {
    const { logger, lines } = rememberedLog();
    const { database, insertNow, put } = aDatabase(':memory:', logger);
    let inner: Promise<void> | undefined;
    const outer = database.write(() => {
      insertNow(1, 'outer');
      inner = put(2, 'inner');
      inner.catch(() => undefined);
    });
    database.close();
    await outer;
    await assert.rejects(inner!, /the database is closed/);
    await new Promise((done) => setImmediate(done));
    assert.deepEqual(lines, [], 'nothing runs on the closed file');
  });
});

describe('files', () => {
  it('keep what was written after a process that never closed them', async () => {
    const path = aPath();
    const first = aDatabase(path);
    await first.put(1, 'a');
    // As after a kill: the file and its log are taken as they lie.
    const copy = aPath();
    for (const suffix of ['', '-wal']) writeFileSync(copy + suffix, readFileSync(path + suffix));
    const second = aDatabase(copy);
    assert.deepEqual(second.names(), ['a']);
    second.database.close();
    first.database.close();
  });

  it('are private to the user, with the log beside them, and so are folders made for them', async () => {
    const path = join(folder, 'made', 'deeper', 'state.sqlite');
    const { database, put } = aDatabase(path);
    await put(1, 'a');
    const modes = ['', '-wal', '-shm'].map((suffix) => (statSync(path + suffix).mode & 0o777).toString(8));
    assert.deepEqual(modes, ['600', '600', '600']);
    assert.equal((statSync(join(folder, 'made', 'deeper')).mode & 0o777).toString(8), '700');
    database.close();
  });

  it('are closed to others who could read or write them', () => {
    const path = aPath();
    aDatabase(path).database.close();
    for (const [before, then] of [
      [0o644, 0o640],
      [0o666, 0o640],
      [0o604, 0o600],
    ] as const) {
      chmodSync(path, before);
      aDatabase(path).database.close();
      assert.equal(statSync(path).mode & 0o777, then);
    }
  });

  it('are changed without one more for what a change may have to take back, however much that is', async () => {
    const { database, insertNow, names } = aDatabase(aPath());
    await database.write(() => {
      for (let id = 0; id < 200; id++) insertNow(id, 'x'.repeat(2000));
    });
    const others = () =>
      readdirSync('/proc/self/fd')
        .map((descriptor) => linkOf(`/proc/self/fd/${descriptor}`))
        .filter((path) => path.includes('etilqs'));
    const update = database.prepare('UPDATE thing SET name = upper(name) WHERE id = ?');
    let opened: string[] = [];
    const refused = database.write(() => {
      for (let id = 0; id < 200; id++) update.run(id);
      opened = others();
      throw new Error('not this one');
    });
    await assert.rejects(refused, /not this one/);
    assert.deepEqual(opened, []);
    assert.deepEqual(new Set(names()), new Set(['x'.repeat(2000)]));
    database.close();
  });

  it('keep the mode that an administrator gave them', () => {
    const path = aPath();
    aDatabase(path).database.close();
    chmodSync(path, 0o640);
    aDatabase(path).database.close();
    assert.equal((statSync(path).mode & 0o777).toString(8), '640');
  });

  it('that are no database are refused by name, and left as they are', () => {
    const path = aPath();
    const text = 'This was a letter to a friend.\n'.repeat(300);
    writeFileSync(path, text);
    assert.throws(
      () => openDatabase(path, { logger: silentLogger }),
      (error: Error) =>
        error.message.startsWith(`${path} is damaged (file is not a database).\n`) &&
        /"heddle doctor --store" with the same options .* says what can be saved/.test(error.message) &&
        error.cause instanceof Error,
    );
    assert.equal(readFileSync(path, 'utf8'), text);
  });

  it('whose header is damaged are refused by name', () => {
    const path = aPath();
    aDatabase(path).database.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 0, 16);
    writeFileSync(path, bytes);
    assert.throws(() => openDatabase(path, { logger: silentLogger }), /is damaged \(file is not a database\)/);
  });

  it('that are folders, or lie below a file, are refused by name', () => {
    const isFolder = join(folder, 'a-folder.sqlite');
    mkdirSync(isFolder);
    const belowFile = join(aPath(), 'state.sqlite');
    writeFileSync(join(belowFile, '..'), '');
    for (const path of [isFolder, belowFile])
      assert.throws(
        () => openDatabase(path, { logger: silentLogger }),
        (error: Error) => error.message.startsWith(`${path} cannot be opened as a store (`),
      );
  });

  it('whose pages are damaged are refused by name', () => {
    const path = aPath();
    const { database, put } = aDatabase(path);
    for (let id = 0; id < 2000; id++) put(id, 'x'.repeat(50)).catch(() => undefined);
    database.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 4096 + 100, bytes.length - 4096);
    writeFileSync(path, bytes);
    assert.throws(
      () => openDatabase(path, { logger: silentLogger }),
      (error: Error) => error instanceof StoreUnusable && error.message.startsWith(`${path} is damaged (`),
    );
  });
});

describe('migrations', () => {
  const columns = (database: Database) =>
    database
      .prepare('PRAGMA table_info(thing)')
      .all()
      .map((row) => row['name']);
  const versionOf = (path: string): unknown => {
    const database = new DatabaseSync(path, { readOnly: true });
    const version = database.prepare('PRAGMA user_version').get()?.['user_version'];
    database.close();
    return version;
  };
  const later: readonly Migration[] = [
    ...things,
    { id: 2, sql: 'ALTER TABLE thing ADD COLUMN colour TEXT' },
    { id: 3, sql: "UPDATE thing SET colour = 'none' WHERE colour IS NULL" },
  ];

  it('run once each, in order, and note how far they came', async () => {
    const path = aPath();
    const first = aDatabase(path);
    await first.put(1, 'a');
    first.database.close();
    assert.equal(versionOf(path), 1);
    const second = openDatabase(path, { logger: silentLogger });
    second.migrate(later);
    assert.deepEqual(columns(second), ['id', 'name', 'colour']);
    assert.deepEqual({ ...second.prepare('SELECT * FROM thing').get() }, { id: 1, name: 'a', colour: 'none' });
    second.migrate(later);
    second.close();
    assert.equal(versionOf(path), 3);
  });

  it('refuse a file of a newer version, naming both and the remedy, and change nothing', () => {
    const path = aPath();
    const newer = openDatabase(path, { logger: silentLogger });
    newer.migrate(later);
    newer.close();
    const older = openDatabase(path, { logger: silentLogger });
    assert.throws(
      () => older.migrate(things),
      new StoreUnusable(
        `${path} was written by a newer version: it has schema 3, this version knows 1.`,
        'Use the version that wrote it, or another data folder.',
      ),
    );
    assert.throws(() => older.migrate([]), /it has schema 3, this version knows 0/);
    older.close();
    assert.equal(versionOf(path), 3);
  });

  it('that fail are undone whole; those before them stay', () => {
    const path = aPath();
    const database = openDatabase(path, { logger: silentLogger });
    const broken = [...things, { id: 2, sql: 'ALTER TABLE thing ADD COLUMN colour TEXT; INSERT INTO nowhere VALUES (1)' }];
    assert.throws(() => database.migrate(broken), /no such table: nowhere/);
    assert.deepEqual(columns(database), ['id', 'name']);
    database.migrate(later);
    assert.deepEqual(columns(database), ['id', 'name', 'colour']);
    database.close();
    assert.equal(versionOf(path), 3);
  });

  it('for which there is no room say so, and what helps', () => {
    const path = aPath();
    const sql = 'PRAGMA max_page_count = 4; CREATE TABLE large (value BLOB); INSERT INTO large VALUES (zeroblob(1000000))';
    const [full, other] = [sql, 'INSERT INTO nowhere VALUES (1)'].map((each) => ({
      name: 'a test',
      migrations: [{ id: 1, sql: each }],
      rows: [],
    }));
    assert.throws(
      () => openStore(path, full!, { logger: silentLogger }),
      new StoreUnusable(
        `The disk of ${dirname(path)} is full: nothing can be kept in ${path}.`,
        'Make room on that disk, or name a place on another one (--data), and start again.',
      ),
    );
    assert.throws(() => openStore(path, other!, { logger: silentLogger }), /cannot be brought to schema 1 \(no such table: nowhere\)/);
  });

  it('make nothing beside the file once it is closed', () => {
    const path = aPath();
    aDatabase(path).database.close();
    assert.deepEqual([existsSync(`${path}-wal`), existsSync(`${path}-shm`)], [false, false]);
  });
});
