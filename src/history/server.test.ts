import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { systemRandom } from '../lib/random.ts';
import type { RunningRole } from '../lib/role.ts';
import { writeAggregatedLog } from '../wire/files/aggregated-log.ts';
import { aggregatedLogTree, applicationLogFolder } from '../wire/files/aggregated-log-folder.ts';
import { writeJobConfiguration } from '../wire/files/job-configuration.ts';
import { createHistoryWriter, type HistoryEvent, type JhCounters } from '../wire/files/job-history.ts';
import { configurationFileName, doneFolder, historyFileName, type JobIndex, summaryFileName } from '../wire/files/job-history-names.ts';
import { start } from './server.ts';

const recorded = new URL('../../../shared/golden/3.4.2/files/', import.meta.url);
const data = mkdtempSync(join(tmpdir(), 'history-server-'));
const intermediate = join(data, 'intermediate');
const done = join(data, 'done');
const logs = join(data, 'logs');
/** What the resource manager of these tests says of applications and containers, by path below /ws/v1/cluster/apps/. */
const cluster: Record<string, unknown> = {};
let resourceManager: Server;
let role: RunningRole;
let web: string;

async function startHistory(set: Record<string, string> = {}): Promise<RunningRole> {
  const configuration = loadConfiguration({
    dataDir: data,
    set: {
      'mapreduce.jobhistory.webapp.address': '127.0.0.1:0',
      'mapreduce.jobhistory.intermediate-done-dir': intermediate,
      'mapreduce.jobhistory.done-dir': done,
      'yarn.nodemanager.remote-app-log-dir': logs,
      'yarn.resourcemanager.webapp.address': `127.0.0.1:${(resourceManager.address() as AddressInfo).port}`,
      ...set,
    },
  });
  return start(configuration, { logger: silentLogger, clock: systemClock, random: systemRandom });
}

before(async () => {
  resourceManager = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname.replace('/ws/v1/cluster/apps/', '');
    response.writeHead(cluster[path] ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(cluster[path] ?? {}));
  });
  await new Promise<void>((resolve) => resourceManager.listen(0, '127.0.0.1', resolve));
  role = await startHistory();
  web = role.addresses['web']!;
});

after(async () => {
  await role.close();
  resourceManager.close();
  rmSync(data, { recursive: true });
});

async function get(path: string, headers: Record<string, string> = {}, base = web) {
  const answer = await fetch(`${base}${path}`, { headers, redirect: 'manual' });
  const body = await answer.text();
  return {
    status: answer.status,
    body,
    type: answer.headers.get('content-type'),
    location: answer.headers.get('location'),
    json: () => JSON.parse(body),
  };
}
const message = async (path: string) => {
  const answer = await get(path);
  return [answer.status, answer.json().RemoteException.message];
};

const counters = (value: number, name = 'COUNTERS'): JhCounters => ({
  name,
  groups: [
    {
      name: 'org.apache.hadoop.mapreduce.TaskCounter',
      displayName: 'Map-Reduce Framework',
      counts: [{ name: 'MAP_INPUT_RECORDS', displayName: 'Map input records', value }],
    },
  ],
});

