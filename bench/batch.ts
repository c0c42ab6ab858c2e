// How fast are large batch jobs, and what memory do their tasks take: 1 GB of records sorted, 500 MB through `cat` and `wc`?
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../src/lib/random.ts';
import { type ClusterProcesses, startProcesses } from '../test/support/processes.ts';
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

interface CounterGroups {
  readonly counterGroup?: readonly {
    readonly counter: readonly { readonly name: string; readonly totalCounterValue?: number; readonly value?: number }[];
  }[];
}

/** The most memory that each task of a job took, MiB, by its kind and number: `map 0`. */
async function peaks(historyUrl: string, jobId: string): Promise<ReadonlyMap<string, number>> {
  const job = `${historyUrl}/ws/v1/history/mapreduce/jobs/${jobId}`;
  const { tasks } = await getJson<{ tasks: { task: readonly { readonly id: string; readonly type: 'MAP' | 'REDUCE' }[] } }>(`${job}/tasks`);
  const found = new Map<string, number>();
  for (const { id, type } of tasks.task) {
    const { jobTaskCounters } = await getJson<{ jobTaskCounters: { readonly taskCounterGroup: CounterGroups['counterGroup'] } }>(
      `${job}/tasks/${id}/counters`,
    );
    const counter = jobTaskCounters.taskCounterGroup
      ?.flatMap((group) => group.counter)
      .find(({ name }) => name === `${type}_PHYSICAL_MEMORY_BYTES_MAX`);
    found.set(`${type.toLowerCase()} ${Number(id.slice(-6))}`, Math.round((counter?.value ?? Number.NaN) / 1048576));
  }
  return found;
}

/** Share of the sizes in the names that is done; `HEDDLE_BENCH_SHARE` sets another one, to try the bench itself. */
const share = Number(process.env['HEDDLE_BENCH_SHARE'] ?? 1);
const works = [
  { name: 'sort of 1 GB of 100-byte records', megabytes: 1000 * share, mapper: 'cat', reducer: 'cat', reduces: 2 },
  { name: 'cat and wc over 500 MB', megabytes: 500 * share, mapper: 'cat', reducer: 'wc', reduces: 2 },
] as const;
type Work = (typeof works)[number];

/** Hadoop's sort in Java, of its examples; the records' keys are texts. */
const javaSort = 'org.apache.hadoop.examples.Sort';
const ofTexts = [
  ...['-inFormat', 'org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat'],
  ...['-outFormat', 'org.apache.hadoop.mapreduce.lib.output.TextOutputFormat'],
  ...['-outKey', 'org.apache.hadoop.io.Text', '-outValue', 'org.apache.hadoop.io.Text'],
] as const;

async function secondsOf(run: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await run();
  return (performance.now() - begin) / 1000;
}

/** One job here, and the same on Hadoop: by its streaming, and a sort by its Java besides. */
async function measured(work: Work, folder: string, cluster: ClusterProcesses, peer: Peer | undefined): Promise<Measure[]> {
  const { name, megabytes, mapper, reducer, reduces } = work;
  const input = mkdtempSync(join(folder, 'in'));
  writeRecords(join(input, 'records.txt'), megabytes * 1e6);
  const settings = [
    `-Dmapreduce.job.reduces=${reduces}`,
    `-Dmapreduce.input.fileinputformat.split.minsize=${splitBytes}`,
    `-Dmapreduce.map.memory.mb=${containerMiB}`,
    `-Dmapreduce.reduce.memory.mb=${containerMiB}`,
  ];
  let printed = '';
  const seconds = await secondsOf(async () => {
    const ended = await cluster.heddle('batch', 'streaming', ...settings, input, join(folder, 'out'), mapper, reducer);
    printed = ended.output;
    if (ended.code !== 0) throw new Error(`${name} failed:\n${printed.slice(-2000)}`);
  });
  rmSync(join(folder, 'out'), { recursive: true });
  const jobId = /job_\d+_\d+/.exec(printed)?.[0];
  if (jobId === undefined) throw new Error(`${name}: no job is named in\n${printed.slice(-2000)}`);
  const measures: Measure[] = [{ name, value: megabytes / seconds, unit: 'MB/s' }];
  if (peer) {
    const output = join(folder, 'theirs');
    const theirs = await secondsOf(() => peer.batch('streaming', ...settings, input, output, mapper, reducer));
    rmSync(output, { recursive: true });
    measures[0]!.peer = megabytes / theirs;
    if (mapper === reducer) {
      const inJava = await secondsOf(() => peer.java(javaSort, ...settings.slice(1), '-r', String(reduces), ...ofTexts, input, output));
      rmSync(output, { recursive: true });
      measures.push({ name: `${name}, Hadoop’s in Java`, value: megabytes / seconds, unit: 'MB/s', peer: megabytes / inJava });
    }
  }
  for (const [task, value] of await peaks(cluster.urls.history, jobId))
    measures.push({ name: `most memory of ${task}, of ${containerMiB}`, value, unit: 'MiB' });
  rmSync(input, { recursive: true });
  return measures;
}

export async function batch(peer?: Peer): Promise<Measure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-batch-'));
  try {
    await using cluster = await startProcesses();
    const measures: Measure[] = [];
    for (const work of works) measures.push(...(await measured(work, folder, cluster, peer)));
    return measures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
