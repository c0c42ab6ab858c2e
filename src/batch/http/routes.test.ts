import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proxyUserHeader, signedProxyUser } from '../../auth/proxy-user.ts';
import { Changes } from '../../lib/changes.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import type { RunningJob, TaskAttemptView, TaskView } from '../application-master/job-view.ts';
import { Counters } from '../counters/counters.ts';
import { createMasterService, type MasterServiceOptions } from './service.ts';

const startMs = 1_700_000_000_000;
const id = 'job_1700000000000_0005';
const taskCounter = 'org.apache.hadoop.mapreduce.TaskCounter';

const attempt = (task: string, number: number, more: Partial<TaskAttemptView> = {}): TaskAttemptView => ({
  id: `${task.replace('task', 'attempt')}_${number}`,
  kind: task.includes('_r_') ? 'REDUCE' : 'MAP',
  state: 'RUNNING',
  progress: 0.667,
  statusText: 'file:/in/b.txt:0+5 > map',
  startTimeMs: startMs + 100,
  finishTimeMs: 0,
  shuffleFinishTimeMs: 0,
  sortFinishTimeMs: 0,
  diagnostics: [],
  containerId: 'container_1700000000000_0005_01_000002',
  nodeId: 'localhost:45454',
  nodeHttpAddress: 'localhost:8042',
  rack: '/default-rack',
  counters: new Counters({ [taskCounter]: { MAP_INPUT_RECORDS: 2 } }),
  ...more,
});
const task = (letter: string, index: number, state: TaskView['state'], attempts: (task: string) => TaskAttemptView[]): TaskView => {
  const taskId = `task_1700000000000_0005_${letter}_00000${index}`;
  const made = attempts(taskId);
  return {
    id: taskId,
    kind: letter === 'r' ? 'REDUCE' : 'MAP',
    index,
    state,
    progress: made[0]?.progress ?? 0,
    statusText: made[0]?.statusText ?? '',
    startTimeMs: startMs + 100,
    finishTimeMs: made[0]?.finishTimeMs ?? 0,
    successfulAttempt: made.find((one) => one.state === 'SUCCEEDED')?.id ?? '',
    counters: made[0]?.counters ?? new Counters(),
    attempts: made,
  };
};

const application = 'application_1700000000000_0005';

function stand(
  more: Partial<RunningJob> = {},
  options: Partial<Pick<MasterServiceOptions, 'proxyAddresses' | 'administrators' | 'avoidedHosts' | 'changes'>> = {},
) {
  const killed: string[] = [];
  const tasks = [
    task('m', 0, 'SUCCEEDED', (of) => [attempt(of, 0, { state: 'SUCCEEDED', progress: 1, finishTimeMs: startMs + 500 })]),
    task('m', 1, 'RUNNING', (of) => [attempt(of, 0)]),
    task('r', 0, 'SCHEDULED', (of) => [
      attempt(of, 0, {
        state: 'STARTING',
        statusText: 'NEW',
        progress: 0,
        startTimeMs: 0,
        containerId: undefined,
        nodeHttpAddress: undefined,
        rack: undefined,
        counters: new Counters(),
      }),
    ]),
  ];
  const job: RunningJob = {
    id,
    applicationId: 'application_1700000000000_0005',
    name: 'case one',
    user: 'root',
    queue: 'root.default',
    state: 'RUNNING',
    submitTimeMs: startMs - 50,
    startTimeMs: startMs,
    finishTimeMs: 0,
    uberized: false,
    diagnostics: ['a', 'b'],
    tasks,
    mapProgress: (1 + 0.667) / 2,
    reduceProgress: 0,
    masterStartTimeMs: startMs - 20,
    masters: [
      {
        number: 1,
        startTimeMs: startMs - 20,
        containerId: 'container_1700000000000_0005_01_000001',
        nodeId: 'localhost:45454',
        nodeHttpAddress: 'localhost:8042',
      },
    ],
    accessLists: undefined,
    configurationPath: '/staging/root/.staging/job_1700000000000_0005/job.xml',
    configuration: [{ name: 'mapreduce.job.name', value: 'case one', sources: ['programmatically', 'job.xml'] }],
    task: (wanted) => tasks.find((one) => one.id === wanted),
    attempt: (wanted) => tasks.flatMap((one) => one.attempts).find((one) => one.id === wanted),
    totalCounters: () => new Counters({ [taskCounter]: { MAP_INPUT_RECORDS: 4 } }),
    mapCounters: () => new Counters({ [taskCounter]: { MAP_INPUT_RECORDS: 4 } }),
    reduceCounters: () => new Counters(),
    killAttempt: (attemptId, diagnostic) => void killed.push(`${attemptId}: ${diagnostic}`),
    failAttempt: (attemptId, diagnostic) => attemptId.endsWith('_m_000001_0') && killed.push(`${attemptId}: ${diagnostic}`) > 0,
    killTask: (taskId) => void killed.push(taskId),
    killJob: (diagnostic) => void killed.push(diagnostic),
    ...more,
  };
  const service = createMasterService({
    address: '127.0.0.1:0',
    logger: silentLogger,
    clock: new ManualClock(startMs + 1000),
    currentJob: () => job,
    proxyUrl: `http://rm:8088/proxy/${application}`,
    signature: { applicationId: application, key: () => 'key' },
    ...options,
  });
  const call = async (
    path: string,
    more: { user?: string; accept?: string; body?: unknown; contentType?: string; headers?: Record<string, string> } = {},
  ) => {
    const answer = await service.inject({
      method: more.body === undefined ? 'GET' : 'PUT',
      url: path.startsWith('/ws') || path.startsWith('/api') || path.startsWith('/map') || path === '/' ? path : `/ws/v1/mapreduce${path}`,
      headers: {
        ...(more.user ? { [proxyUserHeader]: signedProxyUser('key', application, more.user, startMs) } : {}),
        ...more.headers,
        ...(more.accept ? { accept: more.accept } : {}),
        ...(more.body === undefined ? {} : { 'content-type': more.contentType ?? 'application/json' }),
      },
      ...(more.body === undefined ? {} : { payload: typeof more.body === 'string' ? more.body : JSON.stringify(more.body) }),
    });
    return { status: answer.statusCode, body: answer.body, headers: answer.headers, json: () => JSON.parse(answer.body) };
  };
  return { call, killed, job, service };
}