/** Publishes a job with one map as a master does. */
async function publish(number: number, more: Partial<JobIndex> & { acls?: Record<string, string> } = {}): Promise<JobIndex> {
  const digits = String(number).padStart(4, '0');
  const index: JobIndex = {
    jobId: `job_1700000000000_${digits}`,
    submitTime: 1000,
    user: 'ann',
    jobName: 'a job',
    finishTime: 1_700_000_009_000,
    maps: 1,
    reduces: 0,
    status: 'SUCCEEDED',
    queue: 'root.default',
    startTime: 2000,
    ...more,
  };
  const { jobId } = index;
  const taskid = `task_1700000000000_${digits}_m_000000`;
  const attemptId = `attempt_1700000000000_${digits}_m_000000_0`;
  const end = { clockSplits: [], cpuUsages: [], vMemKbytes: [], physMemKbytes: [] };
  const events: HistoryEvent[] = [
    {
      type: 'AM_STARTED',
      event: {
        applicationAttemptId: `appattempt_1700000000000_${digits}_000001`,
        startTime: 1500,
        containerId: `container_1700000000000_${digits}_01_000001`,
        nodeManagerHost: 'node',
        nodeManagerPort: 45454,
        nodeManagerHttpPort: 8042,
      },
    },
    {
      type: 'JOB_SUBMITTED',
      event: {
        jobid: jobId,
        jobName: index.jobName,
        userName: index.user,
        submitTime: 1000,
        jobConfPath: '/x',
        acls: more.acls ?? {},
        jobQueueName: 'default',
      },
    },
    { type: 'JOB_QUEUE_CHANGED', event: { jobid: jobId, jobQueueName: index.queue } },
    { type: 'JOB_INITED', event: { jobid: jobId, launchTime: 2000, totalMaps: 1, totalReduces: 0, jobStatus: 'INITED', uberized: false } },
    { type: 'TASK_STARTED', event: { taskid, taskType: 'MAP', startTime: 2100, splitLocations: '' } },
    {
      type: 'MAP_ATTEMPT_STARTED',
      event: {
        taskid,
        taskType: 'MAP',
        attemptId,
        startTime: 2200,
        trackerName: 'node',
        httpPort: 8042,
        shufflePort: 13562,
        containerId: `container_1700000000000_${digits}_01_000002`,
      },
    },
    {
      type: 'MAP_ATTEMPT_FINISHED',
      event: {
        taskid,
        attemptId,
        taskType: 'MAP',
        taskStatus: 'SUCCEEDED',
        mapFinishTime: 3000,
        finishTime: 3200,
        hostname: 'node',
        port: 45454,
        rackname: '/default-rack',
        state: 'map',
        counters: counters(3),
        ...end,
      },
    },
    {
      type: 'TASK_FINISHED',
      event: { taskid, taskType: 'MAP', finishTime: 3200, status: 'SUCCEEDED', counters: counters(3), successfulAttemptId: attemptId },
    },
    {
      type: 'JOB_FINISHED',
      event: {
        jobid: jobId,
        finishTime: index.finishTime,
        finishedMaps: 1,
        finishedReduces: 0,
        failedMaps: 0,
        failedReduces: 0,
        killedMaps: 0,
        killedReduces: 0,
        totalCounters: counters(3, 'TOTAL_COUNTERS'),
        mapCounters: counters(3),
        reduceCounters: { name: 'REDUCE_COUNTERS', groups: [] },
      },
    },
  ];
  const folder = join(intermediate, index.user);
  mkdirSync(folder, { recursive: true });
  const target = join(folder, historyFileName(index));
  const writer = await createHistoryWriter(`${target}_tmp`);
  for (const event of events) writer.write(event);
  await writer.close();
  writeFileSync(join(folder, summaryFileName(jobId)), Buffer.from('\0\x07jobId=1'));
  writeFileSync(
    join(folder, configurationFileName(jobId)),
    writeJobConfiguration([
      { name: 'a', value: '1' },
      { name: 'case.secret', value: 'x' },
      { name: 'mapreduce.job.redacted-properties', value: 'case.secret' },
    ]),
  );
  renameSync(`${target}_tmp`, target);
  return index;
}

const jobs = '/ws/v1/history/mapreduce/jobs';

test('a job shows up with the next request after it was published, and its files have moved', async () => {
  assert.deepEqual((await get(`${jobs}?user=zoe`)).json(), { jobs: {} });
  const index = await publish(1, { user: 'zoe' });
  const { job } = (await get(`${jobs}/job_1700000000000_1`)).json();
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
  const listed = (await get(`${jobs}?user=zoe`)).json().jobs.job;
  assert.deepEqual(
    listed.map((one: { id: string; uberized?: boolean }) => [one.id, one.uberized]),
    [[index.jobId, undefined]],
  );
  const folder = join(done, doneFolder(index, 0));
  assert.deepEqual(
    readdirSync(folder)
      .filter((name) => name.startsWith(index.jobId))
      .sort(),
    [historyFileName(index), configurationFileName(index.jobId)].sort(),
  );
  assert.deepEqual(readdirSync(join(intermediate, 'zoe')), []);
  const path = `file:${folder}/${index.jobId}_conf.xml`;
  assert.deepEqual((await get(`${jobs}/${index.jobId}/conf`)).json().conf, {
    path,
    property: [
      { name: 'a', value: '1', source: [path] },
      { name: 'case.secret', value: '*********(redacted)', source: ['programmatically'] },
      { name: 'mapreduce.job.redacted-properties', value: 'case.secret', source: [path] },
    ],
  });
  assert.equal(
    (await get(`${jobs}/${index.jobId}/jobattempts`)).json().jobAttempts.jobAttempt[0].logsLink,
    `${web}/jobhistory/logs/node:45454/container_1700000000000_0001_01_000001/${index.jobId}/zoe`,
  );
  assert.equal(
    (await get(`${jobs}/${index.jobId}/tasks/task_1700000000000_0001_m_0/attempts`)).json().taskAttempts.taskAttempt[0].elapsedTime,
    1000,
  );
});

