// What a task tells its master, and when; and the small parts that it is made of: progress, identifiers, paths, the log.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { pino } from 'pino';
import { ManualClock } from '../../lib/clock.ts';
import { fileOutputCounterGroup, fileSystemCounterGroup, taskCounterGroup } from '../counters/names.ts';
import { fileUri, localPath } from './paths.ts';
import { normalizeStatus, TaskProgress } from './progress.ts';
import { Reporter } from './reporter.ts';
import { applicationIdOfJob, formatAttemptId, formatTaskId, jobIdOfApplication, partFileName, taskIdOfAttempt } from './task-ids.ts';
import { noted, openTaskLog } from './task-log.ts';
import type { StatusReport, TaskKind } from './umbilical.ts';
import type { Umbilical } from './umbilical-client.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122) });

const attemptId = 'attempt_1700000000000_0001_m_000000_0';

/** A reporter and the reports that its master got. `answer` says what the master says to each. */
function aReporter(answer: (report: StatusReport) => Promise<{ known: boolean }> = async () => ({ known: true }), kind: TaskKind = 'MAP') {
  const reports: StatusReport[] = [];
  let unwanted = 0;
  const refuse = () => Promise.reject(new Error('a reporter sends its status alone'));
  const umbilical: Umbilical = {
    task: refuse,
    commitPending: refuse,
    canCommit: refuse,
    done: refuse,
    failed: refuse,
    events: refuse,
    status(report) {
      reports.push(report);
      return answer(report);
    },
  };
  const reporter = new Reporter({
    attemptId,
    kind,
    progress: new TaskProgress('map', [
      ['map', 0.667],
      ['sort', 0.333],
    ]),
    umbilical,
    onUnwanted: () => unwanted++,
  });
  return { reporter, reports, unwanted: () => unwanted };
}

/** Lets promises that are ready go on. */
const settle = async () => {
  for (let i = 0; i < 5; i++) await Promise.resolve();
};