test('the job is listed with counts of its tasks and attempts, percentages with 32-bit rounding', async () => {
  const { call } = stand();
  const { job } = (await call(`/jobs/${id}`)).json();
  assert.deepEqual(job, {
    startTime: startMs,
    finishTime: 0,
    elapsedTime: 1000,
    id,
    name: 'case one',
    user: 'root',
    queue: 'root.default',
    state: 'RUNNING',
    mapsTotal: 2,
    mapsCompleted: 1,
    reducesTotal: 1,
    reducesCompleted: 0,
    mapProgress: 83.350006,
    reduceProgress: 0,
    mapsPending: 0,
    mapsRunning: 1,
    reducesPending: 1,
    reducesRunning: 0,
    uberized: false,
    diagnostics: 'ab',
    newReduceAttempts: 1,
    runningReduceAttempts: 0,
    failedReduceAttempts: 0,
    killedReduceAttempts: 0,
    successfulReduceAttempts: 0,
    newMapAttempts: 0,
    runningMapAttempts: 1,
    failedMapAttempts: 0,
    killedMapAttempts: 0,
    successfulMapAttempts: 1,
  });
  assert.deepEqual((await call('/jobs')).json(), { jobs: { job: [job] } });
  assert.deepEqual((await call('/jobs/job_1700000000000_5')).json(), { job });
  assert.equal(
    (await call('/info', { accept: 'application/xml' })).body,
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><info><appId>application_1700000000000_0005</appId><name>case one</name><user>root</user><startedOn>1699999999980</startedOn><elapsedTime>1020</elapsedTime></info>',
  );
});

test('all tasks come with their attempts in one answer, for who may view the job', async () => {
  const { call } = stand();
  const path = `/api/v1/jobs/${id}/tasks`;
  const { tasks, next } = (await call(path)).json();
  assert.deepEqual(
    tasks.map((one: { id: string; attempts: { state: string; node?: string }[] }) => [
      one.id.slice(-8),
      ...one.attempts.map(({ state, node }) => `${state} ${node}`),
    ]),
    [
      ['m_000000', 'SUCCEEDED localhost:8042'],
      ['m_000001', 'RUNNING localhost:8042'],
      ['r_000000', 'STARTING undefined'],
    ],
  );
  assert.equal(next, undefined);
  assert.deepEqual((await call(`${path}?cursor=2`)).json().tasks, tasks.slice(2));
  assert.equal((await call(`${path}?cursor=x`)).status, 400);
  const closed = stand({ accessLists: { view: 'ann', modify: '' } });
  assert.equal((await closed.call(path, { user: 'bob' })).status, 403);
  assert.equal((await closed.call(path, { user: 'ann' })).status, 200);
});

