// The invariants of docs/protocol.md: each is named by the files of which the page says that they keep it, and by a test.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/protocol.md'), 'utf8');
const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
    .map((name) => `${folder}/${name}`);
const sources = filesBelow('src').filter((name) => !name.endsWith('.test.ts'));
const tests = [...filesBelow('src').filter((name) => name.endsWith('.test.ts')), ...filesBelow('test')];

/** Rows of the first table: number, and what keeps it. */
const rows = page.split('\n').flatMap((line) => {
  const cells = line.split(' | ');
  const number = /^\| (P\d+)$/.exec(cells[0] ?? '')?.[1];
  return number === undefined
    ? []
    : [{ number, keepers: [...(cells.at(-1) ?? '').matchAll(/`([\w./-]+\.ts)`/g)].map(([, name]) => name!) }];
});

const names = (file: string, number: string): boolean => new RegExp(`\\b${number}\\b`).test(readFileSync(join(root, file), 'utf8'));

test('the invariants are numbered one after the other', () => {
  assert.deepEqual(
    rows.map(({ number }) => number),
    rows.map((_, index) => `P${index + 1}`),
  );
  assert.ok(rows.length >= 19);
});

test('each invariant is named by the files that keep it', () => {
  for (const { number, keepers } of rows) {
    assert.ok(keepers.length > 0, `${number}: no file keeps it`);
    for (const keeper of keepers) {
      const files = sources.filter((file) => file.endsWith(`/${keeper}`));
      assert.equal(files.length, 1, `${number}: ${keeper} is ${files.length} files`);
      assert.ok(names(files[0]!, number), `${files[0]} does not name ${number}`);
    }
  }
});

test('each invariant is named by a test, and no other one by anybody', () => {
  for (const { number } of rows)
    assert.ok(
      tests.some((file) => names(file, number)),
      `no test names ${number}`,
    );
  const known = new Set(rows.map(({ number }) => number));
  for (const file of [...sources, ...tests])
    for (const [, number] of readFileSync(join(root, file), 'utf8').matchAll(/protocol\.md[^\n]*?\b(P\d+)\b/g))
      assert.ok(known.has(number!), `${file}: ${number} is not on the page`);
});