describe('a report', () => {
  test('has the state, the progress and all counters', () => {
    const began = process.cpuUsage();
    const { reporter } = aReporter();
    while (process.cpuUsage(began).user < 20_000);
    reporter.phase = 'MAP';
    reporter.progress.phases[0]!.value = 0.5;
    reporter.count('MAP_INPUT_RECORDS', 3);
    let written = 0;
    reporter.addFileUse(() => ({ read: 4, written }));
    reporter.report();
    written = 20;
    reporter.addFileUse(() => ({ read: 6, written: 0 }));
    reporter.mapFinishTimeMs = 7;
    const report = reporter.report();
    assert.equal(report.attemptId, attemptId);
    assert.equal(report.phase, 'MAP');
    assert.ok(Math.abs(report.progress - 0.3335) < 1e-6);
    assert.equal(report.statusText, 'map > map');
    assert.equal(report.mapFinishTimeMs, 7);
    assert.equal(report.shuffleFinishTimeMs, undefined);
    const own = report.counters[taskCounterGroup]!;
    assert.equal(own['MAP_INPUT_RECORDS'], 3);
    for (const name of ['CPU_MILLISECONDS', 'PHYSICAL_MEMORY_BYTES', 'VIRTUAL_MEMORY_BYTES', 'MAP_PHYSICAL_MEMORY_BYTES_MAX'])
      assert.ok(Number(own[name]) > 0, name);
    assert.equal(own['GC_TIME_MILLIS'], 0);
    const files = report.counters[fileSystemCounterGroup]!;
    assert.deepEqual([files['FILE_BYTES_READ'], files['FILE_BYTES_WRITTEN'], files['FILE_READ_OPS']], [10, 20, 0]);
  });

  test('counts the processor time of commands that the task runs, and none from before it', () => {
    const work = 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done';
    spawnSync('sh', ['-c', work]);
    const { reporter } = aReporter();
    const cpuMs = () => Number(reporter.report().counters[taskCounterGroup]!['CPU_MILLISECONDS']);
    const { user, system } = process.cpuUsage();
    assert.ok(cpuMs() <= (user + system) / 1000, 'what this process itself has taken is more than what it has since the task began');
    const before = cpuMs();
    const own = process.cpuUsage();
    spawnSync('sh', ['-c', work]);
    const after = cpuMs();
    const ownSince = process.cpuUsage(own);
    assert.ok(after - before >= (ownSince.user + ownSince.system) / 1000 + 30, `${before} → ${after}`);
  });

  test('asks every source first, so that its counters are those of the moment', () => {
    const { reporter } = aReporter();
    let records = 0;
    for (const name of ['MAP_INPUT_RECORDS', 'MAP_OUTPUT_RECORDS'])
      reporter.addSource(() => reporter.counters.set(taskCounterGroup, name, records));
    records = 5;
    assert.equal(reporter.report().counters[taskCounterGroup]!['MAP_INPUT_RECORDS'], 5);
    records = 6;
    assert.equal(reporter.report().counters[taskCounterGroup]!['MAP_OUTPUT_RECORDS'], 6);
  });

  test('tells each fetch that failed once', () => {
    const { reporter } = aReporter();
    reporter.fetchFailed('attempt_a');
    reporter.fetchFailed('attempt_b');
    assert.deepEqual(reporter.report().fetchFailures, ['attempt_a', 'attempt_b']);
    assert.equal(reporter.report().fetchFailures, undefined);
  });

  test('never tells a progress that is no number', () => {
    const { reporter } = aReporter();
    reporter.progress.phases[0]!.value = Number.NaN;
    assert.equal(reporter.report().progress, 0);
  });

  test('says when nothing has happened since the one before, whatever the process itself uses', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { reporter, reports } = aReporter();
    reporter.phase = 'MAP';
    reporter.start();
    const next = async (change: () => void = () => {}) => {
      change();
      t.mock.timers.tick(1000);
      await settle();
      return reports.at(-1)!.idle;
    };
    assert.equal(await next(), undefined, 'the first has nothing before it');
    assert.equal(await next(), true);
    assert.equal(await next(() => reporter.touch()), undefined);
    assert.equal(await next(() => reporter.count('MAP_INPUT_RECORDS')), undefined);
    assert.equal(await next(() => reporter.setStatus('new')), undefined);
    assert.equal(await next(), true);
    for (const phase of ['STARTING', 'SORT'] as const) {
      reporter.phase = phase;
      await next();
      assert.equal(await next(), true, 'a program that is not loaded, a combiner that hangs');
    }
    reporter.phase = 'SHUFFLE';
    await next();
    assert.equal(await next(), undefined, 'there may be nothing to copy yet');
    await reporter.stop();
  });

  test('of a failure has the counters that the master knows already, without asking any source', () => {
    const { reporter } = aReporter();
    reporter.addSource(() => assert.fail('the task is in an unknown state'));
    reporter.setStatus('as good as done');
    const { counters, statusText } = reporter.failureReport();
    assert.equal(statusText, '');
    assert.deepEqual(counters, { [taskCounterGroup]: { SPILLED_RECORDS: 0, FAILED_SHUFFLE: 0, MERGED_MAP_OUTPUTS: 0 } });
    const reduce = aReporter(undefined, 'REDUCE').reporter.failureReport().counters;
    assert.deepEqual([Object.keys(reduce[taskCounterGroup]!).length, reduce[fileOutputCounterGroup]], [10, { BYTES_WRITTEN: 0 }]);
  });
});