test('one answer tells of the job, at once, when it has changed, or when it is over', async () => {
  const changes = new Changes();
  const { call, job } = stand({}, { changes });
  const path = `/api/v1/jobs/${id}`;
  const first = await call(path);
  const { maps, reduces, ...rest } = first.json();
  assert.deepEqual(rest, {
    ...{ id, name: 'case one', user: 'root', queue: 'root.default', state: 'RUNNING', diagnostics: 'a\nb' },
    ...{ submitTime: startMs - 50, startTime: startMs },
  });
  const none = { pending: 0, running: 0, failed: 0, killed: 0, failedAttempts: 0, killedAttempts: 0 };
  assert.deepEqual(maps, { ...none, total: 2, succeeded: 1, running: 1, progress: (1 + 0.667) / 2 });
  assert.deepEqual(reduces, { ...none, total: 1, succeeded: 0, pending: 1, progress: 0 });
  const etag = first.headers['etag'] as string;
  assert.equal((await call(path, { headers: { 'if-none-match': etag } })).status, 304);
  for (const query of ['wait=60001', 'wait=x', 'wait=-1', 'until=never']) assert.equal((await call(`${path}?${query}`)).status, 400, query);
  const answers: string[] = [];
  const changed = call(`${path}?wait=60000`, { headers: { 'if-none-match': etag } }).then((answer) => {
    answers.push('change');
    return answer.json();
  });
  const over = call(`${path}?wait=60000&until=end`).then((answer) => {
    answers.push('end');
    return answer.json();
  });
  // What is looked at again and is the same is waited for further.
  changes.tell(id);
  assert.equal((await call(path)).status, 200);
  assert.deepEqual(answers, []);
  Object.assign(job, { queue: 'root.b' });
  changes.tell(id);
  assert.equal((await changed).queue, 'root.b');
  assert.deepEqual(answers, ['change']);
  Object.assign(job, { state: 'KILLED', finishTimeMs: startMs + 900 });
  changes.tell(id);
  const { state, finishTime } = await over;
  assert.deepEqual([state, finishTime], ['KILLED', startMs + 900]);
  assert.equal((await call('/api/v1/jobs/job_1_1')).status, 404);
  const closed = stand({ accessLists: { view: 'eve', modify: ' ' } });
  assert.equal((await closed.call(path, { user: 'bob' })).status, 403);
  assert.equal((await closed.call(path, { user: 'eve' })).status, 200);
});

test('running maps count up, waiting reduces have neither place nor time', async () => {
  const { call } = stand();
  const map = (await call(`/jobs/${id}/tasks/task_1700000000000_0005_m_1/attempts`)).json().taskAttempts.taskAttempt[0];
  assert.deepEqual([map.elapsedTime, map.progress, map.shuffleFinishTime], [900, 66.7, undefined]);
  const reduce = (await call(`/jobs/${id}/tasks/task_1700000000000_0005_r_0/attempts/attempt_1700000000000_0005_r_000000_0`)).json()
    .taskAttempt;
  assert.deepEqual(reduce, {
    startTime: 0,
    finishTime: 0,
    elapsedTime: 0,
    progress: 0,
    id: 'attempt_1700000000000_0005_r_000000_0',
    state: 'STARTING',
    status: 'NEW',
    diagnostics: '',
    type: 'REDUCE',
    shuffleFinishTime: 0,
    mergeFinishTime: 0,
    elapsedShuffleTime: 0,
    elapsedMergeTime: 0,
    elapsedReduceTime: 0,
  });
  const tasks = (await call(`/jobs/${id}/tasks?type=r`)).json();
  assert.deepEqual(
    tasks.tasks.task.map((one: { id: string }) => one.id),
    ['task_1700000000000_0005_r_000000'],
  );
  assert.deepEqual((await call(`/jobs/${id}/tasks/task_1700000000000_0005_r_0/counters`)).json(), {
    jobTaskCounters: { id: 'task_1700000000000_0005_r_000000' },
  });
});

