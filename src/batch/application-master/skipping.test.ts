// Jobs with records on which their programs die: all others come through, and what was left out is kept and counted.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createHistoryWriter } from '../../wire/files/job-history.ts';
import { readSequence } from '../../wire/files/sequence-reader.ts';
import { taskCounterGroup } from '../counters/names.ts';
import { runningHistoryPath } from '../submission/staging.ts';
import { BadJob } from '../submission/submission.ts';
import { jobId, map, mapTask, reduce } from '../test-support/a-job.ts';
import { linesOf, type Prepared, prepare, publishedHistory, run } from '../test-support/a-staged-job.ts';
import { masterStarted } from './history-events.ts';
import { rememberSkipping } from './skipping-file.ts';

const lines = Array.from({ length: 16 }, (_, index) => (index === 11 ? 'bad' : `line${String(index).padStart(2, '0')}`));
const text = `${lines.join('\n')}\n`;
const good = lines.filter((line) => line !== 'bad');
const own = { 'mapreduce.map.speculative': 'false', 'mapreduce.reduce.speculative': 'false', 'mapreduce.job.maps': '1' };
const skipMaps = { ...own, 'mapreduce.map.skip.maxrecords': '1' };

interface Functions {
  readonly map?: string;
  readonly reduce?: string;
}
const throws = `{ if (line === 'bad') throw new Error('it is bad'); emit(line, ''); }`;

const scripts = mkdtempSync(join(tmpdir(), 'heddle-skipping-'));
after(() => rmSync(scripts, { recursive: true }));
let serial = 0;

/** A job of a module; its input is 16 lines. */
function moduleJob({ map = `(line, emit) => ${throws}`, reduce }: Functions, settings: Record<string, string>): Prepared {
  const module = join(scripts, `${++serial}.ts`);
  writeFileSync(module, `export const map = ${map};\n${reduce === undefined ? '' : `export const reduce = ${reduce};\n`}`);
  return prepare({ program: 'module', module }, settings, { lines: text });
}

/** A job of commands: shell scripts that read lines. */
function commandJob(
  { mapper, reducer }: { readonly mapper: string; readonly reducer?: string },
  settings: Record<string, string>,
): Prepared {
  const command = (script: string) => {
    const path = join(scripts, `${++serial}.sh`);
    writeFileSync(path, script);
    return `bash ${path}`;
  };
  const request = { mapper: command(mapper), reducer: reducer === undefined ? 'NONE' : command(reducer) };
  return prepare({ program: 'streaming', ...request }, settings, { lines: text });
}

/** The counters of a job that succeeded. */
async function countersOf(job: Prepared) {
  const last = (await publishedHistory(job)).at(-1)!;
  assert.ok(last.type === 'JOB_FINISHED', last.type);
  const groups = last.event.totalCounters?.groups ?? [];
  return (group: string, name: string) => {
    const found = groups.find((one) => one.name === group)?.counts.find((counter) => counter.name === name);
    return found === undefined ? undefined : Number(found.value);
  };
}

/** What was left out: by the file’s name its records, as their classes wrote them. */
function leftOut(folder: string) {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readSequence(readFileSync(join(folder, name)))]));
}
const asText = (bytes: Buffer) => bytes.subarray(1).toString();

