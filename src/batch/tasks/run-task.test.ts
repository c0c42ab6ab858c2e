import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { fileInputCounterGroup, fileOutputCounterGroup, fileSystemCounterGroup, taskCounterGroup } from '../counters/names.ts';
import { runLocalJob } from '../test-support/local-job.ts';
import type { InputSplit } from './input/input-split.ts';
import { cutIntoSplits, listInput, orderSplits, type SplitRules } from './input/splits.ts';
import { hashBytes, partitionOf } from './writables.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const scratch = mkdtempSync(join(tmpdir(), 'heddle-tasks-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;

const rules: SplitRules = {
  api: 'mapreduce',
  blockSizeBytes: 1 << 25,
  minimumBytes: 1,
  maximumBytes: 1 << 25,
  mapsHint: 2,
  recursive: false,
  ignoreSubfolders: true,
  hosts: [],
};

/** A job of the module at a path. */
const moduleOf = (output: string, module: string): Record<string, string> => ({
  'heddle.batch.program': 'module',
  'heddle.batch.module': module,
  'mapreduce.output.fileoutputformat.outputdir': output,
});

/** A folder with input files, and their splits. */
function input(files: Record<string, string>, change: Partial<SplitRules> = {}): { folder: string; splits: InputSplit[]; output: string } {
  const folder = join(scratch, String(++serial));
  mkdirSync(join(folder, 'in'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'in', name), text);
  const all = { ...rules, ...change };
  return { folder, splits: orderSplits(cutIntoSplits(listInput([join(folder, 'in')], all), all)), output: join(folder, 'out') };
}

function wordsOf(texts: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) for (const word of text.split(/[ \t\n\r\f]+/)) if (word !== '') counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