test('counters, generations and configuration have their places', async () => {
  const { call } = stand();
  assert.deepEqual((await call(`/jobs/${id}/counters`)).json(), {
    jobCounters: {
      id,
      counterGroup: [
        {
          counterGroupName: taskCounter,
          counter: [{ name: 'MAP_INPUT_RECORDS', totalCounterValue: 4, mapCounterValue: 4, reduceCounterValue: 0 }],
        },
      ],
    },
  });
  assert.equal(
    (await call(`/jobs/${id}/jobattempts`)).json().jobAttempts.jobAttempt[0].logsLink,
    'http://localhost:8042/node/containerlogs/container_1700000000000_0005_01_000001/root',
  );
  const path = 'file:/staging/root/.staging/job_1700000000000_0005/job.xml';
  assert.deepEqual((await call(`/jobs/${id}/conf`)).json(), {
    conf: { path, property: [{ name: 'mapreduce.job.name', value: 'case one', source: ['programmatically', path] }] },
  });
});

test('the hosts that the master avoids are listed without a root', async () => {
  const { call } = stand({}, { avoidedHosts: () => ['h1'] });
  assert.deepEqual((await call('/blacklistednodes')).json(), { blacklistedNodes: ['h1'] });
  assert.match(
    (await call('/blacklistednodes', { accept: 'application/xml' })).body,
    /<blacklistednodesinfo><blacklistedNodes>h1<\/blacklistedNodes><\/blacklistednodesinfo>$/,
  );
  assert.deepEqual((await stand().call('/blacklistednodes')).json(), { blacklistedNodes: [] });
});

test('unknown and malformed ids and kinds are refused with their sentences', async () => {
  const { call } = stand();
  const message = async (path: string) => {
    const answer = await call(path);
    return [answer.status, answer.json().RemoteException.message];
  };
  assert.deepEqual(await message('/jobs/job_1_1'), [404, 'java.lang.Exception: job, job_1_1, is not found']);
  assert.deepEqual(await message('/jobs/x'), [404, 'java.lang.Exception: JobId string : x is not properly formed']);
  assert.deepEqual(await message(`/jobs/${id}/tasks/task_1_1_m_1`), [404, 'java.lang.Exception: task not found with id task_1_1_m_1']);
  assert.deepEqual(await message(`/jobs/${id}/tasks/task_1700000000000_0005_m_0/attempts/attempt_1700000000000_0005_m_000001_0`), [
    404,
    'java.lang.Exception: Error getting info on task attempt id attempt_1700000000000_0005_m_000001_0',
  ]);
  assert.deepEqual(await message(`/jobs/${id}/tasks?type=M`), [400, 'java.lang.Exception: tasktype must be either m or r']);
  const absent = await call('/jobs/job_1_1', { accept: 'application/xml' });
  assert.equal(absent.status, 404);
  assert.match(absent.body, /<RemoteException><exception>NotFoundException/);
});

test('an attempt may be killed, and only that', async () => {
  const { call, killed } = stand();
  const state = `/jobs/${id}/tasks/task_1700000000000_0005_m_000001/attempts/attempt_1700000000000_0005_m_000001_0/state`;
  assert.deepEqual((await call(state)).json(), { state: 'RUNNING' });
  assert.deepEqual((await call(state, { body: { state: 'RUNNING', more: 1 } })).json(), { state: 'RUNNING' });
  for (const [body, status] of [
    [{ state: 'FAILED' }, 400],
    [{ state: 'killed' }, 400],
    [{}, 400],
    ['', 400],
    ['[]', 400],
    ['{"state":', 400],
  ] as const) {
    const answer = await call(state, { body, user: 'ann' });
    assert.equal(answer.status, status, JSON.stringify(body));
    assert.ok(answer.json().RemoteException);
  }
  assert.equal((await call(state, { body: 'KILLED', contentType: 'text/plain' })).status, 415);
  assert.deepEqual(killed, []);
  const xml = await call(state, {
    body: '<jobTaskAttemptState><state>KILLED</state></jobTaskAttemptState>',
    contentType: 'application/xml',
    accept: 'application/xml',
    user: 'ann',
  });
  assert.match(xml.body, /<jobTaskAttemptState><state>KILLED<\/state><\/jobTaskAttemptState>/);
  assert.deepEqual(killed, [
    'attempt_1700000000000_0005_m_000001_0: Kill task attempt attempt_1700000000000_0005_m_000001_0 received from ann (auth:SIMPLE) at null',
  ]);
});

