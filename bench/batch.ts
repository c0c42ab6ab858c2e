// How fast are large batch jobs, and what memory do their tasks take: 1 GB of records sorted, 500 MB through `cat` and `wc`?
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../src/lib/random.ts';
import { startProcesses } from '../test/support/processes.ts';
import { getJson, type Measure } from './measure.ts';
import type { Peer } from './peer.ts';

const recordBytes = 100;
const keyBytes = 10;
const containerMiB = 1024;
/** Hadoop's usual block, so that both cut the input alike. */
const splitBytes = 128 << 20;

/** Lines of 100 bytes: a key of ten letters by chance, a tab, the record's number and filling. */
function writeRecords(path: string, bytes: number): void {
  const random = seededRandom(20_261_123);
  const file = openSync(path, 'w');
  const block = Buffer.alloc(10_000 * recordBytes, 0x2e);
  for (let record = 0; record * recordBytes < bytes; ) {
    for (let at = 0; at < block.length; at += recordBytes, record++) {
      for (let i = 0; i < keyBytes; i++) block[at + i] = 97 + Math.floor(random.next() * 26);
      block[at + keyBytes] = 9;
      block.write(String(record).padStart(12, '0'), at + keyBytes + 1, 'latin1');
      block[at + recordBytes - 1] = 10;
    }
    writeSync(file, block);
  }
  closeSync(file);
}

interface CountersAnswer {
  readonly jobCounters: {
    readonly counterGroup: readonly { readonly counter: readonly { readonly name: string; readonly totalCounterValue: number }[] }[];
  };
}

/** The most memory that one of the job's maps and one of its reduces took, MiB. */
async function peaks(historyUrl: string, jobId: string): Promise<{ map: number; reduce: number }> {
  const { jobCounters } = await getJson<CountersAnswer>(`${historyUrl}/ws/v1/history/mapreduce/jobs/${jobId}/counters`);
  const counters = jobCounters.counterGroup.flatMap((group) => group.counter);
  const peak = (kind: string) =>
    Math.round((counters.find(({ name }) => name === `${kind}_PHYSICAL_MEMORY_BYTES_MAX`)?.totalCounterValue ?? Number.NaN) / 1048576);
  return { map: peak('MAP'), reduce: peak('REDUCE') };
}

const works = [
  { name: 'sort of 1 GB of 100-byte records', megabytes: 1000, mapper: 'cat', reducer: 'cat', reduces: 2 },
  { name: 'cat and wc over 500 MB', megabytes: 500, mapper: 'cat', reducer: 'wc', reduces: 2 },
] as const;

export async function batch(peer?: Peer): Promise<Measure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-batch-'));
  try {
    await using cluster = await startProcesses();
    const measures: Measure[] = [];
    for (const [index, { name, megabytes, mapper, reducer, reduces }] of works.entries()) {
      const input = join(folder, `in${index}`);
      mkdirSync(input);
      writeRecords(join(input, 'records.txt'), megabytes * 1e6);
      const settings = [
        `-Dmapreduce.job.reduces=${reduces}`,
        `-Dmapreduce.input.fileinputformat.split.minsize=${splitBytes}`,
        `-Dmapreduce.map.memory.mb=${containerMiB}`,
        `-Dmapreduce.reduce.memory.mb=${containerMiB}`,
      ];
      const output = join(folder, `out${index}`);
      const begin = performance.now();
      const { code, output: printed } = await cluster.heddle('batch', 'streaming', ...settings, input, output, mapper, reducer);
      const seconds = (performance.now() - begin) / 1000;
      const jobId = /job_\d+_\d+/.exec(printed)?.[0];
      if (code !== 0 || jobId === undefined) throw new Error(`${name} failed:\n${printed.slice(-2000)}`);
      rmSync(output, { recursive: true });
      const { map, reduce } = await peaks(cluster.urls.history, jobId);
      const rate: Measure = { name, value: megabytes / seconds, unit: 'MB/s' };
      if (peer) {
        const theirs = performance.now();
        await peer.batch('streaming', input, join(folder, `peer${index}`), mapper, reducer);
        rate.peer = megabytes / ((performance.now() - theirs) / 1000);
      }
      measures.push(
        rate,
        { name: `most memory of a map, of ${containerMiB}`, value: map, unit: 'MiB' },
        { name: `most memory of a reduce, of ${containerMiB}`, value: reduce, unit: 'MiB' },
      );
      rmSync(input, { recursive: true });
    }
    return measures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
