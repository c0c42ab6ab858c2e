import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { ManualClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import type { Readiness } from '../lib/role.ts';
import { failure } from '../model/errors.ts';
import { openDatabase } from './sqlite.ts';
import { StoreReadiness } from './store-readiness.ts';

const options = () => ({ clock: new ManualClock(), logger: silentLogger, folder: tmpdir() });

it('a store is ready while its file is where it was opened, and says so at once to who asks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'readiness-'));
  const path = join(folder, 'state.sqlite');
  const database = openDatabase(path, options());
  const readiness = new StoreReadiness(database, options());
  assert.deepEqual(readiness.current, { ready: true });
  renameSync(path, `${path}.away`);
  assert.equal(readiness.current.ready, false);
  assert.match(readiness.current.reason ?? '', /state\.sqlite was removed or replaced/);
  renameSync(`${path}.away`, path);
  assert.deepEqual(readiness.current, { ready: true });
  rmSync(folder, { recursive: true });
  assert.equal(readiness.current.ready, false);
  database.close();
});

it('a store that another program has locked is not ready until that is gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'readiness-'));
  const path = join(folder, 'state.sqlite');
  const given = options();
  const { clock } = given;
  const database = openDatabase(path, given);
  database.migrate([]);
  const readiness = new StoreReadiness(database, given);
  const other = new DatabaseSync(path);
  other.exec('BEGIN EXCLUSIVE');
  const settled = database
    .write(() => undefined)
    .then(
      () => 'kept',
      () => 'refused',
    );
  let came: string | undefined;
  void settled.then((how) => {
    came = how;
  });
  assert.deepEqual(readiness.current, { ready: true });
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  for (let tries = 0; tries < 500 && came === undefined; tries++) {
    clock.advance(50);
    await turn();
  }
  assert.equal(came, 'refused');
  assert.equal(readiness.current.ready, false);
  assert.match(readiness.current.reason ?? '', /state\.sqlite is locked by another program/);
  other.exec('ROLLBACK');
  other.close();
  for (let tries = 0; tries < 500 && !readiness.current.ready; tries++) {
    clock.advance(50);
    await turn();
  }
  assert.deepEqual(readiness.current, { ready: true });
  await readiness.close();
  database.close();
  rmSync(folder, { recursive: true });
});

it('who listens is told once of each change, until it is closed', async () => {
  const given = options();
  const { clock } = given;
  const store = { gone: false, broken: false };
  const readiness = new StoreReadiness(
    {
      displaced: () => {
        if (store.broken) throw new Error('EIO');
        return store.gone ? failure('STORE_GONE', { file: '/data/state.sqlite' }) : undefined;
      },
    },
    given,
  );
  const heard: Readiness[] = [];
  readiness.onChange((now) => heard.push(now));
  clock.advance(20_000);
  store.gone = true;
  clock.advance(20_000);
  store.gone = false;
  clock.advance(20_000);
  store.broken = true;
  clock.advance(20_000);
  assert.deepEqual(
    heard.map(({ ready }) => ready),
    [false, true, false],
  );
  assert.match(heard[2]?.reason ?? '', /EIO/);
  await readiness.close();
  store.broken = false;
  clock.advance(20_000);
  assert.equal(heard.length, 3);
});

it('a store whose disk is full is not ready, says so, and is ready again when there is room', () => {
  const given = options();
  const disk: { fault?: string } = {};
  const asked: string[] = [];
  const noRoom = (folder: string) => {
    asked.push(folder);
    return disk.fault;
  };
  const readiness = new StoreReadiness({ displaced: () => undefined }, { ...given, folder: '/data', noRoom });
  const heard: Readiness[] = [];
  readiness.onChange((now) => heard.push(now));
  disk.fault = 'the disk of /data is full';
  assert.deepEqual(readiness.current, { ready: false, reason: 'the disk of /data is full' });
  given.clock.advance(20_000);
  delete disk.fault;
  given.clock.advance(20_000);
  assert.deepEqual(heard, [{ ready: false, reason: 'the disk of /data is full' }, { ready: true }]);
  assert.deepEqual([...new Set(asked)], ['/data']);
});