test('access lists decide who sees the inside of the job and who may change it', async () => {
  const { call, killed } = stand({ accessLists: { view: 'ann,bob', modify: 'bob' } }, { administrators: 'root2 ' });
  const state = `/jobs/${id}/tasks/task_1700000000000_0005_m_000001/attempts/attempt_1700000000000_0005_m_000001_0/state`;
  const stranger = (await call(`/jobs/${id}`, { user: 'eve' })).json().job;
  assert.deepEqual([stranger.mapsTotal, stranger.mapsRunning, stranger.diagnostics, stranger.acls], [2, 0, undefined, undefined]);
  assert.equal((await call(`/jobs/${id}/tasks/x`, { user: 'eve' })).status, 403);
  assert.equal((await call('/mapreduce', { user: 'eve' })).status, 403);
  assert.deepEqual((await call(`/jobs/${id}`, { user: 'ann' })).json().job.acls[1], { name: 'mapreduce.job.acl-modify-job', value: 'bob' });
  const refused = await call(state, { user: 'ann', body: { state: 'KILLED' } });
  assert.deepEqual(
    [refused.status, refused.json().RemoteException],
    [
      404,
      {
        exception: 'AccessControlException',
        message: `User ann cannot perform operation MODIFY_JOB on ${id}`,
        javaClassName: 'org.apache.hadoop.security.AccessControlException',
      },
    ],
  );
  // Who comes without a name is in no list.
  assert.equal((await call(`/jobs/${id}`, {})).json().job.acls, undefined);
  for (const path of [`/jobs/${id}/conf`, `/jobs/${id}/tasks`, '/mapreduce', `/mapreduce/conf/${id}`])
    assert.equal((await call(path, {})).status, 403, path);
  assert.equal((await call(state, { body: { state: 'KILLED' } })).status, 403);
  assert.equal(killed.length, 0);
  for (const user of ['bob', 'root', 'root2']) assert.equal((await call(state, { user, body: { state: 'KILLED' } })).status, 200);
});

test('a name counts only where the proxy signed it for this application', async () => {
  const { call, killed } = stand({ accessLists: { view: 'ann,bob', modify: 'bob' } });
  const state = `/jobs/${id}/tasks/task_1700000000000_0005_m_000001/attempts/attempt_1700000000000_0005_m_000001_0/state`;
  const forged: Record<string, string>[] = [
    { cookie: 'proxy-user=bob' },
    { cookie: 'proxy-user =bob' },
    { cookie: 'proxy-user=root', [proxyUserHeader]: 'bob' },
    { [proxyUserHeader]: signedProxyUser('another key', application, 'bob', startMs) },
    { [proxyUserHeader]: signedProxyUser('key', 'application_1700000000000_0006', 'bob', startMs) },
    { [proxyUserHeader]: signedProxyUser('key', application, 'bob', startMs - 3_600_000) },
    { [proxyUserHeader]: signedProxyUser('', application, 'bob', startMs) },
  ];
  for (const headers of forged) {
    assert.equal((await call(`/jobs/${id}/conf`, { headers })).status, 403, JSON.stringify(headers));
    assert.equal((await call(state, { headers, body: { state: 'KILLED' } })).status, 403, JSON.stringify(headers));
  }
  assert.deepEqual(killed, []);
  assert.equal((await call(state, { user: 'bob', headers: { cookie: 'proxy-user=eve' }, body: { state: 'KILLED' } })).status, 200);
  assert.match(killed[0] ?? '', /received from bob /);
});

test('who does not come through the proxy is sent there', async () => {
  const { call } = stand({}, { proxyAddresses: new Set(['10.0.0.1']) });
  const answer = await call('/jobs?x=y');
  assert.equal(answer.status, 302);
  assert.equal(answer.headers['location'], 'http://rm:8088/proxy/redirect/application_1700000000000_0005/ws/v1/mapreduce/jobs?x=y');
});

test('methods that a master knows nothing of are refused as the proxy refuses them', async () => {
  const { service } = stand();
  const post = await service.inject({
    method: 'POST',
    url: '/ws/v1/mapreduce/info',
    headers: { 'content-type': 'application/json' },
    payload: '{}',
  });
  assert.deepEqual([post.statusCode, post.headers['content-type'], post.body.includes('405')], [405, 'text/html;charset=iso-8859-1', true]);
  const remove = await service.inject({ method: 'DELETE', url: '/ws/v1/mapreduce/info' });
  assert.deepEqual([remove.statusCode, remove.headers['content-type'], remove.body], [405, undefined, '']);
});

