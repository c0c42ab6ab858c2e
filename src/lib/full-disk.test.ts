import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { fullDisk } from './full-disk.ts';

const disk = { blocks: 1_000_000, bfree: 1000, bavail: 1000, bsize: 4096 };

test('a disk is full where next to nothing is left for who asks, and nothing is said of one that cannot be asked', () => {
  const said = (given: Partial<typeof disk>, isRoot = false) => fullDisk('/data', () => ({ ...disk, ...given }), isRoot);
  assert.match(said({ bavail: 0 }) ?? '', /^the disk of \/data is full: changes are refused/);
  assert.match(said({ bavail: 255 }) ?? '', /is full/);
  assert.equal(said({ bavail: 256 }), undefined);
  assert.equal(said({ bavail: 0 }, true), undefined, 'root has what is kept free for it');
  assert.match(said({ bavail: 0, bfree: 255 }, true) ?? '', /is full/);
  assert.equal(said({ blocks: 0, bfree: 0, bavail: 0 }), undefined, 'a file system that says nothing of its size');
  assert.equal(fullDisk('/nowhere/at/all'), undefined);
  assert.equal(fullDisk(tmpdir()), undefined);
});
