// Patterns of input paths: Hadoop's language, against real folders.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { expandGlob, hasGlob } from './glob.ts';

const root = mkdtempSync(join(tmpdir(), 'heddle-glob-'));
after(() => rmSync(root, { recursive: true }));

const files = [
  '2024/01/a.txt',
  '2024/02/a.txt',
  '2024/02/b.csv',
  '2025/01/a.txt',
  'logs/web-1.log',
  'logs/web-2.log',
  'logs/web-x.log',
  'logs/web-10.log',
  'odd/st*r',
  'odd/star',
  'odd/{braces}',
  'odd/[x]',
  'odd/a+b(c).txt',
  'odd/a,b',
  'top.txt',
];
for (const file of files) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), '');
}

/** Paths below the root that match. */
const matches = (pattern: string) => expandGlob(`${root}/${pattern}`).map((path) => path.slice(root.length + 1));

test('a path has a pattern when one of its signs is not escaped', () => {
  for (const path of ['/a/*', '/a?', '/[ab]', '/{a,b}', '*', '/a\\b*c']) assert.equal(hasGlob(path), true, path);
  for (const path of ['/a/b', '/a\\*', '/a\\?b', '/\\[ab\\]', '/a]}', '']) assert.equal(hasGlob(path), false, path);
});

describe('a pattern', () => {
  test('of a star stands for any signs of one name, of a question mark for one', () => {
    assert.deepEqual(matches('*.txt'), ['top.txt']);
    assert.deepEqual(matches('logs/web-?.log'), ['logs/web-1.log', 'logs/web-2.log', 'logs/web-x.log']);
    assert.deepEqual(matches('*/01/*'), ['2024/01/a.txt', '2025/01/a.txt']);
    assert.deepEqual(matches('2024*'), ['2024']);
  });

  test('of brackets stands for one of its signs, or for any other one', () => {
    assert.deepEqual(matches('logs/web-[12].log'), ['logs/web-1.log', 'logs/web-2.log']);
    assert.deepEqual(matches('logs/web-[0-9].log'), ['logs/web-1.log', 'logs/web-2.log']);
    assert.deepEqual(matches('logs/web-[^0-9].log'), ['logs/web-x.log']);
    assert.deepEqual(matches('logs/web-[!0-9].log'), ['logs/web-x.log']);
  });

  test('of braces stands for one of its words, patterns among them', () => {
    assert.deepEqual(matches('logs/web-{1,10}.log'), ['logs/web-1.log', 'logs/web-10.log']);
    assert.deepEqual(matches('2024/02/{a,b}.{txt,csv}'), ['2024/02/a.txt', '2024/02/b.csv']);
    assert.deepEqual(matches('logs/web-{?,x}.log'), ['logs/web-1.log', 'logs/web-2.log', 'logs/web-x.log']);
    assert.deepEqual(matches('{2024,2025}/01/a.txt'), ['2024/01/a.txt', '2025/01/a.txt']);
    assert.deepEqual(matches('{2024/{01,02},2025/01}/a.txt'), ['2024/01/a.txt', '2024/02/a.txt', '2025/01/a.txt']);
  });

  test('of braces may have folders in its words', () => {
    assert.deepEqual(matches('{2024/02,2025/01}/*.txt'), ['2024/02/a.txt', '2025/01/a.txt']);
    assert.deepEqual(matches('{logs/web-1.log,top.txt}'), ['logs/web-1.log', 'top.txt']);
    assert.deepEqual(matches('20{24/0{1,2},25/01}/a.txt'), ['2024/01/a.txt', '2024/02/a.txt', '2025/01/a.txt']);
  });

  test('takes signs after a backslash as they are', () => {
    assert.deepEqual(matches('odd/st\\*r'), ['odd/st*r']);
    assert.deepEqual(matches('odd/st*r'), ['odd/st*r', 'odd/star']);
    assert.deepEqual(matches('odd/\\{b*'), ['odd/{braces}']);
    assert.deepEqual(matches('odd/\\[x\\]'), ['odd/[x]']);
    assert.deepEqual(matches('odd/{a\\,b,none}'), ['odd/a,b']);
  });

  test('takes signs that mean something in regular expressions as they are', () => {
    assert.deepEqual(matches('odd/a+b(c).*'), ['odd/a+b(c).txt']);
    assert.deepEqual(matches('top.t.t*'), []);
  });

  test('that matches nothing, or goes on below a file, gives nothing', () => {
    assert.deepEqual(matches('none/*'), []);
    assert.deepEqual(matches('*.none'), []);
    assert.deepEqual(matches('top.txt/*'), []);
  });

  test('of no signs is the path itself, where it exists', () => {
    assert.deepEqual(matches('logs/web-1.log'), ['logs/web-1.log']);
    assert.deepEqual(matches('logs/none'), []);
    assert.deepEqual(expandGlob('/'), ['/']);
  });
});
