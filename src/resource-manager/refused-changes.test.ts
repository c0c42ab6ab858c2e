// Every change that callers can ask for, while the store takes none: each is refused with 503 in the caller's format, nothing of it can be
// seen or comes back after a restart, and reads are answered. Reservations and tokens, which need more of a world, have tests of their own.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { ManualClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { seededRandom } from '../lib/random.ts';
import type { RunningRole } from '../lib/role.ts';
import { start } from './server.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-refused-'));
const dataDir = join(folder, 'data');
const clock = new ManualClock();
const cluster = '/ws/v1/cluster';
let role: RunningRole;
let other: DatabaseSync;
/** An application of Heddle's own master, which waits. */
let run: string;

async function begin(): Promise<void> {
  const set = {
    'yarn.resourcemanager.webapp.address': '127.0.0.1:0',
    'yarn.timeline-service.enabled': 'false',
    'yarn.node-labels.enabled': 'true',
    'yarn.cluster.max-application-priority': '9',
    'yarn.scheduler.configuration.store.class': 'zk',
    'yarn.scheduler.capacity.root.queues': 'a,b',
    'yarn.scheduler.capacity.root.a.capacity': '50',
    'yarn.scheduler.capacity.root.b.capacity': '50',
    'yarn.scheduler.capacity.root.accessible-node-labels': '*',
  };
  const configuration = loadConfiguration({ confDir: folder, dataDir, set });
  role = await start(configuration, { clock, logger: silentLogger, random: seededRandom(1) });
}

