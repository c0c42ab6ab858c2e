import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { fullDisk } from './full-disk.ts';

test('a disk is full where next to nothing is left for others than root, and nothing is said of one that cannot be asked', () => {
  const left = (bavail: number, bsize = 4096) => fullDisk('/data', () => ({ bavail, bsize }));
  assert.match(left(0)!, /^the disk of \/data is full: changes are refused/);
  assert.match(left(255)!, /is full/);
  assert.equal(left(256), undefined);
  assert.equal(fullDisk('/nowhere/at/all'), undefined);
  assert.equal(fullDisk(tmpdir()), undefined);
});
