// How an attempt at a task ends besides well: not wanted, not permitted, stopped from outside, without its output folder.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { fileOutputCounterGroup, taskCounterGroup } from '../counters/names.ts';
import { jobId, map } from '../test-support/a-job.ts';
import { runLocalJob } from '../test-support/local-job.ts';
import { describeError } from './describe-error.ts';
import { JobConfiguration } from './job-configuration.ts';
import { AttemptNotWanted } from './reporter.ts';
import { committerOf, runTask } from './run-task.ts';
import type { FailureReport, StatusReport, TaskAssignment } from './umbilical.ts';
import type { Umbilical } from './umbilical-client.ts';

const scratch = mkdtempSync(join(tmpdir(), 'heddle-ends-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;

/** One map without reduces over a small file, and a master that answers as told. */
async function attempt(
  options: {
    readonly settings?: Record<string, string>;
    readonly master?: Partial<Umbilical>;
    readonly setUp?: boolean;
    readonly signal?: AbortSignal;
  } = {},
) {
  const folder = join(scratch, String(++serial));
  const output = join(folder, 'out');
  mkdirSync(folder);
  writeFileSync(join(folder, 'in'), 'a\nb\n');
  const calls: string[] = [];
  const finals: StatusReport[] = [];
  const failures: FailureReport[] = [];
  const known = { known: true };
  const umbilical: Umbilical = {
    task: () => Promise.reject(new Error('the attempt has its task')),
    events: () => Promise.reject(new Error('a map asks for no events')),
    status: async () => known,
    commitPending: async () => {
      calls.push('commitPending');
      return known;
    },
    canCommit: async () => {
      calls.push('canCommit');
      return { known: true, permitted: true };
    },
    done: async (report) => {
      calls.push('done');
      finals.push(report);
      return known;
    },
    failed: async (report) => {
      calls.push('failed');
      failures.push(report);
      return known;
    },
    ...options.master,
  };
  const configuration: Record<string, string> = {
    'heddle.batch.program': 'streaming',
    'stream.map.streamprocessor': 'cat',
    'mapreduce.output.fileoutputformat.outputdir': output,
    ...options.settings,
  };
  const assignment: TaskAssignment = {
    attemptId: map(0),
    kind: 'MAP',
    index: 0,
    generation: 1,
    maps: 1,
    reduces: 0,
    split: { path: join(folder, 'in'), start: 0, length: 4, hosts: [] },
    configuration,
    user: 'ann',
  };
  if (options.setUp !== false) committerOf(new JobConfiguration(configuration), 1).setupJob();
  const run = () =>
    runTask({ jobId, assignment, umbilical, token: Buffer.from('token'), clock: systemClock, localFolder: folder, signal: options.signal });
  return { run, output, calls, finals, failures };
}

/** Files that a reader of the output sees. */
const visible = (folder: string) => readdirSync(folder).filter((name) => !/^[._]/.test(name));

describe('an attempt', () => {
  test('that is well asks for the permission, commits, and says so last', async () => {
    const { run, output, calls, finals } = await attempt();
    assert.equal(await run(), true);
    assert.deepEqual(calls, ['commitPending', 'canCommit', 'done']);
    assert.deepEqual(visible(output), ['part-00000']);
    assert.equal(finals[0]!.progress, 1);
    assert.equal(finals[0]!.counters[taskCounterGroup]!['MAP_OUTPUT_RECORDS'], 2);
    assert.ok(Number(finals[0]!.counters[fileOutputCounterGroup]!['BYTES_WRITTEN']) > 6, 'the file and its checksums');
  });

  test('that may not commit yet asks again', async () => {
    let asked = 0;
    const { run, output } = await attempt({ master: { canCommit: async () => ({ known: true, permitted: ++asked > 2 }) } });
    assert.equal(await run(), true);
    assert.equal(asked, 3);
    assert.deepEqual(visible(output), ['part-00000']);
  });

  test('whose commit is refused writes nothing', async () => {
    const { run, output, calls } = await attempt({ master: { canCommit: async () => ({ known: false, permitted: false }) } });
    await assert.rejects(run(), AttemptNotWanted);
    assert.deepEqual(visible(output), []);
    assert.ok(!calls.includes('done') && !calls.includes('failed'));
  });

  test('that its master does not know at the end is not told to be done', async () => {
    const { run } = await attempt({ master: { done: async () => ({ known: false }) } });
    await assert.rejects(run(), { name: 'AttemptNotWanted', message: `${map(0)} is not wanted any more` });
  });

  test('that is stopped from outside tells its master nothing more', async () => {
    const { run, calls, output } = await attempt({
      settings: { 'stream.map.streamprocessor': 'sleep+600' },
      signal: AbortSignal.timeout(30),
    });
    await assert.rejects(run(), AttemptNotWanted);
    assert.deepEqual(calls, []);
    assert.deepEqual(visible(output), []);
  });

  test('that does not see the output’s folder says where it looked', async () => {
    const { run, failures, output } = await attempt({ setUp: false });
    assert.equal(await run(), false);
    assert.match(
      failures[0]!.diagnostic,
      new RegExp(`^Error: FileNotFoundException: The output folder file:${output}, which the job's master made, is not on `),
    );
    assert.ok(!existsSync(output));
  });

  test('of a program that does not exist, or with a setting that cannot be read, fails with its name', async () => {
    for (const [settings, message] of [
      [{ 'heddle.batch.program': 'juggle' }, "heddle.batch.program: unknown program 'juggle'"],
      [{ 'stream.num.map.output.key.fields': 'two' }, "stream.num.map.output.key.fields: 'two' is not a number"],
      [
        { 'mapreduce.output.fileoutputformat.compress': 'true', 'mapreduce.output.fileoutputformat.compress.codec': 'x.Y' },
        'Compression codec x.Y was not found.',
      ],
    ] as const) {
      const { run, failures } = await attempt({ settings: { ...settings } });
      assert.equal(await run(), false);
      assert.ok(failures[0]!.diagnostic.split('\n')[0]!.endsWith(message), failures[0]!.diagnostic);
      assert.equal(failures[0]!.failFast, false);
    }
  });

  test('leaves nothing of its work behind when it fails', async () => {
    const { run, output } = await attempt({ settings: { 'stream.map.streamprocessor': 'bash+-c+%22cat%3B+exit+1%22' } });
    assert.equal(await run(), false);
    assert.deepEqual(
      readdirSync(join(output, '_temporary', '1')).flatMap((name) => readdirSync(join(output, '_temporary', '1', name))),
      [],
    );
  });
});

describe('an error, as diagnostics show it', () => {
  test('has Java’s name where it has none of its own, places in the user’s code alone, and its causes', () => {
    const inner = new TypeError('inner', { cause: 'a text' });
    inner.stack = 'TypeError: inner\n    at map (file:///data/ann/job.ts:3:9)\n    at run (node:internal/x:1:1)';
    assert.deepEqual(describeError(new Error('outer', { cause: inner })).split('\n'), [
      'java.lang.RuntimeException: outer',
      'Caused by: TypeError: inner',
      '\tat map (file:///data/ann/job.ts:3:9)',
      'Caused by: a text',
    ]);
  });

  test('names a full disk', () => {
    const error = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', path: '/data/x' });
    assert.match(describeError(error), /^java\.lang\.RuntimeException: ENOSPC: .*\nThe disk of \/data\/x on \S+ is full\.$/);
  });

  test('ends, also where errors cause each other', () => {
    const [a, b] = [new Error('a'), new Error('b')];
    a.cause = b;
    b.cause = a;
    assert.ok(describeError(a).length < 1000);
  });

  test('may be anything that was thrown', () => {
    assert.equal(describeError('text'), 'text');
    assert.equal(describeError(undefined), 'undefined');
  });
});

describe('a whole job in one process', () => {
  test('gives a sleeping job’s keys to reduces by their numbers, each once', async () => {
    const folder = join(scratch, String(++serial));
    mkdirSync(folder);
    const { counters, finals } = await runLocalJob({
      folder,
      reduces: 2,
      splits: [undefined, undefined, undefined],
      configuration: {
        'heddle.batch.program': 'sleep',
        'mapreduce.sleepjob.map.sleep.count': '2',
        'mapreduce.sleepjob.map.sleep.time': '2',
        'mapreduce.sleepjob.reduce.sleep.count': '3',
        'mapreduce.sleepjob.reduce.sleep.time': '3',
      },
    });
    assert.equal(counters.get(taskCounterGroup, 'MAP_INPUT_RECORDS'), 6, 'a record for each time of sleeping');
    assert.equal(counters.get(taskCounterGroup, 'MAP_OUTPUT_RECORDS'), 3 * 6);
    assert.equal(counters.get(taskCounterGroup, 'REDUCE_INPUT_GROUPS'), 6);
    assert.match(finals[0]!.statusText, /^Sleeping\.\.\. \(1\) ms left > sort$|^Sleeping\.\.\. \(1\) ms left$/);
  });

  test('merges from disk where the memory of the reduce is small, with the same result', async () => {
    const folder = join(scratch, String(++serial));
    mkdirSync(folder);
    const lines = Array.from({ length: 400 }, (_, i) => `word${i % 37} word${i % 11} ${'x'.repeat(i % 13)}`);
    const splits = [0, 1, 2, 3].map((part) => {
      const path = join(folder, `in${part}`);
      writeFileSync(path, lines.slice(part * 100, part * 100 + 100).join('\n'));
      return { path, start: 0, length: lines.slice(part * 100, part * 100 + 100).join('\n').length, hosts: [] };
    });
    const run = (name: string, more: Record<string, string>) =>
      runLocalJob({
        folder: join(folder, name),
        reduces: 2,
        splits,
        configuration: {
          'heddle.batch.program': 'wordcount',
          'mapreduce.output.fileoutputformat.outputdir': join(folder, name, 'out'),
          ...more,
        },
      });
    const roomy = await run('roomy', {});
    const tight = await run('tight', {
      'mapreduce.reduce.shuffle.input.buffer.percent': '0.0000001',
      'mapreduce.task.io.sort.mb': '0.001',
    });
    assert.deepEqual(tight.failures, []);
    assert.deepEqual(tight.output, roomy.output);
    assert.ok(roomy.output.length > 40);
  });
});
