// Files of output as TextOutputFormat writes them, and the checksums beside them.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { ChecksumFile } from './checksum-file.ts';
import { TextOutput, type TextOutputOptions } from './text-output.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122) });

const scratch = mkdtempSync(join(tmpdir(), 'heddle-output-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;

function anOutput(options: Partial<TextOutputOptions> = {}) {
  const folder = join(scratch, String(++serial), 'deep', 'folder');
  const output = new TextOutput({ path: join(folder, 'part-r-00000'), separator: Buffer.from('\t'), ...options });
  const collect = (key: string, value: string) => {
    const bytes = Buffer.from(`<${key}|${value}>`);
    const middle = 1 + Buffer.byteLength(key);
    output.collect(bytes, 1, middle, bytes, middle + 1, bytes.length - 1);
  };
  return { output, folder, collect };
}

/** Checks a file against its checksums, as Hadoop's ChecksumFileSystem does when it reads. */
function checkSums(folder: string, name: string): void {
  const data = readFileSync(join(folder, name));
  const sums = readFileSync(join(folder, `.${name}.crc`));
  assert.equal(sums.toString('latin1', 0, 4), 'crc\0');
  assert.equal(sums.readUInt32BE(4), 512);
  assert.equal(sums.length, 8 + 4 * Math.ceil(data.length / 512));
  for (let chunk = 0; chunk * 512 < data.length; chunk++)
    assert.equal(sums.readUInt32BE(8 + 4 * chunk), crc32(data.subarray(chunk * 512, (chunk + 1) * 512)), `chunk ${chunk}`);
}

test('a record is a line: key, separator, value', () => {
  const { output, folder, collect } = anOutput();
  collect('a', '1');
  collect('', '');
  output.collectInteger(Buffer.from('count'), 0, 5, -42);
  output.close();
  assert.equal(readFileSync(join(folder, 'part-r-00000'), 'utf8'), 'a\t1\n\t\ncount\t-42\n');
  assert.equal(output.records, 3);
  assert.equal(output.full, false, 'a file never asks to be drained');
});

test('the separator is what the job says; a job without values has none', () => {
  const other = anOutput({ separator: Buffer.from(' => ') });
  other.collect('a', '1');
  other.output.close();
  assert.equal(readFileSync(join(other.folder, 'part-r-00000'), 'utf8'), 'a => 1\n');
  const valueless = anOutput({ valueless: true });
  valueless.collect('a', '');
  valueless.output.close();
  assert.equal(readFileSync(join(valueless.folder, 'part-r-00000'), 'utf8'), 'a\n');
});

test('all records are in the file, in order, whatever their sizes; its checksums are right', () => {
  const text = fc.oneof(
    { weight: 4, arbitrary: fc.string({ maxLength: 10, unit: 'grapheme' }) },
    { weight: 1, arbitrary: fc.integer({ min: 1000, max: 90_000 }).map((length) => 'x'.repeat(length)) },
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { maxLength: 8 }), (records) => {
      const { output, folder, collect } = anOutput();
      for (const [key, value] of records) collect(key, value);
      output.close();
      const written = readFileSync(join(folder, 'part-r-00000'));
      assert.equal(written.toString(), records.map(([key, value]) => `${key}\t${value}\n`).join(''));
      assert.equal(output.bytesWritten, written.length + readFileSync(join(folder, '.part-r-00000.crc')).length);
      checkSums(folder, 'part-r-00000');
    }),
    { numRuns: 40 },
  );
});

test('a file without records exists, with checksums of nothing', () => {
  const { output, folder } = anOutput();
  output.close();
  assert.deepEqual(readdirSync(folder).sort(), ['.part-r-00000.crc', 'part-r-00000']);
  checkSums(folder, 'part-r-00000');
});

test('compressed output has the codec’s ending, and checksums of the compressed bytes', () => {
  const { output, folder, collect } = anOutput({ codec: 'org.apache.hadoop.io.compress.GzipCodec' });
  for (let i = 0; i < 20_000; i++) collect(`key ${i}`, 'the same value');
  output.close();
  assert.deepEqual(readdirSync(folder).sort(), ['.part-r-00000.gz.crc', 'part-r-00000.gz']);
  const lines = gunzipSync(readFileSync(join(folder, 'part-r-00000.gz')))
    .toString()
    .split('\n');
  assert.equal(lines.length, 20_001);
  assert.equal(lines[19_999], 'key 19999\tthe same value');
  checkSums(folder, 'part-r-00000.gz');
});

test('checksums do not depend on how the bytes come', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 3000, size: 'max' }),
      fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 5 }),
      (bytes, cuts) => {
        const path = join(scratch, `${++serial}.crc`);
        const file = new ChecksumFile(path);
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = cuts[i % cuts.length]!;
          file.update(Buffer.from(bytes.subarray(at, at + size)));
          at += size;
        }
        const told = file.bytesWritten;
        file.close();
        const sums = readFileSync(path);
        assert.equal(sums.length, told, 'the size is known before the file is written');
        const expected = Array.from({ length: Math.ceil(bytes.length / 512) }, (_, i) => crc32(bytes.subarray(i * 512, (i + 1) * 512)));
        assert.deepEqual(
          expected.map((_, i) => sums.readUInt32BE(8 + 4 * i)),
          expected,
        );
      },
    ),
    { numRuns: 60 },
  );
});

test('a full disk is told by the file that lies there', { skip: !existsSync('/dev/full') && 'no /dev/full' }, () => {
  const output = new TextOutput({ path: '/dev/full', separator: Buffer.from('\t'), checksums: false });
  output.collect(Buffer.from('a'), 0, 1, Buffer.from('b'), 0, 1);
  assert.throws(() => output.close(), { code: 'ENOSPC', path: '/dev/full' });
});
