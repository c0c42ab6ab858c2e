import assert from 'node:assert/strict';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { syncedBy } from './test-support/synced-files.ts';
import {
  appendWhole,
  replaceDurably,
  syncFolder,
  syncFolderNow,
  writeDurably,
  writeNamedFile,
  writeSynced,
  writeWhole,
} from './whole-writes.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-writes-'));
after(() => rmSync(folder, { recursive: true }));
const isFull = { code: 'ENOSPC', path: '/dev/full' };
const skip = !existsSync('/dev/full') && 'no /dev/full';

it('writes all there is', () => {
  const path = join(folder, 'a');
  const file = openSync(path, 'w');
  writeWhole(file, Buffer.from('one '));
  writeWhole(file, Buffer.alloc(0));
  writeWhole(file, Buffer.from('two'));
  closeSync(file);
  assert.equal(readFileSync(path, 'utf8'), 'one two');
  writeNamedFile(path, 'three', { mode: 0o600 });
  assert.equal(readFileSync(path, 'utf8'), 'three');
  writeNamedFile(join(folder, 'b'), '', { mode: 0o600 });
  assert.equal(statSync(join(folder, 'b')).mode & 0o777, 0o600);
});

it('names the file on whose disk there is no room', { skip }, () => {
  const file = openSync('/dev/full', 'w');
  assert.throws(() => writeWhole(file, Buffer.from('x')), isFull);
  closeSync(file);
  assert.throws(() => writeNamedFile('/dev/full', 'x'), isFull);
});

it('goes on where one call wrote less than it was given, as where a disk gets full', async (test) => {
  const file = await open(join(folder, 'c'), 'w');
  const write = file.write.bind(file) as (bytes: Uint8Array, at: number, length: number) => Promise<unknown>;
  test.mock.method(file, 'write', (bytes: Uint8Array, at: number) => write(bytes, at, Math.min(3, bytes.length - at)));
  await appendWhole(file, Buffer.from('eight by '));
  await appendWhole(file, Buffer.from('three'));
  await file.close();
  assert.equal(readFileSync(join(folder, 'c'), 'utf8'), 'eight by three');
});

it('brings a file to the disk, and then its name', async () => {
  const [one, path] = ['one', 'two'].map((name) => join(folder, name)) as [string, string];
  assert.deepEqual(await syncedBy(() => writeSynced(one, 'x', { mode: 0o600, flag: 'wx' })), [one]);
  assert.throws(() => writeSynced(one, 'y', { flag: 'wx' }), { code: 'EEXIST', path: one });
  assert.deepEqual(await syncedBy(() => writeDurably(path, 'x')), [path, folder]);
  const [coming, ...then] = await syncedBy(() => replaceDurably(path, 'new', { mode: 0o600 }));
  assert.match(coming ?? '', /two\.[0-9a-f]{12}$/);
  assert.deepEqual([then, readFileSync(path, 'utf8'), statSync(path).mode & 0o777], [[folder], 'new', 0o600]);
});

it('leaves what stood there, and nothing beside it, where it cannot be replaced', () => {
  const taken = join(folder, 'taken');
  mkdirSync(join(taken, 'in'), { recursive: true });
  const before = readdirSync(folder);
  assert.throws(() => replaceDurably(taken, 'x'), { code: 'EISDIR' });
  assert.deepEqual([readdirSync(folder), existsSync(join(taken, 'in'))], [before, true]);
});

it('says that a folder did not come to the disk, but for file systems that do not do that', async (test) => {
  await syncFolder(folder);
  syncFolderNow(folder);
  const gone = { code: 'ENOENT' };
  await assert.rejects(syncFolder(join(folder, 'none')), gone);
  assert.throws(() => syncFolderNow(join(folder, 'none')), gone);
  // The kernel's own files answer EINVAL.
  await syncFolder('/proc/self');
  const handle = await open(folder, 'r');
  await handle.close();
  test.mock.method(Object.getPrototypeOf(handle), 'sync', () => Promise.reject(Object.assign(new Error('i/o'), { code: 'EIO' })));
  await assert.rejects(syncFolder(folder), { code: 'EIO' });
});
