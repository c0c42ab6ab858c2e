import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { CheckpointsAside } from './checkpoints-aside.ts';
import { openDatabase } from './sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-checkpoints-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));
const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
const filled = 'x'.repeat(3000);

test('a log that many write to is begun anew beside the commits, and nothing of it is lost', { timeout: 120_000 }, async () => {
  const path = join(folder, 'busy.sqlite');
  const checkpointsAside = { fromBytes: 200_000, longestLogFrames: 100 };
  const database = openDatabase(path, { logger: silentLogger, clock: systemClock, checkpointsAside });
  database.migrate([{ id: 1, sql: 'CREATE TABLE thing (n INTEGER PRIMARY KEY, text TEXT)' }]);
  const insert = database.prepare('INSERT INTO thing (text) VALUES (?)');
  let rows = 0;
  // Until the log was begun anew: then it is much shorter than what was written.
  for (; rows * filled.length < 4 * sizeOf(`${path}-wal`) || rows < 400; rows += 50) {
    // Time for the thread, which competes for the disk.
    await new Promise((done) => setTimeout(done, 5));
    await database.write(() => {
      for (let n = 0; n < 50; n++) insert.run(filled);
    });
  }
  assert.ok(sizeOf(path) > 200_000);
  // Where the thread is in the midst of a checkpoint, SQLite lets nobody wait for it: the log stays, and is read with the next start.
  database.close();
  const again = openDatabase(path, { logger: silentLogger });
  assert.deepEqual(
    { ...again.prepare('SELECT count(*) AS count, sum(length(text)) AS length FROM thing').get() },
    { count: rows, length: rows * 3000 },
  );
  again.close();
});

test('a log that few write to is left alone', async () => {
  const path = join(folder, 'idle.sqlite');
  const database = openDatabase(path, { logger: silentLogger, checkpointsAside: {} });
  database.migrate([{ id: 1, sql: 'CREATE TABLE thing (n INTEGER PRIMARY KEY)' }]);
  const before = sizeOf(path);
  for (let n = 0; n < 20; n++) await database.write(() => database.prepare('INSERT INTO thing VALUES (?)').run(n));
  assert.equal(sizeOf(path), before);
  assert.equal(database.prepare('PRAGMA wal_autocheckpoint').get()?.['wal_autocheckpoint'], 0);
  database.close();
});

test('where the thread cannot open the file, commits make checkpoints as before', async () => {
  const path = join(folder, 'none.sqlite');
  for (const file of [path, `${path}-wal`]) writeFileSync(file, 'no database'.repeat(1000));
  const said: string[] = [];
  const { promise: fellBack, resolve } = Promise.withResolvers<void>();
  const aside = new CheckpointsAside({
    database: {
      exec(sql) {
        said.push(sql);
        if (said.length === 2) resolve();
      },
      prepare: () => assert.fail('nothing is asked of it'),
    },
    path,
    clock: systemClock,
    logger: silentLogger,
    log: { start: (done) => done(undefined), now() {}, close() {} },
    fromBytes: 1,
  });
  aside.start((error) => assert.equal(error, undefined));
  await fellBack;
  assert.deepEqual(said, ['PRAGMA wal_autocheckpoint = 0', 'PRAGMA wal_autocheckpoint = 2000']);
  aside.close();
});
