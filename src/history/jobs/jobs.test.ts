// Where jobs of the past lie, which of them a list shows, and what their counters sum up to.
import assert from 'node:assert/strict';
import {
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Query } from '../../http/query.ts';
import { silentLogger } from '../../lib/log.ts';
import { seededRandom } from '../../lib/random.ts';
import { codeOf } from '../../model/test-support/failures.ts';
import { countersOf, sumOf } from '../../wire/files/job-counters.ts';
import type { JhCounters } from '../../wire/files/job-history.ts';
import { configurationFileName, doneFolder, historyFileName, type JobIndex, summaryFileName } from '../../wire/files/job-history-names.ts';
import { filterJobs, readJobFilter } from './job-filter.ts';
import { configurationPath, DoneFolders, historyPath, IntermediateFolders } from './job-folders.ts';

/** The option `skip` of tests with files of another user. */
const rootNeeded = process.getuid?.() === 0 ? false : 'needs root, to make files of another user';
const root = mkdtempSync(join(tmpdir(), 'heddle-jobs-'));
after(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const aFolder = (): string => {
  const path = join(root, String(++folders));
  mkdirSync(path);
  return path;
};
const day = (text: string): number => new Date(`${text}T12:00:00`).getTime();
const index = (sequence: number, more: Partial<JobIndex> = {}): JobIndex => ({
  jobId: `job_1700000000000_${String(sequence).padStart(4, '0')}`,
  submitTime: day('2026-11-20'),
  user: 'ann',
  jobName: 'word count',
  finishTime: day('2026-11-21'),
  maps: 2,
  reduces: 1,
  status: 'SUCCEEDED',
  queue: 'default',
  startTime: day('2026-11-20') + 5,
  ...more,
});
describe('the folder that masters write to', () => {
  function intermediate(alwaysScan = true) {
    const [from, done] = [aFolder(), aFolder()];
    mkdirSync(join(from, 'ann'));
    return {
      from,
      done,
      user: join(from, 'ann'),
      collector: new IntermediateFolders({
        intermediate: from,
        done,
        alwaysScan,
        // Who writes these is ann; the user with the number 61666 is mallory.
        mayBeOf: async (name, id) => id !== 61_666 || name === 'mallory',
        logger: silentLogger,
      }),
    };
  }
  const write = (folder: string, job: JobIndex) => {
    writeFileSync(join(folder, configurationFileName(job.jobId)), 'conf');
    writeFileSync(join(folder, historyFileName(job)), 'history');
  };

  it('gives a job to the user whose file it is: forged ones stay where they are', { skip: rootNeeded }, async () => {
    const { from, user, done, collector } = intermediate();
    // In a folder of ann's, a file of another user; in mallory's own folder, a file that names ann.
    write(user, index(1));
    chownSync(join(user, historyFileName(index(1))), 61_666, 61_666);
    mkdirSync(join(from, 'mallory'));
    write(join(from, 'mallory'), index(2));
    write(join(from, 'mallory'), index(3, { user: 'mallory' }));
    for (const name of ['', ...readdirSync(join(from, 'mallory'))]) chownSync(join(from, 'mallory', name), 61_666, 61_666);
    const moved = await collector.collect(day('2026-11-22'));
    assert.deepEqual(
      moved.map((job) => [job.index.user, job.index.jobId]),
      [['mallory', index(3).jobId]],
    );
    assert.equal((await Array.fromAsync(new DoneFolders(done).jobs())).length, 1);
  });

  it("takes no hard link to a file of somebody else's for one of a job", { skip: rootNeeded }, async () => {
    const { from, done, collector } = intermediate();
    const [folder, secret] = [join(from, 'mallory'), join(aFolder(), 'secret.xml')];
    mkdirSync(folder);
    writeFileSync(secret, 'secret', { mode: 0o600 });
    const [history, configured] = [index(1, { user: 'mallory' }), index(2, { user: 'mallory' })];
    linkSync(secret, join(folder, historyFileName(history)));
    linkSync(secret, join(folder, configurationFileName(configured.jobId)));
    writeFileSync(join(folder, historyFileName(configured)), 'history');
    for (const path of [folder, join(folder, historyFileName(configured))]) chownSync(path, 61_666, 61_666);
    await collector.collect(day('2026-11-22'));
    const [moved] = await collector.collect(day('2026-11-22'));
    assert.equal(moved?.index.jobId, configured.jobId, 'the history is taken, without the configuration');
    assert.equal(existsSync(configurationPath(moved as never)), false);
    assert.equal((await Array.fromAsync(new DoneFolders(done).jobs())).length, 1);
    assert.equal(readFileSync(secret, 'utf8'), 'secret');
  });

  it('reads no more of a summary than one can have, however long its file is', async () => {
    const { user, collector } = intermediate();
    write(user, index(6));
    const summary = join(user, summaryFileName(index(6).jobId));
    writeFileSync(summary, Buffer.from([0, 1, 65]));
    truncateSync(summary, 3 * 2 ** 30);
    assert.equal((await collector.collect(day('2026-11-22'))).length, 1);
  });

  it("puts a folder aside that is not the user's, so that the user's masters make theirs", { skip: rootNeeded }, async () => {
    const { from, user, collector } = intermediate();
    write(user, index(4));
    for (const name of ['', ...readdirSync(user)]) chownSync(join(user, name), 61_666, 61_666);
    assert.deepEqual(await collector.collect(day('2026-11-22')), []);
    assert.equal(existsSync(user), false);
    mkdirSync(join(from, 'ann'));
    write(user, index(5));
    assert.equal((await collector.collect(day('2026-11-22'))).length, 1);
  });

  it('is emptied into the tree by day and number: configuration, history, and no summary', async () => {
    const { user, done, collector } = intermediate();
    const job = index(7);
    write(user, job);
    writeFileSync(join(user, summaryFileName(job.jobId)), Buffer.from([0, 1, 65]));
    const [moved] = await collector.collect(day('2026-11-22'));
    assert.equal(moved?.index.jobId, job.jobId);
    assert.deepEqual([existsSync(historyPath(moved as never)), existsSync(configurationPath(moved as never))], [true, true]);
    assert.equal(moved?.folder, join(done, doneFolder(index(7), day('2026-11-22'))));
    assert.deepEqual(readdirSync(user), []);
    assert.deepEqual(await collector.collect(day('2026-11-22')), []);
  });

  it('is taken up again after an interruption: the configuration is there already, the history is not', async () => {
    const { user, collector, done } = intermediate();
    const job = index(8);
    mkdirSync(join(done, doneFolder(job, day('2026-11-22'))), { recursive: true });
    writeFileSync(join(done, doneFolder(job, day('2026-11-22')), configurationFileName(job.jobId)), 'conf');
    writeFileSync(join(user, historyFileName(job)), 'history');
    assert.equal((await collector.collect(day('2026-11-22'))).length, 1);
  });

  it('leads nowhere: links, folders and files of other names stay where they are', async () => {
    const { user, from, collector } = intermediate();
    const secret = join(aFolder(), 'secret');
    writeFileSync(secret, 'secret');
    symlinkSync(secret, join(user, historyFileName(index(1))));
    mkdirSync(join(user, historyFileName(index(2))));
    writeFileSync(join(user, 'something.jhist'), '');
    symlinkSync(aFolder(), join(from, 'linked'));
    assert.deepEqual(await collector.collect(day('2026-11-22')), []);
    assert.equal(readdirSync(user).length, 3);
  });

  it('is not read again while it has not changed for longer than times of folders are coarse', async () => {
    const { user, collector } = intermediate(false);
    const nowMs = day('2026-11-22');
    utimesSync(user, nowMs / 1000, nowMs / 1000);
    assert.deepEqual(await collector.collect(nowMs + 10_000), []);
    write(user, index(3));
    utimesSync(user, nowMs / 1000, nowMs / 1000);
    assert.deepEqual(await collector.collect(nowMs + 20_000), []);
    utimesSync(user, nowMs / 1000 + 1, nowMs / 1000 + 1);
    assert.equal((await collector.collect(nowMs + 30_000)).length, 1);
  });
});

describe('the tree of jobs that are done', () => {
  /** Puts a job's files into the folder of a day. */
  const put = (done: string, job: JobIndex, atMs: number): void => {
    const folder = join(done, doneFolder({ ...job, finishTime: atMs }, atMs));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, historyFileName(job)), 'history');
    writeFileSync(join(folder, configurationFileName(job.jobId)), 'conf');
  };

  it('lists the newest days first, in a day the highest ids first, and finds one by its number', async () => {
    const done = aFolder();
    put(done, index(1), day('2026-11-20'));
    put(done, index(2), day('2026-11-21'));
    put(done, index(1_000_001), day('2026-11-21'));
    put(done, index(3), day('2025-12-31'));
    mkdirSync(join(done, 'other', '01', '01'), { recursive: true });
    const tree = new DoneFolders(done);
    const ids = (await Array.fromAsync(tree.jobs())).map((job) => Number(job.index.jobId.split('_')[2]));
    assert.deepEqual(ids, [1_000_001, 2, 1, 3]);
    assert.equal((await tree.find(index(3).jobId))?.index.jobId, index(3).jobId);
    assert.equal((await tree.find(index(1_000_001).jobId))?.index.jobId, index(1_000_001).jobId);
    assert.equal(await tree.find(index(9).jobId), undefined);
  });

  it('loses jobs that finished before the cut with their files, and folders that are empty then', async () => {
    const done = aFolder();
    put(done, index(1, { finishTime: day('2026-11-01') }), day('2026-11-01'));
    put(done, index(2, { finishTime: day('2026-11-01') }), day('2026-11-02'));
    // It lies in an old folder, and finished late.
    put(done, index(3, { finishTime: day('2026-11-20') }), day('2026-11-02'));
    put(done, index(4, { finishTime: day('2026-11-20') }), day('2026-11-20'));
    const tree = new DoneFolders(done);
    assert.deepEqual((await tree.clean(day('2026-11-10'))).sort(), [index(1).jobId, index(2).jobId]);
    assert.deepEqual(
      (await Array.fromAsync(tree.jobs())).map((job) => job.index.jobId),
      [index(4).jobId, index(3).jobId],
    );
    assert.deepEqual(readdirSync(join(done, '2026', '11')).sort(), ['02', '20']);
  });
});