describe('reports by themselves', () => {
  /** Timers of the reporter go by the test's own time. */
  const withTimers = (t: TestContext) => t.mock.timers.enable({ apis: ['setTimeout'] });

  test('come soon after the start, then every second, until the end', async (t) => {
    withTimers(t);
    const { reporter, reports } = aReporter();
    reporter.start();
    t.mock.timers.tick(49);
    assert.equal(reports.length, 0);
    t.mock.timers.tick(1);
    await settle();
    assert.equal(reports.length, 1);
    t.mock.timers.tick(999);
    assert.equal(reports.length, 1);
    t.mock.timers.tick(1);
    await settle();
    assert.equal(reports.length, 2);
    await reporter.stop();
    t.mock.timers.tick(60_000);
    assert.equal(reports.length, 2);
  });

  test('have no counters in the first seconds, as Hadoop’s have not', async (t) => {
    withTimers(t);
    const { reporter, reports } = aReporter();
    reporter.count('MAP_INPUT_RECORDS', 1);
    reporter.start();
    t.mock.timers.tick(50);
    await settle();
    assert.deepEqual(reports[0]!.counters, {});
    await reporter.stop();
  });

  test('wait for the answer before the next one', async (t) => {
    withTimers(t);
    let answer = (_: { known: boolean }) => {};
    const { reporter, reports } = aReporter(() => new Promise((resolve) => (answer = resolve)));
    reporter.start();
    t.mock.timers.tick(50);
    t.mock.timers.tick(10_000);
    assert.equal(reports.length, 1);
    answer({ known: true });
    await settle();
    t.mock.timers.tick(1000);
    assert.equal(reports.length, 2);
    const stopped = reporter.stop();
    answer({ known: true });
    await stopped;
  });

  test('end a task that its master does not know, or cannot be told of', async (t) => {
    withTimers(t);
    for (const answer of [async () => ({ known: false }), () => Promise.reject(new Error('unreachable'))]) {
      const { reporter, unwanted } = aReporter(answer);
      reporter.start();
      t.mock.timers.tick(50);
      await settle();
      assert.equal(unwanted(), 1);
      await reporter.stop();
    }
  });

  test('do not end a task that ended by itself meanwhile', async (t) => {
    withTimers(t);
    let answer = (_: { known: boolean }) => {};
    const { reporter, unwanted } = aReporter(() => new Promise((resolve) => (answer = resolve)));
    reporter.start();
    t.mock.timers.tick(50);
    const stopped = reporter.stop();
    answer({ known: false });
    await stopped;
    assert.equal(unwanted(), 0);
  });
});