describe('a map that dies on a record', () => {
  test('leaves it out: the third attempt says which it is, the fourth comes through', async () => {
    const job = moduleJob({}, { ...skipMaps, 'mapreduce.job.reduces': '0' });
    const manager = await run(job);
    assert.equal(manager.finished[0]!.finalStatus, 'SUCCEEDED', String(manager.finished[0]!.diagnostics));
    assert.deepEqual(
      linesOf(job.output!).map((line) => line.trimEnd()),
      good,
    );
    assert.deepEqual(
      manager.ran,
      [0, 1, 2, 3].map((number) => map(0, number)),
    );
    const kept = leftOut(join(job.output!, '_logs/skip'));
    assert.deepEqual(Object.keys(kept), [map(0, 3)]);
    const { keyClass, valueClass, records } = kept[map(0, 3)]!;
    assert.deepEqual([keyClass, valueClass], ['org.apache.hadoop.io.LongWritable', 'org.apache.hadoop.io.Text']);
    assert.deepEqual(
      records.map(({ key, value }) => [Number(key.readBigInt64BE()), asText(value)]),
      [[text.indexOf('bad'), 'bad']],
    );
    const counter = await countersOf(job);
    assert.equal(counter(taskCounterGroup, 'MAP_SKIPPED_RECORDS'), 1);
    assert.equal(counter(taskCounterGroup, 'MAP_INPUT_RECORDS'), good.length);
    assert.equal(counter('SkippingTaskCounters', 'MapProcessedRecords'), good.length);
  });

  test('fails its job where nothing may be left out, or too few attempts are left', async () => {
    for (const settings of [own, { ...skipMaps, 'mapreduce.map.maxattempts': '3' }]) {
      const job = moduleJob({}, settings);
      const manager = await run(job);
      assert.equal(manager.finished[0]!.finalStatus, 'FAILED');
      assert.ok(!existsSync(join(job.output!, '_logs')));
    }
  });

  test('may be asynchronous, and count for itself what it is done with', async () => {
    const source = `async (line, emit, position, context) => { await undefined; if (line === 'bad') throw new Error('it is bad'); emit(line, ''); context.count('SkippingTaskCounters', 'MapProcessedRecords'); }`;
    const job = moduleJob(
      { map: source },
      { ...skipMaps, 'mapreduce.map.skip.proc-count.auto-incr': 'false', 'mapreduce.job.skip.outdir': 'none' },
    );
    const manager = await run(job);
    assert.equal(manager.finished[0]!.finalStatus, 'SUCCEEDED', String(manager.finished[0]!.diagnostics));
    assert.equal(manager.ran.filter((id) => id.includes('_m_')).length, 4);
    assert.deepEqual(
      linesOf(job.output!).map((line) => line.trimEnd()),
      good,
    );
    assert.ok(!existsSync(join(job.output!, '_logs')), 'nothing is kept');
    assert.equal((await countersOf(job))('SkippingTaskCounters', 'MapProcessedRecords'), good.length);
  });

  test('may be a command, which says what it is done with, or does not: then halves are tried', async () => {
    const mapper = (says: string) => `while IFS= read -r line; do [ "$line" = bad ] && exit 3; echo "$line"; ${says}done\n`;
    for (const [says, most, attempts] of [
      ['echo reporter:counter:SkippingTaskCounters,MapProcessedRecords,1 >&2; ', '4', 8],
      ['', '1', 12],
    ] as const) {
      const job = commandJob(
        { mapper: mapper(says) },
        {
          ...skipMaps,
          'mapreduce.map.skip.maxrecords': most,
          'mapreduce.map.maxattempts': String(attempts),
          'mapreduce.job.skip.outdir': 'skipped',
        },
      );
      const manager = await run(job);
      assert.equal(manager.finished[0]!.finalStatus, 'SUCCEEDED', String(manager.finished[0]!.diagnostics));
      const records = Object.values(leftOut(join(job.home, 'skipped'))).flatMap((file) => file.records.map(({ value }) => asText(value)));
      assert.ok(records.includes('bad') && records.length <= Number(most), records.join());
      const written = linesOf(job.output!).map((line) => line.trimEnd());
      assert.deepEqual([...written, ...records].sort(), [...lines].sort());
      assert.equal((await countersOf(job))(taskCounterGroup, 'MAP_SKIPPED_RECORDS'), records.length);
    }
  });

  test('finds in its settings whether records are left out', async () => {
    const mapper =
      'while IFS= read -r line; do [ "$line" = bad ] && exit 3; echo "$line $mapreduce_job_skiprecords"; echo reporter:counter:SkippingTaskCounters,MapProcessedRecords,1 >&2; done\n';
    const job = commandJob({ mapper }, { ...skipMaps, 'mapreduce.map.maxattempts': '12' });
    await run(job);
    assert.ok(linesOf(job.output!).includes('line00 true\t'), linesOf(job.output!).join());
  });
});

