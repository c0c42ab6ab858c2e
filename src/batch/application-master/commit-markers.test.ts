// The markers of a job's commit, and what the next master makes of them: a commit happens at most once.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Counters } from '../counters/counters.ts';
import { OutputCommitter } from '../tasks/output/committer.ts';
import { CommitMarkers } from './commit-markers.ts';
import { startJob } from './job-start.ts';
import type { RecoveredTask } from './recovery.ts';

const scratch = mkdtempSync(join(tmpdir(), 'heddle-markers-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;

/** A staging folder and an output folder, empty. */
function folders(): { staging: string; output: string } {
  const staging = join(scratch, `${++serial}-staging`);
  const output = join(scratch, `${serial}-output`);
  mkdirSync(staging);
  return { staging, output };
}

const committer = (output: string, algorithm: 1 | 2, generation = 1) =>
  new OutputCommitter({ outputFolder: output, algorithm, generation, markSuccess: true });

/** What a start asks of its job. */
function starts(markers: CommitMarkers, commits: OutputCommitter, tasks: ReadonlyMap<string, RecoveredTask> = new Map()) {
  const calls: (readonly unknown[])[] = [];
  startJob({
    job: {
      start: (recovered) => calls.push(['start', [...recovered.keys()]]),
      forceEnd: (state, diagnostic) => calls.push(['forceEnd', state, diagnostic]),
    },
    markers,
    committer: commits,
    tasks,
  });
  return calls;
}

test('a job without markers starts', async () => {
  const { staging, output } = folders();
  const markers = new CommitMarkers(staging);
  assert.equal(markers.earlier, 'NONE');
  assert.deepEqual(starts(markers, committer(output, 1, 2)), [['start', []]]);
});

test('a commit leaves the markers of its beginning and its success', async () => {
  const { staging, output } = folders();
  const markers = new CommitMarkers(staging);
  const commits = committer(output, 1);
  commits.setupJob();
  let during: string | undefined;
  await markers.around({
    commitRepeatable: false,
    commitJob: () => {
      during = markers.earlier;
      commits.commitJob();
    },
  });
  assert.equal(during, 'STARTED', 'a master that dies now leaves the beginning behind');
  assert.equal(markers.earlier, 'SUCCEEDED');
  assert.deepEqual(readdirSync(staging).sort(), ['COMMIT_STARTED', 'COMMIT_SUCCESS']);
  assert.ok(existsSync(join(output, '_SUCCESS')));
});

test('after a commit that succeeded the next master ends the job as succeeded and commits nothing', async () => {
  const { staging, output } = folders();
  const commits = committer(output, 2);
  commits.setupJob();
  await new CommitMarkers(staging).around(commits);
  const markers = new CommitMarkers(staging);
  assert.deepEqual(starts(markers, committer(output, 2, 2)), [
    ['forceEnd', 'SUCCEEDED', 'Job commit succeeded in a prior MRAppMaster attempt before it crashed. Recovering.'],
  ]);
});

test('a commit that fails leaves the marker of its failure and tells its error', async () => {
  const { staging, output } = folders();
  const markers = new CommitMarkers(staging);
  const failing = {
    commitRepeatable: true,
    commitJob: () => {
      throw new Error('disk full');
    },
  };
  await assert.rejects(markers.around(failing), /disk full/);
  assert.equal(markers.earlier, 'FAILED');
  assert.deepEqual(starts(markers, committer(output, 2, 2)), [
    ['forceEnd', 'FAILED', 'Job commit failed in a prior MRAppMaster attempt before it crashed. Not retrying.'],
  ]);
});

test('a disk that takes no marker of its end changes nothing in how a commit ended', async () => {
  const { staging } = folders();
  const commit = (error?: Error) =>
    new CommitMarkers(staging).around({
      commitRepeatable: true,
      commitJob: () => {
        rmSync(staging, { recursive: true });
        if (error !== undefined) throw error;
      },
    });
  await commit();
  mkdirSync(staging);
  await assert.rejects(commit(new Error('no room')), { message: 'no room' });
});

test('a commit under way ends the job in ERROR where it cannot be repeated', async () => {
  const { staging, output } = folders();
  writeFileSync(join(staging, 'COMMIT_STARTED'), '');
  const task = join(output, '_temporary', '1', 'task_1700000000000_0001_m_000000');
  mkdirSync(task, { recursive: true });
  writeFileSync(join(task, 'part-m-00000'), 'not moved yet');
  const markers = new CommitMarkers(staging);
  assert.deepEqual(starts(markers, committer(output, 1, 2)), [
    ['forceEnd', 'ERROR', 'Job commit from a prior MRAppMaster attempt is potentially in progress. Preventing multiple commit executions'],
  ]);
  assert.equal(markers.earlier, 'STARTED', 'a third master must not begin either');
});

test('a commit under way is forgotten, and the job starts, where it may be repeated', async () => {
  const { staging, output } = folders();
  writeFileSync(join(staging, 'COMMIT_STARTED'), '');
  const markers = new CommitMarkers(staging);
  assert.deepEqual(starts(markers, committer(output, 2, 2)), [['start', []]]);
  assert.equal(markers.earlier, 'NONE');
});

test('success counts more than the beginning, and failure too', async () => {
  for (const [outcome, earlier] of [
    ['COMMIT_SUCCESS', 'SUCCEEDED'],
    ['COMMIT_FAIL', 'FAILED'],
  ] as const) {
    const { staging } = folders();
    writeFileSync(join(staging, 'COMMIT_STARTED'), '');
    writeFileSync(join(staging, outcome), '');
    assert.equal(new CommitMarkers(staging).earlier, earlier);
  }
});

test('of two masters that would commit at the same time, the second does nothing', async () => {
  const { staging, output } = folders();
  const [first, second] = [new CommitMarkers(staging), new CommitMarkers(staging)];
  const commits: string[] = [];
  await first.around({
    commitRepeatable: false,
    commitJob: async () => {
      await assert.rejects(() => second.around({ commitRepeatable: false, commitJob: () => void commits.push('second') }), {
        code: 'EEXIST',
      });
      commits.push('first');
    },
  });
  assert.deepEqual(commits, ['first']);
  assert.equal(second.earlier, 'SUCCEEDED', 'the refusal leaves no marker of failure');
  await first.around({ commitRepeatable: true, commitJob: () => void commits.push('again') });
  assert.deepEqual(commits, ['first', 'again'], 'a commit that may be repeated is not held back');
  assert.ok(!existsSync(output));
});

test('a start takes over the outputs of recovered tasks before the job goes on', async () => {
  const { staging, output } = folders();
  const task = 'task_1700000000000_0001_m_000000';
  mkdirSync(join(output, '_temporary', '1', task), { recursive: true });
  writeFileSync(join(output, '_temporary', '1', task, 'part-m-00000'), 'a\n');
  const recovered: RecoveredTask = {
    attemptId: 'attempt_1700000000000_0001_m_000000_0',
    container: { containerId: 'container_1', nodeId: 'a:1', nodeHttpAddress: 'a:2', rack: '/default-rack' },
    locality: 'NODE_LOCAL',
    avataar: 'VIRGIN',
    startTimeMs: 1,
    finishTimeMs: 2,
    mapFinishTimeMs: 2,
    shuffleFinishTimeMs: 0,
    sortFinishTimeMs: 0,
    statusText: 'map',
    counters: new Counters(),
  };
  const calls = starts(new CommitMarkers(staging), committer(output, 1, 3), new Map([[task, recovered]]));
  assert.deepEqual(calls, [['start', [task]]]);
  assert.deepEqual(readdirSync(join(output, '_temporary', '3', task)), ['part-m-00000'], 'also from two masters before');
  assert.ok(!existsSync(join(output, '_temporary', '1', task)));
});
