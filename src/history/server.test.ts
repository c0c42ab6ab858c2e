import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { systemClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { aggregatedLogTree, applicationLogFolder } from '../wire/files/aggregated-log-folder.ts';
import { createEventEncoder, historyHeader } from '../wire/files/job-history.ts';
import { configurationFileName, doneFolder, historyFileName } from '../wire/files/job-history-names.ts';
import { JobStore } from './jobs/job-store.ts';
import { HistoryFixture, jobs, recorded } from './test-support/history-fixture.ts';

const fixture = new HistoryFixture();
before(() => fixture.open());
after(() => fixture.close());

test('a job shows up with the next request after it was published, and its files have moved', async () => {
  assert.deepEqual((await fixture.get(`${jobs}?user=zoe`)).json(), { jobs: {} });
  const index = await fixture.publish(1, { user: 'zoe' });
  const { job } = (await fixture.get(`${jobs}/job_1700000000000_1`)).json();
  assert.deepEqual(job, {
    submitTime: 1000,
    startTime: 2000,
    finishTime: index.finishTime,
    id: index.jobId,
    name: 'a job',
    queue: 'root.default',
    user: 'zoe',
    state: 'SUCCEEDED',
    mapsTotal: 1,
    mapsCompleted: 1,
    reducesTotal: 0,
    reducesCompleted: 0,
    uberized: false,
    diagnostics: '',
    avgMapTime: 1000,
    avgReduceTime: 0,
    avgShuffleTime: 0,
    avgMergeTime: 0,
    failedReduceAttempts: 0,
    killedReduceAttempts: 0,
    successfulReduceAttempts: 0,
    failedMapAttempts: 0,
    killedMapAttempts: 0,
    successfulMapAttempts: 1,
  });
  const listed = (await fixture.get(`${jobs}?user=zoe`)).json().jobs.job;
  assert.deepEqual(
    listed.map((one: { id: string; uberized?: boolean }) => [one.id, one.uberized]),
    [[index.jobId, undefined]],
  );
  const folder = join(fixture.done, doneFolder(index, 0));
  assert.deepEqual(
    readdirSync(folder)
      .filter((name) => name.startsWith(index.jobId))
      .sort(),
    [historyFileName(index), configurationFileName(index.jobId)].sort(),
  );
  assert.deepEqual(readdirSync(join(fixture.intermediate, 'zoe')), []);
  const path = `file:${folder}/${index.jobId}_conf.xml`;
  assert.deepEqual((await fixture.get(`${jobs}/${index.jobId}/conf`)).json().conf, {
    path,
    property: [
      { name: 'a', value: '1', source: [path] },
      { name: 'case.secret', value: '*********(redacted)', source: ['programmatically'] },
      { name: 'mapreduce.job.redacted-properties', value: 'case.secret', source: [path] },
    ],
  });
  assert.equal(
    (await fixture.get(`${jobs}/${index.jobId}/jobattempts`)).json().jobAttempts.jobAttempt[0].logsLink,
    `${fixture.web}/jobhistory/logs/node:45454/container_1700000000000_0001_01_000001/${index.jobId}/zoe`,
  );
  assert.equal(
    (await fixture.get(`${jobs}/${index.jobId}/tasks/task_1700000000000_0001_m_0/attempts`)).json().taskAttempts.taskAttempt[0].elapsedTime,
    1000,
  );
});

test('all filters hold together, in order of ids, and the first fault is the one answered', async () => {
  await fixture.publish(20, { user: 'bob', jobName: 'b', queue: 'root.a', status: 'FAILED', startTime: 5000, finishTime: 6000 });
  await fixture.publish(3, { user: 'bob', startTime: 4000, finishTime: 7000 });
  const ids = async (query: string) =>
    ((await fixture.get(`${jobs}?user=bob&${query}`)).json().jobs.job ?? []).map((one: { id: string }) => one.id.slice(-4));
  assert.deepEqual(await ids(''), ['0003', '0020']);
  assert.deepEqual(await ids('limit=1'), ['0003']);
  assert.deepEqual(await ids('queue=root.a'), ['0020']);
  assert.deepEqual(await ids('queue=a'), []);
  assert.deepEqual(await ids('state=FAILED'), ['0020']);
  assert.deepEqual(await ids('startedTimeBegin=4001'), ['0020']);
  assert.deepEqual(await ids('startedTimeEnd=4000'), ['0003']);
  assert.deepEqual(await ids('finishedTimeBegin=6000&finishedTimeEnd=6000&limit=&user='), ['0020']);
  assert.deepEqual(await fixture.message(`${jobs}?limit=x&state=x`), [400, 'java.lang.Exception: For input string: "x"']);
  assert.deepEqual(await fixture.message(`${jobs}?limit=0`), [400, 'java.lang.Exception: limit value must be greater then 0']);
  assert.deepEqual(await fixture.message(`${jobs}?startedTimeBegin=x`), [
    400,
    'java.lang.Exception: Invalid number format: For input string: "x"',
  ]);
  assert.deepEqual(await fixture.message(`${jobs}?finishedTimeEnd=-1`), [
    400,
    'java.lang.Exception: finishedTimeEnd must be greater than 0',
  ]);
  assert.deepEqual(await fixture.message(`${jobs}?startedTimeBegin=10&startedTimeEnd=5`), [
    400,
    'java.lang.Exception: startedTimeEnd must be greater than startTimeBegin',
  ]);
  assert.deepEqual(await fixture.message(`${jobs}?state=`), [400, 'No enum constant org.apache.hadoop.mapreduce.v2.api.records.JobState.']);
});

test('jobs are searched and all tasks of one come in one answer', async () => {
  const { jobId } = await fixture.publish(30, { user: 'ida', jobName: 'Wanted' });
  const found = (await fixture.get('/api/v1/jobs?user=ida&name=wan&limit=1')).json();
  assert.deepEqual([found.total, found.jobs[0].id, found.next], [1, jobId, undefined]);
  const { jobId: killed } = await fixture.publish(33, { user: 'kay', status: 'KILLED', maps: 0 });
  const [ofKay] = (await fixture.get('/api/v1/jobs?user=kay')).json().jobs;
  assert.deepEqual([ofKay.id, ofKay.maps, ofKay.mapsTotal, ofKay.reducesTotal], [killed, 0, 1, 0]);
  // On Hadoop's address the name alone counts, as there.
  assert.equal((await fixture.get(`${jobs}?user=kay`)).json().jobs.job[0].mapsTotal, 0);
  assert.equal((await fixture.get('/api/v1/jobs?sort=luck')).status, 400);
  const { tasks } = (await fixture.get(`/api/v1/jobs/${jobId}/tasks`)).json();
  assert.deepEqual([tasks.length, tasks[0].attempts[0].finishTime, tasks[0].attempts[0].node], [1, 3200, 'node:8042']);
  assert.equal((await fixture.get(`/api/v1/jobs/${jobId}/tasks?cursor=a`)).status, 400);
  assert.equal((await fixture.get('/api/v1/jobs/job_1_1/tasks')).status, 404);
  const careful = await fixture.startAnother({ 'mapreduce.cluster.acls.enabled': 'true', 'mapreduce.jobhistory.loadedjob.tasks.max': '1' });
  try {
    const base = careful.addresses['web']!;
    assert.equal((await fixture.get(`/api/v1/jobs/${jobId}/tasks?user.name=bob`, {}, base)).status, 200);
    const { jobId: closed } = await fixture.publish(31, { user: 'ida', acls: { 'mapreduce.job.acl-view-job': 'eve' } });
    assert.equal((await fixture.get(`/api/v1/jobs/${closed}/tasks?user.name=bob`, {}, base)).status, 403);
    assert.equal((await fixture.get(`/api/v1/jobs/${closed}/tasks?user.name=eve`, {}, base)).status, 200);
    const { jobId: large } = await fixture.publish(32, { user: 'ida', maps: 2 });
    const refused = await fixture.get(`/api/v1/jobs/${large}/tasks?user.name=ida`, {}, base);
    assert.equal(refused.status, 404);
    assert.match(refused.json().RemoteException.message, /more than mapreduce.jobhistory.loadedjob.tasks.max/);
  } finally {
    await careful.close();
  }
});

test('a list of jobs is waited for until a job comes into it', async () => {
  for (const wait of ['60001', 'x', '-1']) assert.equal((await fixture.get(`/api/v1/jobs?wait=${wait}`)).status, 400, wait);
  const path = '/api/v1/jobs?user=waited';
  const ask = (wait: number, etag?: string) =>
    fetch(`${fixture.web}${path}&wait=${wait}`, { headers: etag === undefined ? {} : { 'if-none-match': etag } });
  const first = await ask(60_000);
  assert.deepEqual([first.status, ((await first.json()) as { jobs: object[] }).jobs], [200, []]);
  const etag = first.headers.get('etag')!;
  assert.equal((await ask(20, etag)).status, 304);
  const waiting = ask(60_000, etag).then((response) => response.json() as Promise<{ jobs: { id: string }[] }>);
  await fixture.publish(44, { user: 'another' });
  const { jobId } = await fixture.publish(45, { user: 'waited' });
  assert.deepEqual(
    (await waiting).jobs.map(({ id }) => id),
    [jobId],
  );
});

test('a job is waited for, and told as plain JSON', async () => {
  const path = '/api/v1/jobs/job_1700000000000_0040';
  assert.equal((await fixture.get(`${path}?until=end`)).status, 404);
  assert.equal((await fixture.get(`${path}?wait=60000`)).status, 404, 'what is not there does not change');
  assert.equal((await fixture.get(`${path}?wait=20&until=end`)).status, 404);
  assert.equal((await fixture.get('/api/v1/jobs/x?wait=60000&until=end')).status, 404);
  const waiting = fixture.get(`${path}?wait=60000&until=end`);
  const { jobId } = await fixture.publish(40, { user: 'ida', jobName: 'awaited' });
  const { maps, ...job } = (await waiting).json();
  assert.deepEqual([job.id, job.name, job.user, job.state, job.diagnostics], [jobId, 'awaited', 'ida', 'SUCCEEDED', undefined]);
  assert.deepEqual([maps.total, maps.succeeded, maps.progress, job.reduces.total], [1, 1, 1, 0]);
  const careful = await fixture.startAnother({ 'mapreduce.cluster.acls.enabled': 'true', 'mapreduce.jobhistory.loadedjob.tasks.max': '1' });
  try {
    const base = careful.addresses['web']!;
    const { jobId: closed } = await fixture.publish(41, { user: 'ida', acls: { 'mapreduce.job.acl-view-job': 'eve' } });
    assert.equal((await fixture.get(`/api/v1/jobs/${closed}?user.name=bob`, {}, base)).status, 403);
    const { jobId: large } = await fixture.publish(42, { user: 'ida', maps: 2 });
    const unparsed = (await fixture.get(`/api/v1/jobs/${large}?user.name=ida`, {}, base)).json();
    assert.deepEqual([unparsed.state, unparsed.maps.succeeded], ['SUCCEEDED', 2]);
  } finally {
    await careful.close();
  }
});

test('of very many tasks a page of YARN shows the first, and the interface all', async () => {
  const { jobId } = await fixture.publish(77, { tasks: 2100 });
  for (const [page, what, row] of [
    [`tasks/${jobId}/m`, 'tasks', 'task'],
    [`attempts/${jobId}/m/SUCCESSFUL`, 'attempts', 'attempt'],
  ] as const) {
    const { status, body } = await fixture.get(`/jobhistory/${page}`);
    const rows = body.match(new RegExp(`\\b${row}_\\d{1,20}_0077_m_\\d{6}(_0)?</`, 'g'));
    assert.deepEqual([status, rows?.length, body.includes(`The first 2000 of 2100 ${what} are shown.`)], [200, 2000, true], page);
  }
  const { tasks } = (await fixture.get(`${jobs}/${jobId}/tasks`)).json();
  assert.equal(tasks.task.length, 2100);
  const xml = await fixture.get(`${jobs}/${jobId}/tasks`, { accept: 'application/xml' });
  assert.equal(xml.body.match(/<task>/g)?.length, 2100);
  const { taskCounterGroup = [], counterGroup = [] } = (await fixture.get(`${jobs}/${jobId}/counters`)).json().jobCounters;
  assert.ok(taskCounterGroup.length + counterGroup.length > 0);
});

/** Addresses, states and types are those of Hadoop 3.4.2's history server. */
test('the pages of YARN are where they were, and say what is missing', async () => {
  const { jobId } = await fixture.publish(78);
  const page = async (path: string) => {
    const { status, type, body } = await fixture.get(`/jobhistory/${path}`);
    return { status, type, body };
  };
  const taskId = `${jobId.replace('job', 'task')}_m_000000`;
  const framework = 'org.apache.hadoop.mapreduce.TaskCounter';
  for (const path of ['about', `tasks/${jobId}`, `singlejobcounter/${jobId}`, `singletaskcounter/${taskId}`, 'nmlogs'])
    assert.deepEqual([(await page(path)).status, (await page(path)).type], [200, 'text/html;charset=utf-8'], path);
  const { body: all } = await page(`tasks/${jobId}`);
  assert.match(all, /<title>All Tasks for job_[\s\S]*_m_000000/);
  const counter = (await page(`jobcounters/${jobId}`)).body;
  assert.match(counter, /<td>/);
  for (const counted of [`singlejobcounter/${jobId}`, `singletaskcounter/${taskId}`]) {
    const { body } = await page(`${counted}/${framework}/MAP_INPUT_RECORDS`);
    assert.match(body, new RegExp(`<h1>MAP_INPUT_RECORDS</h1>\n<p>${framework.replaceAll('.', '\\.')}</p>`));
    assert.match(body, new RegExp(`/jobhistory/task/${taskId}">[^<]+</a></td><td>\\d+</td>`), counted);
    assert.doesNotMatch((await page(`${counted}/${framework}/nothing`)).body, /<td>\d/);
  }
  const file = await fetch(`${fixture.web}/jobhistory/downloadconf/${jobId}`);
  assert.deepEqual(
    [file.status, file.headers.get('content-type'), file.headers.get('content-disposition')],
    [200, 'text/xml;charset=utf-8', `attachment; filename=${jobId}.xml`],
  );
  assert.match(await file.text(), /^<\?xml version="1.0" encoding="UTF-8" standalone="no"\?><configuration>\n<property><name>/);
  const missing = { status: 400, type: 'text/plain;charset=utf-8' };
  for (const name of ['job', 'conf', 'downloadconf', 'jobcounters', 'singlejobcounter'])
    assert.deepEqual(await page(name), { ...missing, body: 'Bad Request: Missing job ID' }, name);
  for (const name of ['task', 'taskcounters', 'singletaskcounter'])
    assert.deepEqual(await page(name), { ...missing, body: 'missing task ID' }, name);
  assert.equal((await page('errors-and-warnings')).status, 404);
});

test('unknown and malformed ids are refused', async () => {
  const { jobId } = await fixture.publish(4);
  assert.deepEqual(await fixture.message(`${jobs}/job_1_1`), [404, 'java.lang.Exception: job, job_1_1, is not found']);
  assert.deepEqual(await fixture.message(`${jobs}/x/tasks`), [404, 'java.lang.Exception: JobId string : x is not properly formed']);
  assert.deepEqual((await fixture.message(`${jobs}/${jobId}/tasks/task_1_2`))[0], 404);
  assert.deepEqual((await fixture.message(`${jobs}/${jobId}/tasks/task_1_2/counters`))[0], 400);
  const large = await fixture.get(`${jobs}/${jobId}/tasks/task_1_2_m_99999999999/counters`);
  assert.deepEqual([large.status, large.json().RemoteException.exception], [400, 'NumberFormatException']);
  assert.deepEqual(await fixture.message(`${jobs}/${jobId}/tasks?type=M`), [400, 'java.lang.Exception: tasktype must be either m or r']);
  assert.equal((await fixture.get(`${jobs}/job_1_1`, { accept: 'application/xml' })).status, 404);
  assert.equal((await fixture.get(`${jobs}/${jobId}/tasks/a/attempts/b/state`)).type, 'text/html;charset=utf-8');
});

test('damaged files and links in the intermediate folder do no harm', async () => {
  const folder = join(fixture.intermediate, 'm');
  mkdirSync(folder, { recursive: true });
  symlinkSync('/etc/passwd', join(folder, 'job_1700000000000_0666-1-m-n-2-0-0-FAILED-q-1.jhist'));
  writeFileSync(join(folder, 'nothing.jhist'), 'x');
  const broken = 'job_1700000000000_0667-1-m-n-2-0-0-FAILED-q-1.jhist';
  writeFileSync(join(folder, broken), 'Avro-Binary\nno schema\n');
  symlinkSync('/etc', join(fixture.intermediate, 'link'));
  assert.equal((await fixture.get(`${jobs}/job_1700000000000_0666`)).status, 404);
  assert.equal((await fixture.get(`${jobs}/job_1700000000000_0667`)).status, 503);
  assert.equal((await fixture.get(`${jobs}?user=m`)).json().jobs.job.length, 1);
});

test('files that users make too long are refused in words, and none is waited for', async () => {
  const folder = join(fixture.intermediate, 'm');
  mkdirSync(folder, { recursive: true });
  const made = (sequence: number) => join(folder, `job_1700000000000_0${sequence}-1-m-n-2-0-0-FAILED-q-1.jhist`);
  // All of it is a hole: it takes no room on the disk.
  writeFileSync(made(668), historyHeader('binary'));
  truncateSync(made(668), 2 ** 32);
  writeFileSync(made(669), historyHeader('binary'));
  writeFileSync(join(folder, 'job_1700000000000_0669_conf.xml'), '<configuration>');
  truncateSync(join(folder, 'job_1700000000000_0669_conf.xml'), 2 ** 32);
  const refusal = (await fixture.get(`${jobs}/job_1700000000000_0668`)).json().RemoteException;
  assert.match(refusal.message, /it has 4294967296 bytes, and this server reads at most 536870912/);
  assert.equal((await fixture.get(`${jobs}/job_1700000000000_0669`)).status, 200);
  assert.equal((await fixture.get(`${jobs}/job_1700000000000_0669/conf`)).status, 404);
});

test('jobs are loaded one after the other, and no more of them kept than there is room for', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-room-'));
  const [intermediateFolder, doneFolder] = ['from', 'done'].map((name) => join(folder, name)) as [string, string];
  mkdirSync(join(intermediateFolder, 'ann'), { recursive: true });
  const ids = [1, 2, 3].map((sequence) => `job_1700000000000_000${sequence}`);
  const started = createEventEncoder('binary')({
    type: 'TASK_STARTED',
    event: { taskid: 'task_1700000000000_0001_m_000000', taskType: 'MAP', startTime: 1, splitLocations: '' },
  });
  const history = Buffer.concat([Buffer.from(historyHeader('binary')), started]);
  for (const id of ids) writeFileSync(join(intermediateFolder, 'ann', `${id}-1-ann-j-2-1-1-SUCCEEDED-default-1.jhist`), history);
  const store = await JobStore.open({
    ...{ intermediateFolder, doneFolder, alwaysScan: false, localUser: 'nobody', maximumHistoryBytes: 2 * history.length },
    ...{ listedJobs: 1000, loadedJobs: 5, loadedTasks: undefined, maximumTasks: -1, scanIntervalMs: 3_600_000 },
    ...{ clock: systemClock, logger: silentLogger },
  });
  try {
    const stored = await Promise.all(ids.map(async (id) => (await store.find(id))!));
    const load = () => Promise.all(stored.map((one) => store.load(one)));
    const first = await load();
    assert.deepEqual(
      first.map(({ tasks }) => tasks.length),
      [1, 1, 1],
    );
    // The first had to go for the third; what is still loaded is not read again.
    const second = [await store.load(stored[1]!), await store.load(stored[2]!), await store.load(stored[0]!)];
    assert.ok(second[0] === first[1] && second[1] === first[2] && second[2] !== first[0]);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
});

test('jobs are found again after a restart, also those that the list has no room for', async () => {
  await fixture.publish(5, { user: 'eve' });
  await fixture.publish(6, { user: 'eve' });
  await fixture.get(jobs);
  const small = await fixture.startAnother({ 'mapreduce.jobhistory.joblist.cache.size': '1' });
  try {
    const base = small.addresses['web']!;
    assert.equal((await fixture.get(jobs, {}, base)).json().jobs.job.length, 1);
    for (const number of [5, 6]) assert.equal((await fixture.get(`${jobs}/job_1700000000000_${number}`, {}, base)).status, 200);
  } finally {
    await small.close();
  }
});

test('jobs too large to load show what their names say', async () => {
  const { jobId } = await fixture.publish(7, { maps: 5, reduces: 5 });
  await fixture.get(jobs);
  const strict = await fixture.startAnother({ 'mapreduce.jobhistory.loadedjob.tasks.max': '9' });
  try {
    const base = strict.addresses['web']!;
    const { job } = (await fixture.get(`${jobs}/${jobId}`, {}, base)).json();
    assert.deepEqual([job.mapsTotal, job.mapsCompleted, job.uberized], [5, -1, undefined]);
    assert.deepEqual((await fixture.get(`${jobs}/${jobId}/tasks?type=q`, {}, base)).json(), { tasks: {} });
    assert.deepEqual((await fixture.get(`${jobs}/${jobId}/counters`, {}, base)).json(), { jobCounters: { id: jobId } });
    assert.deepEqual((await fixture.get(`${jobs}/${jobId}/jobattempts`, {}, base)).json(), { jobAttempts: {} });
    assert.equal((await fixture.get(`${jobs}/${jobId}/conf`, {}, base)).status, 200);
  } finally {
    await strict.close();
  }
});

test('access lists of jobs decide who sees them', async () => {
  const { jobId } = await fixture.publish(8, { acls: { 'mapreduce.job.acl-view-job': 'bob', 'mapreduce.job.acl-modify-job': ' ' } });
  await fixture.get(jobs);
  const guarded = await fixture.startAnother({ 'mapreduce.cluster.acls.enabled': 'true', 'mapreduce.cluster.administrators': 'chief ' });
  try {
    const base = guarded.addresses['web']!;
    const status = async (user: string, path = '') => (await fixture.get(`${jobs}/${jobId}${path}?user.name=${user}`, {}, base)).status;
    for (const user of ['ann', 'bob', 'chief']) assert.equal(await status(user), 200, user);
    for (const path of ['', '/tasks', '/counters', '/conf', '/tasks/x', '/jobattempts']) assert.equal(await status('eve', path), 403, path);
    assert.equal((await fixture.get(`/jobhistory/job/${jobId}?user.name=eve`, {}, base)).status, 403);
  } finally {
    await guarded.close();
  }
});

test('old jobs are removed with their folders', async () => {
  const old = await fixture.publish(10, { finishTime: Date.now() - 9 * 86_400_000 });
  const store = await JobStore.open({
    intermediateFolder: fixture.intermediate,
    doneFolder: fixture.done,
    alwaysScan: false,
    localUser: 'nobody',
    listedJobs: 1000,
    loadedJobs: 5,
    loadedTasks: undefined,
    maximumTasks: -1,
    maximumHistoryBytes: 2 ** 29,
    scanIntervalMs: 60_000,
    clock: systemClock,
    logger: silentLogger,
  });
  try {
    assert.ok(await store.find(old.jobId));
    await store.clean(Date.now() - 7 * 86_400_000);
    assert.equal(await store.find(old.jobId), undefined);
    assert.ok(!existsSync(join(fixture.done, doneFolder(old, 0))));
  } finally {
    await store.close();
  }
});

test('a job is noticed, without anyone asking, in the folder of a user who had none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-noticed-'));
  const [intermediateFolder, doneFolder] = ['from', 'done'].map((name) => join(folder, name)) as [string, string];
  const store = await JobStore.open({
    ...{ intermediateFolder, doneFolder, alwaysScan: false, localUser: 'nobody' },
    ...{
      listedJobs: 1000,
      loadedJobs: 5,
      loadedTasks: undefined,
      maximumTasks: -1,
      maximumHistoryBytes: 2 ** 29,
      scanIntervalMs: 3_600_000,
    },
    ...{ clock: systemClock, logger: silentLogger },
  });
  try {
    for (const sequence of [1, 2]) {
      const jobId = `job_1700000000000_000${sequence}`;
      const { count } = store.changes;
      mkdirSync(join(intermediateFolder, 'ann'), { recursive: true });
      writeFileSync(join(intermediateFolder, 'ann', `${jobId}-1-ann-j-2-1-1-SUCCEEDED-default-1.jhist`), '');
      await store.changes.next(jobId, { since: count, waitMs: 60_000, clock: systemClock, signal: AbortSignal.timeout(60_000) });
      assert.equal(store.changes.count, count + 1);
    }
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
});