async function request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const mark = path.includes('?') ? '&' : '?';
  const response = await fetch(`${role.addresses['web']}${path}${mark}user.name=root`, {
    method,
    ...(body === undefined
      ? { headers }
      : { headers: { 'content-type': 'application/json', ...headers }, body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}
const json = async (path: string) => JSON.parse((await request('GET', path)).text);

async function submitted(): Promise<string> {
  const { 'application-id': id } = JSON.parse((await request('POST', `${cluster}/apps/new-application`)).text);
  assert.equal((await request('POST', `${cluster}/apps`, { 'application-id': id, 'unmanaged-AM': true, queue: 'a' })).status, 202);
  return id;
}

/** An answer, while time goes on for as long as it takes to come. */
async function answered<T>(asked: Promise<T>): Promise<T> {
  let isOver = false;
  const over = asked.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise((done) => setTimeout(done, 2));
    clock.advance(500);
  }
  return over;
}

/** What can be seen of everything that is changed here. */
async function seen(): Promise<unknown> {
  const [apps, labels, nodes, attributes, version, queues] = await Promise.all(
    [
      `${cluster}/apps`,
      `${cluster}/get-node-labels`,
      `${cluster}/get-node-to-labels`,
      '/api/v1/node-attributes/nodes',
      `${cluster}/scheduler-conf/version`,
      `${cluster}/scheduler-conf`,
    ].map(json),
  );
  const shown = apps.apps.app.map(
    // biome-ignore lint/suspicious/noExplicitAny: an application as it is answered
    ({ id, queue, state, finalStatus, priority, timeouts }: any) => ({
      id,
      queue,
      state,
      finalStatus,
      priority,
      ends: timeouts.timeout[0].expiryTime,
    }),
  );
  shown.sort((one: { id: string }, other: { id: string }) => one.id.localeCompare(other.id));
  const { instances } = (await json(`/api/v1/applications/${run}/run`)).run ?? {};
  return { shown, instances, labels, nodes, attributes, version, queues };
}

const change = (key: string, value: string) => ({ 'global-updates': [{ entry: [{ key, value }] }] });
const attribute = { operation: 'add', nodes: [{ host: 'n1', attributes: [{ name: 'os', value: 'linux' }] }] };
const inAYear = '2024-11-14T22:13:20.000+0000';

describe('while another program locks the store', () => {
  let application: string;
  let finishing: { attemptId: string; headers: Record<string, string> };

  before(async () => {
    await begin();
    application = await submitted();
    const second = await submitted();
    const asked = { 'application-name': 'a run', queue: 'a', run: { command: ['true'], instances: 2 } };
    run = JSON.parse((await request('POST', '/api/v1/applications', asked)).text).id;
    const path = `/api/v1/applications/${second}/master`;
    // Its attempt begins when that is durable.
    while ((await request('GET', path)).status !== 200);
    const { attemptId, token } = await json(path);
    finishing = { attemptId, headers: { authorization: `Bearer ${token}` } };
    const { status } = await request('POST', `/api/v1/attempts/${attemptId}/register`, { host: 'h', rpcPort: 1 }, finishing.headers);
    assert.equal(status, 200);
    for (const name of ['kept', 'dropped'])
      assert.equal((await request('POST', `${cluster}/add-node-labels`, { nodeLabelInfo: [{ name }] })).status, 200);
  });
  after(async () => {
    await role.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Method, path below the web address, body, headers. */
  const changes: readonly (readonly [what: string, call: () => Promise<{ status: number; text: string }>])[] = [
    [
      'a submission',
      async () => request('POST', `${cluster}/apps`, { 'application-id': application.replace(/\d{4}$/, '0100'), queue: 'a' }),
    ],
    ['a submission of our own', () => request('POST', '/api/v1/applications', { queue: 'a' })],
    ['a kill', () => request('PUT', `${cluster}/apps/${application}/state`, { state: 'KILLED' })],
    [
      'the word of a master that it is done',
      () => request('POST', `/api/v1/attempts/${finishing.attemptId}/finish`, { finalStatus: 'SUCCEEDED' }, finishing.headers),
    ],
    ['a move', () => request('PUT', `${cluster}/apps/${application}/queue`, { queue: 'b' })],
    ['a priority', () => request('PUT', `${cluster}/apps/${application}/priority`, { priority: 7 })],
    ['a lifetime', () => request('PUT', `${cluster}/apps/${application}/timeout`, { timeout: { type: 'LIFETIME', expiryTime: inAYear } })],
    ['a number of instances', () => request('PUT', `/api/v1/applications/${run}/instances`, { instances: 5 })],
    ['a new label', () => request('POST', `${cluster}/add-node-labels`, { nodeLabelInfo: [{ name: 'new' }] })],
    ['a label that goes', () => request('POST', `${cluster}/remove-node-labels?labels=dropped`)],
    ['the label of a node', () => request('POST', `${cluster}/nodes/n1:1/replace-labels?labels=kept`)],
    ['an attribute', () => request('POST', '/api/v1/node-attributes', attribute)],
    [
      'a change of queues',
      () => request('PUT', `${cluster}/scheduler-conf`, change('yarn.scheduler.capacity.maximum-applications', '123')),
    ],
    ['the queues as they are in the file', () => request('GET', `${cluster}/scheduler-conf/format`)],
  ];
  // Ends go on by themselves when there is room: they come last.
  const ordered = [...changes.filter(([what]) => !/kill|master/.test(what)), ...changes.filter(([what]) => /kill|master/.test(what))];

  for (const [what, call] of ordered) {
    it(`${what} is refused, and nothing of it is there`, async () => {
      const seenBefore = await seen();
      other = new DatabaseSync(join(dataDir, 'resource-manager', 'state.sqlite'));
      other.exec('BEGIN IMMEDIATE');
      try {
        const asked = call();
        // Reads are answered meanwhile.
        assert.equal((await request('GET', `${cluster}/info`)).status, 200);
        const { status, text } = await answered(asked);
        assert.equal(status, 503, text);
        assert.match(text, /RetriableException|^The store/);
        assert.match(text, /state\.sqlite is locked by another program/);
        assert.deepEqual(await seen(), seenBefore);
      } finally {
        other.exec('ROLLBACK');
        other.close();
      }
    });
  }

  it('what ends goes on when the lock is gone, and what was refused is taken then', async () => {
    const states = async () =>
      Object.fromEntries((await json(`${cluster}/apps`)).apps.app.map((app: { id: string; state: string }) => [app.id, app.state]));
    const isOver = async () => Object.entries(await states()).every(([id, state]) => id === run || /KILLED|FINISHED/.test(state));
    while (!(await isOver())) {
      clock.advance(500);
      await new Promise((done) => setTimeout(done, 2));
    }
    assert.equal((await states())[application], 'KILLED');
    for (const [what, call] of changes.filter(([what]) => /label|attribute|queues|submission|instances/.test(what)))
      assert.ok((await call()).status < 300, what);
  });

  it('after a restart everything is as it was answered', async () => {
    const before = await seen();
    assert.equal((before as { instances: number }).instances, 5);
    await role.close();
    await begin();
    assert.deepEqual(await seen(), before);
  });
});
