import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { cutIntoSplits, listInput, orderSplits, type SplitRules, splitPathList } from './splits.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-splits-'));
after(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'in/sub'), { recursive: true });
for (const name of ['b.txt', 'a.txt', '_hidden', '.dot']) writeFileSync(join(folder, 'in', name), 'x'.repeat(name.length));
writeFileSync(join(folder, 'in/sub/c.txt'), 'sub');

const rules: SplitRules = {
  api: 'mapreduce',
  blockSizeBytes: 100,
  minimumBytes: 1,
  maximumBytes: Number.MAX_SAFE_INTEGER,
  mapsHint: 2,
  recursive: false,
  ignoreSubfolders: true,
  hosts: ['localhost'],
};
const lengths = (sizes: number[], change: Partial<SplitRules> = {}) =>
  cutIntoSplits(
    sizes.map((length, i) => ({ path: `/f${i}`, length })),
    { ...rules, ...change },
  ).map((split) => split.length);

test('a rest of up to 1.1 split sizes is not cut', () => {
  assert.deepEqual(lengths([110]), [110]);
  assert.deepEqual(lengths([111]), [100, 11]);
  assert.deepEqual(lengths([320]), [100, 100, 100, 20]);
  assert.deepEqual(lengths([0, 5]), [0, 5]);
});

test('minimum and maximum bound the split size', () => {
  assert.deepEqual(lengths([300], { maximumBytes: 50 }), [50, 50, 50, 50, 50, 50]);
  assert.deepEqual(lengths([300], { minimumBytes: 200 }), [200, 100]);
});

test('the number of maps asked for sets the size in the old interface only', () => {
  assert.deepEqual(lengths([14, 5], { api: 'mapred', mapsHint: 2 }), [9, 5, 5]);
  assert.deepEqual(lengths([14, 5], { api: 'mapred', mapsHint: 1 }), [14, 5]);
  assert.deepEqual(lengths([14, 5], { mapsHint: 2 }), [14, 5]);
});

test('maps are numbered from the largest split down, equal ones in order', () => {
  const splits = cutIntoSplits(
    [3, 9, 3, 7].map((length, i) => ({ path: `/f${i}`, length })),
    rules,
  );
  assert.deepEqual(
    orderSplits(splits).map((split) => split.path),
    ['/f1', '/f3', '/f0', '/f2'],
  );
});

test('folders are listed without hidden files, patterns are expanded', () => {
  const names = (...paths: string[]) => listInput(paths, rules).map((file) => file.path.slice(folder.length));
  assert.deepEqual(names(`${folder}/in`), ['/in/a.txt', '/in/b.txt']);
  assert.deepEqual(names(`file://${folder}/in/{a,b}.t?t`), ['/in/a.txt', '/in/b.txt']);
  assert.deepEqual(names(`${folder}/in/\\a.t\\xt`), ['/in/a.txt'], 'what follows a backslash is taken as it is');
  assert.deepEqual(
    listInput([`${folder}/in`], { ...rules, recursive: true }).map((file) => file.path.slice(folder.length)),
    ['/in/a.txt', '/in/b.txt', '/in/sub/c.txt'],
  );
  assert.throws(() => listInput([`${folder}/in`], { ...rules, ignoreSubfolders: false }), { message: `Not a file: file:${folder}/in/sub` });
});

test('all bad paths are named at once', () => {
  assert.throws(() => listInput([`${folder}/none`, `${folder}/in/*.x`, `${folder}/in/_hidden`], rules), {
    name: 'InvalidInputException',
    message: `Input path does not exist: file:${folder}/none\nInput Pattern file:${folder}/in/*.x matches 0 files\nInput path does not exist: file:${folder}/in/_hidden`,
  });
  assert.throws(() => listInput([], rules), { message: 'No input paths specified in job' });
});

test('commas separate paths unless escaped or inside braces', () => {
  assert.deepEqual(splitPathList('/a,/b\\,c,/d{1,2}'), ['/a', '/b,c', '/d{1,2}']);
});
