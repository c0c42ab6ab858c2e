import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { composeAuthenticator } from '../auth/composition.ts';
import { CookieSigner } from '../auth/signer.ts';
import { anonymousCaller, simpleProof } from '../auth/simple.ts';
import { loadConfiguration } from '../config/load.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { text } from './answers.ts';
import { mountDaemonRoutes } from './daemon-routes.ts';
import { instrumentationGate } from './instrumentation.ts';
import { profiles } from './profiles.ts';
import { createService } from './service.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-daemon-'));
const signer = new CookieSigner(Buffer.alloc(32, 1));
const service = createService({
  name: 'test',
  profile: profiles.nodeManager,
  address: '127.0.0.1:0',
  logger: silentLogger,
  authenticator: composeAuthenticator({
    proofs: [simpleProof({ signer, clock: systemClock, cookieType: 'simple-dt' })],
    nobody: anonymousCaller('dr.who'),
  }),
});
const configuration = loadConfiguration({
  dataDir: folder,
  set: {
    'my.password': 'hidden-from-all',
    'my.nothing': '',
    'my.alias': 'x-${my.password}-y',
    'my.copy': 'of hidden-from-all',
    'my.url': 'http://ann:pw@h/',
    'my.thing': 'z',
    'hadoop.security.sensitive-config-keys': 'thing$',
    'yarn.acl.enable': 'true',
  },
});
const beans = () => [
  {
    name: 'Hadoop:service=X,name=NodeManagerMetrics',
    modelerType: 'x',
    attributes: { ContainersLaunched: 3, AllocatedVCores: 2, 'tag.Hostname': 'h' },
  },
];
mountDaemonRoutes(service, {
  configuration,
  daemon: 'NodeManager',
  beans,
  logger: silentLogger,
  clock: systemClock,
  gate: instrumentationGate(configuration, (user) => user === 'root'),
});
service.route({ method: 'GET', path: '/ws/thing', handle: () => text(200, 'thing') });
after(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const get = (url: string, headers = {}) =>
  service.inject({ url: `${url}${url.includes('?') ? '&' : '?'}user.name=root`, method: 'GET', headers });

test('shows the settings in force, without secrets', async () => {
  const accept = { accept: 'application/json' };
  assert.equal(JSON.parse((await get('/conf?name=yarn.acl.enable', accept)).body).property.value, 'true');
  const shownValue = async (key: string): Promise<string> => JSON.parse((await get(`/conf?name=${key}`, accept)).body).property.value;
  assert.match((await get('/conf')).body, /<name>my\.password<\/name><value>&lt;redacted&gt;<\/value>/);
  assert.doesNotMatch((await get('/conf')).body, /hidden-from-all|:pw@/);
  assert.equal(await shownValue('my.alias'), 'x-<redacted>-y');
  assert.equal(await shownValue('my.url'), 'http://ann:<redacted>@h/');
  assert.equal(await shownValue('my.thing'), '<redacted>');
  for (const name of ['no.such', 'my.nothing']) assert.equal((await get(`/conf?name=${name}`)).statusCode, 404);
  assert.doesNotMatch((await get('/conf')).body, /my\.nothing|<value><\/value>/);
});

test('shows the beans of the process and what it waits for', async () => {
  const { beans } = JSON.parse((await get('/jmx?qry=Hadoop:service=NodeManager,name=JvmMetrics')).body);
  assert.equal(beans.length, 1);
  assert.match((await get('/stacks')).body, /^Process Thread Dump/);
});

test('shows what it answered, and all of its resources as Jersey describes them', async () => {
  const wadl = await get('/application.wadl');
  assert.deepEqual([wadl.statusCode, wadl.headers['content-type']], [200, 'application/vnd.sun.wadl+xml']);
  assert.match(wadl.body, /<resource path="\/jmx"><method name="GET"\/>/);
  assert.equal((await get('/application.wadl', { accept: 'application/xml' })).headers['content-type'], 'application/xml');
  assert.equal((await get('/application.wadl', { accept: 'application/json' })).statusCode, 406);
  const misnamed = 'application/vnd.sun.wadl+json';
  assert.equal((await get('/application.wadl', { accept: misnamed })).headers['content-type'], misnamed);
  for (const accept of ['application/json;q=x', '/json', ',application/xml', ';'])
    assert.equal((await get('/application.wadl', { accept })).statusCode, 400, accept);
  for (const accept of ['APPLICATION/JSON', 'application/vnd.x+json', 'text/html, application/json;q=0.1'])
    assert.match(String((await get('/conf', { accept })).headers['content-type']), /^application\/json/, accept);
});

test('gives the numbers of its beans and of the process to Prometheus', async () => {
  const { body } = await get('/metrics');
  assert.match(body, /^node_manager_metrics_containers_launched 3$/m);
  assert.match(body, /^node_manager_metrics_allocated_v_cores 2$/m);
  assert.match(body, /^process_resident_memory_bytes \d+/m);
  const countOf = (text: string) => Number(/^heddle_http_request_seconds_count (\d+)$/m.exec(text)?.[1]);
  assert.match(body, /^heddle_http_answers_total\{status="2xx"\} [1-9]/m);
  // One that asks to wait says nothing of how fast the server is.
  await get('/ready?wait=1');
  await get('/ready');
  assert.equal(countOf((await get('/metrics')).body), countOf(body) + 2, 'the scrape before, and what did not wait');
  assert.equal((await get('/prom')).statusCode, 404);
});

test('says that it is there and that it works to everybody', async () => {
  for (const path of ['/healthz', '/ready', '/readyz']) assert.equal((await service.inject({ url: path, method: 'GET' })).statusCode, 200);
});

test('ignores parameters of path segments', async () => {
  assert.equal((await get('/ws;v=1/thing;a=b?c=d;e')).body, 'thing');
});

test('with access lists on shows its inside to administrators alone', async () => {
  for (const path of ['/conf', '/conf?name=yarn.acl.enable', '/jmx', '/stacks'])
    for (const name of ['', 'user.name=eve', 'user.name=dr.who']) {
      const url = `${path}${path.includes('?') ? '&' : '?'}${name}`;
      assert.equal((await service.inject({ url, method: 'GET' })).statusCode, 403, url);
    }
  assert.equal((await service.inject({ url: '/ready', method: 'GET' })).statusCode, 200);
});

test('shows it to everybody where the setting says so, or where lists are off', () => {
  const gateOf = (set: Record<string, string>) => instrumentationGate(loadConfiguration({ dataDir: folder, set }), () => false);
  const key = 'hadoop.security.instrumentation.requires.admin';
  gateOf({})({ user: undefined });
  gateOf({ 'yarn.acl.enable': 'true', [key]: 'false' })({ user: undefined });
  assert.throws(() => gateOf({ [key]: 'true' })({ user: 'eve' }), /User eve is unauthorized/);
});
