import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { composeAuthenticator } from '../auth/composition.ts';
import { CookieSigner } from '../auth/signer.ts';
import { refusedCaller, simpleProof } from '../auth/simple.ts';
import { loadConfiguration } from '../config/load.ts';
import { ManualClock, systemClock } from '../lib/clock.ts';
import { keepingLastLines, silentLogger } from '../lib/log.ts';
import { changeLevel } from '../lib/log-level.ts';
import { instrumentationGate } from './instrumentation.ts';
import { profiles } from './profiles.ts';
import { createService } from './service.ts';
import { mountWebPages } from './web-pages.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-pages-'));
const signer = new CookieSigner(Buffer.alloc(32, 1));
const cookies = { signer, clock: systemClock, cookieType: 'simple' };
const service = createService({
  name: 'test',
  profile: profiles.nodeManager,
  address: '127.0.0.1:0',
  logger: silentLogger,
  authenticator: composeAuthenticator({ proofs: [simpleProof(cookies)], nobody: refusedCaller('PseudoAuth', cookies) }),
});
const configuration = loadConfiguration({
  dataDir: folder,
  set: {
    'yarn.acl.enable': 'true',
    'yarn.resourcemanager.webapp.address': 'rm.example.org:8088',
    'yarn.nodemanager.webapp.rest-csrf.custom-header': 'X-Ours',
  },
});
const isAdministrator = (user: string) => user === 'root';
const logger = keepingLastLines({ name: 'test', level: 'info' }, () => undefined);
mountWebPages(service, {
  ...{ configuration, role: 'node-manager', isAdministrator, log: { logger, clock: systemClock } },
  gate: instrumentationGate(configuration, isAdministrator),
});
after(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});
/** The server, on a port. */
async function listening() {
  const { url } = await service.listen();
  return { url, [Symbol.asyncDispose]: async () => undefined };
}
const get = (url: string, headers: Record<string, string> = {}) =>
  service.inject({ method: 'GET', url, headers: { host: 'localhost', ...headers } });