test('pages show the job and escape what users wrote', async () => {
  const { call } = stand({ name: '<script>' });
  for (const path of [
    '/mapreduce',
    `/mapreduce/job/${id}`,
    `/mapreduce/tasks/${id}/m`,
    '/mapreduce/task/task_1700000000000_0005_m_000001',
    `/mapreduce/counters/${id}`,
    `/mapreduce/jobcounters/${id}`,
    `/mapreduce/tasks/${id}`,
    `/mapreduce/tasks/${id}/m/COMPLETED`,
    `/mapreduce/attempts/${id}/m/SUCCESSFUL`,
    '/mapreduce/taskcounters/task_1700000000000_0005_m_000001',
    `/mapreduce/singlejobcounter/${id}`,
    `/mapreduce/singlejobcounter/${id}/org.apache.hadoop.mapreduce.TaskCounter/MAP_INPUT_RECORDS`,
    '/mapreduce/singletaskcounter/task_1700000000000_0005_m_000001/g/c',
    `/mapreduce/conf/${id}`,
  ]) {
    const answer = await call(path);
    assert.equal(answer.status, 200, path);
    assert.match(String(answer.headers['content-type']), /^text\/html/);
    assert.ok(!answer.body.includes('<script>'));
    assert.match(answer.body, new RegExp(`<a href="/ui/jobs/${id}[?a-zA-Z0-9=_]*">Web page</a>`), path);
  }
  // As Hadoop's masters say it.
  for (const [name, said] of [
    ['job', 'Bad Request: Missing job ID'],
    ['jobcounters', 'Bad Request: Missing job ID'],
    ['task', 'missing task ID'],
    ['taskcounters', 'missing task ID'],
  ]) {
    const { status, headers, body } = await call(`/mapreduce/${name}`);
    assert.deepEqual([status, headers['content-type'], body], [400, 'text/plain;charset=utf-8', said]);
  }
  assert.equal((await call('/')).status, 302);
});

test('a job and its tasks are killed, attempts killed or made to fail, by who may change the job', async () => {
  const { call, killed } = stand({ accessLists: { view: '*', modify: 'bob' } });
  const tasks = `/api/v1/jobs/${id}/tasks`;
  const taskId = 'task_1700000000000_0005_m_000001';
  const attemptId = 'attempt_1700000000000_0005_m_000001_0';
  const put = (path: string, state: unknown, user = 'bob') => call(`${tasks}/${path}/state`, { user, body: { state } });
  assert.equal((await put(taskId, 'KILLED', 'eve')).status, 404);
  assert.deepEqual(killed, []);
  assert.deepEqual((await put(taskId, 'KILLED')).json(), { state: 'KILLED' });
  assert.deepEqual((await put(`${taskId}/attempts/${attemptId}`, 'FAILED')).json(), { state: 'FAILED' });
  assert.deepEqual((await put(`${taskId}/attempts/${attemptId}`, 'KILLED')).json(), { state: 'KILLED' });
  const received = 'received from bob (auth:SIMPLE) at null';
  assert.deepEqual(killed, [
    taskId,
    `${attemptId}: Fail task attempt ${attemptId} ${received}`,
    `${attemptId}: Kill task attempt ${attemptId} ${received}`,
  ]);
  assert.equal((await put(taskId, 'FAILED')).status, 400);
  assert.equal((await put(taskId, undefined)).status, 400);
  const waiting = 'task_1700000000000_0005_r_000000/attempts/attempt_1700000000000_0005_r_000000_0';
  assert.match((await put(waiting, 'FAILED')).body, /attempt_1700000000000_0005_r_000000_0 is STARTING: only one that has not ended/);
  assert.equal((await put('task_1700000000000_0005_m_000009', 'KILLED')).status, 404);

  killed.length = 0;
  const putJob = (state: string, user: string) => call(`/api/v1/jobs/${id}/state`, { user, body: { state } });
  assert.deepEqual([(await putJob('KILLED', 'eve')).status, (await putJob('FAILED', 'bob')).status, killed], [404, 400, []]);
  assert.deepEqual((await putJob('KILLED', 'bob')).json(), { state: 'KILLED' });
  assert.deepEqual(killed, [`Kill job ${id} ${received}`]);
});
