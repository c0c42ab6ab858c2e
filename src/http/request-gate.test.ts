import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Authenticator } from '../auth/authenticator.ts';
import { silentLogger } from '../lib/log.ts';
import { failure } from '../model/errors.ts';
import { htmlAnswer, text } from './answers.ts';
import { crossOriginFilter } from './cross-origin.ts';
import { html } from './html.ts';
import { profiles } from './profiles.ts';
import { createService, type Service } from './service.ts';

const anybody: Authenticator = {
  identify: () => ({ caller: { user: 'ada', principal: 'ada', anonymous: false, authentication: 'simple', remoteAddress: '' } }),
};
const own = 'http://127.0.0.1';

describe('what a request must be before anything is done with it', () => {
  const changes: string[] = [];
  const refusals: string[] = [];
  let service: Service;
  let port = 0;
  before(async () => {
    service = createService({
      name: 'test',
      profile: profiles.resourceManager,
      address: '127.0.0.1:0',
      authenticator: anybody,
      logger: silentLogger,
      refused: ({ method, path, remoteAddress, failure }) => refusals.push(`${method} ${path} ${remoteAddress} ${failure.entry.status}`),
      crossOrigin: crossOriginFilter({
        allowedOrigins: 'https://friend.example',
        allowedMethods: 'GET,POST',
        allowedHeaders: '',
        maximumAge: '1',
      }),
    });
    const handle = ({ method, path }: { method: string; path: string }) => {
      changes.push(`${method} ${path}`);
      return text(200, 'done');
    };
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const)
      service.route({ method, path: '/thing', produces: 'any', handle });
    service.route({ method: 'GET', path: '/format', changesByGet: () => true, handle });
    service.route({ method: 'GET', path: '/level', changesByGet: (query) => query.first('level') !== undefined, handle });
    service.route({
      method: 'POST',
      path: '/gone',
      streamsBody: true,
      handle: async ({ request }) => {
        request.destroy();
        await once(request, 'close');
        throw failure('PROXY_WORKER_REFUSED');
      },
    });
    service.route({ method: 'GET', path: '/ready', authentication: 'none', handle: () => text(200, 'ready') });
    service.route({
      method: 'GET',
      path: '/cookie',
      handle: () => text(200, '', undefined, { 'set-cookie': 'hadoop.auth="u=ada"; Path=/; HttpOnly' }),
    });
    service.route({ method: 'GET', path: '/where', handle: ({ scheme, host }) => text(200, `${scheme}://${host}/there`) });
    service.route({ method: 'GET', path: '/page', produces: 'any', handle: () => htmlAnswer(200, html`<p>hello</p>`) });
    service.upgrade({
      path: '/socket',
      authentication: 'none',
      handle: (_upgrade, socket) => void socket.end('HTTP/1.1 101 Hello\r\n\r\n'),
    });
    ({ port } = await service.listen());
  });
  after(() => service.close());

  /** Sends lines as they are; gives status and body. */
  async function ask(...lines: string[]): Promise<{ status: number; text: string }> {
    const socket = connect(port, '127.0.0.1');
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    return { status: Number(answer.split(' ')[1]), text: answer };
  }
  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    ask(
      `${method} ${path} HTTP/1.1`,
      'Connection: close',
      'Content-Length: 0',
      ...Object.entries({ Host: `127.0.0.1:${port}`, ...headers }).map((pair) => pair.join(': ')),
    );

  it('names one host, which is this server', async () => {
    for (const host of ['rebind.attacker.test', 'evil.example:80', '169.254.169.254', '', 'a b']) {
      const { status, text: said } = await ask('GET /thing HTTP/1.1', 'Connection: close', `Host: ${host}`, 'Accept: application/json');
      assert.equal(status, 400, host);
      assert.match(said, /"exception":"BadRequestException","message":"\\".*\\" is no name of this server/);
    }
    assert.match(
      (await ask('GET /thing HTTP/1.1', 'Connection: close', 'Host: x.example', 'Accept: application/xml')).text,
      /<RemoteException>.*is no name of this server/,
    );
    assert.equal((await ask('GET /thing HTTP/1.1', 'Connection: close')).status, 400);
    assert.equal((await ask('GET /thing HTTP/1.1', 'Connection: close', 'Host: localhost', 'HOST: localhost')).status, 400);
    assert.equal((await ask('GET /thing HTTP/1.1', 'Connection: close', 'Host: localhost.')).status, 200);
    assert.equal((await ask('GET /nothing HTTP/1.1', 'Connection: close', 'Host: x.example')).status, 400);
  });
  it('names it in the absolute form too', async () => {
    assert.equal((await ask('GET http://evil.example/thing HTTP/1.1', 'Connection: close', 'Host: localhost')).status, 400);
    assert.equal((await ask('GET http://localhost/thing HTTP/1.1', 'Connection: close', 'Host: evil.example')).status, 400);
    assert.equal((await ask('GET http://localhost/thing HTTP/1.1', 'Connection: close', 'Host: localhost')).status, 200);
  });
  it('may name none by the old protocol, which no browser speaks', async () => {
    assert.equal((await ask('GET /ready HTTP/1.0')).status, 200);
    assert.equal((await ask('GET /thing HTTP/1.0')).status, 200);
    assert.equal((await ask('POST /thing HTTP/1.0')).status, 200);
    assert.equal((await ask('POST /thing HTTP/1.0', 'Origin: http://evil.example')).status, 403);
    assert.equal((await ask('GET http://evil.example/thing HTTP/1.0')).status, 400);
    assert.equal((await ask('GET /socket HTTP/1.0', 'Connection: Upgrade', 'Upgrade: websocket')).status, 400);
    assert.equal((await ask('GET /thing HTTP/1.0', 'Host: localhost')).status, 200);
    assert.equal((await ask('GET /ready HTTP/1.0', 'Host: evil.example')).status, 400);
    assert.match((await ask('GET /where HTTP/1.0')).text, new RegExp(`http://127.0.0.1:${port}/there`));
  });
  it('changes nothing for pages of other origins', async () => {
    const foreign: Record<string, string>[] = [
      { Origin: 'http://evil.example' },
      { Origin: 'null' },
      { Origin: `http://127.0.0.1:${port + 1}` },
      { Origin: `http://localhost:${port}` },
      { Origin: '' },
      { Origin: 'nonsense' },
      { Origin: `${own}:${port}`, 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'unknown' },
    ];
    changes.length = 0;
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
      for (const headers of foreign)
        assert.equal((await send(method, '/thing', headers)).status, 403, `${method} ${JSON.stringify(headers)}`);
    assert.deepEqual(changes, []);
    assert.match(
      (await send('POST', '/thing', { Origin: 'http://evil.example' })).text,
      /Pages of http:\/\/evil\.example may not change anything here/,
    );
  });
  it('changes things for its own pages, for programs and for origins that the settings allow', async () => {
    const known: Record<string, string>[] = [
      {},
      { Origin: `${own}:${port}` },
      { Origin: `${own}:${port}`, 'Sec-Fetch-Site': 'same-origin' },
      { 'Sec-Fetch-Site': 'none' },
      { Origin: 'https://gate.example', 'X-Forwarded-Host': 'gate.example' },
      { Origin: 'https://friend.example', 'Sec-Fetch-Site': 'cross-site' },
    ];
    for (const headers of known) assert.equal((await send('POST', '/thing', headers)).status, 200, JSON.stringify(headers));
  });
  it('may read for any page: what is read, the browser keeps from it', async () => {
    assert.equal((await send('GET', '/thing', { Origin: 'http://evil.example', 'Sec-Fetch-Site': 'cross-site' })).status, 200);
  });
  it('changes nothing by a link', async () => {
    const agent = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64)' };
    changes.length = 0;
    for (const path of [
      '/format',
      '/level?level=debug',
      '/thing?op=GETDELEGATIONTOKEN',
      '/thing?%6fp=getDelegationToken',
      '/nothing?op=GETDELEGATIONTOKEN',
    ]) {
      assert.equal((await send('GET', path, agent)).status, 403, path);
      assert.equal((await send('GET', path, { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Site': 'cross-site' })).status, 403, path);
      assert.equal(
        (await send('GET', path, { ...agent, 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Site': 'same-origin' })).status,
        403,
        path,
      );
      assert.equal((await send('GET', path, { Origin: 'http://evil.example' })).status, 403, path);
      assert.equal((await send('GET', path, { 'X-Requested-By': 'x', 'Sec-Fetch-Site': 'cross-site' })).status, 403, path);
    }
    assert.deepEqual(changes, []);
    assert.equal((await send('GET', '/level', agent)).status, 200);
    assert.equal((await send('GET', '/format', { 'User-Agent': 'curl/8.0' })).status, 200);
    assert.equal((await send('GET', '/format', { ...agent, 'X-Requested-By': 'me', 'Sec-Fetch-Site': 'same-origin' })).status, 200);
  });
  it('gives browsers cookies that other sites cannot make them send, and programs those of Hadoop', async () => {
    const cookie = async (headers: Record<string, string>) =>
      /^set-cookie: (.*)$/im.exec((await send('GET', '/cookie', headers)).text)?.[1];
    assert.equal(await cookie({}), 'hadoop.auth="u=ada"; Path=/; HttpOnly');
    assert.equal(await cookie({ 'User-Agent': 'Mozilla/5.0' }), 'hadoop.auth="u=ada"; Path=/; HttpOnly; SameSite=Lax');
    assert.equal(await cookie({ 'Sec-Fetch-Site': 'none' }), 'hadoop.auth="u=ada"; Path=/; HttpOnly; SameSite=Lax');
  });
  it('gives pages a policy, and nothing else', async () => {
    const page = (await send('GET', '/page')).text;
    assert.match(page, /content-security-policy: default-src 'none';.*frame-ancestors 'self'\r\n/i);
    assert.match(page, /x-frame-options: SAMEORIGIN\r\n/i);
    assert.match(page, /x-content-type-options: nosniff\r\n/i);
    assert.doesNotMatch((await send('GET', '/thing')).text, /content-security-policy/i);
  });
  it('opens no socket for pages of other origins, nor under another name', async () => {
    const upgrade = async (headers: Record<string, string>): Promise<number> => {
      const socket = connect(port, '127.0.0.1');
      const all = { Host: 'localhost', Connection: 'Upgrade', Upgrade: 'websocket', ...headers };
      socket.write(
        `GET /socket HTTP/1.1\r\n${Object.entries(all)
          .map((pair) => `${pair.join(': ')}\r\n`)
          .join('')}\r\n`,
      );
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return Number(String(chunk).split(' ')[1]);
    };
    assert.equal(await upgrade({}), 101);
    assert.equal(await upgrade({ Origin: 'http://localhost' }), 101);
    assert.equal(await upgrade({ Origin: 'https://friend.example' }), 101);
    assert.equal(await upgrade({ Origin: 'http://evil.example' }), 403);
    assert.equal(await upgrade({ 'Sec-Fetch-Site': 'cross-site' }), 403);
    assert.equal(await upgrade({ Host: 'evil.example', Origin: 'http://evil.example' }), 400);
  });

  it('is written down where it is refused for where it comes from, a socket too', () => {
    assert.ok(refusals.includes('POST /thing 127.0.0.1 403'), refusals.join('\n'));
    assert.ok(refusals.includes('GET /socket 127.0.0.1 403'), refusals.join('\n'));
    assert.ok(!refusals.some((line) => line.endsWith(' 400')), 'what cannot be understood is no attempt');
  });

  it('is written down with its address also where the caller is gone by then', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('POST /gone HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nbegun');
    await once(socket, 'close');
    assert.ok(refusals.includes('POST /gone 127.0.0.1 403'), refusals.join('\n'));
    assert.equal((await fetch(`${own}:${port}/ready`)).status, 200);
  });
});
