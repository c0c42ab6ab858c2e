import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { InputSplit } from './input-split.ts';
import { LineReader } from './line-reader.ts';
import { cutIntoSplits, type SplitRules } from './splits.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const folder = mkdtempSync(join(tmpdir(), 'heddle-lines-'));
after(() => rmSync(folder, { recursive: true }));

async function linesOf(split: InputSplit, chunkBytes = 7, delimiter?: Buffer): Promise<[number, string][]> {
  const reader = new LineReader(split, { chunkBytes, delimiter });
  const lines: [number, string][] = [];
  while (await reader.readChunk((buffer, start, end, position) => lines.push([position, buffer.toString('latin1', start, end)])));
  reader.close();
  return lines;
}

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const rules: SplitRules = {
  api: 'mapreduce',
  blockSizeBytes: 1 << 25,
  minimumBytes: 1,
  maximumBytes: Number.MAX_SAFE_INTEGER,
  mapsHint: 2,
  recursive: false,
  ignoreSubfolders: false,
  hosts: ['localhost'],
};

test('every line is read exactly once, however the file is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'bc', '\n', '\r', '\r\n', 'long word '), { maxLength: 60 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 9 }),
      async (pieces, splitBytes, chunkBytes) => {
        const text = pieces.join('');
        const path = file('any', text);
        const expected = text === '' ? [] : text.split(/\r\n|\n|\r/);
        if (expected.at(-1) === '') expected.pop();
        const splits = cutIntoSplits([{ path, length: text.length }], { ...rules, maximumBytes: splitBytes });
        const lines = (await Promise.all(splits.map((split) => linesOf(split, chunkBytes)))).flat();
        assert.deepEqual(
          lines.map(([, line]) => line),
          expected,
        );
        assert.deepEqual(
          lines.map(([position]) => position),
          [...lines.map(([position]) => position)].sort((a, b) => a - b),
        );
      },
    ),
    { numRuns: 300 },
  );
});

test('a delimiter of several bytes ends records', async () => {
  const path = file('delimited', 'a||b|c||||d');
  const whole = { path, start: 0, length: 11, hosts: [] };
  assert.deepEqual(
    (await linesOf(whole, 3, Buffer.from('||'))).map(([, line]) => line),
    ['a', 'b|c', '', 'd'],
  );
});

test('a byte order mark at the start of the file is dropped, an empty file has no lines', async () => {
  const path = file('marked', '\ufeffx\ny');
  assert.deepEqual(await linesOf({ path, start: 0, length: 6, hosts: [] }), [
    [0, 'x'],
    [5, 'y'],
  ]);
  assert.deepEqual(await linesOf({ path: file('empty', ''), start: 0, length: 0, hosts: [] }), []);
});

test('compressed text is one split', async () => {
  const path = file('text.gz', gzipSync('one\ntwo\n'));
  const splits = cutIntoSplits([{ path, length: 28 }], { ...rules, maximumBytes: 5 });
  assert.equal(splits.length, 1);
  assert.deepEqual(
    (await linesOf(splits[0]!)).map(([, line]) => line),
    ['one', 'two'],
  );
});

test('lines that reach the limit are skipped', async () => {
  const path = file('long', 'short\nmuch longer\nend\n');
  const skipped: number[] = [];
  const seen: string[] = [];
  const reader = new LineReader(
    { path, start: 0, length: 22, hosts: [] },
    { maximumLineBytes: 8, onSkipped: (position) => skipped.push(position) },
  );
  while (await reader.readChunk((buffer, start, end) => seen.push(buffer.toString('latin1', start, end))));
  reader.close();
  assert.deepEqual([seen, skipped], [['short', 'end'], [6]]);
});
