import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { startCluster, type TestCluster } from '../support/cluster.ts';
import { type ActualAnswer, differences } from './compare.ts';
import { recordedStory, type Story } from './recordings.ts';

/** The settings under which the recordings were made, as far as they show in the answers kept here. */
const settings = {
  'yarn.acl.enable': 'true',
  'yarn.admin.acl': 'root admin',
  'yarn.nodemanager.hostname': 'localhost',
  'yarn.nodemanager.resource.memory-mb': '8192',
  'yarn.nodemanager.resource.cpu-vcores': '8',
  'yarn.nodemanager.vmem-check-enabled': 'false',
  'yarn.node-labels.enabled': 'true',
  'yarn.scheduler.minimum-allocation-mb': '128',
  'yarn.log-aggregation-enable': 'true',
  'yarn.timeline-service.generic-application-history.enabled': 'true',
  'hadoop.proxyuser.root.hosts': '*',
  'hadoop.proxyuser.root.groups': '*',
  // Hadoop lets these callers in, Heddle where it is told to.
  'hadoop.security.instrumentation.requires.admin': 'false',
  'heddle.history.logs.checked': 'false',
  'heddle.node-manager.unnamed-callers.unchecked': 'true',
};

const unpacked = (bytes: Buffer, encoding: string | undefined): Buffer => (encoding === 'gzip' ? gunzipSync(bytes) : bytes);

/** Sends a request as it stands: nothing is followed, no header is added that the recording does not have. */
function ask(base: string, { method, path, accept, headers = {}, body }: Story['request']): Promise<ActualAnswer> {
  const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  const sent = {
    ...(accept === undefined ? {} : { accept }),
    ...headers,
    ...(payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) }),
    ...(payload === undefined || isTyped ? {} : { 'content-type': 'application/json' }),
  };
  return new Promise((done, failed) => {
    const asked = request(base + path, { method, headers: sent, agent: false }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () =>
        done({
          status: answer.statusCode ?? 0,
          headers: answer.headers as ActualAnswer['headers'],
          body: unpacked(Buffer.concat(pieces), answer.headers['content-encoding']).toString('utf8'),
        }),
      );
      answer.on('error', failed);
    });
    asked.on('error', failed);
    asked.end(payload);
  });
}

let cluster: TestCluster;
before(async () => {
  cluster = await startCluster({ settings });
});
after(() => cluster[Symbol.asyncDispose]());

/** Tells a story and compares each answer with the recorded one. */
function retold(name: string, names: Readonly<Record<string, string>>, baseOf: () => string): void {
  for (const story of recordedStory(name, names)) {
    it(`answers "${story.id}" as recorded`, async () => {
      assert.deepEqual(differences(story, await ask(baseOf(), story.request)), [], `${story.request.method} ${story.request.path}`);
    });
  }
}

/** What stands in braces in the recordings: ids that no server knows here, moments before everything, users. */
const names = {
  run: 'r1',
  app: 'application_1_0001',
  'app.n': '1_0001',
  kind: 'kind',
  ann: 'ann',
  bob: 'bob',
  ...{ begin: '1', t0: '1', t1: '2', t2: '3', t3: '4' },
};

describe('the resource manager', () => retold('resource-manager', names, () => cluster.urls.resourceManager));
describe('the node manager', () => retold('node-manager', names, () => cluster.urls.nodeManager));
describe('the history server', () => retold('job-history', names, () => cluster.urls.history));
describe('the application history', () => retold('application-history', names, () => cluster.urls.timeline));
describe('delegation tokens of the timeline', () => retold('timeline-tokens', names, () => cluster.urls.timeline));

describe('the timeline, version 1', () => {
  const atMs = 4_102_444_800_000; // the year 2100, as in the recordings
  const post = async (path: string, method: string, user: string, body: unknown, expected: string) => {
    const answer = await ask(cluster.urls.timeline, { method, path: `/ws/v1/timeline${path}?user.name=${user}`, body });
    assert.deepEqual([answer.status, answer.body], [200, expected]);
  };
  const job = 'job_r1';
  const event = (afterMs: number, eventtype: string, eventinfo?: Record<string, unknown>) => ({
    timestamp: atMs + afterMs,
    eventtype,
    eventinfo,
  });

  before(async () => {
    const entities = [
      {
        entity: 'j1',
        entitytype: job,
        starttime: atMs + 1000,
        events: [event(1000, 'START', { by: 'ann' }), event(1500, 'MAP', { n: 1, list: [1, 'two', null] }), event(2000, 'END')],
        primaryfilters: { user: ['ann'], priority: [5], flag: [true], ratio: [1.5], text: ['5'] },
        otherinfo: { status: 'ok', code: 7, deep: { a: [1, { b: false }] } },
      },
      {
        entity: 'j2',
        entitytype: job,
        starttime: atMs + 2000,
        events: [event(2000, 'START')],
        primaryfilters: { user: ['bob'], priority: [5] },
        otherinfo: { status: 'failed', code: 8 },
      },
      {
        entity: 'j3',
        entitytype: job,
        starttime: atMs + 3000,
        primaryfilters: { user: ['ann'], priority: [6] },
        otherinfo: { status: 'ok', code: 7 },
        relatedentities: { task_r1: ['t1'] },
      },
      { entity: 'j4', entitytype: job, events: [event(2500, 'LATE'), event(2400, 'EARLY')] },
      {
        entity: 'j2b',
        entitytype: job,
        starttime: atMs + 2000,
        otherinfo: { status: 'ok', code: '7', big: 12345678901234, text: 'a:b' },
      },
    ];
    const owned = [
      {
        entity: 'p1',
        entitytype: job,
        starttime: atMs + 4000,
        domain: 'private_r1',
        events: [event(4000, 'START')],
        primaryfilters: { user: ['ann'] },
      },
      { entity: 'p2', entitytype: 'secret_r1', starttime: atMs + 4500, domain: 'private_r1' },
    ];
    await post('', 'POST', 'annr1', { entities }, '{"errors":[]}');
    const domain = { id: 'private_r1', description: 'only some', readers: 'bobr1', writers: 'carlr1' };
    await post('/domain', 'PUT', 'annr1', domain, '{"errors":[]}');
    await post('', 'POST', 'annr1', { entities: owned }, '{"errors":[]}');
  });

  retold('timeline-v1', names, () => cluster.urls.timeline);
});
