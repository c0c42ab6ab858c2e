// bzip2 that is written here is read by its own reader, and by the usual command where the machine has it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { seededRandom } from '../../../lib/random.ts';
import { decompressBzip2 } from '../input/bzip2.ts';
import { bzip2Compressor } from './bzip2-compressor.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_124) });

function compressed(bytes: Buffer, pieceBytes: number): Buffer {
  const compressor = bzip2Compressor();
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) parts.push(compressor.update(bytes.subarray(at, at + pieceBytes)));
  return Buffer.concat([...parts, compressor.end()]);
}

const random = seededRandom(7);
const noise = Buffer.from(Array.from({ length: 1_000_000 }, () => random.int(256)));
const skewed = Buffer.from(Array.from({ length: 300_000 }, () => Math.floor(256 ** random.next())));
const files: Readonly<Record<string, Buffer>> = {
  'no bytes': Buffer.alloc(0),
  'one byte': Buffer.from('a'),
  'every byte once': Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
  'runs around the longest one': Buffer.concat(
    [254, 255, 256, 259, 510, 511].flatMap((run, i) => [Buffer.alloc(run, i), Buffer.from('-')]),
  ),
  'zeros of several blocks': Buffer.alloc(60_000_000),
  'a period': Buffer.from('ab'.repeat(500_000)),
  'noise of two blocks': noise,
  'bytes whose codes would become long': skewed,
  'runs at the end of a block': Buffer.concat([noise.subarray(0, 899_978), Buffer.alloc(40, 1), noise.subarray(0, 1000)]),
};
/** Not every machine has it. */
const command = 'bzip2';
const hasCommand = spawnSync(command, ['--help']).status === 0;

for (const [name, bytes] of Object.entries(files))
  test(`${name}: comes out as it went in`, () => {
    const file = compressed(bytes, 1 << 18);
    assert.ok(decompressBzip2(file).equals(bytes));
    if (!hasCommand) return;
    const { status, stdout } = spawnSync(command, ['-dc'], { input: file, maxBuffer: 1 << 28 });
    assert.equal(status, 0);
    assert.ok(stdout.equals(bytes));
  });

test('in whatever pieces a file is written, it is the same', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3000, size: 'max' }), fc.integer({ min: 1, max: 700 }), (array, pieceBytes) => {
      const bytes = Buffer.from(array.map((byte) => byte % 5));
      assert.deepEqual(compressed(bytes, pieceBytes), compressed(bytes, 1 << 20));
    }),
    { numRuns: 60 },
  );
});