test("files that Hadoop wrote are answered as Hadoop's history server answers", async () => {
  const folder = join(fixture.intermediate, 'root');
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(recorded).filter((file) => /\.jhist$|_conf\.xml$/.test(file)))
    writeFileSync(join(folder, name), readFileSync(new URL(encodeURIComponent(name), recorded)));
  const byId = (value: unknown): unknown => {
    for (const list of ['tasks.task', 'taskAttempts.taskAttempt']) {
      const [outer, inner] = list.split('.') as [string, string];
      ((value as Record<string, Record<string, { id: string }[]>>)[outer]?.[inner] ?? []).sort((a, b) => (a.id < b.id ? -1 : 1));
    }
    return value;
  };
  for (const file of readdirSync(recorded).filter((name) => /^job_.*answers\.json$/.test(name))) {
    const id = file.replace('.answers.json', '');
    for (const [path, expected] of Object.entries(JSON.parse(readFileSync(new URL(file, recorded), 'utf8')))) {
      if (path === 'list') continue;
      const ours = JSON.parse(
        (await fixture.get(`${jobs}/${id}${path === '/' ? '' : path}`)).body.replaceAll(fixture.web, 'http://127.0.0.1:19888'),
      );
      assert.deepEqual(byId(ours), byId(expected), `${id}${path}`);
    }
  }
  for (const file of readdirSync(recorded).filter((name) => name.endsWith('.tfile'))) {
    const application = file.slice(0, file.indexOf('.'));
    const target = applicationLogFolder(aggregatedLogTree(fixture.logs, 'logs'), 'root', application);
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, 'localhost_45454'), readFileSync(new URL(file, recorded)));
    const answers = JSON.parse(readFileSync(new URL(`${application}.answers.json`, recorded), 'utf8')) as Record<
      string,
      { status: number; text: string }
    >;
    const masked = (text: string) =>
      text.replace(/[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d [+-]\d{4} \d{4}|"lastModifiedTime":"\d+"/g, '{time}');
    const comparable = (text: string) =>
      text.startsWith('{') ? JSON.parse(masked(text).replace(/\{time\}(?=[,}])/g, '"t":0')) : masked(text);
    for (const [path, expected] of Object.entries(answers)) {
      if (path.startsWith('/extended')) continue;
      const ours = await fixture.get(`/ws/v1/history${path}`);
      assert.equal(ours.status, expected.status, path);
      assert.deepEqual(comparable(ours.body), comparable(expected.text), path);
    }
  }
});
