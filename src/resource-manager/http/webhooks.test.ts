// Webhooks over a resource manager with access lists: who may make and see which, and what reaches them over a restart.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { RunningRole } from '../../lib/role.ts';
import { administeredBy, startManager } from '../test-support/running-manager.ts';
import { signatureOf } from '../webhooks/webhook-sender.ts';

interface Sent {
  readonly path: string;
  readonly body: string;
  readonly event: { readonly kind: string; readonly applicationId?: string; readonly user?: string };
  readonly signature: string;
}
type Json = Record<string, unknown> & { readonly id: string; readonly secret?: string; readonly webhooks: readonly Json[] };

describe('/api/v1/webhooks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-webhooks-'));
  let role: RunningRole;
  const received: Sent[] = [];
  let status = 204;
  let arrived = Promise.withResolvers<void>();
  const receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      body += piece;
    });
    request.on('end', () => {
      const signature = String(request.headers['x-heddle-signature']);
      received.push({ path: request.url ?? '', body, event: JSON.parse(body) as Sent['event'], signature });
      response.writeHead(status).end();
      arrived.resolve();
      arrived = Promise.withResolvers<void>();
    });
  });
  let url: string;
  const startAgain = (more: Record<string, string> = {}) =>
    startManager(folder, {
      ...administeredBy('alice'),
      'heddle.rpc.enabled': 'false',
      'heddle.webhooks.allowed-hosts': '127.0.0.0/8',
      ...more,
    });
  before(async () => {
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    role = await startAgain();
  });
  after(async () => {
    await role.close();
    receiver.closeAllConnections();
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ask(user: string, method: string, path: string, body?: unknown): Promise<{ status: number; json: Json; text: string }> {
    const response = await fetch(`${role.addresses['web']}${path}?user.name=${user}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, json: (text === '' ? {} : JSON.parse(text)) as Json };
  }
  const hooks = '/api/v1/webhooks';
  const submit = async (user: string) => (await ask(user, 'POST', '/api/v1/applications', { 'unmanaged-AM': true })).json.id;
  const kill = (user: string, id: string) => ask(user, 'PUT', `/ws/v1/cluster/apps/${id}/state`, { state: 'KILLED' });
  /** Waits until something that passes was received. */
  async function until(isThere: (sent: Sent) => boolean): Promise<Sent> {
    for (;;) {
      const found = received.find(isThere);
      if (found) return found;
      await arrived.promise;
    }
  }
  const isEnd =
    (path: string, id: string) =>
    (sent: Sent): boolean =>
      sent.path === path && sent.event.kind === 'application.finished' && sent.event.applicationId === id;

  it('sends each user what that may view, signed with a secret that is shown once', { timeout: 20_000 }, async () => {
    const made = await ask('bob', 'POST', hooks, { url: `${url}/bob` });
    assert.equal(made.status, 201, made.text);
    const all = await ask('alice', 'POST', hooks, {
      url: `${url}/alice`,
      kinds: ['application'],
      secret: 'a secret'.replace(' ', '-').repeat(3),
    });
    assert.equal(all.status, 201, all.text);
    const [ofCarol, ofBob] = [await submit('carol'), await submit('bob')];
    await kill('carol', ofCarol);
    await kill('bob', ofBob);
    const { body, signature } = await until(isEnd('/bob', ofBob));
    await until(isEnd('/alice', ofCarol));
    const seconds = Number(/^t=(\d+),/.exec(signature)?.[1]);
    assert.equal(signature, signatureOf(String(made.json.secret), body, seconds * 1000));
    assert.ok(!received.some(({ path, event }) => path === '/bob' && event.user !== 'bob'));
    const kinds = received.filter(({ path, event }) => path === '/bob' && event.applicationId === ofBob).map(({ event }) => event.kind);
    assert.deepEqual([kinds[0], kinds.at(-1)], ['application.created', 'application.finished']);

    for (const path of [hooks, `${hooks}/${made.json.id}`]) {
      const shown = await ask('bob', 'GET', path);
      assert.equal(shown.status, 200);
      assert.ok(!shown.text.includes(String(made.json.secret)) && !shown.text.includes('secret'));
    }
    assert.deepEqual(
      (await ask('bob', 'GET', hooks)).json.webhooks.map(({ id }) => id),
      [made.json.id],
    );
  });

  it('tells nobody of hooks of others, but administrators', async () => {
    const [ofBob] = (await ask('bob', 'GET', hooks)).json.webhooks;
    const path = `${hooks}/${ofBob?.id}`;
    for (const [method, at] of [
      ['GET', path],
      ['DELETE', path],
      ['POST', `${path}/redeliver`],
    ] as const)
      assert.equal((await ask('carol', method, at)).status, 404, method);
    assert.equal((await ask('alice', 'GET', path)).status, 200);
    const { status: refused } = await fetchAll('carol');
    assert.equal(refused, 403);
    assert.equal((await fetchAll('alice')).count, 2);
  });

  async function fetchAll(user: string): Promise<{ status: number; count: number }> {
    const response = await fetch(`${role.addresses['web']}${hooks}?all=true&user.name=${user}`);
    const { webhooks = [] } = (await response.json()) as Partial<Json>;
    return { status: response.status, count: webhooks.length };
  }

  it('refuses what it cannot use, and more than ten of one user', async () => {
    const refusals: [unknown, number][] = [
      [{ url: 'file:///etc/passwd' }, 400],
      [{ url: 'http://ann:word@hooks.invalid/' }, 400],
      [{ url: 'nothing' }, 400],
      [{ url, kinds: ['else'] }, 400],
      [{ url, secret: 'short' }, 400],
      [{ url, applications: ['application_x'] }, 400],
      [{ url: 'http://10.0.0.1/' }, 403],
      [{ url: 'http://[::1]:8088/' }, 403],
    ];
    for (const [body, expected] of refusals) assert.equal((await ask('dan', 'POST', hooks, body)).status, expected, JSON.stringify(body));
    const made = [];
    for (let i = 0; i < 11; i++) made.push(await ask('dan', 'POST', hooks, { url: `${url}/dan`, kinds: ['node'] }));
    assert.deepEqual(
      made.map((each) => each.status),
      [...Array.from({ length: 10 }, () => 201), 403],
    );
    for (const { json, status: got } of made)
      if (got === 201) assert.equal((await ask('dan', 'DELETE', `${hooks}/${json.id}`)).status, 200);
    assert.deepEqual((await ask('dan', 'GET', hooks)).json.webhooks, []);
  });

  it('delivers after a restart what a receiver did not take before', { timeout: 20_000 }, async () => {
    status = 503;
    const id = await submit('bob');
    await kill('bob', id);
    await until(({ path, event }) => path === '/bob' && event.applicationId === id);
    assert.ok(!received.some(isEnd('/bob', id)), 'the first holds up the others');
    await role.close();
    status = 204;
    role = await startAgain();
    await until(isEnd('/bob', id));
    const metrics = await (await fetch(`${role.addresses['web']}/metrics?user.name=alice`)).text();
    assert.match(metrics, /^heddle_webhooks\{.*state="well".*\} 2$/m);
    assert.match(metrics, /^heddle_webhook_deliveries_total\S* [1-9]/m);
  });

  it('goes nowhere inside where nothing is allowed, although a hook was made before', { timeout: 20_000 }, async () => {
    await role.close();
    role = await startAgain({ 'heddle.webhooks.allowed-hosts': '' });
    const count = received.length;
    const id = await submit('bob');
    let shown: Json | undefined;
    while (shown?.['lastFailure'] === undefined) [shown] = (await ask('bob', 'GET', hooks)).json.webhooks;
    assert.match(String(shown['lastFailure']), /not public/);
    await kill('bob', id);
    assert.equal(received.length, count);
    await assert.rejects(startAgain({ 'heddle.webhooks.allowed-hosts': 'a b' }), /neither a host nor a network/);
  });
});
