import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeAggregatedLog } from '../wire/files/aggregated-log.ts';
import { aggregatedLogTree, applicationLogFolder } from '../wire/files/aggregated-log-folder.ts';
import { HistoryFixture } from './test-support/history-fixture.ts';

const fixture = new HistoryFixture();
before(() => fixture.open());
after(() => fixture.close());

const appId = 'application_1700000000000_0100';
const containerId = 'container_1700000000000_0100_01_000001';
async function aggregate(acls: Record<string, string> = {}) {
  const folder = applicationLogFolder(aggregatedLogTree(fixture.logs, 'logs'), 'ann', appId);
  mkdirSync(folder, { recursive: true });
  const files = Object.entries({ stdout: 'first line\nsecond line\n', 'empty.txt': '', 'a<b>.txt': '<script>' }).map(
    ([name, contents], at) => {
      const path = join(fixture.data, `log-${at}`);
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
  const { containerLogsInfo } = (await fixture.get(`${history}/aggregatedlogs?appid=${appId}`)).json();
  assert.equal(containerLogsInfo.containerLogInfo.length, 3);
  assert.deepEqual(
    [containerLogsInfo.containerId, containerLogsInfo.nodeId, containerLogsInfo.logAggregationType],
    [containerId, 'node_45454', 'AGGREGATED'],
  );
  const unpadded = await fixture.get(`${history}/containers/${containerId.replace('_0100_01_000001', '_100_1_1')}/logs`);
  assert.equal(unpadded.json().containerLogsInfo.containerId, containerId, 'ids may be written shorter');
  assert.match(containerLogsInfo.containerLogInfo[0].lastModifiedTime, /^Tue Nov 1[45] .* 2023$/);
  const xml = await fixture.get(`${history}/containers/${containerId}/logs`, { accept: 'application/xml' });
  assert.deepEqual(
    [
      xml.status,
      xml.type,
      xml.body.includes('<containerLogsInfoes><containerLogsInfo><containerLogInfo><fileName>a&lt;b&gt;.txt</fileName>'),
    ],
    [200, 'application/xml', true],
  );
  assert.deepEqual(await fixture.message(`${history}/aggregatedlogs`), [
    400,
    'Should set application id, application attempt id or container id.',
  ]);
  assert.deepEqual(await fixture.message(`${history}/aggregatedlogs?appid=x`), [
    400,
    'java.lang.IllegalArgumentException: Invalid ApplicationId prefix: x. The valid ApplicationId should start with prefix application',
  ]);
  assert.deepEqual(await fixture.message(`${history}/aggregatedlogs?appid=application_1_1&containerid=${containerId}`), [
    400,
    `Container ${containerId} does not belong to application application_1_0001!`,
  ]);
  assert.deepEqual(await fixture.message(`${history}/containers/x/logs`), [400, 'java.lang.Exception: Invalid container id: x']);
  assert.equal((await fixture.message(`${history}/containers/${containerId.replace(/1$/, '7')}/logs`))[0], 404);
  const shorter = appId.replace('_0100', '_100');
  assert.equal((await fixture.get(`${history}/aggregatedlogs?appid=${shorter}`)).json().containerLogsInfo.containerLogInfo.length, 3);
  assert.match((await fixture.get(`${history}/remote-log-dir?appid=${shorter}`)).json().paths.path, new RegExp(`/${appId}$`));
  assert.deepEqual(await fixture.message(`${history}/remote-log-dir?user=`), [400, 'Can not create a Path from an empty string']);
  assert.deepEqual((await fixture.get(`${history}/remote-log-dir?user=ada&appid=application_1_12345`)).json(), {
    paths: { fileController: 'TFile', path: `${fixture.logs}/ada/bucket-logs-tfile/2345/application_1_12345` },
  });

  const log = `${history}/containerlogs/${containerId}`;
  const text = await fixture.get(`${log}/stdout?size=-5`);
  const first = `Container: ${containerId} on node_45454`;
  assert.equal(text.type, 'text/plain');
  assert.match(
    text.body,
    new RegExp(
      `^${first}\nLogAggregationType: AGGREGATED\n={${first.length}}\nLogType:stdout\nLogLastModifiedTime:.*\nLogLength:23\nLogContents:\nline\n\nEnd of LogType:stdout\n\\*{71}\n\n$`,
    ),
  );
  assert.equal((await fixture.get(`${log}/stdout?format=Octet-Stream`)).type, 'application/octet-stream');
  assert.deepEqual(
    [(await fixture.get(`${log}/missing`)).body, (await fixture.get(`${log}/..%2Fx`)).body],
    [`Can not find logs for container:${containerId}`, `Can not find logs for container:${containerId}`],
  );
  const format = await fixture.get(`${log}/stdout?format=json`);
  assert.deepEqual(
    [format.status, format.type, format.body],
    [400, 'text/plain;charset=utf-8', 'The valid values for the parameter : format are [text, octet-stream]'],
  );
  assert.equal((await fixture.get(`${log}/stdout?size=x`)).status, 400);
  assert.equal((await fixture.get(`${log}/stdout`, { accept: 'application/json' })).status, 406);
  assert.deepEqual(
    [(await fixture.get(`${history}/containerlogs/x/stdout`)).status, (await fixture.get(`${history}/containerlogs/x/stdout`)).body],
    [404, 'Not Found. Invalid ContainerId: x'],
  );
});

test('a search finds logs of the server user by name, size, time and node', async () => {
  const own = JSON.parse((await fixture.get('/ws/v1/history/remote-log-dir')).body).paths.path as string;
  mkdirSync(join(own, '0100', appId), { recursive: true });
  await aggregate();
  copyFileSync(join(fixture.logs, 'ann', 'bucket-logs-tfile', '0100', appId, 'node_45454'), join(own, '0100', appId, 'node_45454'));
  utimesSync(join(own, '0100', appId, 'node_45454'), 1_700_000_000, 1_700_000_000);
  const search = async (query: string) => (await fixture.get(`/ws/v1/history/extended-log-query?appid=${appId}&${query}`)).json();
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
  for (const query of ['filename=std', 'filename=', 'nm.id=', 'file_size=1', 'nm.id=node:45454', 'containerid=x', 'modification_time=%3C5'])
    assert.equal(await search(query), null, query);
  assert.equal(await fixture.get('/ws/v1/history/extended-log-query?appid=x').then((answer) => answer.body), 'null');
  assert.deepEqual(await fixture.message('/ws/v1/history/extended-log-query?filename=%5B'), [400, 'Filename expression is invalid']);
  assert.deepEqual(await fixture.message('/ws/v1/history/extended-log-query?nm.id=%5B'), [400, 'Node Id expression is invalid']);
  assert.deepEqual(await fixture.message('/ws/v1/history/extended-log-query?file_size=1&file_size=2'), [
    400,
    'Can not process more, than one exact match. Matches: 1 2',
  ]);
  assert.deepEqual(await fixture.message('/ws/v1/history/extended-log-query?file_size=x'), [400, 'For input string: "x"']);
});

test('while an application runs its logs are looked for on the node, before that there are none', async () => {
  const id = 'application_1700000000000_0200';
  const container = 'container_1700000000000_0200_01_000002';
  const history = '/ws/v1/history';
  fixture.cluster[id] = { app: { state: 'ACCEPTED', user: 'ann' } };
  assert.deepEqual(await fixture.message(`${history}/containers/${container}/logs`), [
    404,
    'java.lang.Exception: The application is not at Running or Finished State.',
  ]);
  assert.equal(
    (await fixture.get(`${history}/containerlogs/${container}/stdout`)).body,
    'Not Found. The application is not at Running or Finished State.',
  );
  fixture.cluster[id] = { app: { state: 'RUNNING', user: 'ann' } };
  fixture.cluster[`${id}/appattempts/appattempt_1700000000000_0200_000001/containers/${container}`] = {
    nodeHttpAddress: 'http://node:8042',
  };
  const listing = await fixture.get(`${history}/containers/${container}/logs?a=b&nm.id=x:1`);
  assert.deepEqual(
    [listing.status, listing.location, listing.body, listing.type],
    [307, `http://node:8042/ws/v1/node/containers/${container}/logs?a=b&nm.id=x:1`, '', 'application/json'],
  );
  const manual = await fixture.get(`${history}/containers/${container}/logs?manual_redirection=true`);
  assert.deepEqual(
    [manual.status, manual.body, manual.location],
    [200, '[]', `http://node:8042/ws/v1/node/containers/${container}/logs?manual_redirection=true`],
  );
  const log = await fixture.get(`${history}/containerlogs/${container}/stderr?size=5`);
  assert.deepEqual(
    [log.status, log.location, log.type],
    [307, `http://node:8042/ws/v1/node/containers/${container}/logs/stderr?size=5`, 'text/plain;charset=utf-8'],
  );
  assert.deepEqual(await fixture.message(`${history}/aggregatedlogs?appid=${id}`), [
    404,
    `java.lang.Exception: File ${fixture.logs}/ann/logs-tfile/${id} does not exist`,
  ]);
  assert.equal((await fixture.get(`${history}/containers/${container}/logs?redirected_from_node=true`)).status, 404);
  assert.equal((await fixture.get(`${history}/extended-log-query?appid=${id}`)).body, 'null');
});

test('pages show jobs and logs and escape what users wrote', async () => {
  await aggregate();
  const { jobId } = await fixture.publish(9, { jobName: '<script>' });
  const task = 'task_1700000000000_0009_m_000000';
  for (const path of [
    '',
    `/job/${jobId}`,
    `/tasks/${jobId}/m`,
    `/task/${task}`,
    `/taskcounters/${task}`,
    `/attempts/${jobId}/m/SUCCESSFUL`,
    `/attempts/${jobId}/r/KILLED`,
    `/jobcounters/${jobId}`,
    `/conf/${jobId}`,
    `/logs/node:45454/${containerId}/${containerId}/ann`,
    `/logs/node:45454/${containerId}/x/ann/a%3Cb%3E.txt/?start=0&end=5`,
    '/logs/node:45454',
    `/logs/node:45454/${containerId}`,
  ]) {
    const answer = await fixture.get(`/jobhistory${path}`);
    assert.deepEqual([answer.status, answer.type], [200, 'text/html;charset=utf-8'], path);
    assert.ok(!answer.body.includes('<script'), path);
  }
  for (const [path, webPage] of [
    ['', 'jobs'],
    [`/job/${jobId}`, `jobs/${jobId}`],
    [`/tasks/${jobId}/r`, `jobs/${jobId}?kind=REDUCE`],
    [`/task/${task}`, `jobs/${jobId}?task=${task}`],
    [`/jobcounters/${jobId}`, `jobs/${jobId}?tab=counters`],
    [`/conf/${jobId}`, `jobs/${jobId}?tab=settings`],
  ] as const)
    assert.ok((await fixture.get(`/jobhistory${path}`)).body.includes(`<a href="/ui/${webPage}">Web page</a>`), path);
  assert.match((await fixture.get(`/jobhistory/logs/node:45454/${containerId}/x/ann/stdout/?start=6&end=10`)).body, /<pre>line<\/pre>/);
  assert.match(
    (await fixture.get(`/jobhistory/logs/node:45454/${containerId}/x/ann/none`)).body,
    /Unable to locate &#39;none&#39; log for container/,
  );
  const absent = await fixture.get('/jobhistory/job/job_1_0001');
  assert.deepEqual([absent.status, absent.type, absent.body], [404, 'text/plain;charset=utf-8', 'Not Found: job_1_0001']);
  assert.equal((await fixture.get(`/jobhistory/logs/node:45454/${containerId}/job_1_0001/ann`)).status, 404);
  const root = await fixture.get('/');
  assert.equal(root.status, 302);
  assert.match(String(root.location), /^http:\/\/127\.0\.0\.1:\d+\/jobhistory$/);
});

test('logs are shown to the users that their file names, where access lists are on', async () => {
  await aggregate({ VIEW_APP: 'bob' });
  const log = `/ws/v1/history/containerlogs/${containerId}/stdout?user.name=`;
  const page = `/jobhistory/logs/node:45454/${containerId}/x/ann?user.name=eve`;
  for (const [set, checked, pageChecked] of [
    [{}, false, false],
    [{ 'yarn.acl.enable': 'true', 'yarn.admin.acl': 'chief ' }, true, true],
    [{ 'yarn.acl.enable': 'true', 'yarn.admin.acl': 'chief ', 'heddle.history.logs.checked': 'false' }, false, true],
    [{ 'mapreduce.cluster.acls.enabled': 'true', 'mapreduce.cluster.administrators': 'chief ', 'yarn.admin.acl': ' ' }, true, false],
    [{ 'heddle.history.logs.checked': 'true', 'yarn.admin.acl': 'chief ' }, true, false],
  ] as const) {
    const guarded = await fixture.startAnother({ ...set });
    try {
      const base = guarded.addresses['web']!;
      for (const user of ['ann', 'bob', 'chief']) assert.equal((await fixture.get(log + user, {}, base)).status, 200, user);
      assert.equal((await fixture.get(`${log}eve`, {}, base)).status, checked ? 403 : 200);
      assert.equal((await fixture.get(log.replace('?user.name=', ''), {}, base)).status, checked ? 403 : 200);
      assert.equal((await fixture.get(`/ws/v1/history/aggregatedlogs?appid=${appId}&user.name=eve`, {}, base)).status, checked ? 403 : 200);
      const refusal =
        /User \[eve\] is not authorized to view the logs for x in log file \[node_45454\]<\/h1>\n<h1>No logs available for container/;
      assert.equal(refusal.test((await fixture.get(page, {}, base)).body), pageChecked);
    } finally {
      await guarded.close();
    }
  }
});

test('raw logs put the pieces of a file that was rolled away together, whole and in ranges', async () => {
  const folder = applicationLogFolder(aggregatedLogTree(fixture.logs, 'logs'), 'ann', 'application_1700000000000_0101');
  mkdirSync(folder, { recursive: true });
  const container = 'container_1700000000000_0101_01_000001';
  for (const [at, contents] of ['one ', 'two ', 'three'].entries()) {
    const path = join(fixture.data, `piece-${at}`);
    writeFileSync(path, contents);
    const files = [{ name: 'app.log', path, size: contents.length }];
    await writeAggregatedLog(join(folder, `node_45454_170000000${at}000`), {
      applicationOwner: 'ann',
      acls: {},
      containers: [{ containerId: container, files }],
    });
  }
  const path = `/api/v1/containers/${container}/logs`;
  const { files } = (await fixture.get(path)).json();
  assert.deepEqual([files[0].name, files[0].bytes, files.length], ['app.log', 13, 1]);
  const get = async (headers: Record<string, string> = {}) => {
    const { status, body } = await fixture.get(`${path}/app.log`, { accept: '*/*', ...headers });
    return [status, body];
  };
  assert.deepEqual(await get(), [200, 'one two three']);
  assert.deepEqual(await get({ range: 'bytes=2-9' }), [206, 'e two th']);
  assert.deepEqual(await get({ range: 'bytes=-7' }), [206, 'o three']);
  assert.deepEqual(await get({ range: 'bytes=13-' }), [416, '']);
  assert.equal((await fixture.get(`${path}/none`)).status, 404);
});
