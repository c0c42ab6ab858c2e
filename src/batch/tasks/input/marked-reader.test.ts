import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { MarkedReader } from './marked-reader.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_123) });

const scratch = mkdtempSync(join(tmpdir(), 'heddle-marks-'));
after(() => rmSync(scratch, { recursive: true }));

async function records(path: string, start: number, length: number, options: { chunkBytes?: number; longestBytes?: number } = {}) {
  const found: [text: string, position: number][] = [];
  const reader = new MarkedReader(
    { path, start, length, hosts: [] },
    { begin: Buffer.from('<r>'), end: Buffer.from('</r>'), longestBytes: 1 << 20, ...options },
  );
  try {
    while (await reader.readChunk((buffer, from, to, position) => found.push([buffer.toString('latin1', from, to), position])));
    assert.equal(reader.progress, 1);
  } finally {
    reader.close();
  }
  return found;
}

describe('records between marks', () => {
  test('are found once each, however the file is cut and read', async () => {
    const path = join(scratch, 'cut');
    const noise = fc.array(fc.constantFrom('x<', '<<', '</r>', ' \n', 'r>>'), { maxLength: 3 }).map((words) => `-${words.join('-')}`);
    const content = fc.array(fc.constantFrom('a', '<', '</', '<r', '\n'), { maxLength: 6 }).map((words) => `${words.join('-')}-`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(noise, content), { maxLength: 8 }),
        fc.array(fc.nat(150), { maxLength: 4 }),
        fc.integer({ min: 1, max: 20 }),
        async (parts, cuts, chunkBytes) => {
          let text = '';
          const expected: [string, number][] = [];
          for (const [before, inside] of parts) {
            text += before;
            expected.push([`<r>${inside}</r>`, text.length]);
            text += `<r>${inside}</r>`;
          }
          writeFileSync(path, text);
          const ends = [...cuts.filter((cut) => cut < text.length), text.length].sort((a, b) => a - b);
          const found: [string, number][] = [];
          for (const [i, end] of ends.entries()) {
            const start = i === 0 ? 0 : ends[i - 1]!;
            found.push(...(await records(path, start, end - start, { chunkBytes })));
          }
          assert.deepEqual(found, expected);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('go from the first begin to the next end; what has no end is none', async () => {
    const path = join(scratch, 'plain');
    const text = 'x</r><r>a<r>b</r> <<r>\n</r></r><r>open';
    writeFileSync(path, text);
    const expected = [
      ['<r>a<r>b</r>', 5],
      ['<r>\n</r>', 19],
    ];
    for (const chunkBytes of [1, 3, 100]) assert.deepEqual(await records(path, 0, text.length, { chunkBytes }), expected);
  });

  test('are read out of compressed files', async () => {
    const path = join(scratch, 'plain.gz');
    const bytes = gzipSync('<r>1</r>-<r>2</r>');
    writeFileSync(path, bytes);
    assert.deepEqual(await records(path, 0, bytes.length), [
      ['<r>1</r>', 0],
      ['<r>2</r>', 9],
    ]);
  });

  test('that are longer than memory allows fail', async () => {
    const path = join(scratch, 'long');
    writeFileSync(path, `<r>${'x'.repeat(5000)}</r>`);
    await assert.rejects(
      records(path, 0, 5007, { chunkBytes: 100, longestBytes: 1000 }),
      /the record at position 0 of .* is longer than 1000 bytes/,
    );
  });
});