describe('web pages of a server', () => {
  it('say to everybody which server this is and how to sign in, and who looks to those alone whom it knows', async () => {
    const frame = (await get('/ui/frame.json')).json();
    assert.equal(frame.role, 'node-manager');
    assert.match(frame.version, /^\d+\.\d+\.\d+/);
    assert.deepEqual(frame.signIn, { name: true, kerberos: false, token: false });
    assert.equal(frame.crossSiteHeader, 'X-Ours');
    assert.equal((await get('/ui/caller.json')).statusCode, 401);
  });

  it('say who looks, what they are, and where the other servers are', async () => {
    const caller = (await get('/ui/caller.json?user.name=ann')).json();
    assert.deepEqual(
      { ...caller, servers: undefined },
      { user: 'ann', isNamed: true, provedBy: 'simple', isAdministrator: false, accessLists: true, servers: undefined },
    );
    assert.equal(caller.servers['resource-manager'], 'http://rm.example.org:8088');
    assert.equal((await get('/ui/caller.json?user.name=root')).json().isAdministrator, true);
  });

  it('tell settings to administrators alone where access lists are on', async () => {
    for (const query of ['?user.name=ann', '?user.name=dr.who']) assert.equal((await get(`/ui/settings.json${query}`)).statusCode, 403);
    const { settings, notes } = (await get('/ui/settings.json?user.name=root')).json();
    const found = settings.find(({ key }: { key: string }) => key === 'yarn.acl.enable');
    assert.equal(found.value, 'true');
    assert.equal(found.default, 'false');
    assert.equal(found.source, 'command line');
    assert.ok(settings.length > 300, String(settings.length));
    assert.ok(Array.isArray(notes));
  });

  it('tell the last lines of the log to administrators alone, narrowed by level, words and request', async () => {
    for (const query of ['?user.name=ann', '?user.name=dr.who']) assert.equal((await get(`/api/v1/server-log${query}`)).statusCode, 403);
    logger.info({ requestId: 'r1', token: 'abc' }, 'One thing happened');
    logger.warn({ requestId: 'r2' }, 'another thing happened');
    logger.error({ err: new Error('broken') }, 'it failed');
    logger.debug('not written');
    const lines = async (query = '') => (await get(`/api/v1/server-log?user.name=root${query}`)).json();
    const said = async (query: string) => (await lines(query)).lines.map(({ message }: { message: string }) => message);
    const all = await lines();
    assert.deepEqual([all.writtenFrom, all.more], ['info', false]);
    assert.deepEqual(
      all.lines.map(({ number, level, message }: Record<string, unknown>) => [number, level, message]),
      [
        [1, 'info', 'One thing happened'],
        [2, 'warn', 'another thing happened'],
        [3, 'error', 'it failed'],
      ],
    );
    assert.equal(all.lines[0].fields, '{"requestId":"r1","token":"[Redacted]"}');
    assert.deepEqual(await said('&level=warn'), ['another thing happened', 'it failed']);
    assert.deepEqual(await said('&text=ONE+thing'), ['One thing happened']);
    assert.deepEqual(await said('&request=r2'), ['another thing happened']);
    assert.deepEqual(await said('&after=2'), ['it failed']);
    assert.deepEqual(await said('&limit=0'), []);
    assert.deepEqual(await said('&after=3'), []);
    assert.equal((await said('&after=4')).length, 3, 'a place of the time before the server was started anew');
    const last = await lines('&limit=1');
    assert.deepEqual([last.lines.length, last.lines[0].message, last.more], [1, 'it failed', true]);
    for (const wrong of ['level=loud', 'level=', 'after=-1', 'limit=2001', 'limit=x'])
      assert.equal((await get(`/api/v1/server-log?user.name=root&${wrong}`)).statusCode, 400, wrong);
    const clock = new ManualClock();
    changeLevel(logger, 'debug', { clock, forMs: 600_000 });
    const { writtenFrom, change } = await lines();
    assert.deepEqual([writtenFrom, change], ['debug', { untilMs: clock.now() + 600_000, afterwards: 'info' }]);
    clock.advance(600_000);
    assert.equal('change' in (await lines()), false);
  });

  it('tell lines that come as server-sent events, from where the reader was', async () => {
    await using server = await listening();
    const over = new AbortController();
    const answer = await fetch(`${server.url}/api/v1/server-log?user.name=root&level=warn`, {
      headers: { accept: 'text/event-stream', 'last-event-id': '3' },
      signal: over.signal,
    });
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    let told = '';
    const until = async (words: string) => {
      while (!told.includes(words)) told += (await reader.read()).value ?? '';
    };
    await until('event: begin');
    logger.info('too quiet');
    logger.warn('loud enough');
    await until('loud enough');
    assert.doesNotMatch(told, /it failed|too quiet/);
    assert.match(told, /id: 6\ndata: \{"number":6,/);
    over.abort();
    // So many are told at once, and others when one has left.
    const leaving = new AbortController();
    const follow = (signal?: AbortSignal) =>
      fetch(`${server.url}/api/v1/server-log?user.name=root`, { headers: { accept: 'text/event-stream' }, ...(signal && { signal }) });
    const open = [await follow(leaving.signal)];
    // That of before may not have left yet.
    while (open.length < 16) {
      const next = await follow();
      if (next.status === 200) open.push(next);
      else await next.body?.cancel();
    }
    const refused = await follow();
    assert.equal(refused.status, 429);
    assert.match(await refused.text(), /The log/);
    leaving.abort();
    for (let next = await follow(); ; next = await follow()) {
      await next.body?.cancel();
      if (next.status === 200) break;
    }
    for (const { body } of open.slice(1)) await body?.cancel();
  });

  it('are given to everybody, run no script but their own, and lead to their folder by a relative address', async () => {
    const moved = await get('/ui');
    assert.equal(moved.statusCode, 302);
    assert.equal(moved.headers.location, 'ui/');
    const page = await get('/ui/');
    // 503 where they are not built.
    assert.ok([200, 503].includes(page.statusCode));
    assert.match(String(page.headers['content-security-policy']), page.statusCode === 200 ? /script-src 'self'/ : /default-src 'none'/);
    assert.doesNotMatch(String(page.headers['content-security-policy']), /script-src[^;]*unsafe/);
    assert.equal((await get('/ui/assets/..%2f..%2fpackage.json')).statusCode, page.statusCode === 200 ? 404 : 503);
    assert.equal((await service.inject({ method: 'HEAD', url: '/ui/', headers: { host: 'localhost' } })).body, '');
  });
});
