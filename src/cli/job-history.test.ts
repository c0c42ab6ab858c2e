// `heddle job history|events`: of files that Hadoop wrote, of a history server, of a running master.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { PlainTask } from '../wire/batch/own-answers.ts';
import { rawNumber } from '../wire/timeline/exact-json.ts';
import { analyze, lostAttempts, summarize } from './job-analysis.ts';
import { type JobEvent, jobEvents } from './job-events.ts';
import { type StubAnswer, StubServer } from './test-support/command-line.ts';
import { jobCommands } from './test-support/job-commands.ts';

const recorded = fileURLToPath(new URL('../../test/compatibility/files/', import.meta.url));
const succeeded = join(
  recorded,
  'job_1795217873322_0052-1795220347628-root-word+count-1795220433098-2-1-SUCCEEDED-root.default-1795220379920.jhist',
);
const failed = join(
  recorded,
  'job_1795217873322_0051-1795220247626-root-r%2Bd+%2541-1795220312240-1-0-FAILED-root.default-1795220273336.jhist',
);
const id = 'job_1795217873322_0051';

const folder = mkdtempSync(join(tmpdir(), 'heddle-job-history-'));
let answers: Record<string, StubAnswer> = {};
const server = new StubServer(({ path, query }) => answers[`${path}?cursor=${query.get('cursor')}`] ?? answers[path]);
after(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  answers = {};
});
const heddle = jobCommands(server);

const task = (
  kind: 'MAP' | 'REDUCE',
  number: number,
  attempts: Partial<PlainTask['attempts'][number]>[],
  state = 'SUCCEEDED',
): PlainTask => ({
  id: `task_1_0001_${kind[0]!.toLowerCase()}_${String(number).padStart(6, '0')}`,
  kind,
  state,
  progress: 1,
  attempts: attempts.map((attempt, at) => ({
    id: `attempt_1_0001_${kind[0]!.toLowerCase()}_${String(number).padStart(6, '0')}_${at}`,
    state: 'SUCCEEDED',
    progress: 1,
    ...attempt,
  })),
});

describe('the analysis of a job', () => {
  const tasks = [
    task('MAP', 0, [
      { state: 'FAILED', startTime: 100, finishTime: 150, diagnostics: 'no' },
      { startTime: 200, finishTime: 300 },
    ]),
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((number) => task('MAP', number, [{ startTime: 1000, finishTime: 1000 + number }])),
    task('REDUCE', 0, [
      { state: 'KILLED', startTime: 5 },
      { startTime: 1000, shuffleFinishTime: 1400, finishTime: 1500 },
    ]),
    task('REDUCE', 1, [], 'KILLED'),
  ];

  it('sums up tasks and attempts, also tasks that never began', () => {
    assert.deepEqual(summarize(tasks, { MAP: 12, REDUCE: 4 }), [
      { kind: 'MAP', of: 'tasks', total: 12, succeeded: 12, failed: 0, killed: 0, started: undefined, finished: undefined },
      { kind: 'MAP', of: 'attempts', total: 13, succeeded: 12, failed: 1, killed: 0, started: 100, finished: 1011 },
      { kind: 'REDUCE', of: 'tasks', total: 4, succeeded: 1, failed: 0, killed: 1, started: undefined, finished: undefined },
      { kind: 'REDUCE', of: 'attempts', total: 2, succeeded: 1, failed: 0, killed: 1, started: 5, finished: 1500 },
    ]);
  });

  it('tells the fastest, the mean and the ten slowest of the attempts that succeeded, and who ended last', () => {
    const [map, shuffle, reduce, ...none] = analyze(tasks);
    assert.deepEqual(none, []);
    assert.deepEqual([map!.count, map!.averageMs, map!.fastest.tookMs], [12, (100 + 66) / 12, 1]);
    assert.deepEqual(
      map!.slowest.map(({ tookMs }) => tookMs),
      [100, 11, 10, 9, 8, 7, 6, 5, 4, 3],
    );
    assert.deepEqual(map!.last, { id: 'attempt_1_0001_m_000011_0', finished: 1011 });
    assert.deepEqual([shuffle!.phase, shuffle!.averageMs, reduce!.phase, reduce!.averageMs], ['shuffle', 400, 'reduce', 100]);
    assert.deepEqual(analyze([]), []);
  });

  it('lists attempts that failed before those that were killed', () => {
    assert.deepEqual(
      lostAttempts(tasks.toReversed()).map(({ state, diagnostics }) => [state, diagnostics]),
      [
        ['FAILED', 'no'],
        ['KILLED', ''],
      ],
    );
  });
});