test('all filters hold together, in order of ids, and the first fault is the one answered', async () => {
  await publish(20, { user: 'bob', jobName: 'b', queue: 'root.a', status: 'FAILED', startTime: 5000, finishTime: 6000 });
  await publish(3, { user: 'bob', startTime: 4000, finishTime: 7000 });
  const ids = async (query: string) =>
    ((await get(`${jobs}?user=bob&${query}`)).json().jobs.job ?? []).map((one: { id: string }) => one.id.slice(-4));
  assert.deepEqual(await ids(''), ['0003', '0020']);
  assert.deepEqual(await ids('limit=1'), ['0003']);
  assert.deepEqual(await ids('queue=root.a'), ['0020']);
  assert.deepEqual(await ids('queue=a'), []);
  assert.deepEqual(await ids('state=FAILED'), ['0020']);
  assert.deepEqual(await ids('startedTimeBegin=4001'), ['0020']);
  assert.deepEqual(await ids('startedTimeEnd=4000'), ['0003']);
  assert.deepEqual(await ids('finishedTimeBegin=6000&finishedTimeEnd=6000&limit=&user='), ['0020']);
  assert.deepEqual(await message(`${jobs}?limit=x&state=x`), [400, 'java.lang.Exception: For input string: "x"']);
  assert.deepEqual(await message(`${jobs}?limit=0`), [400, 'java.lang.Exception: limit value must be greater then 0']);
  assert.deepEqual(await message(`${jobs}?startedTimeBegin=x`), [400, 'java.lang.Exception: Invalid number format: For input string: "x"']);
  assert.deepEqual(await message(`${jobs}?finishedTimeEnd=-1`), [400, 'java.lang.Exception: finishedTimeEnd must be greater than 0']);
  assert.deepEqual(await message(`${jobs}?startedTimeBegin=10&startedTimeEnd=5`), [
    400,
    'java.lang.Exception: startedTimeEnd must be greater than startTimeBegin',
  ]);
  assert.deepEqual(await message(`${jobs}?state=`), [400, 'No enum constant org.apache.hadoop.mapreduce.v2.api.records.JobState.']);
});

test('unknown and malformed ids are refused', async () => {
  const { jobId } = await publish(4);
  assert.deepEqual(await message(`${jobs}/job_1_1`), [404, 'java.lang.Exception: job, job_1_1, is not found']);
  assert.deepEqual(await message(`${jobs}/x/tasks`), [404, 'java.lang.Exception: JobId string : x is not properly formed']);
  assert.deepEqual((await message(`${jobs}/${jobId}/tasks/task_1_2`))[0], 404);
  assert.deepEqual((await message(`${jobs}/${jobId}/tasks/task_1_2/counters`))[0], 400);
  assert.deepEqual(await message(`${jobs}/${jobId}/tasks?type=M`), [400, 'java.lang.Exception: tasktype must be either m or r']);
  assert.equal((await get(`${jobs}/job_1_1`, { accept: 'application/xml' })).status, 404);
  assert.equal((await get(`${jobs}/${jobId}/tasks/a/attempts/b/state`)).type, 'text/html;charset=utf-8');
});

