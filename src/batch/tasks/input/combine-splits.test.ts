// Many small files in few splits: each byte once, and read as from the files themselves.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { seededRandom } from '../../../lib/random.ts';
import { taskCounterGroup } from '../../counters/names.ts';
import { runLocalJob } from '../../test-support/local-job.ts';
import { combineSplits } from './combine-splits.ts';

const scratch = mkdtempSync(join(tmpdir(), 'heddle-combine-'));
after(() => rmSync(scratch, { recursive: true }));
const hosts = ['localhost'];
const mebi = 1 << 20;

describe('combined splits', () => {
  it('take whole files until they have enough', () => {
    const files = [3, 4, 5, 1].map((length, i) => ({ path: `/${i}`, length }));
    const splits = combineSplits(files, { blockSizeBytes: 100, maximumBytes: 7 }, hosts);
    assert.deepEqual(
      splits.map(({ length, parts }) => [length, parts!.map(({ path }) => path)]),
      [
        [7, ['/0', '/1']],
        [6, ['/2', '/3']],
      ],
    );
    assert.equal(combineSplits(files, { blockSizeBytes: 100, maximumBytes: Number.MAX_SAFE_INTEGER }, hosts).length, 1);
    assert.deepEqual(combineSplits([], { blockSizeBytes: 100, maximumBytes: 7 }, hosts), []);
  });

  it('halve what is left between one and two sizes, and leave compressed files whole', () => {
    const lengths = (path: string, length: number) =>
      combineSplits([{ path, length }], { blockSizeBytes: 1000, maximumBytes: 100 }, hosts).map((split) => split.length);
    assert.deepEqual(lengths('/a', 350), [100, 100, 150], 'halves of the rest join where the first is not enough');
    assert.deepEqual(lengths('/a.gz', 350), [350]);
  });

  it('have each byte of each file once, in order', () => {
    const seed = 41;
    const random = seededRandom(seed);
    for (let round = 0; round < 200; round++) {
      const files = Array.from({ length: Math.floor(random.next() * 6) }, (_, i) => ({
        path: `/${i}`,
        length: Math.floor(random.next() * 500),
      }));
      const rules = { blockSizeBytes: 1 + Math.floor(random.next() * 200), maximumBytes: 1 + Math.floor(random.next() * 300) };
      const parts = combineSplits(files, rules, hosts).flatMap((split) => {
        assert.equal(
          split.parts!.reduce((sum, part) => sum + part.length, 0),
          split.length,
        );
        return split.parts!;
      });
      for (const { path, length } of files) {
        let at = 0;
        for (const part of parts.filter((one) => one.path === path)) {
          assert.equal(part.start, at, `seed ${seed}, round ${round}`);
          at += part.length;
        }
        assert.equal(at, length, `seed ${seed}, round ${round}`);
      }
    }
  });

  it('give each line once, with its own file and position, and count what was read', async () => {
    const folder = join(scratch, 'job');
    mkdirSync(folder);
    const texts: Record<string, string> = { a: 'a1\na2\na3\n', b: 'b1\n', c: '', d: 'd1\nd2' };
    const files = Object.entries(texts).map(([name, text]) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return { path, length: text.length };
    });
    const packed = gzipSync('z1\nz2\n');
    writeFileSync(join(folder, 'z.gz'), packed);
    files.push({ path: join(folder, 'z.gz'), length: packed.length });
    const splits = combineSplits(files, { blockSizeBytes: mebi, maximumBytes: 4 }, hosts);
    assert.ok(splits.some(({ parts }) => parts!.length > 1));
    const module = join(folder, 'job.mjs');
    writeFileSync(
      module,
      "export function map(line, emit, position, context) { emit(line, context.inputFile.split('/').at(-1) + ' ' + position); }",
    );
    const { output, failures, counters } = await runLocalJob({
      folder,
      splits,
      reduces: 1,
      configuration: {
        'heddle.batch.program': 'module',
        'heddle.batch.module': module,
        'mapreduce.output.fileoutputformat.outputdir': join(folder, 'out'),
      },
    });
    assert.deepEqual(failures, []);
    assert.deepEqual(output, ['a1\ta 0', 'a2\ta 3', 'a3\ta 6', 'b1\tb 0', 'd1\td 0', 'd2\td 3', 'z1\tz.gz 0', 'z2\tz.gz 3']);
    assert.equal(counters.get(taskCounterGroup, 'MAP_INPUT_RECORDS'), 8);
  });
});
