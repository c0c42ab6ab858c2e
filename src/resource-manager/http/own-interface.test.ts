import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { loadConfiguration } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { systemRandom } from '../../lib/random.ts';
import type { RunningRole } from '../../lib/role.ts';
import { start } from '../server.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-own-interface-'));
const confDir = folder;
const write = (properties: Record<string, string>) =>
  writeFileSync(
    join(confDir, 'yarn-site.xml'),
    `<configuration>${Object.entries(properties).map(([name, value]) => `<property><name>${name}</name><value>${value}</value></property>`)}</configuration>`,
  );
const site = { 'yarn.acl.enable': 'true', 'yarn.admin.acl': 'alice', 'yarn.webapp.filter-entity-list-by-user': 'true' };
const lines: Record<string, unknown>[] = [];
let role: RunningRole;

async function request(method: string, path: string, user: string, body?: unknown) {
  const mark = path.includes('?') ? '&' : '?';
  const response = await fetch(`${role.addresses['web']}${path}${mark}user.name=${user}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  return { status: response.status, text, json: (text.startsWith('{') ? JSON.parse(text) : undefined) as any };
}
const submit = async (user: string, more: object = {}): Promise<string> =>
  (await request('POST', '/api/v1/applications', user, { 'unmanaged-AM': true, ...more })).json.id;
const audited = (user: string | undefined) => lines.filter((line) => line['audit'] === true && line['user'] === user);

describe("Heddle's own interface", () => {
  before(async () => {
    write(site);
    const configuration = loadConfiguration({
      confDir,
      dataDir: join(folder, 'data'),
      set: {
        'yarn.resourcemanager.webapp.address': '127.0.0.1:0',
        'yarn.timeline-service.enabled': 'false',
        'yarn.scheduler.capacity.root.acl_administer_queue': 'alice',
        'yarn.resourcemanager.proxyuser.gateway.hosts': '*',
        'mapreduce.cluster.acls.enabled': 'true',
        'mapreduce.cluster.administrators': 'boss',
        'yarn.resourcemanager.proxyuser.gateway.users': 'ann',
      },
    });
    // Only errors are wanted: the audit is told nevertheless.
    const logger = pino({ level: 'error', base: undefined }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    role = await start(configuration, { logger, clock: systemClock, random: systemRandom });
  });
  it('refuses parameters that it does not have, names the nearest one, and does nothing', async () => {
    const told = async (method: string, path: string) => {
      const { status, json } = await request(method, path, 'ann', method === 'POST' ? { 'unmanaged-AM': true } : undefined);
      return `${status} ${json?.RemoteException?.message ?? ''}`;
    };
    assert.match(await told('GET', '/api/v1/events?kinds=applicationFinished'), /^400 .*has no parameter "kinds"; did you mean "kind"\?/);
    assert.match(await told('GET', '/api/v1/risks?x=1'), /^400 .*no parameter "x": it takes none/);
    assert.match(await told('POST', '/api/v1/applications?dryrun=true'), /^400 .*did you mean "dryRun"\?/);
    assert.equal((await request('GET', '/api/v1/applications', 'alice')).json.applications.length, 0);
    assert.equal(await told('GET', '/api/v1/applications?limit=1&'), '200 ');
    // Hadoop passes over what it does not know.
    assert.equal(await told('GET', '/ws/v1/cluster/apps?stats=RUNNING'), '200 ');
  });

  after(async () => {
    await role.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('takes what the client protocol has besides, and maps as objects', async () => {
    const id = await submit('ann', {
      'application-timeouts': { LIFETIME: 600 },
      'am-container-spec': { 'application-acls': { VIEW_APP: 'bob' } },
      'application-tags': ['a', 'b'],
    });
    const { app } = (await request('GET', `/ws/v1/cluster/apps/${id}`, 'bob')).json;
    const [timeout] = app.timeouts.timeout;
    assert.ok(app.startedTime > 0 && timeout.remainingTimeInSeconds > 500 && timeout.remainingTimeInSeconds <= 600);
    assert.equal(app.applicationTags, 'a,b');
  });
  it('refuses members that it does not know, which would change nothing', async () => {
    for (const [path, body, said] of [
      ['tokens', { name: 'a', scope: 'read', queue: ['root.a'] }, '/queue'],
      ['webhooks', { url: 'http://127.0.0.1:1/', kind: ['node'] }, '/kind'],
      ['schedules', { name: 'a', cron: '@daily', timezone: 'UTC', submission: {} }, '/timezone'],
      ['node-attributes', { operation: 'add', nodes: [{ host: 'h', attributes: [], attribute: 'a' }] }, '/nodes/0/attribute'],
      ['nodes/h:1/drain', { gracefully: true }, '/gracefully'],
    ] as const) {
      const { status, text } = await request('POST', `/api/v1/${path}`, 'alice', body);
      assert.deepEqual([status, text.includes(`${said} is unknown`)], [400, true], text);
    }
  });
  it('says what is given otherwise than was asked for, when it is tried, taken and explained', async () => {
    const asked = { priority: 9, 'max-app-attempts': 50, run: { command: ['true'], memoryMiB: 1500, vcores: 2 } };
    const expected = [
      ['application', 'priority', 9, 0],
      ['application', 'attempts', 50, 2],
      ['master', 'memoryMiB', 128, 1024],
      ['instance', 'memoryMiB', 1500, 2048],
    ];
    type Told = { of: string; what: string; asked: number; given: number; sentence: string };
    const of = (adjusted: Told[]) => adjusted.map(({ of, what, asked, given }) => [of, what, asked, given]);
    const tried = (await request('POST', '/api/v1/applications?dryRun=true', 'ann', asked)).json;
    assert.deepEqual(of(tried.adjusted), expected);
    assert.deepEqual(
      tried.adjusted.map(({ sentence }: Told) => sentence.split(':')[0]),
      [
        'Its priority is 0, not 9',
        'Its master is tried 2 times, not 50 times',
        'Its master has 1024 MiB, not 128 MiB',
        'Each instance has 2048 MiB, not 1500 MiB',
      ],
    );
    const { id, adjusted } = (await request('POST', '/api/v1/applications', 'ann', asked)).json;
    assert.deepEqual(of(adjusted), expected);
    const explain = async () => (await request('GET', `/api/v1/applications/${id}/explain`, 'ann')).json.adjusted;
    assert.deepEqual(await explain(), tried.adjusted);
    await request('PUT', `/ws/v1/cluster/apps/${id}/state`, 'ann', { state: 'KILLED' });
    assert.deepEqual(await explain(), []);
    const plain = { run: { command: ['true'], memoryMiB: 1024 }, resource: { memory: 1024, vCores: 1 } };
    assert.deepEqual((await request('POST', '/api/v1/applications?dryRun=true', 'ann', plain)).json.adjusted, []);
  });
  it('takes the time of a drain and a refresh under its earlier name too, and not two times', async () => {
    const refresh = (body: object) => request('POST', '/api/v1/nodes/refresh', 'alice', body);
    const audited = () => lines.flatMap(({ operation, seconds }) => (operation === 'refresh nodes' ? [seconds] : []));
    for (const body of [{ timeoutSeconds: 77 }, { gracefulSeconds: 78 }, { gracefulSeconds: 79, timeoutSeconds: 79 }])
      assert.equal((await refresh(body)).status, 200);
    assert.deepEqual(audited(), [77, 78, 79]);
    const { status, text } = await refresh({ gracefulSeconds: 1, timeoutSeconds: 2 });
    assert.deepEqual([status, /leave timeoutSeconds out/.test(text)], [400, true], text);
    assert.equal((await request('POST', '/api/v1/nodes/h:1/drain', 'alice', { timeoutSeconds: 77 })).status, 404);
  });
  it('says what other queues would come to, by a change or as a whole, and changes nothing', async () => {
    const queues = async () => (await request('GET', '/ws/v1/cluster/scheduler', 'alice')).text;
    const before = await queues();
    const tried = (user: string, body: object) => request('POST', '/api/v1/queues/what-if', user, body);
    const entry = [
      { key: 'capacity', value: '40' },
      { key: 'maximum-capacity', value: '50' },
    ];
    const added = { 'add-queue': [{ 'queue-name': 'root.b', params: { entry } }] };
    const shared = { 'update-queue': [{ 'queue-name': 'root.default', params: { entry: [{ key: 'capacity', value: '60' }] } }], ...added };
    const { status, json } = await tried('alice', shared);
    assert.deepEqual(
      [status, json.queues.map(({ path, after }: { path: string; after: object }) => [path, after !== undefined])],
      [
        200,
        [
          ['root.b', true],
          ['root.default', true],
        ],
      ],
    );
    const [{ before: none, after: side }] = json.queues;
    assert.deepEqual([none, side.guaranteedPercent, side.maximumPercent, side.guaranteed.memoryMiB], [undefined, 40, 50, 0]);
    assert.match(json.sentence, /^Shares would be others; nothing that runs or waits now would fare otherwise\.$/);
    const prefix = 'yarn.scheduler.capacity.root';
    const whole = [
      ...[
        { key: `${prefix}.queues`, value: 'default' },
        { key: `${prefix}.default.capacity`, value: '100' },
      ],
      { key: `${prefix}.default.maximum-capacity`, value: '30' },
    ];
    const allocations = '<allocations><queue name="a"/></allocations>';
    const misspelt = await tried('alice', { 'add-queues': [] });
    assert.deepEqual([misspelt.status, /add-queues is not known here/.test(misspelt.text)], [400, true]);
    const both = await tried('alice', { allocations, properties: { entry: whole } });
    assert.deepEqual([both.status, /nothing may stand beside/.test(both.text)], [400, true]);
    const strange = await tried('alice', { allocations });
    assert.deepEqual([strange.status, /reads no fair-scheduler\.xml/.test(strange.text)], [400, true]);
    const all = await tried('alice', { properties: { entry: whole } });
    assert.deepEqual([all.status, Math.round(all.json.queues[0].after.maximumPercent), all.json.complete], [200, 30, true]);
    assert.deepEqual((await tried('alice', {})).json.keys, []);
    const refused = await tried('alice', added);
    assert.deepEqual([refused.status, refused.json.RemoteException.message.includes('Failed to re-init queues')], [400, true]);
    assert.equal((await tried('ann', shared)).status, 403);
    assert.equal(await queues(), before);
  });

  it('says what a submission would come to, and changes nothing', async () => {
    const list = async () => (await request('GET', '/api/v1/applications', 'alice')).text;
    const before = await list();
    const { status, json } = await request('POST', '/api/v1/applications?dryRun=true', 'ann', { run: { command: ['true'], instances: 2 } });
    assert.deepEqual([status, json.accepted, json.queue, json.user], [200, true, 'root.default', 'ann']);
    assert.match(json.sentence, /^Its master would wait because /);
    assert.equal(json.containers[0].reasons[0].rule, 'NO_NODES');
    assert.deepEqual(json.containers[1].resource, { memoryMiB: 1024, vcores: 1 });
    assert.equal((await request('POST', '/api/v1/applications?dryRun=maybe', 'ann', {})).status, 400);
    const gpus = { run: { command: ['true'], resources: { 'yarn.io/gpu': 1 } } };
    const admission = await request('POST', '/api/v1/applications?dryRun=admission', 'ann', gpus);
    assert.match(
      admission.json.sentence,
      /^Its master would be refused its instance: there is no resource type yarn\.io\/gpu .*: memory-mb, vcores$/,
    );
    const refused = await request('POST', '/api/v1/applications', 'ann', gpus);
    assert.deepEqual([refused.status, /no resource type yarn\.io\/gpu/.test(refused.text)], [400, true]);
    const taken = (await request('POST', '/api/v1/applications?dryRun=admission', 'ann', { run: { command: ['true'] } })).json;
    assert.deepEqual([taken.accepted, taken.sentence, taken.containers.length], [true, 'It would be taken.', 2]);
    const bad = { run: { command: [] } };
    const [tried, real] = [
      await request('POST', '/api/v1/applications?dryRun=true', 'ann', bad),
      await request('POST', '/api/v1/applications', 'ann', bad),
    ];
    assert.deepEqual([tried.status, tried.text], [real.status, real.text]);
    assert.equal(await list(), before);
  });
  it('tells where its batch jobs are staged, and that their access lists count', async () => {
    const staging = join(folder, 'data/staging');
    assert.deepEqual((await request('GET', '/api/v1/job-folders', 'ann')).json, {
      staging,
      intermediateHistory: join(staging, 'history/done_intermediate'),
      accessLists: { administrators: 'boss' },
    });
  });

  it('tells what a command was asked to do to who may change its application, without its secrets', async () => {
    const run = { command: ['true'], instances: 2, environment: { REGION: 'north' }, secrets: { KEY: 'very secret' } };
    const { id } = (await request('POST', '/api/v1/applications', 'ann', { 'application-name': 'asked', run, priority: 3 })).json;
    const path = `/api/v1/applications/${id}/run`;
    const { status, json, text } = await request('GET', path, 'ann');
    assert.deepEqual([status, json.name, json.user, json.masterMemoryMiB], [200, 'asked', 'ann', 128]);
    assert.deepEqual([json.run.instances, json.run.environment, json.run.secrets], [2, { REGION: 'north' }, ['KEY']]);
    assert.doesNotMatch(text, /very secret|dmVyeSBzZWNyZXQ/);
    assert.deepEqual([(await request('GET', path, 'alice')).status, (await request('GET', path, 'eve')).status], [200, 403]);
    assert.equal((await request('GET', `/api/v1/applications/${await submit('ann')}/run`, 'ann')).status, 404);
    assert.equal((await request('GET', '/api/v1/applications/x/run', 'ann')).status, 400);
  });
  it('changes how many instances a command is to have', async () => {
    const { id } = (await request('POST', '/api/v1/applications', 'ann', { run: { command: ['true'], instances: 2 } })).json;
    const path = `/api/v1/applications/${id}`;
    const put = (user: string, body: unknown) => request('PUT', `${path}/instances`, user, body);
    assert.deepEqual((await put('ann', { instances: 4 })).json, { instances: 4 });
    assert.equal((await request('GET', `${path}/run`, 'ann')).json.run.instances, 4);
    assert.equal((await request('GET', `${path}/submission`, 'ann')).json.run.instances, 2, 'what it was submitted with');
    for (const wrong of [{}, { instances: 0 }, { instances: '3' }, { instances: 2.5 }, { instances: 3, more: 1 }, { instances: 10_001 }])
      assert.equal((await put('ann', wrong)).status, 400, JSON.stringify(wrong));
    assert.deepEqual([(await put('eve', { instances: 1 })).status, (await put('alice', { instances: 3 })).status], [403, 200]);
    await request('PUT', `/ws/v1/cluster/apps/${id}/state`, 'ann', { state: 'KILLED' });
    assert.equal((await request('GET', `${path}?wait=60000&until=end`, 'ann')).json.state, 'KILLED');
    assert.equal((await put('ann', { instances: 1 })).status, 409);
  });
  it('answers once an application is over, or after a while as it is', async () => {
    const id = await submit('ann');
    const path = `/api/v1/applications/${id}`;
    assert.equal((await request('GET', `${path}?wait=1000&until=never`, 'ann')).status, 400);
    const early = (await request('GET', `${path}?wait=20&until=end`, 'ann')).json;
    assert.notEqual(early.state, 'KILLED');
    let hasAnswered = false;
    const waiting = request('GET', `${path}?wait=60000&until=end`, 'ann').finally(() => {
      hasAnswered = true;
    });
    await request('PUT', `/ws/v1/cluster/apps/${id}/priority`, 'ann', { priority: 3 });
    assert.equal(hasAnswered, false, 'another change is no end');
    await request('PUT', `/ws/v1/cluster/apps/${id}/state`, 'ann', { state: 'KILLED' });
    assert.deepEqual([(await waiting).status, (await waiting).json.state], [200, 'KILLED']);
    assert.equal((await request('GET', `${path}?wait=60000&until=end`, 'ann')).json.state, 'KILLED');
  });
  it('takes a submission once under a key, in the header or in the body', async () => {
    const send = async (key: string, body: object) => {
      const response = await fetch(`${role.addresses['web']}/api/v1/applications?user.name=ann`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key === '' ? {} : { 'idempotency-key': key }) },
        body: JSON.stringify(body),
      });
      const { id } = (await response.json()) as { id?: string };
      return { id, status: response.status, replayed: response.headers.get('idempotency-replayed') };
    };
    const first = await send('once', { 'unmanaged-AM': true, 'application-name': 'one' });
    assert.deepEqual([first.status, first.replayed], [202, null]);
    const again = { id: first.id, status: 202, replayed: 'true' };
    // However it is written, it is the same request.
    assert.deepEqual(await send('once', { 'application-name': 'one', 'unmanaged-AM': true }), again);
    assert.deepEqual(await send('', { 'idempotency-key': 'once', 'application-name': 'one', 'unmanaged-AM': true }), again);
    assert.equal((await send('once', { 'unmanaged-AM': true, 'application-name': 'two' })).status, 422);
    assert.equal((await send('once', { 'unmanaged-AM': true, 'idempotency-key': 'twice' })).status, 400);
    assert.equal((await send('not one', { 'unmanaged-AM': true })).status, 400);
    assert.notEqual((await send('other', { 'unmanaged-AM': true, 'application-name': 'one' })).id, first.id);
  });
  it('refuses a submission that would hold more memory than one may', async () => {
    const { status, text } = await request('POST', '/api/v1/applications', 'ann', { 'application-name': 'x'.repeat(2 * 1024 * 1024) });
    assert.equal(status, 400);
    assert.match(text, /The submission has \d+ characters, more than 2097152/);
  });
  it('refuses what it does not know or cannot read, and keeps nothing of it', async () => {
    const refused = async (body: object, reason: RegExp) => {
      const { status, text } = await request('POST', '/api/v1/applications', 'eve', body);
      assert.equal(status, 400);
      assert.match(text, reason);
    };
    await refused({ 'unmanaged-am': true }, /unmanaged-am is not known here/);
    await refused({ resource: { memory: 'lots' } }, /resource.memory must be a whole number/);
    await refused({ 'am-container-spec': { environment: ['A=b'] } }, /am-container-spec.environment must be an object/);
    await refused({ 'am-container-spec': { environment: { A: { b: 1 } } } }, /am-container-spec.environment.A must be a text/);
    await refused({ 'unmanaged-AM': 'yes' }, /unmanaged-AM must be true or false/);
    await refused({ 'application-timeouts': { LIFETIME: 0 } }, /Invalid application timeout, value=0 for type=LIFETIME/);
    await refused({ 'application-timeouts': { PATIENCE: 5 } }, /PATIENCE is not a timeout/);
    await refused([1], /the body must be an object/);
    assert.deepEqual((await request('GET', '/api/v1/applications?user=eve', 'alice')).json, { applications: [] });
  });
  it('takes a lifetime that no date is far enough for, and lists and ends the application as any other', async () => {
    const id = await submit('ann', { 'application-timeouts': { LIFETIME: Number.MAX_SAFE_INTEGER } });
    const path = `/ws/v1/cluster/apps/${id}`;
    for (const asked of [path, '/ws/v1/cluster/apps', `${path}/timeouts`, `/api/v1/applications/${id}`])
      assert.equal((await request('GET', asked, 'alice')).status, 200, asked);
    await request('PUT', `${path}/state`, 'ann', { state: 'KILLED' });
    const { json } = await request('GET', `/api/v1/applications/${id}?wait=20000&until=end`, 'alice');
    assert.equal(json.state, 'KILLED');
    assert.match((await request('GET', path, 'alice')).text, /"expiryTime":"\+275760-/);
  });
  it('tells an unmanaged master what it needs, and only its owner', async () => {
    const id = await submit('ann');
    const path = `/api/v1/applications/${id}/master`;
    assert.equal((await request('GET', path, 'alice')).status, 403);
    // Its attempt begins when that is durable.
    while ((await request('GET', path, 'ann')).status !== 200);
    const { attemptId, token, resourceManager } = (await request('GET', path, 'ann')).json;
    const call = async (what: string, body: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const options = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await fetch(`${resourceManager}/api/v1/attempts/${attemptId}/${what}`, options)).status;
    };
    assert.equal(await call('register', { host: 'here', rpcPort: 1, trackingUrl: '127.0.0.1:1' }), 200);
    assert.equal((await request('GET', `/ws/v1/cluster/apps/${id}/state`, 'ann')).json.state, 'RUNNING');
    const waiting = async (user: string) =>
      (await request('GET', '/api/v1/waiting', user)).json.applications
        .filter((each: { id: string }) => each.id === id)
        .map(({ state, sentence }: { state: string; sentence: string }) => [state, sentence]);
    assert.deepEqual(await waiting('alice'), []);
    assert.equal(
      await call('allocate', { responseId: 0, asks: [{ askId: 'a', resource: { memoryMiB: 1024, vcores: 1 }, count: 3 }] }),
      200,
    );
    const why = 'It waits for 3 containers of 1024 MiB and 1 vcore because the cluster has no nodes in service.';
    assert.deepEqual(await waiting('alice'), [['RUNNING', why]]);
    assert.deepEqual(await waiting('dave'), []);
    const ask = (responseId: number, askId: string, memoryMiB: number, count: number) =>
      call('allocate', { responseId, asks: [{ askId, resource: { memoryMiB, vcores: 1 }, count }] });
    const sentence = async () => (await waiting('alice'))[0][1];
    assert.equal(await ask(1, 'b', 1024, 2), 200);
    assert.equal(await sentence(), why.replace('1 vcore', '1 vcore (and 2 more of that size)'));
    assert.equal(await ask(2, 'c', 2048, 1), 200);
    assert.equal(await sentence(), why.replace('1 vcore', '1 vcore (and 3 more)'));
    const all: string[] = (await request('GET', '/api/v1/waiting?limit=50', 'alice')).json.applications.map(
      (each: { id: string }) => each.id,
    );
    assert.deepEqual([new Set(all).size, all.at(-1)], [all.length, id], 'each once, those that run last');
    // Masters of other applications wait, too.
    assert.ok((await request('GET', '/api/v1/usage', 'alice')).json.samples.at(-1).pendingContainers >= 3);
    assert.equal(await call('finish', { finalStatus: 'SUCCEEDED' }), 200);
    assert.equal((await request('GET', `/ws/v1/cluster/apps/${id}`, 'ann')).json.app.finalStatus, 'SUCCEEDED');
    assert.equal((await request('GET', path, 'ann')).status, 409);
  });
  it('leaves out of pages what the caller may not view', async () => {
    const id = await submit('carl');
    const ids = async (user: string) =>
      (await request('GET', '/api/v1/applications?fields=id', user)).json.applications.map((application: { id: string }) => application.id);
    assert.ok((await ids('carl')).includes(id) && (await ids('alice')).includes(id));
    assert.ok(!(await ids('dave')).includes(id));
    await request('PUT', `/ws/v1/cluster/apps/${id}/state`, 'carl', { state: 'KILLED' });
    assert.ok((await ids('carl')).includes(id));
    assert.ok(!(await ids('dave')).includes(id));
  });
  it('counts what lists can be narrowed to, of callers who may not see the others their own', async () => {
    const [first] = [await submit('xena', { 'application-type': 'SPARK' }), await submit('xena'), await submit('yuri')];
    const counts = async (user: string, query: string) => {
      const { json } = await request('GET', `/api/v1/application-counts?${query}`, user);
      const of = (kind: string) => json[kind].values.map(({ name, count }: { name: string; count: number }) => `${name} ${count}`).sort();
      return { total: json.total, types: of('types'), users: of('users'), states: of('states'), outcomes: of('finalStatuses') };
    };
    const { users } = await counts('alice', 'queue=default&limit=200');
    assert.ok(users.includes('xena 2') && users.includes('yuri 1'), users.join());
    assert.deepEqual((await counts('yuri', '')).users, ['yuri 1']);
    assert.deepEqual((await counts('alice', 'applicationTypes=spark')).users, ['xena 1']);
    assert.equal((await request('GET', '/api/v1/application-counts?user=xena&limit=0', 'alice')).status, 400);
    while ((await request('PUT', `/ws/v1/cluster/apps/${first}/state`, 'xena', { state: 'KILLED' })).status === 202);
    const { total, types, states, outcomes } = await counts('alice', 'user=xena');
    assert.deepEqual([total, types, states, outcomes], [2, ['SPARK 1', 'YARN 1'], ['ACCEPTED 1', 'KILLED 1'], ['KILLED 1', 'UNDEFINED 1']]);
  });

  it('takes over administrators, proxy users and groups, and keeps the old ones where the files are bad', async () => {
    const refresh = (user: string) => request('POST', '/api/v1/access/refresh', user);
    const groups = async (user: string) => (await request('GET', `/api/v1/users/${user}/groups`, 'ann')).json;
    assert.deepEqual(await groups('bob'), { user: 'bob', groups: [] });
    assert.equal((await request('GET', '/ws/v1/cluster/userinfo?doAs=ann', 'gateway')).json.requestedUser, 'ann');
    assert.equal((await request('GET', '/ws/v1/cluster/userinfo?doAs=ann', 'knox')).status, 403);
    assert.equal((await refresh('bob')).status, 403);
    write({
      ...site,
      'yarn.admin.acl': 'alice crew',
      'hadoop.user.group.static.mapping.overrides': 'bob=crew',
      'hadoop.proxyuser.knox.hosts': '*',
      'hadoop.proxyuser.knox.users': 'ann',
    });
    assert.deepEqual((await refresh('alice')).json, { administrators: 'alice crew' });
    assert.deepEqual((await groups('bob')).groups, ['crew']);
    assert.equal((await request('GET', '/ws/v1/cluster/userinfo?doAs=ann', 'knox')).json.requestedUser, 'ann');
    writeFileSync(join(confDir, 'yarn-site.xml'), '<configuration>');
    const bad = await refresh('bob');
    assert.equal(bad.status, 400);
    assert.match(bad.text, /yarn-site.xml: line 1/);
    write({ ...site, 'yarn.admin.acl': 'bob' });
    assert.equal((await refresh('bob')).status, 200);
    assert.equal((await refresh('alice')).status, 403);
  });
  it('issues, renews and cancels delegation tokens on any path', async () => {
    const path = '/ws/v1/cluster/userinfo';
    lines.length = 0;
    const { json } = await request('GET', `${path}?op=GETDELEGATIONTOKEN&renewer=bob`, 'ann');
    const token = json.Token.urlString as string;
    const asHolder = async () => {
      const response = await fetch(`${role.addresses['web']}${path}?delegation=${token}`);
      return response.status === 200 ? ((await response.json()) as { requestedUser: string }).requestedUser : response.status;
    };
    assert.equal(await asHolder(), 'ann');
    const call = (method: string, operation: string, user: string) => request(method, `${path}?op=${operation}&token=${token}`, user);
    assert.equal((await call('GET', 'RENEWDELEGATIONTOKEN', 'bob')).status, 400);
    assert.equal((await call('PUT', 'RENEWDELEGATIONTOKEN', 'ann')).status, 403);
    assert.ok((await call('PUT', 'renewdelegationtoken', 'bob')).json.long > Date.now());
    assert.equal((await call('PUT', 'CANCELDELEGATIONTOKEN', 'mallory')).status, 403);
    assert.equal(await asHolder(), 'ann');
    assert.equal((await call('PUT', 'CANCELDELEGATIONTOKEN', 'ann')).status, 200);
    assert.equal(await asHolder(), 403);
    assert.equal((await call('PUT', 'CANCELDELEGATIONTOKEN', 'ann')).status, 404);
    assert.deepEqual(
      lines.filter(({ level }) => level === 30).map(({ user, operation }) => [user, operation]),
      [
        ['ann', 'GETDELEGATIONTOKEN'],
        ['bob', 'RENEWDELEGATIONTOKEN'],
        ['ann', 'CANCELDELEGATIONTOKEN'],
      ],
    );
  });
  it('notes every refusal and change once, with who, where from and what', async () => {
    const id = await submit('frank', { 'am-container-spec': { 'application-acls': { VIEW_APP: 'nobody' } } });
    lines.length = 0;
    const attempt = `/ws/v1/cluster/apps/${id}/appattempts/appattempt_${id.slice('application_'.length)}_000001`;
    await request('GET', attempt, 'mallory');
    await request('PUT', `/ws/v1/cluster/apps/${id}/state`, 'mallory', { state: 'KILLED' });
    await request('POST', '/api/v1/queues/refresh', 'mallory');
    await request('GET', '/ws/v1/cluster/info?doAs=frank', 'mallory');
    await request('GET', '/logLevel?level=error', 'mallory');
    const refused = audited('mallory').map(({ level, operation, target }) => [level, operation, target]);
    assert.deepEqual(refused, [
      [40, 'GET', attempt],
      [40, 'kill application', id],
      [40, 'refresh queues', 'cluster'],
      [40, 'GET', '/ws/v1/cluster/info'],
      [40, 'GET', '/logLevel'],
    ]);
    assert.deepEqual(audited(undefined), []);
    await request('PUT', `/ws/v1/cluster/apps/${id}/state`, 'frank', { state: 'KILLED' });
    assert.deepEqual(
      audited('frank').map(({ level, operation, target }) => [level, operation, target]),
      [[30, 'kill application', id]],
    );
  });
});
