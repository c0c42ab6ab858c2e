import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { AuditLog } from '../auth/audit-log.ts';
import { composeAuthenticator } from '../auth/composition.ts';
import { CookieSigner } from '../auth/signer.ts';
import { anonymousCaller, simpleProof } from '../auth/simple.ts';
import { systemClock } from '../lib/clock.ts';
import { seededRandom } from '../lib/random.ts';
import { failure } from '../model/errors.ts';
import { stream, text } from './answers.ts';
import { profiles } from './profiles.ts';
import { RequestIds } from './request-ids.ts';
import { createService } from './service.ts';

function stand() {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ base: undefined }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const audit = new AuditLog(logger);
  const cookies = { signer: new CookieSigner(Buffer.alloc(32, 1)), clock: systemClock, cookieType: 'simple-dt' } as const;
  const service = createService({
    ...{ name: 'test', profile: profiles.resourceManager, address: '127.0.0.1:0', logger },
    authenticator: composeAuthenticator({ proofs: [simpleProof(cookies)], nobody: anonymousCaller('dr.who'), mayImpersonate: () => false }),
  });
  service.route({
    method: 'PUT',
    path: '/ws/thing',
    handle: ({ caller }) => {
      audit.changed(caller, { operation: 'change', target: 'thing' });
      return text(200, 'ok');
    },
  });
  service.route({ method: 'GET', path: '/ws/pieces', handle: () => stream(200, undefined, ['{"a"', ':1}']) });
  service.route({
    method: 'GET',
    path: '/ws/secret',
    handle: () => {
      throw failure('KILL_REFUSED', { id: 'a', user: 'ada', operation: 'x' });
    },
  });
  service.route({ method: 'GET', path: '/ws/crash', handle: () => text(200, String((undefined as unknown as { x: string }).x)) });
  return { service, lines };
}

describe('the id of a request', () => {
  it('stands in every answer, whatever it is, and no two have the same', async () => {
    const { service } = stand();
    const urls = ['/ws/pieces', '/ws/secret', '/ws/crash', '/ws/nowhere', '/nowhere', '/ws/pieces/%', '//', '/api/v1/none'];
    const ids = await Promise.all(urls.map(async (url) => (await service.inject(url)).headers['x-request-id']));
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'HEAD'] as const)
      ids.push((await service.inject({ url: '/ws/thing', method })).headers['x-request-id']);
    for (const id of ids) assert.match(String(id), /^[0-9a-f]{12}-[0-9a-z]+$/);
    assert.equal(new Set(ids).size, ids.length);
    await service.close();
  });

  it("is the caller's own where it is sane", async () => {
    const { service } = stand();
    const answered = async (id: string | string[]) =>
      (await service.inject({ url: '/ws/pieces', headers: { 'x-request-id': id } })).headers['x-request-id'];
    for (const id of ['a', '7f1c4d0e-5b8e-4c0a-9f1e-0d9f4a2b8c11', 'span:1.2_3', 'x'.repeat(128)]) assert.equal(await answered(id), id);
    for (const id of ['', 'a b', 'a,b', 'x'.repeat(129), '{"a":1}', 'ä', '<b>'])
      assert.match(String(await answered(id)), /^[0-9a-f]{12}-[0-9a-z]+$/, id);
    await service.close();
  });

  it('names the lines of the audit and of the log that are about it', async () => {
    const { service, lines } = stand();
    const ask = (method: 'GET' | 'PUT', path: string, id: string) =>
      service.inject({ method, url: `${path}?user.name=ada`, headers: { 'x-request-id': id } });
    await ask('PUT', '/ws/thing', 'one');
    await ask('GET', '/ws/secret', 'two');
    await ask('GET', '/ws/crash', 'three');
    assert.deepEqual(
      lines.map(({ msg, request }) => [msg, request]),
      [
        ['an operation was carried out', 'one'],
        ['an operation was refused', 'two'],
        ['a request failed inside the server', 'three'],
      ],
    );
    await service.close();
  });

  it('differs between processes', () => {
    const first = (seed: number) => new RequestIds(seededRandom(seed)).of({ headers: {} });
    assert.notEqual(first(1), first(2));
  });

  it('is that of a WebSocket, too: of what is refused, of what is opened, and of what the log says', async () => {
    const { service, lines } = stand();
    const opened: (string | undefined)[] = [];
    service.upgrade({
      ...{ path: '/socket', authentication: 'required', access: 'facts' },
      handle({ query, caller }, socket) {
        opened.push(caller?.requestId);
        if (query.includes('crash')) throw new Error('no');
        if (query.includes('refused')) throw failure('KILL_REFUSED', { id: 'a', user: 'ada', operation: 'x' });
        socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      },
    });
    const { port } = await service.listen();
    const ask = async (path: string, headers: Record<string, string> = {}) => {
      const asked = request({ port, host: '127.0.0.1', path, headers: { connection: 'Upgrade', upgrade: 'websocket', ...headers } }).end();
      const [answer] = (await Promise.race([once(asked, 'response'), once(asked, 'upgrade')])) as [IncomingMessage];
      answer.resume();
      asked.destroy();
      return answer;
    };
    const named = (id: string) => ({ 'x-request-id': id });
    assert.equal((await ask('/socket', named('one'))).statusCode, 101);
    for (const [path, headers, status] of [
      ['/socket?refused&user.name=ada', named('two'), 403],
      ['/socket?crash', named('three'), 500],
      ['/socket', { ...named('four'), origin: 'http://evil.example' }, 403],
      ['/nowhere', named('five'), 404],
    ] as const) {
      const answer = await ask(path, headers);
      assert.deepEqual([answer.statusCode, answer.headers['x-request-id']], [status, headers['x-request-id']]);
    }
    assert.match(String((await ask('/nowhere')).headers['x-request-id']), /^[0-9a-f]{12}-[0-9a-z]+$/);
    await service.close();
    assert.deepEqual(opened, ['one', 'two', 'three']);
    const told = lines.map(({ msg, request: id }) => `${msg}: ${id}`);
    for (const line of ['an operation was refused: two', 'an upgrade failed inside the server: three', 'an operation was refused: four'])
      assert.ok(told.includes(line), told.join('\n'));
  });
});