describe('progress', () => {
  const phases = [
    ['copy', 1 / 3],
    ['sort', 1 / 3],
    ['reduce', 1 / 3],
  ] as const;

  test('is the sum of the phases behind and the part of the one that runs', () => {
    const progress = new TaskProgress('reduce', phases);
    assert.equal(progress.value, 0);
    progress.phases[0]!.value = 0.5;
    assert.equal(progress.value, Math.fround(Math.fround(1 / 3) * 0.5));
    progress.completePhase();
    assert.equal(progress.value, Math.fround(1 / 3));
    assert.equal(progress.toString(), 'reduce > sort');
    progress.completePhase();
    progress.completePhase();
    assert.equal(progress.value, 1);
    assert.equal(progress.phase, undefined);
    assert.equal(progress.toString(), 'reduce', 'a task that is complete has its own status alone');
    progress.completePhase();
    assert.equal(progress.value, 1);
  });

  test('never falls and never passes 1, as long as its phases do not', () => {
    fc.assert(
      fc.property(fc.array(fc.float({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }), (steps) => {
        const progress = new TaskProgress('', phases);
        let last = 0;
        for (const value of steps) {
          const phase = progress.phase;
          if (phase === undefined || value <= phase.value) progress.completePhase();
          else phase.value = value;
          assert.ok(progress.value >= last && progress.value <= 1);
          last = progress.value;
        }
      }),
    );
  });

  test('without a status of its own is that of the phase', () => {
    assert.equal(new TaskProgress('', phases).toString(), 'copy');
  });

  test('status texts are cut to 512 signs', () => {
    assert.equal(normalizeStatus('x'.repeat(512)).length, 512);
    assert.equal(normalizeStatus('x'.repeat(513)).length, 512);
    const { reporter } = aReporter();
    reporter.setStatus('y'.repeat(9999));
    assert.equal(reporter.report().statusText, `${'y'.repeat(512)} > map`);
  });
});

describe('identifiers', () => {
  test('lead from an application to its job, tasks and attempts, and back', () => {
    assert.equal(jobIdOfApplication('application_1700000000000_0042'), 'job_1700000000000_0042');
    assert.equal(jobIdOfApplication('application_1700000000000_123456'), 'job_1700000000000_123456');
    assert.equal(applicationIdOfJob('job_1700000000000_0042'), 'application_1700000000000_0042');
    assert.equal(formatTaskId('job_1_0001', 'MAP', 7), 'task_1_0001_m_000007');
    assert.equal(formatTaskId('job_1_0001', 'REDUCE', 1234567), 'task_1_0001_r_1234567');
    assert.equal(formatAttemptId('task_1_0001_m_000007', 1000), 'attempt_1_0001_m_000007_1000');
    fc.assert(
      fc.property(fc.constantFrom('MAP' as const, 'REDUCE' as const), fc.nat(), fc.nat(), (kind, index, number) => {
        const taskId = formatTaskId('job_1_0001', kind, index);
        assert.equal(taskIdOfAttempt(formatAttemptId(taskId, number)), taskId);
      }),
    );
  });

  test('name the files of the output as either of Hadoop’s interfaces does', () => {
    assert.equal(partFileName('mapreduce', 'MAP', 0), 'part-m-00000');
    assert.equal(partFileName('mapreduce', 'REDUCE', 12, 'words'), 'words-r-00012');
    assert.equal(partFileName('mapred', 'MAP', 3), 'part-00003');
    assert.equal(partFileName('mapred', 'REDUCE', 123456, 'ignored'), 'part-123456');
  });
});

describe('paths', () => {
  test('are plain or of the local file system', () => {
    for (const [text, path] of [
      ['/a/b', '/a/b'],
      ['b/c', '/work/b/c'],
      ['../c', '/c'],
      ['file:/a/b', '/a/b'],
      ['file:///a/b', '/a/b'],
      ['file://localhost/a/b', '/a/b'],
      ['file:///a%20b', '/a b'],
      ['/a%20b', '/a%20b'],
      ['/a:b/c', '/a:b/c'],
    ] as const)
      assert.equal(localPath(text, '/work'), path, text);
    assert.equal(localPath('a'), '/a');
  });

  test('of other file systems are refused in Hadoop’s words', () => {
    for (const scheme of ['hdfs', 's3a', 'HTTP'])
      assert.throws(() => localPath(`${scheme}://host/a`), {
        name: 'UnsupportedFileSystemException',
        message: `No FileSystem for scheme "${scheme}"`,
      });
  });

  test('are written down as Hadoop writes them, and read again', () => {
    assert.equal(fileUri('/a/b'), 'file:/a/b');
    for (const path of ['/a/b c', '/a,b', '/ä']) assert.equal(localPath(fileUri(path)), path);
  });
});

describe('the log of a task', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'heddle-task-log-'));
  after(() => rmSync(scratch, { recursive: true }));

  test('has a line for each message, with the time', () => {
    const clock = new ManualClock(Date.UTC(2026, 0, 2, 3, 4, 5, 6));
    const log = openTaskLog(scratch, clock);
    log('first');
    clock.advance(1000);
    log('second');
    assert.equal(
      readFileSync(join(scratch, 'syslog'), 'utf8'),
      '2026-01-02 03:04:05,006 INFO first\n2026-01-02 03:04:06,006 INFO second\n',
    );
    assert.equal(statSync(join(scratch, 'syslog')).mode & 0o007, 0, 'others do not read it');
  });

  test('has what a logger tells, in words with the facts behind', () => {
    const lines: string[] = [];
    const logger = pino({ name: 'batch', base: undefined }, { write: (line) => lines.push(noted((message) => lines.push(message))(line)) });
    logger.info('begins');
    logger.warn({ host: 'a', avoided: 2 }, 'too many attempts failed on this host');
    assert.deepEqual([lines[0], lines[2]], ['begins', 'too many attempts failed on this host {"host":"a","avoided":2}']);
    assert.match(lines[1]!, /"msg":"begins"/);
  });

  test('that cannot be written does not fail the task', () => {
    for (const folder of [undefined, '', join(scratch, 'none')]) openTaskLog(folder, new ManualClock())('lost');
  });
});
