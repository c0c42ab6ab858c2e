// Container logs over the reader: where they are by what version 2 knows, and who may read them.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sendSystemWrites } from '../../client/timeline-client.ts';
import { loadConfiguration } from '../../config/load.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { systemRandom } from '../../lib/random.ts';
import type { RunningRole } from '../../lib/role.ts';
import { writeAggregatedLog } from '../../wire/files/aggregated-log.ts';
import { aggregatedLogTree, applicationLogFolder } from '../../wire/files/aggregated-log-folder.ts';
import type { SystemWrite } from '../../wire/timeline/v2-entity.ts';
import { start } from '../server.ts';
import { bothVersions } from '../test-support/timeline-world.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'heddle-timeline-logs-'));
const logs = join(dataDir, 'logs');
const clock = new ManualClock(1_795_000_000_000);
const id = 'application_1795000000000_0001';
const containerId = 'container_1795000000000_0001_01_000001';
const base = '/ws/v2/applicationlog';
/** A resource manager that knows one node. */
const manager = createServer((request, response) => {
  const isKnown = request.url?.startsWith('/ws/v1/cluster/nodes/node%3A45454') ?? false;
  response.writeHead(isKnown ? 200 : 404).end(isKnown ? '{"node":{"nodeHTTPAddress":"node:8042"}}' : '{}');
});
let role: RunningRole;

before(async () => {
  await new Promise<void>((resolve) => manager.listen(0, '127.0.0.1', resolve));
  const set = {
    ...bothVersions,
    'yarn.timeline-service.versions': '2.0f',
    'yarn.resourcemanager.webapp.address': `127.0.0.1:${(manager.address() as AddressInfo).port}`,
    'yarn.nodemanager.remote-app-log-dir': logs,
    'yarn.acl.enable': 'true',
    'yarn.admin.acl': 'boss',
    'heddle.timeline.system-writers': 'rm',
  };
  role = await start(loadConfiguration({ dataDir, set }), { logger: silentLogger, clock, random: systemRandom });
  const folder = applicationLogFolder(aggregatedLogTree(logs, 'logs'), 'ann', id);
  mkdirSync(folder, { recursive: true });
  const path = join(dataDir, 'stdout');
  writeFileSync(path, 'what it said\n');
  const files = [{ name: 'stdout', path, size: 13 }];
  await writeAggregatedLog(join(folder, 'node_45454'), { applicationOwner: 'ann', acls: {}, containers: [{ containerId, files }] });
});
after(async () => {
  await role.close();
  manager.closeAllConnections();
  manager.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const tell = async (write: Partial<SystemWrite>) => {
  const target = { url: role.addresses['web'] ?? '', user: 'rm', logger: silentLogger };
  const { kind } = await sendSystemWrites(target, JSON.stringify({ applicationId: id, entities: [], ...write }));
  assert.equal(kind, 'taken');
};
const inState = (state: string) => ({
  type: 'YARN_APPLICATION',
  id,
  info: { YARN_APPLICATION_STATE: state, YARN_APPLICATION_VIEW_ACLS: 'bob' },
});
async function get(path: string, user = 'ann', accept = '*/*') {
  const url = new URL(`${role.addresses['reader']}${base}${path}`);
  url.searchParams.set('user.name', user);
  const answer = await fetch(url, { redirect: 'manual', headers: { accept } });
  return {
    status: answer.status,
    location: answer.headers.get('location'),
    type: answer.headers.get('content-type'),
    text: await answer.text(),
  };
}

test('of an application that is not known what was gathered is served', async () => {
  const { status, text, type } = await get(`/containers/${containerId}/logs`);
  assert.deepEqual([status, type], [200, 'application/json']);
  const [info] = JSON.parse(text);
  assert.deepEqual([info.containerId, info.nodeId, info.logAggregationType], [containerId, 'node_45454', 'AGGREGATED']);
});

test('one that waits has no logs yet; one that runs has them on its node', async () => {
  await tell({ context: { user: 'ann', flow: 'f', run: 7, version: '1' }, entities: [inState('ACCEPTED')] });
  assert.equal((await get(`/containers/${containerId}/logs`)).status, 404);
  const container = (host: string) => ({
    type: 'YARN_CONTAINER',
    id: containerId,
    info: { YARN_CONTAINER_ALLOCATED_HOST: host, YARN_CONTAINER_ALLOCATED_PORT: 45454 },
  });
  await tell({ entities: [inState('RUNNING'), container('node')] });
  const sent = await get(`/containers/${containerId}/logs/stdout?size=5`);
  assert.deepEqual([sent.status, new URL(sent.location ?? '').host], [307, 'node:8042']);
  assert.match(sent.location ?? '', new RegExp(`/ws/v1/node/containers/${containerId}/logs/stdout\\?size=5`));
  const back = await get(`/containerlogs/${containerId}/stdout?redirected_from_node=true`);
  assert.equal(back.status, 200);
  assert.match(back.text, /what it said[\s\S]*LogAggregationType: LOCAL/);
  // A cluster that has no such application: what was gathered.
  assert.equal((await get(`/containers/${containerId}/logs?clusterid=other`)).status, 200);
});

test('of one that has ended they are read by its owner, those it named and administrators', async () => {
  await tell({ collector: 'stop', finishedTimeMs: clock.now(), entities: [inState('FINISHED')] });
  for (const user of ['ann', 'bob', 'boss']) {
    const { status, text } = await get(`/containers/${containerId}/logs/stdout?size=4`, user);
    assert.equal(status, 200, user);
    assert.match(text, /LogContents:\nwhat\nEnd of LogType:stdout/);
  }
  assert.equal((await get(`/containers/${containerId}/logs/stdout`, 'eve')).status, 403);
  assert.equal((await get(`/containers/${containerId}/logs`, 'eve')).status, 403);
});

test('of an application of which nothing was gathered there are none', async () => {
  for (const path of ['containers/container_9_0001_01_000001/logs/stdout', 'containerlogs/container_9_0001_01_000001/stdout']) {
    const { status, text } = await get(`/${path}`, 'boss');
    assert.equal(status, 404);
    assert.match(text, /Can not find remote application directory for the application:application_9_0001/);
  }
});

test('what is no container id is refused, and XML is answered where it is asked for', async () => {
  assert.equal((await get('/containers/box/logs')).status, 400);
  assert.deepEqual(await get('/containers/box/logs/stdout'), {
    status: 404,
    location: null,
    type: 'text/plain',
    text: 'Not Found. Invalid ContainerId: box',
  });
  assert.match((await get(`/containers/${containerId}/logs`, 'ann', 'application/xml')).text, /<containerLogsInfoes><containerLogsInfo>/);
});
