// Hooks against receivers that take, refuse, fail and hang, over restarts; the clock stands still where nothing moves it.
// What a hook is owed is kept: docs/protocol.md, P18.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { seededRandom } from '../../lib/random.ts';
import { type Database, openDatabase } from '../../storage/sqlite.ts';
import { ResourceManagerStore } from '../store/resource-manager-store.ts';
import type { ClusterEvent } from '../views/cluster-events.ts';
import { pausesMs, type WebhookLimits } from './webhook-lane.ts';
import { answerMs } from './webhook-sender.ts';
import { WebhookStore } from './webhook-store.ts';
import { type Resolve, WebhookTargets } from './webhook-targets.ts';
import { type NewWebhook, Webhooks } from './webhooks.ts';

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly id: string;
}

type Answering = number | ((response: ServerResponse) => void);

/** A receiver that answers as it is told, then takes everything. */
async function aReceiver(t: TestContext, answers: Answering[] = []) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      body += piece;
    });
    request.on('end', () => {
      received.push({ headers: request.headers, body, id: (JSON.parse(body) as { id: string }).id });
      const answer = answers.shift() ?? 204;
      if (typeof answer === 'number') response.writeHead(answer, { location: '/elsewhere' }).end();
      else answer(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { received, url: `http://127.0.0.1:${port}/hook`, ids: () => received.map(({ id }) => id) };
}

/** Sockets answer when they do; what does not come in a while does not come. */
async function until(condition: () => boolean): Promise<void> {
  const endMs = performance.now() + 5000;
  while (!condition()) {
    if (performance.now() > endMs) assert.fail(`did not come: ${condition}`);
    await new Promise<void>((done) => setImmediate(done));
  }
}

function aDatabase(): Database {
  return openDatabase(':memory:', { logger: silentLogger });
}

interface Given {
  readonly clock?: ManualClock;
  readonly allowed?: readonly string[];
  readonly resolve?: Resolve;
  readonly mayView?: (user: string | undefined) => boolean;
  readonly believesNames?: boolean;
  readonly limits?: Partial<WebhookLimits>;
}

/** Hooks on a database. What is left of an earlier process goes on. */
function hooksOn(t: TestContext, database: Database, given: Given = {}) {
  const { clock = new ManualClock(), allowed = ['127.0.0.0/8'], resolve, mayView = () => true, believesNames = true, limits = {} } = given;
  const store = new WebhookStore(database, new ResourceManagerStore(database));
  const hooks = new Webhooks({
    store,
    access: { mayView: (_application, user) => mayView(user), isAdministrator: (user) => user === 'root' },
    targets: new WebhookTargets(allowed, resolve),
    clock,
    logger: silentLogger,
    random: seededRandom(1),
    believesNames,
    limits,
  });
  t.after(() => hooks.close());
  const standing = () => hooks.list()[0]!.figures;
  let number = 0;
  const tell = (...ids: string[]) => {
    for (const id of ids) hooks.hear(id, clock.now(), anEvent(++number));
  };
  return { hooks, store, clock, standing, tell };
}

const anEvent = (number: number, kind: ClusterEvent['kind'] = 'application.finished'): ClusterEvent => ({
  kind,
  subject: { id: `application_1_${number}`, user: 'ann', queue: 'root.default', admitted: true, submission: { viewAcl: undefined } },
  facts: { applicationId: `application_1_${number}` },
  details: { diagnostics: 'é' },
  texts: {},
});
const aHook = (url: string, more: Partial<NewWebhook> = {}): NewWebhook => ({
  url,
  user: 'ann',
  secret: 'x'.repeat(16),
  proved: true,
  ...more,
});
const rowsOf = (database: Database) => (database.prepare('SELECT count(*) AS n FROM webhook_events').get() as { n: number }).n;

describe('a webhook', () => {
  it('gets events in order, signed, and leaves nothing behind once they are taken', async (t) => {
    const receiver = await aReceiver(t);
    const database = aDatabase();
    const { hooks, tell, clock, standing } = hooksOn(t, database);
    const { hook } = await hooks.create(aHook(receiver.url));
    tell('a', 'b');
    assert.equal(database.pendingWrites, 1, 'kept in the commit of the turn');
    tell('c');
    await until(() => standing().delivered === 3);
    assert.deepEqual(receiver.ids(), ['a', 'b', 'c']);
    const [{ headers, body }] = receiver.received as [Received];
    assert.deepEqual(JSON.parse(body), {
      id: 'a',
      kind: 'application.finished',
      time: clock.now(),
      applicationId: 'application_1_1',
      diagnostics: 'é',
    });
    assert.deepEqual([headers['x-heddle-event'], headers['content-type']], ['application.finished', 'application/json']);
    const [, seconds, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-heddle-signature']))!;
    assert.equal(Number(seconds), Math.floor(clock.now() / 1000));
    assert.equal(mac, createHmac('sha256', 'x'.repeat(16)).update(`${seconds}.${body}`).digest('hex'));
    const deliveries = receiver.received.map((each) => String(each.headers['x-heddle-delivery']));
    assert.ok(deliveries.every((delivery) => delivery.startsWith(`${hook.id}-`)) && new Set(deliveries).size === 3);
    clock.advance(1000);
    database.flush();
    assert.equal(rowsOf(database), 0);
  });

  it('costs nothing where there is none, and keeps nothing that its filter leaves out', async (t) => {
    const receiver = await aReceiver(t);
    const database = aDatabase();
    const { hooks, tell } = hooksOn(t, database);
    tell('a');
    assert.equal(database.pendingWrites, 0);
    await hooks.create(aHook(receiver.url, { kinds: ['container'] }));
    tell('b');
    assert.equal(database.pendingWrites, 0);
    hooks.hear('c', 0, anEvent(1, 'container.created'));
    await until(() => receiver.received.length === 1);
    assert.deepEqual(receiver.ids(), ['c']);
  });

  it('tells its user what that may view, also where it may not any more when it is sent', async (t) => {
    const receiver = await aReceiver(t, [500]);
    let may = true;
    const { hooks, tell, clock } = hooksOn(t, aDatabase(), { mayView: (user) => user === 'ann' && may });
    const { hook } = await hooks.create(aHook(receiver.url));
    await hooks.create(aHook(receiver.url, { user: 'bob' }));
    const standing = () => hooks.list().find((each) => each.hook.id === hook.id)!.figures;
    tell('a');
    hooks.hear('node', clock.now(), { ...anEvent(0, 'node.state'), subject: undefined });
    await until(() => standing().failures === 1);
    may = false;
    clock.advance(pausesMs[0]);
    await until(() => standing().withheld === 1);
    assert.deepEqual(receiver.ids(), ['a']);
    assert.deepEqual(
      hooks.list().map(({ figures }) => figures.waiting),
      [0, 0],
    );
  });

  it('of somebody who only named themselves counts only while names are believed', async (t) => {
    const receiver = await aReceiver(t);
    const database = aDatabase();
    const { hooks, tell, standing } = hooksOn(t, database, { believesNames: false });
    await hooks.create(aHook(receiver.url, { proved: false }));
    tell('a');
    assert.deepEqual([database.pendingWrites, standing().waiting], [0, 0]);
  });

  it('tries again after longer and longer pauses, gives up after eight tries, and sends again what it is asked to', async (t) => {
    const receiver = await aReceiver(t, [503, 302, 404, 500, (response) => response.destroy(), 429, 500, 500]);
    const database = aDatabase();
    const { hooks, tell, clock, standing } = hooksOn(t, database);
    const { hook } = await hooks.create(aHook(receiver.url));
    tell('a');
    for (const [index, pauseMs] of pausesMs.entries()) {
      await until(() => standing().failures === index + 1);
      clock.advance(pauseMs - 1);
      await new Promise<void>((done) => setImmediate(done));
      assert.equal(receiver.received.length, index + 1);
      clock.advance(1);
    }
    await until(() => standing().deadLetters === 1);
    assert.deepEqual([receiver.received.length, standing().waiting], [pausesMs.length + 1, 0]);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-heddle-delivery'])).size, 1);
    const [letter] = hooks.deadLetters(hook.id);
    assert.deepEqual([letter!.tries, letter!.reason, letter!.kind], [8, 'the answer was 500', 'application.finished']);
    assert.equal(await hooks.redeliver(hook.id, [letter!.number + 5]), 0);
    assert.equal(await hooks.redeliver(hook.id, [letter!.number]), 1);
    await until(() => standing().delivered === 1);
    assert.deepEqual([standing().deadLetters, standing().waiting, standing().failingSinceMs], [0, 0, undefined]);
    clock.advance(1000);
    database.flush();
    assert.equal(rowsOf(database), 0);
  });

  it('gives up at once what the receiver refuses for itself, and goes on', async (t) => {
    const receiver = await aReceiver(t, [422]);
    const { hooks, tell, standing } = hooksOn(t, aDatabase());
    await hooks.create(aHook(receiver.url));
    tell('a', 'b');
    await until(() => standing().delivered === 1);
    assert.deepEqual([receiver.ids(), standing().deadLetters, standing().waiting], [['a', 'b'], 1, 0]);
  });

  it('gives up with a try that fails all that is older than an hour, and no more', async (t) => {
    const receiver = await aReceiver(t, [500, 500]);
    const { hooks, tell, clock, standing } = hooksOn(t, aDatabase());
    const { hook } = await hooks.create(aHook(receiver.url));
    tell('a', 'b');
    await until(() => standing().failures === 1);
    clock.advance(3_600_001);
    tell('c');
    await until(() => standing().deadLetters === 2);
    assert.equal(standing().waiting, 1);
    clock.advance(pausesMs[1]);
    await until(() => standing().delivered === 1);
    assert.deepEqual(receiver.ids(), ['a', 'a', 'c']);
    assert.equal(await hooks.redeliver(hook.id, undefined), 2);
    await until(() => standing().delivered === 3);
    assert.deepEqual(receiver.ids().slice(3), ['a', 'b']);
  });

  it('waits ten seconds for an answer, and takes one that comes slowly', async (t) => {
    const waiting: ServerResponse[] = [];
    const hang = (response: ServerResponse): void => void waiting.push(response);
    const receiver = await aReceiver(t, [hang, hang]);
    const { hooks, tell, clock, standing } = hooksOn(t, aDatabase());
    await hooks.create(aHook(receiver.url));
    tell('a');
    await until(() => waiting.length === 1);
    clock.advance(answerMs);
    await until(() => standing().failures === 1);
    assert.equal(standing().lastFailure, 'no answer in 10 s');
    clock.advance(pausesMs[0]);
    await until(() => waiting.length === 2);
    clock.advance(answerMs - 1);
    waiting[1]!.writeHead(200).end();
    await until(() => standing().delivered === 1);
  });

  it('goes on after a kill with what was due, with the tries that were made, and numbers no delivery twice', async (t) => {
    const receiver = await aReceiver(t, [500, 500]);
    const database = aDatabase();
    const before = hooksOn(t, database);
    await before.hooks.create(aHook(receiver.url));
    before.tell('a', 'b');
    await until(() => before.standing().failures === 1);
    before.tell('c');
    database.flush();
    // The process is killed: nothing is closed.
    const after = hooksOn(t, database, { clock: before.clock });
    assert.equal(after.standing().waiting, 3);
    await until(() => after.standing().failures === 1);
    database.flush();
    assert.equal(after.store.next(after.hooks.list()[0]!.hook.id, 0, 1)[0]!.tries, 2);
    after.tell('d');
    after.clock.advance(pausesMs[0]);
    await until(() => after.standing().delivered >= 4);
    const ids = receiver.ids();
    // The first process lives on here and may send what it knows a second time: at least once, in order.
    assert.deepEqual([...new Set(ids)], ['a', 'b', 'c', 'd']);
    const numbers = new Map(receiver.received.map(({ id, headers }) => [id, headers['x-heddle-delivery']]));
    assert.equal(new Set(numbers.values()).size, 4);
  });

  it('fails since it began to, over restarts, until its receiver takes something', async (t) => {
    const receiver = await aReceiver(t, [500, 500]);
    const database = aDatabase();
    const before = hooksOn(t, database);
    await before.hooks.create(aHook(receiver.url));
    before.tell('a');
    await until(() => before.standing().failures === 1);
    const { failingSinceMs, lastFailure } = before.standing();
    database.flush();
    before.hooks.close();
    before.clock.advance(60_000);
    const after = hooksOn(t, database, { clock: before.clock });
    assert.deepEqual([after.standing().failingSinceMs, after.standing().lastFailure], [failingSinceMs, lastFailure]);
    await until(() => after.standing().failures === 1);
    assert.equal(after.standing().failingSinceMs, failingSinceMs);
    after.clock.advance(pausesMs[0]);
    await until(() => after.standing().delivered === 1);
    assert.equal(after.standing().failingSinceMs, undefined);
    after.hooks.close();
    database.flush();
    assert.equal(hooksOn(t, database, { clock: before.clock }).standing().failingSinceMs, undefined);
  });

  it('bounds what it is owed, and what was given up, and counts what it drops over restarts', async (t) => {
    const receiver = await aReceiver(
      t,
      Array.from({ length: 50 }, () => 500),
    );
    const database = aDatabase();
    const limits = { owed: { events: 10, characters: 1_000_000 }, dead: { events: 5, characters: 1_000_000 } };
    const { hooks, tell, standing, clock } = hooksOn(t, database, { limits });
    const { hook } = await hooks.create(aHook(receiver.url));
    tell('0');
    await until(() => standing().failures === 1);
    for (let number = 1; number < 40; number++) {
      tell(String(number));
      database.flush();
      await until(() => standing().waiting <= 10);
      await new Promise<void>((done) => setImmediate(done));
    }
    const { waiting, deadLetters, dropped } = standing();
    assert.ok(waiting <= 10 && waiting >= 8 && deadLetters === 5, `${waiting} ${deadLetters}`);
    assert.equal(waiting + deadLetters + dropped, 40);
    assert.equal(hooks.deadLetters(hook.id)[0]?.reason, 'more was waiting than may');
    hooks.close();
    const again = hooksOn(t, database, { limits, clock });
    assert.deepEqual([again.standing().waiting, again.standing().deadLetters, again.standing().dropped], [waiting, 5, dropped]);
  });

  it('that is removed gets nothing more, and leaves nothing', async (t) => {
    const receiver = await aReceiver(t, [500]);
    const database = aDatabase();
    const { hooks, tell, clock, standing } = hooksOn(t, database);
    const { hook } = await hooks.create(aHook(receiver.url));
    tell('a');
    await until(() => standing().failures === 1);
    tell('b');
    await hooks.remove(hook.id);
    clock.advance(pausesMs[0]);
    tell('c');
    database.flush();
    assert.deepEqual([hooks.list(), rowsOf(database), receiver.ids()], [[], 0, ['a']]);
    assert.deepEqual(hooksOn(t, database).hooks.list(), []);
  });

  it('goes on where it cannot be removed', async (t) => {
    const receiver = await aReceiver(t);
    const database = aDatabase();
    const { hooks, store, tell, standing } = hooksOn(t, database);
    const { hook } = await hooks.create(aHook(receiver.url));
    const { removeHook } = store;
    store.removeHook = () => Promise.reject(new Error('the disk is full'));
    const refused = hooks.remove(hook.id);
    tell('a');
    await assert.rejects(refused, /the disk is full/);
    tell('b');
    await until(() => standing().delivered === 2);
    assert.deepEqual(receiver.ids(), ['a', 'b']);
    store.removeHook = removeHook;
    const removed = hooks.remove(hook.id);
    tell('c');
    await removed;
    database.flush();
    assert.deepEqual([hooks.list(), rowsOf(database)], [[], 0]);
  });

  it('is told nothing wrong by a store that fails for a while: what could not be kept is kept later', async (t) => {
    const receiver = await aReceiver(t);
    const database = aDatabase();
    const { hooks, store, tell, clock, standing } = hooksOn(t, database);
    await hooks.create(aHook(receiver.url));
    const { keep } = WebhookStore.prototype;
    let failures = 2;
    store.keep = async (take) => {
      if (failures-- <= 0) return keep.call(store, take);
      take();
      throw new Error('database or disk is full');
    };
    tell('a');
    await until(() => hooks.isBehind);
    tell('b');
    for (let i = 0; i < 3; i++) {
      clock.advance(1000);
      await new Promise<void>((done) => setImmediate(done));
    }
    await until(() => standing().delivered === 2);
    assert.deepEqual([receiver.ids(), hooks.isBehind], [['a', 'b'], false]);
  });
});

describe('where webhooks go', () => {
  const refused = (targets: WebhookTargets, url: string) =>
    targets.addressesOf(new URL(url)).then(
      () => false,
      () => true,
    );
  it('is no address of this machine or of a network that is not public, in no spelling', async () => {
    const targets = new WebhookTargets([], () => Promise.resolve(['127.0.0.1']));
    const hosts = ['127.0.0.1', '127.1', '0x7f000001', '2130706433', '0.0.0.0', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254']
      .concat('100.64.0.1', '224.0.0.1', '255.255.255.255', '[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:a00:1]', '[fe80::1]')
      .concat('[fc00::1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[2001:db8::1]', '[2001::1]', '[ff02::1]', 'localhost', 'localhost.');
    for (const host of hosts) assert.ok(await refused(targets, `http://${host}/`), host);
    for (const host of ['1.1.1.1', '[2606:4700::1111]']) assert.equal(await refused(targets, `https://${host}:8443/`), false, host);
  });

  it('is what a name says when it is sent: one private address among others is too many', async (t) => {
    const receiver = await aReceiver(t);
    let addresses = ['1.1.1.1', '127.0.0.1'];
    const resolve: Resolve = () => Promise.resolve(addresses);
    const { hooks, tell, clock, standing } = hooksOn(t, aDatabase(), { resolve, allowed: [] });
    await hooks.create(aHook(receiver.url.replace('127.0.0.1', 'hooks.example')));
    tell('a');
    await until(() => standing().failures === 1);
    assert.match(standing().lastFailure ?? '', /not public/);
    addresses = ['::ffff:10.0.0.1'];
    clock.advance(pausesMs[0]);
    await until(() => standing().failures === 2);
    assert.equal(receiver.received.length, 0);
  });

  it('is what the setting allows besides: hosts, ports, networks', async () => {
    const resolve: Resolve = (host) => Promise.resolve(host === 'inside' ? ['10.0.0.7'] : ['10.0.0.8']);
    const targets = new WebhookTargets(['inside', '127.0.0.1:9000', '192.168.0.0/16', 'fd00::/8', '::1'], resolve);
    const open = [
      'http://inside/',
      'http://127.0.0.1:9000/',
      'http://192.168.3.4/',
      'http://[fd00::1]/',
      'http://[::1]:1/',
      'http://INSIDE:99/',
    ];
    for (const url of open) assert.equal(await refused(targets, url), false, url);
    for (const url of ['http://127.0.0.1/', 'http://other/', 'http://10.0.0.7/']) assert.ok(await refused(targets, url), url);
  });
});