test('damaged files and links in the intermediate folder harm nobody', async () => {
  const folder = join(intermediate, 'mallory');
  mkdirSync(folder, { recursive: true });
  symlinkSync('/etc/passwd', join(folder, 'job_1700000000000_0666-1-m-n-2-0-0-FAILED-q-1.jhist'));
  writeFileSync(join(folder, 'nothing.jhist'), 'x');
  const broken = 'job_1700000000000_0667-1-m-n-2-0-0-FAILED-q-1.jhist';
  writeFileSync(join(folder, broken), 'Avro-Binary\nno schema\n');
  symlinkSync('/etc', join(intermediate, 'link'));
  assert.equal((await get(`${jobs}/job_1700000000000_0666`)).status, 404);
  assert.equal((await get(`${jobs}/job_1700000000000_0667`)).status, 503);
  assert.equal((await get(`${jobs}?user=m`)).json().jobs.job.length, 1);
});

test('jobs are found again after a restart, also those that the list has no room for', async () => {
  await publish(5, { user: 'eve' });
  await publish(6, { user: 'eve' });
  await get(jobs);
  const small = await startHistory({ 'mapreduce.jobhistory.joblist.cache.size': '1' });
  try {
    const base = small.addresses['web']!;
    assert.equal((await get(jobs, {}, base)).json().jobs.job.length, 1);
    for (const number of [5, 6]) assert.equal((await get(`${jobs}/job_1700000000000_${number}`, {}, base)).status, 200);
  } finally {
    await small.close();
  }
});

test('jobs too large to load show what their names say', async () => {
  const { jobId } = await publish(7, { maps: 5, reduces: 5 });
  await get(jobs);
  const strict = await startHistory({ 'mapreduce.jobhistory.loadedjob.tasks.max': '9' });
  try {
    const base = strict.addresses['web']!;
    const { job } = (await get(`${jobs}/${jobId}`, {}, base)).json();
    assert.deepEqual([job.mapsTotal, job.mapsCompleted, job.uberized], [5, -1, undefined]);
    assert.deepEqual((await get(`${jobs}/${jobId}/tasks?type=q`, {}, base)).json(), { tasks: {} });
    assert.deepEqual((await get(`${jobs}/${jobId}/counters`, {}, base)).json(), { jobCounters: { id: jobId } });
    assert.deepEqual((await get(`${jobs}/${jobId}/jobattempts`, {}, base)).json(), { jobAttempts: {} });
    assert.equal((await get(`${jobs}/${jobId}/conf`, {}, base)).status, 200);
  } finally {
    await strict.close();
  }
});

test('access lists of jobs decide who sees them', async () => {
  const { jobId } = await publish(8, { acls: { 'mapreduce.job.acl-view-job': 'bob', 'mapreduce.job.acl-modify-job': ' ' } });
  await get(jobs);
  const guarded = await startHistory({ 'mapreduce.cluster.acls.enabled': 'true', 'mapreduce.cluster.administrators': 'chief ' });
  try {
    const base = guarded.addresses['web']!;
    const status = async (user: string, path = '') => (await get(`${jobs}/${jobId}${path}?user.name=${user}`, {}, base)).status;
    for (const user of ['ann', 'bob', 'chief']) assert.equal(await status(user), 200, user);
    for (const path of ['', '/tasks', '/counters', '/conf', '/tasks/x']) assert.equal(await status('eve', path), 403, path);
    assert.equal(await status('eve', '/jobattempts'), 200);
    assert.equal((await get(`/jobhistory/job/${jobId}?user.name=eve`, {}, base)).status, 403);
  } finally {
    await guarded.close();
  }
});

const appId = 'application_1700000000000_0100';
const containerId = 'container_1700000000000_0100_01_000001';
async function aggregate(acls: Record<string, string> = {}) {
  const folder = applicationLogFolder(aggregatedLogTree(logs, 'logs'), 'ann', appId);
  mkdirSync(folder, { recursive: true });
  const files = Object.entries({ stdout: 'first line\nsecond line\n', 'empty.txt': '', 'a<b>.txt': '<script>' }).map(
    ([name, contents], at) => {
      const path = join(data, `log-${at}`);
      writeFileSync(path, contents);
      return { name, path, size: contents.length };
    },
  );
  const path = join(folder, 'node_45454');
  await writeAggregatedLog(path, { applicationOwner: 'ann', acls, containers: [{ containerId, files }] });
  utimesSync(path, 1_700_000_000, 1_700_000_000);
}
const listed = (file: string, size: number, time: string) => ({ fileName: file, fileSize: String(size), lastModifiedTime: time });

