// Backups of a data folder: taken while others write, put back where nothing runs.
import assert from 'node:assert/strict';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { Command } from 'commander';
import { syncedBy } from '../lib/test-support/synced-files.ts';
import { restoredMarkOf } from '../wire/files/restored-mark.ts';
import { addBackup } from './backup.ts';
import { claimDataDirectory } from './cluster-file.ts';
import { describeFailure } from './failure.ts';
import type { StoreToExamine } from './host.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-backup-'));
const data = join(folder, 'data');
const storePath = join(data, 'resource-manager', 'state.sqlite');
let writer: DatabaseSync;

before(() => {
  mkdirSync(join(data, 'resource-manager'), { recursive: true });
  mkdirSync(join(data, 'secrets'));
  mkdirSync(join(data, 'aggregated-logs'));
  writeFileSync(join(data, 'secrets', 'cluster'), 'secret', { mode: 0o600 });
  writeFileSync(join(data, 'aggregated-logs', 'log'), 'text');
  writer = new DatabaseSync(storePath);
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT)');
  writer.exec("INSERT INTO things VALUES (1, 'one')");
});
after(() => {
  writer.close();
  rmSync(folder, { recursive: true });
});

const refuse = (): Promise<never> => Promise.reject(new Error('not here'));
const nothing = (): never => {
  throw new Error('not here');
};

/** Runs a command; its failure as users read it, or undefined. */
async function run(...args: string[]): Promise<string | undefined> {
  const stores: StoreToExamine[] = [storePath, join(data, 'timeline', 'timeline.sqlite'), join(data, 'node-manager', 'node.sqlite')].map(
    (path) => ({
      name: 'a store',
      path,
      examine: nothing,
      repair: nothing,
    }),
  );
  const program = new Command().exitOverride();
  addBackup(program, { startRole: refuse, startRoleInThread: refuse, stores: () => Promise.resolve(stores) });
  try {
    await program.parseAsync([...args, '--json'], { from: 'user' });
    return undefined;
  } catch (error) {
    return describeFailure(error).text;
  }
}
const names = (path: string): string[] => {
  const store = new DatabaseSync(path);
  try {
    return (store.prepare('SELECT name FROM things ORDER BY id').all() as { name: string }[]).map(({ name }) => name);
  } finally {
    store.close();
  }
};

describe('a backup that root makes', { skip: process.getuid?.() === 0 ? false : 'needs root, to make files of another user' }, () => {
  it('leaves to each user what is theirs, also once restored', async () => {
    const [user, dir, restored] = [join(data, 'staging', 'ann'), join(folder, 'of-users'), join(folder, 'of-users-restored')];
    mkdirSync(user, { recursive: true });
    writeFileSync(join(user, 'job.xml'), 'text');
    for (const path of [user, join(user, 'job.xml')]) chownSync(path, 61_666, 61_667);
    try {
      assert.equal(await run('backup', dir, '--data', data), undefined);
      assert.equal(await run('restore', dir, '--data', restored), undefined);
      for (const path of ['staging/ann', 'staging/ann/job.xml']) {
        const { uid, gid } = statSync(join(restored, path));
        assert.deepEqual([uid, gid], [61_666, 61_667], path);
      }
      assert.equal(statSync(join(restored, 'secrets', 'cluster')).uid, 0);
    } finally {
      rmSync(join(data, 'staging'), { recursive: true });
    }
  });
});

describe('a backup', () => {
  const dir = join(folder, 'backup');

  it('holds what was committed, while a writer goes on, and only its owner reads it', async () => {
    writer.exec("BEGIN; INSERT INTO things VALUES (2, 'two')");
    const synced = await syncedBy(async () => assert.equal(await run('backup', dir, '--data', data), undefined));
    for (const name of ['backup.json', join('resource-manager', 'state.sqlite'), 'secrets'])
      assert.ok(synced.includes(join(`${dir}.partial`, name)), `${name} is on the disk`);
    assert.equal(synced.at(-1), folder, 'and its name');
    writer.exec('COMMIT');
    assert.deepEqual(names(join(dir, 'resource-manager', 'state.sqlite')), ['one']);
    assert.deepEqual(readdirSync(dir).sort(), ['backup.json', 'resource-manager', 'secrets']);
    assert.equal(statSync(dir).mode & 0o077, 0);
    assert.match((await run('backup', dir, '--data', data)) ?? '', /is there already/);
    assert.equal(await run('backup', join(folder, 'with-logs'), '--data', data, '--logs'), undefined);
    assert.ok(existsSync(join(folder, 'with-logs', 'aggregated-logs', 'log')));
    assert.deepEqual(names(join(folder, 'with-logs', 'resource-manager', 'state.sqlite')), ['one', 'two']);
  });

  it('of a damaged store is none', async () => {
    const bytes = readFileSync(storePath);
    const other = join(folder, 'damaged');
    mkdirSync(join(other, 'resource-manager'), { recursive: true });
    writeFileSync(join(other, 'resource-manager', 'state.sqlite'), Buffer.concat([Buffer.alloc(2000, 7), bytes.subarray(2000)]));
    const program = new Command().exitOverride();
    const store = { name: 's', path: join(other, 'resource-manager', 'state.sqlite'), examine: nothing, repair: nothing };
    addBackup(program, { startRole: refuse, startRoleInThread: refuse, stores: () => Promise.resolve([store]) });
    await assert.rejects(program.parseAsync(['backup', join(folder, 'none'), '--data', other], { from: 'user' }));
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('none')),
      [],
    );
  });

  it('of a folder that holds nothing of a cluster is none', async () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    const program = new Command().exitOverride();
    addBackup(program, { startRole: refuse, startRoleInThread: refuse, stores: () => Promise.resolve([]) });
    await assert.rejects(program.parseAsync(['backup', join(folder, 'none'), '--data', other], { from: 'user' }), {
      message: `${other} holds nothing of a resource manager or timeline`,
    });
    assert.equal(existsSync(join(folder, 'none')), false);
  });

  it('is put back into an empty folder that nothing uses', async () => {
    const target = join(folder, 'restored');
    const claim = claimDataDirectory(target, { command: 'heddle up', roles: ['timeline'], isCluster: true });
    assert.match((await run('restore', dir, '--data', target)) ?? '', /already runs on/);
    claim.remove();
    const synced = await syncedBy(async () => assert.equal(await run('restore', dir, '--data', target), undefined));
    for (const name of ['', 'secrets/cluster', 'resource-manager/state.sqlite']) assert.ok(synced.includes(join(target, name)), name);
    assert.deepEqual(names(join(target, 'resource-manager', 'state.sqlite')), ['one']);
    assert.equal(readFileSync(join(target, 'secrets', 'cluster'), 'utf8'), 'secret');
    assert.match(readFileSync(restoredMarkOf(target), 'utf8'), /^of 20/);
    assert.match((await run('restore', dir, '--data', target)) ?? '', /is not empty: /);
  });

  it('that was changed is not put back, nor one that leads elsewhere', async () => {
    const target = join(folder, 'untouched');
    assert.match((await run('restore', folder, '--data', target)) ?? '', /is no backup/);
    const manifest = join(dir, 'backup.json');
    const told = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, told.replace('"secrets/cluster"', '"../data/secrets/cluster"'));
    assert.match((await run('restore', dir, '--data', target)) ?? '', /which is not below it/);
    writeFileSync(manifest, told);
    writeFileSync(join(dir, 'secrets', 'cluster'), 'SECRET');
    assert.match((await run('restore', dir, '--data', target)) ?? '', /is not what was backed up/);
    assert.equal(existsSync(target), false);
  });
});
