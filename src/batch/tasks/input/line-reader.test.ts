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

/** The lines, taken many at a time where they come so, and how many came so. */
async function linesTogether(split: InputSplit, chunkBytes: number): Promise<{ lines: string[]; together: number }> {
  const reader = new LineReader(split, { chunkBytes });
  const lines: string[] = [];
  let together = 0;
  while (
    await reader.readChunk(
      (buffer, start, end) => lines.push(buffer.toString('latin1', start, end)),
      (buffer, start, end, count) => {
        const some = buffer.toString('latin1', start, end).split('\n');
        assert.equal(some.length, count);
        lines.push(...some);
        together += count;
      },
    )
  );
  reader.close();
  return { lines, together };
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
        const many = await Promise.all(splits.map((split) => linesTogether(split, chunkBytes)));
        assert.deepEqual(
          many.flatMap((split) => split.lines),
          expected,
        );
      },
    ),
    { numRuns: 300 },
  );
});

test('plain lines come many at a time', async () => {
  const path = file('plain', 'one line\n'.repeat(1000));
  const { lines, together } = await linesTogether({ path, start: 0, length: 9000, hosts: [] }, 900);
  assert.equal(lines.length, 1000);
  assert.ok(together > 800, `${together}`);
});

test('whatever is read at a time, lines of the greatest length and more are skipped and told, all others are read', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat({ max: 30 }), fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 12 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 25 }),
      fc.integer({ min: 1, max: 9 }),
      async (described, isEnded, maximumLineBytes, splitBytes, chunkBytes) => {
        // A line feed after a carriage return would be its second half.
        const lines = described.map(([length, end]) => ({ text: 'x'.repeat(Math.max(1, length)), end }));
        const whole = lines.map(({ text, end }) => text + end).join('');
        const text = isEnded ? whole : whole.replace(/[\r\n]+$/, '');
        const path = file('skipping', text);
        const read: string[] = [];
        const skipped: [number, number][] = [];
        for (const split of cutIntoSplits([{ path, length: text.length }], { ...rules, maximumBytes: splitBytes })) {
          const onSkipped = (position: number, length: number) => void skipped.push([position, length]);
          const reader = new LineReader(split, { chunkBytes, maximumLineBytes, longestLineBytes: 40, onSkipped });
          while (await reader.readChunk((buffer, start, end) => read.push(buffer.toString('latin1', start, end))));
          reader.close();
        }
        const expected: [number, number][] = [];
        let at = 0;
        const kept: string[] = [];
        for (const { text: line, end } of lines) {
          const size = Math.min(line.length + end.length, text.length - at);
          if (size >= maximumLineBytes) expected.push([at, size]);
          else kept.push(line);
          at += size;
        }
        assert.deepEqual(skipped, expected);
        assert.deepEqual(read, kept);
      },
    ),
    { numRuns: 300 },
  );
});

test('a line that memory cannot take fails the reading; one of the split before is passed over in little memory', async () => {
  const text = `short\n${'x'.repeat(5000)}\nend\n`;
  const path = file('too-long', text);
  const read = async (start: number, delimiter?: Buffer) => {
    const reader = new LineReader(
      { path, start, length: text.length - start, hosts: [] },
      { chunkBytes: 16, longestLineBytes: 100, delimiter },
    );
    const lines: string[] = [];
    while (await reader.readChunk((buffer, from, to) => lines.push(buffer.toString('latin1', from, to))));
    return lines;
  };
  const message = `the line at position 6 of ${path} is longer than 100 bytes, for which its container has the memory: give it more by mapreduce.map.memory.mb`;
  await assert.rejects(read(0), { name: 'java.io.IOException', message });
  await assert.rejects(read(0, Buffer.from('\n')), { message });
  assert.deepEqual(await read(10), ['end']);
  assert.deepEqual(await read(10, Buffer.from('\n')), ['end']);
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
  assert.deepEqual(await linesOf({ path: file('mark', '\ufeff'), start: 0, length: 3, hosts: [] }), [], 'the mark alone is no line');
  assert.deepEqual(await linesOf({ path: file('mark-end', '\ufeff\n'), start: 0, length: 4, hosts: [] }), [[0, '']]);
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

test('what ends a line counts to its length, as Hadoop’s reader has it', async () => {
  const text = 'abc\nabc\nab\nabcd\nabcde\nabc\r\nab\r\nabcd';
  const path = file('ends', text);
  for (const [maximumLineBytes, expected] of [
    [4, ['ab']],
    [5, ['abc', 'abc', 'ab', 'ab', 'abcd']],
  ] as const) {
    const seen: string[] = [];
    const reader = new LineReader({ path, start: 0, length: text.length, hosts: [] }, { maximumLineBytes });
    while (await reader.readChunk((buffer, start, end) => seen.push(buffer.toString('latin1', start, end))));
    assert.deepEqual(seen, expected);
  }
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