describe('the list of jobs', () => {
  const filter = (text: string) => readJobFilter(new Query(text));

  it('refuses by the first fault', () => {
    for (const [text, code] of [
      ['limit=many&startedTimeBegin=x', 'HISTORY_LIMIT_NOT_A_NUMBER'],
      ['limit=0', 'HISTORY_LIMIT_TOO_SMALL'],
      ['startedTimeBegin=x', 'HISTORY_FILTER_NOT_A_NUMBER'],
      ['startedTimeBegin=-1', 'HISTORY_FILTER_NEGATIVE'],
      ['startedTimeBegin=5&startedTimeEnd=4', 'HISTORY_FILTER_RANGE'],
      ['finishedTimeBegin=5&finishedTimeEnd=4&state=x', 'HISTORY_FILTER_RANGE'],
      ['state=finished', 'HISTORY_STATE_UNKNOWN'],
      ['state=', 'HISTORY_STATE_UNKNOWN'],
      ['', 'none'],
    ] as const)
      assert.equal(
        codeOf(() => filter(text)),
        code,
        text,
      );
  });

  it('shows what a plain filter shows, in order, up to the limit', () => {
    const random = seededRandom(5);
    const pick = <Item>(items: readonly Item[]): Item => items[random.int(items.length)] as Item;
    const jobs = Array.from({ length: 80 }, (_, i) =>
      index(i, {
        user: pick(['ann', 'bob']),
        queue: pick(['a', 'b']),
        status: pick(['SUCCEEDED', 'FAILED']),
        startTime: random.int(50),
        finishTime: random.int(50),
      }),
    );
    for (let i = 0; i < 200; i++) {
      const parts: string[] = [];
      const wanted = {
        user: pick(['', 'ann']),
        queue: pick(['', 'b']),
        state: pick(['', 'FAILED']),
        from: random.int(50),
        to: random.int(50),
        limit: 1 + random.int(90),
      };
      if (wanted.user) parts.push(`user=${wanted.user}`);
      if (wanted.queue) parts.push(`queue=${wanted.queue}`);
      if (wanted.state) parts.push(`state=${wanted.state}`);
      parts.push(`startedTimeBegin=${wanted.from}`, `finishedTimeEnd=${wanted.to}`, `limit=${wanted.limit}`);
      const expected = jobs
        .filter(({ user }) => wanted.user === '' || user === wanted.user)
        .filter(({ queue }) => wanted.queue === '' || queue === wanted.queue)
        .filter(({ status }) => wanted.state === '' || status === wanted.state)
        .filter(({ startTime, finishTime }) => startTime >= wanted.from && finishTime <= wanted.to)
        .slice(0, wanted.limit);
      assert.deepEqual(filterJobs(jobs, filter(parts.join('&'))), expected);
    }
  });
});