test('aggregated logs are listed, searched and read', async () => {
  await aggregate();
  const history = '/ws/v1/history';
  const { containerLogsInfo } = (await get(`${history}/aggregatedlogs?appid=${appId}`)).json();
  assert.equal(containerLogsInfo.containerLogInfo.length, 3);
  assert.deepEqual(
    [containerLogsInfo.containerId, containerLogsInfo.nodeId, containerLogsInfo.logAggregationType],
    [containerId, 'node_45454', 'AGGREGATED'],
  );
  assert.match(containerLogsInfo.containerLogInfo[0].lastModifiedTime, /^Tue Nov 1[45] .* 2023$/);
  const xml = await get(`${history}/containers/${containerId}/logs`, { accept: 'application/xml' });
  assert.deepEqual(
    [
      xml.status,
      xml.type,
      xml.body.includes('<containerLogsInfoes><containerLogsInfo><containerLogInfo><fileName>a&lt;b&gt;.txt</fileName>'),
    ],
    [200, 'application/xml', true],
  );
  assert.deepEqual(await message(`${history}/aggregatedlogs`), [400, 'Should set application id, application attempt id or container id.']);
  assert.deepEqual(await message(`${history}/aggregatedlogs?appid=x`), [
    400,
    'java.lang.IllegalArgumentException: Invalid ApplicationId prefix: x. The valid ApplicationId should start with prefix application',
  ]);
  assert.deepEqual(await message(`${history}/aggregatedlogs?appid=application_1_1&containerid=${containerId}`), [
    400,
    `Container ${containerId} does not belong to application application_1_1!`,
  ]);
  assert.deepEqual(await message(`${history}/containers/x/logs`), [400, 'java.lang.Exception: Invalid container id: x']);
  assert.equal((await message(`${history}/containers/${containerId.replace(/1$/, '7')}/logs`))[0], 404);
  assert.deepEqual((await get(`${history}/remote-log-dir?user=ada&appid=application_1_12345`)).json(), {
    paths: { fileController: 'TFile', path: `${logs}/ada/bucket-logs-tfile/2345/application_1_12345` },
  });

  const log = `${history}/containerlogs/${containerId}`;
  const text = await get(`${log}/stdout?size=-5`);
  const first = `Container: ${containerId} on node_45454`;
  assert.equal(text.type, 'text/plain');
  assert.match(
    text.body,
    new RegExp(
      `^${first}\nLogAggregationType: AGGREGATED\n={${first.length}}\nLogType:stdout\nLogLastModifiedTime:.*\nLogLength:23\nLogContents:\nline\n\nEnd of LogType:stdout\n\\*{71}\n\n$`,
    ),
  );
  assert.equal((await get(`${log}/stdout?format=Octet-Stream`)).type, 'application/octet-stream');
  assert.deepEqual(
    [(await get(`${log}/missing`)).body, (await get(`${log}/..%2Fx`)).body],
    [`Can not find logs for container:${containerId}`, `Can not find logs for container:${containerId}`],
  );
  const format = await get(`${log}/stdout?format=json`);
  assert.deepEqual(
    [format.status, format.type, format.body],
    [400, 'text/plain;charset=utf-8', 'The valid values for the parameter : format are [text, octet-stream]'],
  );
  assert.equal((await get(`${log}/stdout?size=x`)).status, 400);
  assert.equal((await get(`${log}/stdout`, { accept: 'application/json' })).status, 406);
  assert.deepEqual(
    [(await get(`${history}/containerlogs/x/stdout`)).status, (await get(`${history}/containerlogs/x/stdout`)).body],
    [404, 'Not Found. Invalid ContainerId: x'],
  );
});