describe('the events of a job', () => {
  it('come in order; at the same time the outer begins first and ends last; what has no time is left out', () => {
    const job = {
      id: 'job_1_0001',
      name: 'n',
      user: 'u',
      queue: 'q',
      state: 'RUNNING',
      startTime: 10,
      finishTime: 0,
      mapsTotal: 1,
      reducesTotal: 0,
    };
    const begun = {
      ...task(
        'MAP',
        0,
        [
          { startTime: 10, finishTime: 20, state: 'KILLED' },
          { startTime: 20, state: 'RUNNING' },
        ],
        'RUNNING',
      ),
      startTime: 10,
    };
    const kinds = (events: readonly JobEvent[]) => events.map(({ kind, time }) => `${time} ${kind}`);
    const masters = [{ id: 1, startTime: 10, containerId: 'c', nodeHttpAddress: 'n:1' }];
    const running = { job: { ...job, submitTime: 10 }, masters, tasks: [begun, task('MAP', 1, [], 'SCHEDULED')], counters: [] };
    const first = ['10 job.submitted', '10 master.started', '10 job.started', '10 task.started', '10 attempt.started'];
    assert.deepEqual(kinds(jobEvents(running)), [...first, '20 attempt.started', '20 attempt.killed']);
    const ended = {
      ...running,
      job: { ...running.job, state: 'KILLED', finishTime: 20 },
      tasks: [{ ...begun, state: 'KILLED', finishTime: 20 }],
    };
    assert.deepEqual(kinds(jobEvents(ended)), [...first, '20 attempt.started', '20 attempt.killed', '20 task.killed', '20 job.killed']);
  });
});

describe('a history file', () => {
  it('is told as the history server of Hadoop tells it, without any cluster', async () => {
    const { code, out } = await heddle('history', succeeded, '--all', '--json');
    assert.equal(code, 0);
    const { job, analysis, counters, tasks, unsuccessfulAttempts } = JSON.parse(out);
    const recordedAnswers = JSON.parse(readFileSync(join(recorded, 'job_1795217873322_0052.answers.json'), 'utf8'));
    assert.deepEqual(job, recordedAnswers['/'].job);
    assert.deepEqual(counters, recordedAnswers['/counters'].jobCounters.counterGroup);
    assert.deepEqual([tasks.length, unsuccessfulAttempts], [3, []]);
    const times = analysis.map(({ averageMs }: { averageMs: number }) => Math.trunc(averageMs));
    assert.deepEqual(times.slice(0, 2), [job.avgMapTime, job.avgShuffleTime]);
    const { out: text } = await heddle('history', succeeded);
    assert.match(text, /reduce attempts +1 +1 +0 +0/);
    assert.doesNotMatch(text, /All tasks/);
  });

  it('tells what failed and why, and its events, also under another name', async () => {
    const copy = join(folder, 'copy.jhist');
    copyFileSync(failed, copy);
    for (const path of [failed, copy]) {
      const { out } = await heddle('history', path, '--all');
      assert.match(out, /state +FAILED\n/);
      assert.match(out, /_r_000000_1 +FAILED +localhost:8042 .*subprocess failed with code 6/);
      assert.match(out, /All tasks:\n.*\ntask_1795217873322_0051_m_000000 +SUCCEEDED/);
      const events = (await heddle('events', path)).out.split('\n');
      assert.match(events[1]!, /job\.submitted +job_1795217873322_0051/);
      assert.match(events.at(-2)!, /^2026-11-21 00:18:32\.240Z +job\.failed/);
    }
  });

  it('tells tasks that were ended with their job from those that failed', async () => {
    const killed = join(recorded, readdirSync(recorded).find((name) => name.includes('-KILLED-') && name.endsWith('.jhist')) ?? '');
    const { out } = await heddle('events', killed);
    assert.deepEqual([/task\.killed/.test(out), /task\.failed/.test(out), /job\.killed/.test(out)], [true, false, true], out);
    assert.match((await heddle('events', failed)).out, /task\.failed/);
  });

  it('that breaks off is told as far as it goes; what is none is refused', async () => {
    const copy = join(folder, 'broken.jhist');
    copyFileSync(failed, copy);
    truncateSync(copy, readFileSync(copy).length - 3000);
    const { job } = JSON.parse((await heddle('history', copy, '--json')).out);
    assert.deepEqual([job.id, job.state], [id, 'RUNNING']);
    assert.doesNotMatch((await heddle('history', copy)).out, /no counters/);
    // Before the first task ended: its counters are the first of all.
    truncateSync(copy, readFileSync(copy).indexOf('COUNTERS'));
    const { out } = await heddle('history', copy);
    assert.match(out, /It has no counters: none of its tasks told any/);
    assert.doesNotMatch(out, /GROUP +COUNTER/);
    writeFileSync(copy, 'no history\n');
    const refused = await heddle('events', copy);
    assert.deepEqual([refused.code, /no readable history file: Incompatible/.test(refused.err)], [1, true]);
    assert.deepEqual((await heddle('history', join(folder, 'absent.jhist'))).code, 2);
  });
});

