// `heddle job show --wait|--follow`, against a server that answers as a cluster and its history would.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StubServer } from './test-support/command-line.ts';
import { jobCommands } from './test-support/job-commands.ts';

const id = 'job_1795217873322_0051';
const server = new StubServer(() => undefined);
const heddle = jobCommands(server);

describe('heddle job show --wait', () => {
  const application = 'application_1795217873322_0051';
  const page = { job: { id, name: 'late', state: 'FAILED', mapsTotal: 1, mapsCompleted: 0, reducesTotal: 0 } };

  it('asks until the application is over and its history is there, and its exit code tells how it ended', async () => {
    const states = ['RUNNING', 'FINISHED'];
    let isThere = false;
    server.requests.length = 0;
    server.answer = ({ path, query }) => {
      const waits = query.get('until') === 'end' && Number(query.get('wait')) > 0;
      if (path === `/api/v1/applications/${application}` && waits) return { json: { id: application, state: states.shift() } };
      if (path === `/ws/v1/cluster/apps/${application}`) return { json: { app: { id: application, state: 'FINISHED' } } };
      if (path === `/api/v1/jobs/${id}` && waits) {
        isThere = true;
        return { json: { id } };
      }
      return path === `/ws/v1/history/mapreduce/jobs/${id}` && isThere ? { json: page } : undefined;
    };
    const failed = await heddle('show', id, '--wait');
    assert.deepEqual([failed.code, /state +FAILED/.test(failed.out), states], [1, true, []]);
    assert.equal(server.requests.filter(({ path }) => path === `/api/v1/jobs/${id}`).length, 1, 'no polling');
    page.job.state = 'SUCCEEDED';
    states.push('FINISHED');
    const succeeded = await heddle('show', id, '--wait', '--json');
    assert.deepEqual([succeeded.code, JSON.parse(succeeded.out).state], [0, 'SUCCEEDED']);
  });
});

describe('heddle job show', () => {
  it('counts the time of a job that ended before it began from its submission', async () => {
    const times = { submitTime: 1_700_000_000_000, startTime: -1, finishTime: 1_700_000_006_100 };
    server.answer = ({ path }) =>
      path === `/ws/v1/history/mapreduce/jobs/${id}`
        ? { json: { job: { id, name: 'never', state: 'KILLED', mapsTotal: 0, reducesTotal: 0, ...times } } }
        : undefined;
    const { code, out } = await heddle('show', id);
    assert.deepEqual([code, /^started/m.test(out), /^time +(.*)$/m.exec(out)?.[1]], [0, false, '6.1 s'], out);
  });

  it('has no mean of phases whose ends nobody told: the history counts those from 1970 on', async () => {
    const times = { startTime: 1_700_000_000_000, finishTime: 1_700_000_006_100 };
    const means = { avgMapTime: 900, avgShuffleTime: -1_700_000_003_000, avgMergeTime: 0, avgReduceTime: 1_700_000_005_000 };
    const job = { id, name: 'older', state: 'SUCCEEDED', mapsTotal: 1, reducesTotal: 1, ...times, ...means };
    server.answer = ({ path }) => (path === `/ws/v1/history/mapreduce/jobs/${id}` ? { json: { job } } : undefined);
    const { out } = await heddle('show', id);
    assert.deepEqual(
      out.match(/^mean .*$/gm)?.map((line) => line.replace(/ +/g, ' ')),
      ['mean map 0.9 s'],
    );
  });
});

describe('heddle job show of a job that was ended', () => {
  it('counts the tasks that succeeded', async () => {
    const counts = {
      mapsTotal: 3,
      mapsCompleted: 3,
      successfulMapAttempts: 2,
      failedMapAttempts: 1,
      killedMapAttempts: 2,
      reducesTotal: 0,
    };
    server.answer = ({ path }) =>
      path === `/ws/v1/history/mapreduce/jobs/${id}` ? { json: { job: { id, name: 'x', state: 'KILLED', ...counts } } } : undefined;
    assert.match((await heddle('show', id)).out, /^maps +2 of 3, 1 attempt failed, 2 attempts killed$/m);
  });
});

describe('heddle job show --follow', () => {
  const application = 'application_1795217873322_0051';
  const ended = { id, name: 'followed', state: 'SUCCEEDED', mapsTotal: 2, mapsCompleted: 2, reducesTotal: 0 };

  /** A job that is over once its master has given these answers. */
  const answerWith = (progress: readonly number[], state: string) => {
    const left = [...progress];
    server.answer = ({ path }) => {
      if (path === `/ws/v1/cluster/apps/${application}`)
        return { json: { app: { id: application, state: left.length > 0 ? 'RUNNING' : 'FINISHED', finalStatus: state } } };
      if (path === `/proxy/${application}/ws/v1/mapreduce/jobs/${id}`) {
        const mapProgress = left.shift() ?? 100;
        const running = { mapsTotal: 2, reducesTotal: 0, mapsRunning: 2, reduceProgress: 0, elapsedTime: 10 * mapProgress };
        return { json: { job: { id, state: 'RUNNING', mapProgress, ...running } } };
      }
      return path === `/ws/v1/history/mapreduce/jobs/${id}` ? { json: { job: { ...ended, state } } } : undefined;
    };
  };

  it('tells how far the job is, then shows it, and its exit code tells how it ended', async () => {
    answerWith([20, 60], 'SUCCEEDED');
    const { code, out, err } = await heddle('show', id, '--follow');
    assert.deepEqual([code, /map .* 20%\n.*map .* 60%/s.test(err)], [0, true], err);
    assert.match(out, /state +SUCCEEDED\nmaps +2 of 2\n/);
    answerWith([40], 'FAILED');
    assert.equal((await heddle('show', id, '-f')).code, 1);
  });

  it('gives programs a line for each change, the last one what the job became', async () => {
    answerWith([20, 20, 60], 'KILLED');
    const { code, out, err } = await heddle('show', id, '--follow', '--json');
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ state, mapProgress }) => [state, mapProgress]),
      [
        ['RUNNING', 20],
        ['RUNNING', 60],
        ['KILLED', undefined],
      ],
    );
    assert.deepEqual([code, err], [1, '']);
  });

  it('shows a job that is over at once, and goes not together with --wait', async () => {
    answerWith([], 'SUCCEEDED');
    server.requests.length = 0;
    assert.deepEqual([(await heddle('show', id, '-f')).code, (await heddle('show', id, '-f', '--wait')).code], [0, 2]);
    assert.ok(!server.requests.some(({ path }) => path.startsWith('/proxy/')));
  });
});