test('a search finds logs of the server user by name, size, time and node', async () => {
  const own = JSON.parse((await get('/ws/v1/history/remote-log-dir')).body).paths.path as string;
  mkdirSync(join(own, '0100', appId), { recursive: true });
  await aggregate();
  copyFileSync(join(logs, 'ann', 'bucket-logs-tfile', '0100', appId, 'node_45454'), join(own, '0100', appId, 'node_45454'));
  utimesSync(join(own, '0100', appId, 'node_45454'), 1_700_000_000, 1_700_000_000);
  const search = async (query: string) => (await get(`/ws/v1/history/extended-log-query?appid=${appId}&${query}`)).json();
  const hit = {
    containerLogsInfo: {
      containerLogInfo: listed('stdout', 23, '1700000000000'),
      logAggregationType: 'AGGREGATED',
      containerId,
      nodeId: 'node_45454',
    },
  };
  for (const query of [
    'filename=stdout',
    'filename=std.*',
    'file_size=%3E10',
    'file_size=23',
    'file_size=%3E0&file_size=%3C100&filename=s.*',
    'filename=stdout&nm.id=node.*&modification_time=%3E5',
  ])
    assert.deepEqual(await search(query), hit, query);
  for (const query of ['filename=std', 'file_size=1', 'nm.id=node:45454', 'containerid=x', 'modification_time=%3C5'])
    assert.equal(await search(query), null, query);
  assert.equal(await get('/ws/v1/history/extended-log-query?appid=x').then((answer) => answer.body), 'null');
  assert.deepEqual(await message('/ws/v1/history/extended-log-query?filename=%5B'), [400, 'Filename expression is invalid']);
  assert.deepEqual(await message('/ws/v1/history/extended-log-query?nm.id=%5B'), [400, 'Node Id expression is invalid']);
  assert.deepEqual(await message('/ws/v1/history/extended-log-query?file_size=1&file_size=2'), [
    400,
    'Can not process more, than one exact match. Matches: 1 2',
  ]);
  assert.deepEqual(await message('/ws/v1/history/extended-log-query?file_size=x'), [400, 'For input string: "x"']);
});

test('while an application runs its logs are looked for on the node, before that there are none', async () => {
  const id = 'application_1700000000000_0200';
  const container = 'container_1700000000000_0200_01_000002';
  const history = '/ws/v1/history';
  cluster[id] = { app: { state: 'ACCEPTED', user: 'ann' } };
  assert.deepEqual(await message(`${history}/containers/${container}/logs`), [
    404,
    'java.lang.Exception: The application is not at Running or Finished State.',
  ]);
  assert.equal(
    (await get(`${history}/containerlogs/${container}/stdout`)).body,
    'Not Found. The application is not at Running or Finished State.',
  );
  cluster[id] = { app: { state: 'RUNNING', user: 'ann' } };
  cluster[`${id}/appattempts/appattempt_1700000000000_0200_000001/containers/${container}`] = {
    container: { nodeHttpAddress: 'http://node:8042' },
  };
  const listing = await get(`${history}/containers/${container}/logs?a=b&nm.id=x:1`);
  assert.deepEqual(
    [listing.status, listing.location, listing.body, listing.type],
    [307, `http://node:8042/ws/v1/node/containers/${container}/logs?a=b&nm.id=x:1`, '', 'application/json'],
  );
  const manual = await get(`${history}/containers/${container}/logs?manual_redirection=true`);
  assert.deepEqual(
    [manual.status, manual.body, manual.location],
    [200, '[]', `http://node:8042/ws/v1/node/containers/${container}/logs?manual_redirection=true`],
  );
  const log = await get(`${history}/containerlogs/${container}/stderr?size=5`);
  assert.deepEqual(
    [log.status, log.location, log.type],
    [307, `http://node:8042/ws/v1/node/containers/${container}/logs/stderr?size=5`, 'text/plain;charset=utf-8'],
  );
  assert.deepEqual(await message(`${history}/aggregatedlogs?appid=${id}`), [
    404,
    `java.lang.Exception: File ${logs}/ann/logs-tfile/${id} does not exist`,
  ]);
  assert.equal((await get(`${history}/containers/${container}/logs?redirected_from_node=true`)).status, 404);
  assert.equal((await get(`${history}/extended-log-query?appid=${id}`)).body, 'null');
});