describe('a job by its id', () => {
  const job = {
    id,
    name: 'n',
    user: 'ada',
    queue: 'q',
    state: 'KILLED',
    submitTime: 1000,
    startTime: 2000,
    finishTime: 9000,
    mapsTotal: 2,
    reducesTotal: 0,
  };
  const attempt = { startTime: 3000, finishTime: 4000, node: 'node:8042', diagnostics: 'killed\nby ann', state: 'KILLED' };
  const [first, second] = [task('MAP', 0, [attempt], 'KILLED'), task('MAP', 1, [{ startTime: 3000, finishTime: 5500 }])];

  it('is told by the history server where the cluster has forgotten its application, all pages of its tasks', async () => {
    const root = `/ws/v1/history/mapreduce/jobs/${id}`;
    answers = {
      [root]: { json: { job } },
      [`${root}/jobattempts`]: { json: { jobAttempts: {} } },
      [`${root}/counters`]: { json: { jobCounters: { id } } },
      [`/api/v1/jobs/${id}/tasks`]: { json: { tasks: [first], next: '1' } },
      [`/api/v1/jobs/${id}/tasks?cursor=1`]: { json: { tasks: [second] } },
    };
    const { out } = await heddle('history', id);
    assert.match(out, /map tasks +2 +1 +0 +1 /);
    assert.match(out, /_m_000000_0 +KILLED +node:8042 +1970-01-01 00:00:03Z +1\.0 s +killed\n/);
    assert.match(out, /map +1 +2\.5 s +2\.5 s +2\.5 s/);
  });

  it('has counters of all 64 bits, in tables and as JSON', async () => {
    const root = `/ws/v1/history/mapreduce/jobs/${id}`;
    const [most, least] = ['9223372036854775806', '-9223372036854775807'];
    const counter = { name: 'LARGE', mapCounterValue: rawNumber(most), reduceCounterValue: 1, totalCounterValue: rawNumber(least) };
    answers = {
      [root]: { json: { job } },
      [`${root}/jobattempts`]: { json: { jobAttempts: {} } },
      [`${root}/counters`]: { json: { jobCounters: { id, counterGroup: [{ counterGroupName: 'a.b.Group', counter: [counter] }] } } },
      [`/api/v1/jobs/${id}/tasks`]: { json: { tasks: [first] } },
    };
    const row = new RegExp(`Group +LARGE +${most} +1 +${least}\\n`);
    for (const command of ['counters', 'history'] as const) {
      assert.match((await heddle(command, id)).out, row, command);
      const { out } = await heddle(command, id, '--json');
      for (const value of [most, least]) assert.ok(out.includes(`CounterValue": ${value}`), `${command}: ${out}`);
    }
  });

  it('that is over is waited for where the history server does not have it yet', async () => {
    const root = `/ws/v1/history/mapreduce/jobs/${id}`;
    answers = { [`${root}/jobattempts`]: { json: {} }, [`/api/v1/jobs/${id}/tasks`]: { json: { tasks: [] } } };
    const { answer } = server;
    server.answer = (request) => {
      // The server answers here once it has the job.
      if (request.path === `/api/v1/jobs/${id}` && request.query.get('until') === 'end') {
        answers[root] = { json: { job } };
        return { json: { id } };
      }
      return answer(request);
    };
    assert.match((await heddle('events', id)).out, /job\.killed/);
    server.answer = answer;
  });

  it('that runs is told by its master as far as it is, and has no history yet', async () => {
    const app = id.replace('job', 'application');
    const master = `/proxy/${app}/ws/v1/mapreduce/jobs/${id}`;
    answers = {
      [`/ws/v1/cluster/apps/${app}`]: { json: { app: { id: app, state: 'RUNNING', startedTime: 500 } } },
      [master]: { json: { job: { ...job, submitTime: undefined, state: 'RUNNING', finishTime: 0 } } },
      [`${master}/jobattempts`]: {
        json: { jobAttempts: { jobAttempt: [{ id: 1, startTime: 1500, containerId: 'c', nodeHttpAddress: 'n:1' }] } },
      },
      [`/proxy/${app}/api/v1/jobs/${id}/tasks`]: { json: { tasks: [first] } },
    };
    const events = JSON.parse((await heddle('events', id, '--json')).out) as JobEvent[];
    assert.deepEqual(
      events.map(({ kind, time }) => [kind, time]),
      [
        ['job.submitted', 500],
        ['master.started', 1500],
        ['job.started', 2000],
        ['attempt.started', 3000],
        ['attempt.killed', 4000],
      ],
    );
    const refused = await heddle('history', id);
    assert.deepEqual([refused.code, /is not over/.test(refused.err)], [1, true]);
  });
});

