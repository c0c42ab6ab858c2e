// Damaged stores of every kind, looked at and repaired.
import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { fields, whole } from '../lib/json-shape.ts';
import { silentLogger } from '../lib/log.ts';
import { openStore } from './sqlite.ts';
import { examineStore } from './store-examination.ts';
import { jsonFault, type StoreKind } from './store-kind.ts';
import { repairStore } from './store-repair.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-doctor-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

const kind: StoreKind = {
  name: 'the store of a test',
  migrations: [
    {
      id: 1,
      sql: `CREATE TABLE thing (id TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID;
            CREATE TABLE line (number INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL);
            CREATE INDEX lines_by_text ON line (text);
            CREATE TABLE answer (name TEXT PRIMARY KEY, fact INTEGER NOT NULL, ready TEXT) WITHOUT ROWID;`,
    },
    { id: 2, sql: 'ALTER TABLE line ADD COLUMN size INTEGER NOT NULL DEFAULT 7' },
  ],
  rows: [{ table: 'thing', atStart: false, fault: ({ record }) => jsonFault(fields({ n: whole() }), record) }],
  remade: [
    { table: 'answer', column: 'ready', fault: ({ ready, fact }) => (ready === null || ready === `${fact}` ? undefined : 'is none') },
  ],
};

/** A store with 20 things, and with 400 lines of which the last number given is 500. */
async function aStore(): Promise<string> {
  const path = join(folder, String(++count), 'state.sqlite');
  const database = openStore(path, kind, { logger: silentLogger });
  const [thing, line] = [
    database.prepare('INSERT INTO thing (id, record) VALUES (?, ?)'),
    database.prepare('INSERT INTO line (number, text) VALUES (?, ?)'),
  ];
  await database.write(() => {
    for (let n = 0; n < 20; n++) thing.run(`t${n}`, `{"n":${n}}`);
    for (let n = 1; n <= 400; n++) line.run(n, `${n} ${'x'.repeat(200)}`);
    line.run(500, 'goes');
    database.prepare('DELETE FROM line WHERE number = 500').run();
  });
  database.close();
  return path;
}
const what = (path: string) => examineStore(kind, path).findings.map((finding) => finding.what);
const query = (path: string, sql: string) => {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Object.values(database.prepare(sql).get() ?? {})[0];
  } finally {
    database.close();
  }
};
/** What lies there, without the log and its index, which come with every look. */
const filesBeside = (path: string) =>
  readdirSync(join(path, '..'))
    .filter((name) => !/-(?:wal|shm)$/.test(name))
    .sort();
/** Spoils one page in the middle of the lines. */
function spoil(path: string): void {
  const page = Number(query(path, "SELECT pageno FROM dbstat WHERE name = 'line' AND pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET 8"));
  const bytes = readFileSync(path);
  bytes.fill(0xee, (page - 1) * 4096, page * 4096);
  writeFileSync(path, bytes);
}
const isUsable = (path: string) => openStore(path, kind, { logger: silentLogger }).close();

describe('a store that is sound', () => {
  it('is told with its version and rows, and is left as it is', async () => {
    const path = await aStore();
    const before = readFileSync(path);
    const { isThere, version, rows, rejected, findings } = examineStore(kind, path);
    assert.deepEqual({ isThere, version, rows, rejected, findings }, { isThere: true, version: 2, rows: 420, rejected: 0, findings: [] });
    assert.deepEqual(repairStore(kind, path, 's'), []);
    assert.deepEqual(readFileSync(path), before);
    assert.deepEqual(filesBeside(path), ['state.sqlite', 'state.sqlite-kept']);
    assert.deepEqual(examineStore(kind, join(folder, 'nowhere.sqlite')).findings, []);
  });

  it('may be one that runs, or one of an earlier version', async () => {
    const path = await aStore();
    const running = openStore(path, kind, { logger: silentLogger });
    assert.deepEqual(what(path), []);
    running.close();
    const old = join(folder, 'old', 'state.sqlite');
    openStore(old, { ...kind, migrations: kind.migrations.slice(0, 1) }, { logger: silentLogger }).close();
    assert.deepEqual([examineStore(kind, old).version, what(old)], [1, []]);
  });
});