test('pages show jobs and logs and escape what users wrote', async () => {
  await aggregate();
  const { jobId } = await publish(9, { jobName: '<script>' });
  const task = 'task_1700000000000_0009_m_000000';
  for (const path of [
    '',
    `/job/${jobId}`,
    `/tasks/${jobId}/m`,
    `/task/${task}`,
    `/jobcounters/${jobId}`,
    `/conf/${jobId}`,
    `/logs/node:45454/${containerId}/${containerId}/ann`,
    `/logs/node:45454/${containerId}/x/ann/a%3Cb%3E.txt/?start=0&end=5`,
    '/logs/node:45454',
    `/logs/node:45454/${containerId}`,
  ]) {
    const answer = await get(`/jobhistory${path}`);
    assert.deepEqual([answer.status, answer.type], [200, 'text/html;charset=utf-8'], path);
    assert.ok(!answer.body.includes('<script'), path);
  }
  assert.match((await get(`/jobhistory/logs/node:45454/${containerId}/x/ann/stdout/?start=6&end=10`)).body, /<pre>line<\/pre>/);
  assert.match((await get(`/jobhistory/logs/node:45454/${containerId}/x/ann/none`)).body, /Unable to locate &#39;none&#39; log for container/);
  const absent = await get('/jobhistory/job/job_1_0001');
  assert.deepEqual([absent.status, absent.type, absent.body], [404, 'text/plain;charset=utf-8', 'Not Found: job_1_0001']);
  assert.equal((await get(`/jobhistory/logs/node:45454/${containerId}/job_1_0001/ann`)).status, 404);
  assert.deepEqual([(await get('/')).status, (await get('/')).location], [302, '/jobhistory']);
});

test('with access lists of applications on, logs are shown to those whom their file names', async () => {
  await aggregate({ VIEW_APP: 'bob' });
  const guarded = await startHistory({ 'yarn.acl.enable': 'true', 'yarn.admin.acl': 'chief ' });
  try {
    const base = guarded.addresses['web']!;
    const log = `/ws/v1/history/containerlogs/${containerId}/stdout?user.name=`;
    for (const user of ['ann', 'bob', 'chief']) assert.equal((await get(log + user, {}, base)).status, 200, user);
    assert.equal((await get(`${log}eve`, {}, base)).status, 403);
    assert.equal((await get(`/ws/v1/history/aggregatedlogs?appid=${appId}&user.name=eve`, {}, base)).status, 403);
    const page = await get(`/jobhistory/logs/node:45454/${containerId}/x/ann?user.name=eve`, {}, base);
    assert.match(
      page.body,
      /User \[eve\] is not authorized to view the logs for x in log file \[node_45454\]<\/h1>\n<h1>No logs available for container/,
    );
  } finally {
    await guarded.close();
  }
});

test('old jobs are removed with their folders', async () => {
  const old = await publish(10, { finishTime: Date.now() - 9 * 86_400_000 });
  const { JobStore } = await import('./jobs/job-store.ts');
  const store = await JobStore.open({
    intermediateFolder: intermediate,
    doneFolder: done,
    alwaysScan: false,
    listedJobs: 1000,
    loadedJobs: 5,
    loadedTasks: undefined,
    maximumTasks: -1,
    scanIntervalMs: 60_000,
    clock: systemClock,
    logger: silentLogger,
  });
  try {
    assert.ok(await store.find(old.jobId));
    await store.clean(Date.now() - 7 * 86_400_000);
    assert.equal(await store.find(old.jobId), undefined);
    assert.ok(!existsSync(join(done, doneFolder(old, 0))));
  } finally {
    await store.close();
  }
});

test("files that Hadoop wrote are answered as Hadoop's history server answers", { skip: !existsSync(recorded) }, async () => {
  const folder = join(intermediate, 'root');
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
      const ours = JSON.parse((await get(`${jobs}/${id}${path === '/' ? '' : path}`)).body.replaceAll(web, 'http://127.0.0.1:19888'));
      assert.deepEqual(byId(ours), byId(expected), `${id}${path}`);
    }
  }
  for (const file of readdirSync(recorded).filter((name) => name.endsWith('.tfile'))) {
    const application = file.slice(0, file.indexOf('.'));
    const target = applicationLogFolder(aggregatedLogTree(logs, 'logs'), 'root', application);
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
      const ours = await get(`/ws/v1/history${path}`);
      assert.equal(ours.status, expected.status, path);
      assert.deepEqual(comparable(ours.body), comparable(expected.text), path);
    }
  }
});