describe('the list of jobs', () => {
  it('asks for the newest of each state, page by page, and has true totals', async () => {
    const root = '/api/v1/jobs';
    const job = (number: number, more: object = {}) => ({
      ...{ id: `job_1_000${number}`, name: 'n', user: 'ada', queue: 'q', state: 'FAILED', startTime: 1000 * number, finishTime: 9000 },
      ...{ maps: 1, reduces: 0, ...more },
    });
    answers = {
      '/ws/v1/cluster/apps': { json: { apps: null } },
      [root]: { json: { jobs: [job(4, { mapsTotal: 5, reducesTotal: 2 })], total: 2, next: 'a' } },
      [`${root}?cursor=a`]: { json: { jobs: [job(3)], total: 2 } },
    };
    const asked = server.requests.length;
    const rows = JSON.parse((await heddle('list', '--state', 'failed,RUNNING', '--owner', 'ada', '--json')).out);
    assert.deepEqual(
      rows.map(({ id: one, mapsTotal, mapsCompleted, reducesTotal }: Record<string, unknown>) => [
        one,
        mapsTotal,
        mapsCompleted,
        reducesTotal,
      ]),
      [
        ['job_1_0004', 5, 1, 2],
        ['job_1_0003', 1, 1, 0],
      ],
    );
    const queries = server.requests.slice(asked).filter(({ path }) => path === root);
    assert.deepEqual(
      queries.map(({ query }) => ['sort', 'state', 'user', 'limit'].map((name) => query.get(name))),
      [
        ['-startTime', 'FAILED', 'ada', '100'],
        ['-startTime', 'FAILED', 'ada', '99'],
      ],
    );
  });
});
