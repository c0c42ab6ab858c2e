// Why an application waits: the same record over HTTP and on the command line.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { loadConfiguration } from '../../src/config/load.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { systemRandom } from '../../src/lib/random.ts';
import type { RunningRole } from '../../src/lib/role.ts';
import { start } from '../../src/resource-manager/server.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'heddle-explain-'));
const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
let role: RunningRole;
let url: string;

async function call(method: string, path: string, user: string, body?: object) {
  const response = await fetch(`${url}${path}?user.name=${user}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  return { status: response.status, json: text.startsWith('{') ? JSON.parse(text) : undefined };
}

async function submit(user: string, more: object = {}): Promise<string> {
  const { json } = await call('POST', '/ws/v1/cluster/apps/new-application', user);
  const id: string = json['application-id'];
  const body = {
    'application-id': id,
    'am-container-spec': { commands: { command: 'true' } },
    resource: { memory: 512, vCores: 1 },
    ...more,
  };
  assert.equal((await call('POST', '/ws/v1/cluster/apps', user, body)).status, 202);
  return id;
}

describe('explaining why an application waits', () => {
  before(async () => {
    const set = {
      'yarn.resourcemanager.webapp.address': '127.0.0.1:0',
      'yarn.timeline-service.enabled': 'false',
      'yarn.acl.enable': 'true',
      'yarn.admin.acl': 'root',
      'yarn.scheduler.capacity.root.acl_administer_queue': 'root',
    };
    role = await start(loadConfiguration({ dataDir, set }), { logger: silentLogger, clock: systemClock, random: systemRandom });
    url = role.addresses['web']!;
  });
  after(async () => {
    await role.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('lists all that wait with their reasons to who may view them, the oldest first, and says how much is used', async () => {
    const ids = [await submit('ann'), await submit('bob')];
    const listed = async (user: string, query = '') => {
      const { status, json } = await call('GET', '/api/v1/waiting', `${user}${query}`);
      return { status, more: json?.more, ids: json?.applications?.map(({ id }: { id: string }) => id), json };
    };
    const mine = await listed('ann');
    assert.deepEqual([mine.ids, mine.more], [[ids[0]], false]);
    assert.match(mine.json.applications[0].sentence, /because|no node/);
    assert.deepEqual((await listed('root')).ids, ids);
    assert.deepEqual([(await listed('root', '&limit=1')).ids, (await listed('root', '&limit=1')).more], [[ids[0]], true]);
    assert.deepEqual((await listed('root', '&queue=root.default')).ids, ids);
    for (const bad of ['&limit=0', '&limit=51', '&limit=x', '&queue=root.none'])
      assert.ok([400, 404].includes((await listed('root', bad)).status), bad);
    const { json: usage } = await call('GET', '/api/v1/usage', 'ann');
    assert.equal(usage.stepMs, 10_000);
    assert.equal(usage.samples.at(-1).waitingApplications, 2);
    const { json: now } = await call('GET', '/api/v1/usage', 'ann&span=now');
    assert.deepEqual([now.span, now.samples.length, now.samples[0].waitingApplications], ['now', 1, 2]);
    assert.equal((await call('GET', '/api/v1/usage', 'ann&span=year')).status, 400);
    assert.equal((await call('GET', '/api/v1/risks', 'ann')).status, 403);
    assert.ok(Array.isArray((await call('GET', '/api/v1/risks', 'root')).json.risks));
    for (const [index, id] of ids.entries())
      assert.ok(
        [200, 202].includes((await call('PUT', `/ws/v1/cluster/apps/${id}/state`, ['ann', 'bob'][index]!, { state: 'KILLED' })).status),
      );
  });

  it('names the rule, the nodes and the remedy, and says when it is over', async () => {
    const id = await submit('ada');
    const { status, json } = await call('GET', `/api/v1/applications/${id}/explain`, 'ada');
    assert.equal(status, 200);
    assert.deepEqual([json.waiting, json.finalStatus], [true, 'UNDEFINED']);
    assert.equal(json.sentence, 'It waits for its master because the cluster has no nodes in service.');
    assert.equal(json.requests.length, 1);
    assert.equal(json.requests[0].reasons[0].rule, 'NO_NODES');
    assert.deepEqual(json.requests[0].resource, { memoryMiB: 1024, vcores: 1 });
    await call('PUT', `/ws/v1/cluster/apps/${id}/state`, 'ada', { state: 'KILLED' });
    for (let over = false; !over; over = !(await call('GET', `/api/v1/applications/${id}/explain`, 'ada')).json.waiting);
    const ended = await call('GET', `/api/v1/applications/${id}/explain`, 'ada');
    assert.deepEqual([ended.json.requests, ended.json.finalStatus], [[], 'KILLED']);
    assert.match(ended.json.sentence, /^It is over: KILLED\. Application application_\S+ was killed by user ada/);
  });

  it('says how one ended and what its master said of it, without what its node wrote behind', async () => {
    const id = await submit('ada', { 'unmanaged-AM': true });
    for (let told = 404; told !== 200; told = (await call('GET', `/api/v1/applications/${id}/master`, 'ada')).status);
    const { json: master } = await call('GET', `/api/v1/applications/${id}/master`, 'ada');
    const asMaster = (verb: string, body: object) =>
      fetch(`${url}/api/v1/attempts/${master.attemptId}/${verb}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${master.token}` },
      });
    assert.equal((await asMaster('register', { host: '127.0.0.1', rpcPort: -1, trackingUrl: '' })).status, 200);
    const said = 'Instance 0 failed with exit code 7 after 3 tries.';
    const diagnostics = `${said} [2026-01-02 03:04:05.678]Exception from container-launch.\nContainer id: c`;
    assert.equal((await asMaster('finish', { finalStatus: 'FAILED', diagnostics, trackingUrl: '' })).status, 200);
    const { json } = await call('GET', `/api/v1/applications/${id}/explain`, 'ada');
    assert.match(
      json.sentence,
      /^It is over: (?:FINISHED|FINISHING|RUNNING), FAILED\. Instance 0 failed with exit code 7 after 3 tries\.$/,
    );
    assert.equal(json.finalStatus, 'FAILED');
    const run = promisify(execFile)(process.execPath, [main, 'app', 'explain', id, '--cluster', url, '--user', 'ada', '--data', dataDir]);
    assert.match((await run).stdout, new RegExp(`after 3 tries\\.\n"heddle app logs ${id}" shows what it wrote\\.\n$`));
  });

  it('is told to those who may see the application, and in the OpenAPI document', async () => {
    const id = await submit('ada');
    assert.equal((await call('GET', `/api/v1/applications/${id}/explain`, 'mallory')).status, 403);
    assert.equal((await call('GET', '/api/v1/applications/application_1_0001/explain', 'ada')).status, 404);
    assert.equal((await call('GET', '/api/v1/applications/nonsense/explain', 'ada')).status, 400);
    const { json } = await call('GET', '/openapi.json', 'ada');
    const { content } = json.paths['/api/v1/applications/{appid}/explain'].get.responses['200'];
    const { $ref: name, ...inline } = content['application/json'].schema as { $ref?: string; properties?: Record<string, unknown> };
    const described = name === undefined ? inline : json.components.schemas[name.split('/').at(-1)!];
    assert.ok(described.properties.requests);
  });

  it('is printed by the command, a sentence first', async () => {
    const id = await submit('ada');
    const run = (...args: string[]) =>
      promisify(execFile)(process.execPath, [main, 'app', 'explain', ...args, '--cluster', url, '--user', 'ada', '--data', dataDir]);
    const { stdout } = await run(id);
    assert.match(stdout, /ACCEPTED, queue root\.default, user ada/);
    assert.match(stdout, /because the cluster has no nodes in service\.\nIt goes on when a node joins, or is put back/);
    assert.match(stdout, /master +0 +1 GiB, 1 vcore +1 +- .* NO_NODES/);
    assert.equal(JSON.parse((await run(id, '--json')).stdout).id, id);
    await assert.rejects(run('application_1_0001'), (error: { code: number; stderr: string }) => {
      assert.equal(error.code, 1);
      return /heddle app list/.test(error.stderr);
    });
  });
});