describe('a reduce that dies on a group', () => {
  const keys = `(line, emit) => { emit(line.replace(/[0-9]$/, ''), line); }`;
  const skipReduces = { ...own, 'mapreduce.reduce.skip.maxgroups': '1' };
  const groups = ['bad', 'line0', 'line1'];

  test('leaves it out, with all its records', async () => {
    const job = moduleJob(
      { map: keys, reduce: `(key, values, emit) => { if (key === 'line0') throw new Error('no'); emit(key, [...values].length); }` },
      skipReduces,
    );
    const manager = await run(job);
    assert.equal(manager.finished[0]!.finalStatus, 'SUCCEEDED', String(manager.finished[0]!.diagnostics));
    assert.deepEqual(linesOf(job.output!), ['bad\t1', 'line1\t5']);
    assert.deepEqual(
      manager.ran.filter((id) => id.includes('_r_')),
      [0, 1, 2, 3].map((number) => reduce(0, number)),
    );
    const { records } = leftOut(join(job.output!, '_logs/skip'))[reduce(0, 3)]!;
    assert.deepEqual(
      records.map(({ key, value }) => [asText(key), asText(value)]),
      lines.filter((line) => line.startsWith('line0')).map((line) => ['line0', line]),
    );
    const counter = await countersOf(job);
    assert.deepEqual(
      ['REDUCE_SKIPPED_GROUPS', 'REDUCE_SKIPPED_RECORDS', 'REDUCE_INPUT_GROUPS', 'REDUCE_INPUT_RECORDS'].map((name) =>
        counter(taskCounterGroup, name),
      ),
      [1, 10, groups.length - 1, 6],
    );
    assert.equal(counter('SkippingTaskCounters', 'ReduceProcessedGroups'), groups.length - 1);
  });

  test('may be a command, over keys that travel in another form', async () => {
    const mapper = 'while IFS= read -r line; do printf "%s\\t%s\\n" "${line%[0-9]}" "$line"; done\n';
    const reducer =
      'last=; while IFS="\t" read -r key value; do [ "$key" = line0 ] && exit 4; [ "$key" = "$last" ] || { [ -z "$last" ] || echo reporter:counter:SkippingTaskCounters,ReduceProcessedGroups,1 >&2; }; last=$key; echo "$key $value"; done\n';
    const job = commandJob(
      { mapper, reducer },
      {
        ...skipReduces,
        'mapreduce.reduce.maxattempts': '10',
        'mapreduce.job.output.key.comparator.class': 'org.apache.hadoop.mapred.lib.KeyFieldBasedComparator',
        'mapreduce.partition.keycomparator.options': '-r',
      },
    );
    const manager = await run(job);
    assert.equal(manager.finished[0]!.finalStatus, 'SUCCEEDED', String(manager.finished[0]!.diagnostics));
    assert.deepEqual(
      linesOf(job.output!)
        .map((line) => line.split(' ')[0])
        .filter((key, index, all) => key !== all[index - 1]),
      ['line1', 'bad'],
    );
    const [{ records }] = Object.values(leftOut(join(job.output!, '_logs/skip'))) as [ReturnType<typeof readSequence>];
    assert.deepEqual([...new Set(records.map(({ key }) => asText(key)))], ['line0']);
  });
});

test('a second master leaves out what the first had found', async () => {
  const job = moduleJob({}, { ...skipMaps, 'mapreduce.job.reduces': '0' });
  rememberSkipping(job.staging, mapTask(0), { failures: 3, leftOut: [{ first: 11, count: 1 }] });
  const writer = await createHistoryWriter(runningHistoryPath(job.staging, jobId, 1));
  const node = { startTimeMs: 1, containerId: 'container_1', nodeId: 'n:1', nodeHttpAddress: 'n:2' };
  writer.write(masterStarted('appattempt_1700000000000_0001_000001', { number: 1, ...node }));
  await writer.close();
  const manager = await run(job, 2);
  assert.equal(manager.finished[0]!.finalStatus, 'SUCCEEDED', String(manager.finished[0]!.diagnostics));
  assert.deepEqual(manager.ran, [map(0, 1000)], 'its first attempt comes through');
  assert.equal((await countersOf(job))(taskCounterGroup, 'MAP_SKIPPED_RECORDS'), 1);
});

test('settings that cannot be are refused at the submission', () => {
  for (const [name, value] of [
    ['mapreduce.map.skip.maxrecords', 'some'],
    ['mapreduce.map.skip.maxrecords', '-1'],
    ['mapreduce.reduce.skip.maxgroups', '1.5'],
    ['mapreduce.task.skip.start.attempts', '-2'],
    ['mapreduce.map.skip.proc-count.auto-incr', 'perhaps'],
    ['mapreduce.job.skip.outdir', 'ftp://host/skipped'],
    ['mapreduce.job.skip.outdir', 'http://host/skipped'],
  ] as const)
    assert.throws(
      () => moduleJob({}, { [name]: value }),
      (error) => error instanceof BadJob && error.message.includes(name),
      `${name}=${value}`,
    );
  moduleJob({}, { 'mapreduce.map.skip.maxrecords': '9223372036854775807' });
});