describe('counters', () => {
  const group = (name: string, counts: Record<string, number>) => ({
    name,
    displayName: name,
    counts: Object.entries(counts).map(([counter, value]) => ({ name: counter, displayName: counter, value })),
  });
  const counters = (...groups: ReturnType<typeof group>[]) => countersOf({ name: 'x', groups } as unknown as JhCounters);
  const shown = (sum: ReturnType<typeof sumOf>) =>
    sum.groups().map(({ name, counters: all }) => [name, Object.fromEntries(all.map((one) => [one.name, one.value]))]);

  it('leave out groups without counters, and are none for none', () => {
    assert.deepEqual(shown(counters(group('a', {}), group('b', { x: 1 }))), [['b', { x: 1 }]]);
    assert.deepEqual([countersOf(null).groups(), countersOf(undefined).groups()], [[], []]);
  });

  it('are summed, but for the largest of what ends in _MAX; framework groups come first', () => {
    const task = 'org.apache.hadoop.mapreduce.TaskCounter';
    const job = 'org.apache.hadoop.mapreduce.JobCounter';
    const sum = sumOf([
      counters(group('zoo', { a: 1 }), group(task, { RECORDS: 5, MEMORY_MAX: 7 })),
      counters(group(task, { RECORDS: 6, MEMORY_MAX: 3 }), group(job, { MAPS: 1 }), group('app', { b: 2 })),
    ]);
    assert.deepEqual(shown(sum), [
      [job, { MAPS: 1 }],
      [task, { RECORDS: 11, MEMORY_MAX: 7 }],
      ['app', { b: 2 }],
      ['zoo', { a: 1 }],
    ]);
  });

  it('keep the order of the framework when sets lack some of them, whatever the order of the sets', () => {
    const random = seededRandom(8);
    const all = ['A', 'B', 'C', 'D', 'E', 'F'];
    for (let i = 0; i < 200; i++) {
      // Each set has some in their order; every neighbouring pair meets in a set of its own.
      const pairs = all.slice(1).map((name, at) => ({ [all[at] as string]: 1, [name]: 1 }));
      const order = pairs.map((pair) => ({ pair, key: random.next() })).sort((a, b) => a.key - b.key);
      const sum = sumOf([
        counters(group('g', Object.fromEntries(all.map((name) => [name, 1])))),
        ...order.map(({ pair }) => counters(group('g', pair as Record<string, number>))),
      ]);
      assert.deepEqual(
        sum.groups()[0]?.counters.map(({ name }) => name),
        all,
      );
      assert.equal(
        sum.groups()[0]?.counters.reduce((total, { value }) => total + Number(value), 0),
        6 + 10,
      );
    }
  });
});