test('a word count equals an independent count, however the input is cut and spilled', async () => {
  const word = fc.constantFrom('the', 'a', 'weaver', 'naïve', '織', 'x'.repeat(130), 'the\u0001', 'thee', '', ' ');
  const text = fc.array(fc.tuple(word, fc.constantFrom(' ', '\n', '\t', '\r\n', '\f'))).map((pairs) => pairs.flat().join(''));
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 5, max: 200 }),
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
      async (texts, splitBytes, reduces, smallBuffer) => {
        const { folder, splits, output } = input(Object.fromEntries(texts.map((one, i) => [`f${i}`, one])), { maximumBytes: splitBytes });
        const result = await runLocalJob({
          folder,
          reduces,
          splits,
          configuration: {
            'heddle.batch.program': 'wordcount',
            'mapreduce.output.fileoutputformat.outputdir': output,
            'mapreduce.task.io.sort.mb': smallBuffer ? '0.0001' : '100',
          },
        });
        const expected = wordsOf(texts);
        assert.deepEqual(result.failures, []);
        assert.deepEqual(
          new Map(result.output.map((line) => [line.slice(0, line.lastIndexOf('\t')), Number(line.slice(line.lastIndexOf('\t') + 1))])),
          expected,
        );
        const files = readdirSync(output)
          .filter((name) => !name.startsWith('.'))
          .sort();
        assert.deepEqual(files, ['_SUCCESS', ...Array.from({ length: reduces }, (_, i) => `part-r-0000${i}`)]);
        for (let reduce = 0; reduce < reduces; reduce++) {
          const keys = readFileSync(join(output, `part-r-0000${reduce}`), 'utf8')
            .split('\n')
            .slice(0, -1)
            .map((line) => Buffer.from(line.split('\t')[0]!));
          for (const [i, key] of keys.entries()) {
            assert.equal(partitionOf(hashBytes(key), reduces), reduce);
            if (i > 0) assert.ok(Buffer.compare(keys[i - 1]!, key) < 0);
          }
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('counters of a small word count are those of Hadoop', async () => {
  const { folder, splits, output } = input({ 'a.txt': 'the quick brown fox\njumps over the lazy dog\n', 'b.txt': 'the end\n' });
  const { counters, finals } = await runLocalJob({
    folder,
    reduces: 1,
    splits,
    configuration: { 'heddle.batch.program': 'wordcount', 'mapreduce.output.fileoutputformat.outputdir': output },
  });
  const expected: Record<string, number> = {
    MAP_INPUT_RECORDS: 3,
    MAP_OUTPUT_RECORDS: 11,
    MAP_OUTPUT_BYTES: 96,
    MAP_OUTPUT_MATERIALIZED_BYTES: 120,
    COMBINE_INPUT_RECORDS: 11,
    COMBINE_OUTPUT_RECORDS: 10,
    REDUCE_INPUT_GROUPS: 9,
    REDUCE_SHUFFLE_BYTES: 120,
    REDUCE_INPUT_RECORDS: 10,
    REDUCE_OUTPUT_RECORDS: 9,
    SPILLED_RECORDS: 20,
    SHUFFLED_MAPS: 2,
    FAILED_SHUFFLE: 0,
    MERGED_MAP_OUTPUTS: 2,
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(counters.get(taskCounterGroup, name), value, name);
  assert.equal(counters.get(fileInputCounterGroup, 'BYTES_READ'), 52);
  assert.equal(counters.get(fileOutputCounterGroup, 'BYTES_WRITTEN'), 74);
  assert.deepEqual(
    finals.map((report) => report.statusText),
    ['map', 'map', 'reduce > reduce'],
  );
  assert.deepEqual(Object.keys(finals[0]!.counters[taskCounterGroup]!).sort(), [...mapNames].sort());
});

const mapNames = [
  'MAP_INPUT_RECORDS',
  'MAP_OUTPUT_RECORDS',
  'MAP_OUTPUT_BYTES',
  'MAP_OUTPUT_MATERIALIZED_BYTES',
  'SPLIT_RAW_BYTES',
  'COMBINE_INPUT_RECORDS',
  'COMBINE_OUTPUT_RECORDS',
  'SPILLED_RECORDS',
  'FAILED_SHUFFLE',
  'MERGED_MAP_OUTPUTS',
  'GC_TIME_MILLIS',
  'CPU_MILLISECONDS',
  'PHYSICAL_MEMORY_BYTES',
  'VIRTUAL_MEMORY_BYTES',
  'COMMITTED_HEAP_BYTES',
  'MAP_PHYSICAL_MEMORY_BYTES_MAX',
  'MAP_VIRTUAL_MEMORY_BYTES_MAX',
];

const streaming = (output: string, mapper: string, reducer?: string, more: Record<string, string> = {}) => ({
  'heddle.batch.program': 'streaming',
  'mapreduce.output.fileoutputformat.outputdir': output,
  'stream.map.streamprocessor': encodeURIComponent(mapper),
  ...(reducer === undefined ? {} : { 'stream.reduce.streamprocessor': encodeURIComponent(reducer) }),
  ...more,
});

test('streaming passes lines through commands, sorted by key in between', async () => {
  const { folder, splits, output } = input({ 'a.txt': 'b 1\na 2\nc 3\n', 'b.txt': 'a 4\n' });
  const { output: lines, finals } = await runLocalJob({
    folder,
    reduces: 1,
    splits,
    configuration: streaming(output, "tr ' ' '\t'", 'cat'),
  });
  assert.deepEqual([...lines].sort(), ['a\t2', 'a\t4', 'b\t1', 'c\t3']);
  assert.deepEqual(
    lines.map((line) => line[0]),
    ['a', 'a', 'b', 'c'],
  );
  assert.deepEqual(
    finals.map((report) => report.statusText),
    ['Records R/W=3/1', 'Records R/W=1/1', 'Records R/W=4/1 > reduce'],
  );
  assert.deepEqual(readdirSync(output).sort(), ['.part-00000.crc', '_SUCCESS', 'part-00000']);
});

test("without reduces the mapper's lines are the output; a line without tab becomes a key with an empty value", async () => {
  const { folder, splits, output } = input({ 'a.txt': 'one two\n' });
  const { output: lines } = await runLocalJob({ folder, reduces: 0, splits, configuration: streaming(output, 'cat') });
  assert.deepEqual(lines, ['one two\t']);
});

test('standard error may count and set the status; settings are in the environment', async () => {
  const { folder, splits, output } = input({ 'a.txt': 'x\n' });
  const command = `bash -c 'cat; echo "reporter:counter:mine,seen,5" >&2; echo "reporter:counter:bad" >&2; echo "reporter:status:half way" >&2; echo "$mapreduce_job_id $mapred_task_is_map $case_plain $EXTRA"'`;
  const result = await runLocalJob({
    folder,
    reduces: 0,
    splits,
    configuration: streaming(output, command, undefined, {
      'case.plain': '${case.other}!',
      'case.other': 'value',
      'stream.addenvironment': 'EXTRA=a=b',
    }),
  });
  assert.deepEqual(result.output, ['x\t', 'job_1700000000000_0001 true value! a=b\t']);
  assert.equal(result.counters.get('mine', 'seen'), 5);
  assert.equal(result.finals[0]!.statusText, 'half way');
});

test('a command that fails fails its attempt with the text of streaming', async () => {
  const { folder, splits, output } = input({ 'a.txt': 'x\n' });
  const { failures } = await runLocalJob({ folder, reduces: 0, splits, configuration: streaming(output, 'bash -c "exit 3"') });
  assert.match(
    failures[0]!.diagnostic,
    /^Error: java\.lang\.RuntimeException: PipeMapRed\.waitOutputThreads\(\): subprocess failed with code 3$/,
  );
  const missing = await runLocalJob({ folder, reduces: 0, splits, configuration: streaming(output, 'no-such-program') });
  assert.match(missing.failures[0]!.diagnostic, /configuration exception: Cannot run program "no-such-program"/);
});

test('a sleeping job reads and writes nothing', async () => {
  const folder = join(scratch, String(++serial));
  mkdirSync(folder);
  const { counters, failures } = await runLocalJob({
    folder,
    reduces: 2,
    splits: [undefined, undefined],
    configuration: {
      'heddle.batch.program': 'sleep',
      'mapreduce.sleepjob.map.sleep.time': '1',
      'mapreduce.sleepjob.reduce.sleep.time': '1',
    },
  });
  assert.deepEqual(failures, []);
  assert.equal(counters.get(taskCounterGroup, 'MAP_INPUT_RECORDS'), 2);
  assert.equal(counters.get(taskCounterGroup, 'MAP_OUTPUT_RECORDS'), 4);
  assert.equal(counters.get(taskCounterGroup, 'REDUCE_INPUT_RECORDS'), 4);
  assert.equal(counters.get(fileInputCounterGroup, 'BYTES_READ'), 0);
});

test('an attempt that fails says why, with the place in the user’s module', async () => {
  const { folder, splits, output } = input({ 'a.txt': 'ab\n' });
  const module = join(folder, 'bad.ts');
  writeFileSync(module, "export function map(): void { throw new TypeError('no such word'); }");
  const logged: string[] = [];
  const result = await runLocalJob({
    folder,
    reduces: 0,
    splits,
    configuration: moduleOf(output, module),
    onFailed: (diagnostic) => logged.push(diagnostic),
  });
  assert.equal(logged.length, 1);
  assert.match(logged[0]!, /^Error: TypeError: no such word\n\tat map .*bad\.ts:1/);
  assert.equal(result.failures.length, 1);
});

test('a module of the user maps, combines and reduces strings', async () => {
  const { folder, splits, output } = input({ 'a.txt': 'ab\nabc\nb\n' });
  const module = join(folder, 'job.ts');
  writeFileSync(
    module,
    `type Emit = (key: string, value: string) => void;
     export function map(line: string, emit: Emit): void { emit(line[0]!, String(line.length)); }
     const longest = (key: string, values: Iterable<string>, emit: Emit) => emit(key, String(Math.max(...[...values].map(Number))));
     export { longest as combine, longest as reduce };`,
  );
  const result = await runLocalJob({
    folder,
    reduces: 1,
    splits,
    configuration: moduleOf(output, module),
  });
  assert.deepEqual(result.failures, []);
  assert.deepEqual(result.output, ['a\t3', 'b\t1']);
  assert.equal(result.counters.get(taskCounterGroup, 'COMBINE_INPUT_RECORDS'), 3);
});

test('a reduce tells while it works how much of its input it has reduced', async () => {
  const { folder, splits, output } = input({ 'a.txt': Array.from({ length: 40 }, (_, i) => `${10 + i}\n`).join('') });
  const module = join(folder, 'job.ts');
  const told = Promise.withResolvers<void>();
  Object.assign(globalThis, { toldOfReduce: told.promise });
  // In its twentieth group it waits until that much was told.
  writeFileSync(
    module,
    `export const map = (line: string, emit: (key: string, value: string) => void) => emit(line, line);
     export const reduce = async (key: string) => { if (key === '29') await (globalThis as any).toldOfReduce; };`,
  );
  const result = await runLocalJob({
    folder,
    reduces: 1,
    splits,
    configuration: moduleOf(output, module),
    onStatus: ({ phase, progress }) => {
      if (phase === 'REDUCE' && Math.abs(progress - (2 + 20 / 40) / 3) < 0.02) told.resolve();
    },
  });
  assert.deepEqual(result.failures, []);
});

test('a map tells while it works what it has read of local files', async () => {
  const { folder, splits, output } = input({ 'a.txt': 'one\ntwo\n' });
  const module = join(folder, 'job.ts');
  const told = Promise.withResolvers<void>();
  Object.assign(globalThis, { toldOfFiles: told.promise });
  writeFileSync(module, 'export const map = () => (globalThis as any).toldOfFiles;');
  const { failures } = await runLocalJob({
    folder,
    reduces: 0,
    splits,
    configuration: moduleOf(output, module),
    onStatus: ({ counters }) => {
      if (Number(counters[fileSystemCounterGroup]?.['FILE_BYTES_READ']) === 8) told.resolve();
    },
  });
  assert.deepEqual(failures, []);
});

test('output files are made with their first record where the job wants it so', async () => {
  const { folder, splits, output } = input({ 'a.txt': 'x\n' });
  const { failures } = await runLocalJob({
    folder,
    reduces: 3,
    splits,
    configuration: {
      'heddle.batch.program': 'streaming',
      'mapred.output.format.class': 'org.apache.hadoop.mapred.lib.LazyOutputFormat',
      'mapreduce.output.fileoutputformat.outputdir': output,
    },
  });
  assert.deepEqual(failures, []);
  const parts = readdirSync(output).filter((name) => name.startsWith('part-'));
  assert.equal(parts.length, 1, `${parts}`);
});

test('counters of files have what was spilled, merged and read again', async () => {
  const { folder, splits, output } = input({ 'a.txt': 'a line of some words\n'.repeat(40_000) });
  const { counters, failures } = await runLocalJob({
    folder,
    reduces: 1,
    splits,
    configuration: {
      'heddle.batch.program': 'streaming',
      'mapreduce.task.io.sort.mb': '0.5',
      'mapreduce.task.io.sort.factor': '2',
      'mapreduce.output.fileoutputformat.outputdir': output,
    },
  });
  assert.deepEqual(failures, []);
  const [read, written] = ['FILE_BYTES_READ', 'FILE_BYTES_WRITTEN'].map((name) => counters.get(fileSystemCounterGroup, name)) as [
    number,
    number,
  ];
  const sorted = counters.get(taskCounterGroup, 'MAP_OUTPUT_MATERIALIZED_BYTES');
  const inputBytes = counters.get(fileInputCounterGroup, 'BYTES_READ');
  const outputBytes = counters.get(fileOutputCounterGroup, 'BYTES_WRITTEN');
  assert.ok(counters.get(taskCounterGroup, 'SPILLED_RECORDS') > 100_000, 'there were spills and merges of them');
  assert.ok(read > inputBytes + sorted, `${read} bytes read, of them ${inputBytes} of input`);
  assert.ok(written > outputBytes + 2 * sorted, `${written} bytes written, of them ${outputBytes} of output`);
});