describe('a store that is damaged', () => {
  it('by garbage is kept aside, and a new one is begun', async () => {
    const path = await aStore();
    writeFileSync(path, 'no database at all '.repeat(1000));
    assert.deepEqual(what(path), ['is damaged (file is not a database)']);
    assert.deepEqual(repairStore(kind, path, 's'), [
      `what was there is kept as ${path}.damaged-s`,
      'no row could be read: a new store was begun',
    ]);
    assert.match(readFileSync(`${path}.damaged-s`, 'utf8'), /^no database at all/);
    assert.deepEqual([what(path), query(path, 'SELECT count(*) FROM line')], [[], 0]);
    isUsable(path);
  });

  it('because it was cut gives back what is left', async () => {
    const path = await aStore();
    truncateSync(path, Math.floor(statSync(path).size / 2));
    assert.match(what(path)[0] ?? '', /^is damaged \(database disk image is malformed\)$/);
    repairStore(kind, path, 's');
    assert.deepEqual(what(path), []);
    assert.equal(query(path, 'SELECT count(*) FROM thing'), 20);
    const lines = Number(query(path, 'SELECT count(*) FROM line'));
    assert.ok(lines > 100 && lines < 400, String(lines));
    assert.equal(query(path, "SELECT seq FROM sqlite_sequence WHERE name = 'line'"), 500, 'numbers are not given again');
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(filesBeside(path), ['state.sqlite', 'state.sqlite-kept', 'state.sqlite.damaged-s']);
    isUsable(path);
  });

  it('in its middle gives back what lies on both sides', async () => {
    const path = await aStore();
    spoil(path);
    assert.match(what(path)[0] ?? '', /^is damaged \(/);
    repairStore(kind, path, 's');
    const found = [1, 2, 3].map((part) => query(path, `SELECT ${['min(number)', 'max(number)', 'count(*)'][part - 1]} FROM line`));
    assert.deepEqual(found.slice(0, 2), [1, 400]);
    assert.ok(Number(found[2]) > 350 && Number(found[2]) < 400, String(found[2]));
    isUsable(path);
  });

  it('in a version before gives back what it was, for the next start to bring up to date', async () => {
    const path = join(folder, 'before', 'state.sqlite');
    const old = { ...kind, migrations: kind.migrations.slice(0, 1) };
    const database = openStore(path, old, { logger: silentLogger });
    await database.write(() => {
      for (let n = 1; n <= 400; n++) database.prepare('INSERT INTO line (text) VALUES (?)').run('x'.repeat(200));
    });
    database.close();
    truncateSync(path, statSync(path).size - 8192);
    repairStore(kind, path, 's');
    assert.equal(examineStore(kind, path).version, 1);
    isUsable(path);
    assert.equal(query(path, 'SELECT size FROM line'), 7);
  });

  for (const [how, lose, sentence] of [
    ['is empty', (path: string) => truncateSync(path), /is empty, though a store was kept there/],
    ['is gone', (path: string) => rmSync(path), /is gone, though a store was kept there/],
    [
      'is a folder',
      (path: string) => {
        rmSync(path);
        mkdirSync(path);
      },
      /^is a folder$/,
    ],
  ] as const) {
    it(`because it ${how} is begun anew`, async () => {
      const path = await aStore();
      lose(path);
      assert.match(what(path)[0] ?? '', sentence);
      repairStore(kind, path, 's');
      assert.deepEqual(what(path), []);
      assert.equal(existsSync(`${path}.damaged-s`), how !== 'is gone');
      isUsable(path);
    });
  }
});

describe('rows that are broken', () => {
  it('are named, and set aside by a repair', async () => {
    const path = await aStore();
    const database = new DatabaseSync(path);
    database.exec(
      `UPDATE thing SET record = '{' WHERE id = 't3'; UPDATE thing SET record = '{}' WHERE id = 't4'; UPDATE line SET text = x'00' WHERE number = 9`,
    );
    database.close();
    assert.deepEqual(what(path), [
      '1 rows of line cannot be read: 9 (text is no text)',
      '2 rows of thing cannot be read: t3 (is no JSON), t4 (/n is missing)',
    ]);
    assert.deepEqual(repairStore(kind, path, 's'), ['3 rows were set aside in the table rejected_rows']);
    const { findings, rejected, rows } = examineStore(kind, path);
    assert.deepEqual([findings, rejected, rows], [[], 3, 417]);
    assert.deepEqual(filesBeside(path), ['state.sqlite', 'state.sqlite-kept']);
  });

  it('that are sound stay where only what is made of them is damaged: that is emptied', async () => {
    const path = await aStore();
    const database = new DatabaseSync(path);
    database.exec(
      `INSERT INTO answer VALUES ('a', 1, '1'), ('b', 2, '7'), ('c', 3, x'33'), ('d', 4, NULL), ('e', 'none', '5');
       UPDATE thing SET record = '{' WHERE id = 't3'`,
    );
    database.close();
    assert.deepEqual(what(path), [
      '1 rows of answer cannot be read: e (fact is no number)',
      '1 rows of thing cannot be read: t3 (is no JSON)',
      '2 ready-made answers in answer are damaged: b (ready is none), c (ready is none)',
    ]);
    assert.deepEqual(repairStore(kind, path, 's'), [
      '2 rows were set aside in the table rejected_rows',
      '2 ready-made answers were emptied',
    ]);
    assert.deepEqual([what(path), examineStore(kind, path).rejected], [[], 2]);
    assert.equal(
      query(path, `SELECT group_concat(name || ':' || fact || ':' || coalesce(ready, '-'), ' ') FROM answer`),
      'a:1:1 b:2:- c:3:- d:4:-',
    );
    // Alone, too, and of a damaged file.
    const again = new DatabaseSync(path);
    again.exec("UPDATE answer SET ready = '9' WHERE name = 'a'");
    again.close();
    assert.equal(what(path).length, 1);
    assert.deepEqual(repairStore(kind, path, 't'), ['1 ready-made answers were emptied']);
    const spoiled = new DatabaseSync(path);
    spoiled.exec("UPDATE answer SET ready = '9' WHERE name = 'a'");
    spoiled.close();
    spoil(path);
    assert.equal(repairStore(kind, path, 'u').at(-1), '1 ready-made answers were emptied');
    assert.deepEqual([what(path), query(path, "SELECT fact FROM answer WHERE name = 'a'")], [[], 1]);
  });

  it('of a damaged file are set aside in the new one, with those that were before', async () => {
    const path = await aStore();
    const database = new DatabaseSync(path);
    database.exec("UPDATE thing SET record = '{' WHERE id = 't3'");
    database.close();
    repairStore(kind, path, 's');
    const again = new DatabaseSync(path);
    again.exec("UPDATE thing SET record = '{' WHERE id = 't4'");
    again.close();
    spoil(path);
    repairStore(kind, path, 't');
    assert.deepEqual([what(path), examineStore(kind, path).rejected], [[], 2]);
  });
});

describe('what a repair cannot help', () => {
  it('is a newer version, and a file that another program has locked', async () => {
    const path = await aStore();
    const copy = `${path}.before`;
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 9');
    database.close();
    copyFileSync(path, copy);
    assert.deepEqual(examineStore(kind, path).findings, [
      {
        what: 'was written by a newer version: it has schema 9, this version knows 2',
        plan: undefined,
        remedy: 'Use the version that wrote it.',
      },
    ]);
    assert.deepEqual(repairStore(kind, path, 's'), [
      'was written by a newer version: it has schema 9, this version knows 2: nothing was done',
    ]);
    assert.deepEqual(readFileSync(path), readFileSync(copy));
  });
});
