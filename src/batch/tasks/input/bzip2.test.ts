// bzip2 files as bzip2 wrote them: read as a whole, and in parts that begin anywhere.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Bzip2Reader } from './bzip2.ts';
import { LineReader } from './line-reader.ts';

const scratch = mkdtempSync(join(tmpdir(), 'heddle-bzip2-'));
after(() => rmSync(scratch, { recursive: true }));

/** 45,000 lines "N line" with N from 0 to 6 again and again, in four blocks (bzip2 -1). */
const periodic = Buffer.from(
  'QlpoMTFBWSZTWfW4M/YAO8dZAAAQQAB/AAIlIACQIBoAE1VAMjTJKBM1AO+lAO1AN6gHlQDFQDNQDBKBNEoE0SgT4lAmiUCfmKCskyms1zEXXwAj3ayAAAggAD+AARKQAEgQDQAJqqAZGmSUCZqAc1AOqgHdQDOFAMqAb1AMEoE0SgTRKBPiUCaJQJ+YoKyTKayTxBb5gCfaLIAACCAAP4ABEpAASBANAAmqoBkaZJQJlQDlQDqoB3UA8qAYqAcZqAYJQJolAmiUCfEoE0SgT8xQVkmU1ksUXWZAAoz2QAAEEAAfwACJSAAcEA0ABSqAZGmaigzRRzRR1RR54SjaijFFGaKMVFBqooNVFB9UUGqig/F3JFOFCQdwgLMg',
  'base64',
);
/** Bytes of all kinds, and runs of 4, 5, 1000, 259 and 300 equal ones. */
const odd = Buffer.from(
  'QlpoOTFBWSZTWap3M0wAAAP/////////////////////////////////////////////sAF0UAKqqgATAAmATAaATAAAmAAAABMAAAAAJgABo0AAAAAAAAAAAAAAJgAA1SIEZMmmTBNMAJoYATEyYmmjAjTE0BiYZBGjAAhiYJgjBMCNMBMhoyBiaNMAhiYCYmExA0wI0MmEwSYACYAAmAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABTTJkDd6xMoSIKmA2A2IMQZDZAzBoNmMfaA2BuNqDgHIOgdg8G2R9IEhSJI0kf0kqTJOlCUpUlaASxLUuS9MEBMUvTJ/aZpomqbJunCcp0naeJ6nyfqAoKhKGoj/FFUZR1IUlSlLUxTVOU9UFRVJU1UVVVlXVhWVaVtXFdV5X1gWFYn+igKhtIbm8FCFctBUgq4AAuBIBwILWomCwEiHEOQ5w54cx0B0RblvXBcVyXNdF1XZd14Xlel7XxfV+X9gGBYJg2Ef8wrDMOxDEsUxbGMaxzHsgyLJMmyiBZVlkEy7MMyzTNs4zrPM+0DQtE0bSNK0zTtQ1LVNW1jWtc17YNi2TZto2rbNu3Dct03beN63zfuA4LhOG4jiuM47kOS5TluY5rnOe6Douk6bqOq6zruw7LtO27juu877wPC8TxvIwPld15nneh6Xqet7Htf+9z3vg+L5Pm+j6vszEag0D90E/D8v0/Yu5IpwoSFU7maYA=',
  'base64',
);
const oddPlain = Buffer.concat([
  ...[0, 0].map(() => Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))),
  Buffer.from(`aaaabbbbb${'c'.repeat(1000)}\n${'d'.repeat(259)}`),
  Buffer.alloc(300),
]);

async function plainOf(bytes: Buffer): Promise<Buffer> {
  const reader = new Bzip2Reader(0, bytes.length);
  reader.end(bytes);
  return Buffer.concat(await reader.toArray());
}

async function linesOf(path: string, start: number, length: number): Promise<string[]> {
  const lines: string[] = [];
  const reader = new LineReader({ path, start, length, hosts: [] });
  while (await reader.readChunk((buffer, from, to) => lines.push(buffer.toString('latin1', from, to))));
  reader.close();
  return lines;
}

describe('a bzip2 file', () => {
  it('is read as it was written, one stream behind another too', async () => {
    assert.deepEqual(await plainOf(odd), oddPlain);
    assert.deepEqual(await plainOf(Buffer.concat([odd, odd])), Buffer.concat([oddPlain, oddPlain]));
    assert.equal((await plainOf(periodic)).toString(), Array.from({ length: 45_000 }, (_, i) => `${i % 7} line\n`).join(''));
  });

  it('in parts gives each line once, wherever the parts begin', async () => {
    const path = join(scratch, 'lines.bz2');
    writeFileSync(path, periodic);
    const whole = Array.from({ length: 45_000 }, (_, i) => `${i % 7} line`);
    for (const size of [5, 23, 71, 100, 150, periodic.length]) {
      const lines: string[] = [];
      for (let start = 0; start < periodic.length; start += size)
        lines.push(...(await linesOf(path, start, Math.min(size, periodic.length - start))));
      assert.equal(lines.length, whole.length, `parts of ${size}`);
      assert.ok(
        lines.every((line, i) => line === whole[i]),
        `parts of ${size}`,
      );
    }
  });

  it('that is damaged, cut off or none at all is refused, never read wrongly', async () => {
    for (let at = 4; at < odd.length - 10; at += 7) {
      const damaged = Buffer.from(odd);
      damaged[at]! ^= 0x10;
      const read = await plainOf(damaged).catch((error: Error) => error.name);
      assert.ok(read === 'java.io.IOException' || oddPlain.equals(read as Buffer), `byte ${at}`);
    }
    await assert.rejects(plainOf(odd.subarray(0, -20)), /ends in the middle of a block/);
    await assert.rejects(plainOf(Buffer.from('some text that is plain')), /this is no bzip2 file/);
    await assert.rejects(plainOf(Buffer.from('BZ')), /this is no bzip2 file/);
    await assert.rejects(plainOf(Buffer.concat([odd, Buffer.from('BZ')])), /this is no bzip2 file/, 'nor is what follows');
    assert.equal((await plainOf(Buffer.alloc(0))).length, 0, 'a file without bytes is empty');
  });
});
