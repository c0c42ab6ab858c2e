import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  configurationFileName,
  doneFolder,
  historyFileName,
  type JobIndex,
  parseHistoryFileName,
  summaryFileName,
} from './job-history-names.ts';
import { type JobSummary, summaryLine } from './job-summary.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

const index: JobIndex = {
  jobId: 'job_1700000000000_0012',
  submitTime: 1,
  user: 'ann',
  jobName: 'word count',
  finishTime: 9,
  maps: 3,
  reduces: 1,
  status: 'SUCCEEDED',
  queue: 'root.default',
  startTime: 2,
};

describe('the name of a history file', () => {
  it('never leaves its folder, and is one that file systems take', () => {
    const odd = fc.string({ unit: anyCharacter, maxLength: 300 });
    fc.assert(
      fc.property(odd, odd, odd, (user, jobName, queue) => {
        const name = historyFileName({ ...index, user: user.slice(0, 20), jobName, queue: queue.slice(0, 20) });
        assert.match(name, /^job_1700000000000_0012-1-[^/\0]*\.jhist$/);
        assert.doesNotMatch(name, /[^\x21-\x7e]/);
      }),
    );
  });

  it('is told by its ten parts, whatever stands in them', () => {
    assert.deepEqual(parseHistoryFileName(historyFileName(index)), index);
    assert.deepEqual(parseHistoryFileName('job_1_2-3-u-n-4-5-6-KILLED-q-7.jhist_tmp')?.startTime, 7);
  });

  it('says 0 where a number makes no sense, and nothing where there is no job', () => {
    const parsed = parseHistoryFileName('job_1_0001-soon-u-n-later-x-99999999999999999999-FAILED-q-%33.jhist');
    assert.deepEqual([parsed?.submitTime, parsed?.finishTime, parsed?.maps, parsed?.reduces, parsed?.startTime], [0, 0, 0, 0, 3]);
    for (const name of ['', 'job_1_0001.xml', 'job_1.jhist', 'task_1_1.jhist', 'job_1_0001x-1.jhist', '.jhist'])
      assert.equal(parseHistoryFileName(name), undefined, name);
    const short = parseHistoryFileName('job_1_0001.jhist');
    assert.deepEqual([short?.user, short?.status, short?.startTime], ['', 'KILLED', 0]);
  });

  it('keeps an odd percent sign as it is', () => {
    assert.equal(parseHistoryFileName('job_1_0001-1-50%-n-2-0-0-FAILED-q-1.jhist')?.user, '50%');
    assert.equal(parseHistoryFileName('job_1_0001-1-%C3%A9+x-n-2-0-0-FAILED-q-1.jhist')?.user, 'é x');
  });

  it('is cut where the job has a long name, never inside a letter', () => {
    const nameOf = (jobName: string, limit?: number) => historyFileName({ ...index, jobName }, limit).split('-')[3];
    assert.equal(nameOf('x'.repeat(80)), 'x'.repeat(50));
    assert.equal(nameOf('é'.repeat(20), 7), '%C3%A9');
    assert.equal(nameOf('😀😀', 13), '%F0%9F%98%80');
    assert.equal(nameOf('abc', 0), '');
  });

  it('has the names of its neighbours beside it', () => {
    assert.deepEqual([configurationFileName('job_1_0001'), summaryFileName('job_1_0001')], ['job_1_0001_conf.xml', 'job_1_0001.summary']);
  });
});

describe('the done folder', () => {
  it('follows the day of the finish and the number of the job', () => {
    const finishTime = new Date(2026, 2, 4, 12).getTime();
    assert.equal(doneFolder({ jobId: 'job_1_0012', finishTime }, 0), '2026/03/04/000000');
    assert.equal(doneFolder({ jobId: 'job_1_1234567', finishTime }, 0), '2026/03/04/001234');
    assert.equal(doneFolder({ jobId: 'job_1_1234567890', finishTime }, 0), '2026/03/04/123456');
  });

  it('is that of today where the finish is not known', () => {
    const nowMs = new Date(2025, 11, 31, 23).getTime();
    assert.equal(doneFolder({ jobId: 'job_1_0001', finishTime: 0 }, nowMs), '2025/12/31/000000');
  });
});

describe('the summary of a job', () => {
  const summary: JobSummary = {
    jobId: 'job_1_0001',
    submitTime: 1,
    launchTime: 2,
    firstMapTaskLaunchTime: 3,
    firstReduceTaskLaunchTime: 4,
    finishTime: 5,
    resourcesPerMap: 512,
    resourcesPerReduce: 1024,
    succeededMaps: 6,
    succeededReduces: 7,
    failedMaps: 1,
    failedReduces: 2,
    killedMaps: 3,
    killedReduces: 4,
    user: 'ann',
    queue: 'root.default',
    status: 'SUCCEEDED',
    mapSlotSeconds: 8,
    reduceSlotSeconds: 9,
    jobName: 'a job',
  };

  it('is one line of pairs in the order that readers of the log know', () => {
    assert.equal(
      summaryLine(summary),
      'jobId=job_1_0001,submitTime=1,launchTime=2,firstMapTaskLaunchTime=3,firstReduceTaskLaunchTime=4,finishTime=5,resourcesPerMap=512,resourcesPerReduce=1024,' +
        'numMaps=10,numReduces=13,succededMaps=6,succeededReduces=7,failedMaps=1,failedReduces=2,killedMaps=3,killedReduces=4,' +
        'user=ann,queue=root.default,status=SUCCEEDED,mapSlotSeconds=8,reduceSlotSeconds=9,jobName=a job',
    );
  });

  it('stays one line, whose pairs can be told apart, whatever the name of the job', () => {
    const line = summaryLine({ ...summary, jobName: 'a,b=c\\d\ne\rf' });
    assert.ok(line.endsWith(',jobName=a\\,b\\=c\\\\d\\ne\\rf'));
    fc.assert(
      fc.property(fc.string(), (jobName) => {
        const written = summaryLine({ ...summary, jobName });
        assert.doesNotMatch(written, /[\r\n]/);
        assert.equal(written.split(/(?<!\\)(?:\\\\)*,/).length, 22);
      }),
    );
  });
});
