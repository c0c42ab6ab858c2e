import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { composeAuthenticator } from '../auth/composition.ts';
import { CookieSigner } from '../auth/signer.ts';
import { anonymousCaller, simpleProof } from '../auth/simple.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { failure } from '../model/errors.ts';
import { text } from './answers.ts';
import { containerRoutes, rootRoutes } from './container-pages.ts';
import { profiles } from './profiles.ts';
import { createService } from './service.ts';

const signer = new CookieSigner(Buffer.alloc(32, 1));
const pages = { resourceManager: '/cluster', nodeManager: '/node', history: '/jobhistory', timeline: '/applicationhistory' };
const servers = (['resourceManager', 'nodeManager', 'history', 'timeline'] as const).map((name) => {
  const service = createService({
    name,
    profile: profiles[name],
    address: '127.0.0.1:0',
    logger: silentLogger,
    authenticator: composeAuthenticator({
      proofs: [simpleProof({ signer, clock: systemClock, cookieType: 'simple' })],
      nobody: anonymousCaller('dr.who'),
    }),
  });
  const gate = ({ user }: { readonly user: string | undefined }) => {
    if (user !== 'root') throw failure('INSTRUMENTATION_REFUSED', { user: user ?? 'nobody' });
  };
  for (const route of [...containerRoutes(gate), ...rootRoutes('/pages')]) service.route(route);
  for (const path of [pages[name], `${pages[name]}/own`])
    service.route({ method: 'GET', path, produces: 'any', handle: () => text(200, '') });
  service.route({ method: 'GET', path: '/ws/v1/things/:id', produces: 'any', handle: ({ params }) => text(200, params['id'] ?? '') });
  return { name, service };
});
after(() => Promise.all(servers.map(({ service }) => service.close())));

/** Status, content type and where it leads, asked of every server; all have to say the same. */
async function answered(url: string, method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' = 'GET') {
  const answers = await Promise.all(
    servers.map(async ({ service }) => {
      const { statusCode, headers, body } = await service.inject({ method, url, headers: { host: 'localhost:1' } });
      return [statusCode, headers['content-type'] ?? '', headers.location ?? '', body] as const;
    }),
  );
  for (const other of answers) assert.deepEqual(other, answers[0], url);
  return answers[0]!;
}
const [html, container] = ['text/html;charset=utf-8', 'text/html;charset=iso-8859-1'];

test('unknown paths answer the page of the interface below it and the page of the container elsewhere', async () => {
  for (const url of ['/x', '/index.html', '/favicon.ico', '/logs/x', '/static/none.css', '/wsx', '//ws/v1', '/prom']) {
    const [status, type, , body] = await answered(url);
    assert.deepEqual([status, type], [404, container], url);
    assert.match(body, /HTTP ERROR 404 Not Found/);
  }
  for (const url of ['/ws/v1', '/ws/v1/', '/ws/v2/none', '/ws/v1/things/a/b'])
    assert.deepEqual((await answered(url)).slice(0, 2), [404, html]);
  assert.deepEqual((await answered('/ws/v1', 'HEAD')).slice(0, 2), [405, container]);
  for (const { name, service } of servers)
    for (const [of, prefix] of Object.entries(pages)) {
      const { statusCode, headers } = await service.inject({ url: `${prefix}/none`, method: 'GET', headers: { host: 'localhost' } });
      assert.deepEqual([statusCode, headers['content-type']], [404, of === name ? html : container], `${name} ${prefix}`);
    }
});

test('the container’s folder of files takes nothing', async () => {
  for (const method of ['PUT', 'DELETE'] as const) assert.deepEqual((await answered('/none', method)).slice(0, 2), [405, '']);
});

test('the root leads to the pages and keeps the query, but for a token', async () => {
  assert.deepEqual((await answered('/')).slice(0, 3), [302, 'text/plain;charset=utf-8', 'http://localhost:1/pages']);
  assert.equal((await answered('/?a=1&b'))[2], 'http://localhost:1/pages?a=1&b');
  assert.equal((await answered('/?delegation=secret&a'))[2], 'http://localhost:1/pages?a');
});

test('folders lead to themselves with a slash and show no file', async () => {
  for (const folder of ['/logs', '/static']) {
    assert.deepEqual((await answered(`${folder}?a=1`)).slice(0, 3), [302, '', `http://localhost:1${folder}/?a=1`]);
    assert.equal((await answered(folder))[2], `http://localhost:1${folder}/`);
  }
  assert.deepEqual((await answered('/static/')).slice(0, 2), [403, container]);
  for (const url of ['/logs/..%2f..%2fetc/passwd', '/logs/%2e%2e/x', '/static/x/']) assert.equal((await answered(url))[0], 404);
});

test('who may not look into the server does not see where its log is', async () => {
  assert.deepEqual((await answered('/logs/?user.name=root')).slice(0, 2), [200, html]);
  assert.equal((await answered('/logs/?user.name=eve'))[0], 403);
  assert.equal((await answered('/logs/'))[0], 403);
});

test('says where the interfaces lie, and keeps robots away', async () => {
  for (const url of ['/ws', '/ws/']) assert.deepEqual((await answered(url)).slice(0, 2), [200, html]);
  const [status, type, , body] = await answered('/robots.txt');
  assert.deepEqual([status, type, body], [302, 'text/plain;charset=utf-8', 'User-agent: *\nDisallow: /\n']);
});

test('a zero byte in a path is a bad message, in a query it is not', async () => {
  for (const url of ['/%00', '/ws/v1/things/a%00', '/ws/v1/things/%00?x=1'])
    assert.deepEqual(await answered(url), [400, container, '', '<h1>Bad Message 400</h1><pre>reason: Bad Request</pre>']);
  assert.equal((await answered('/ws/v1/things/a?x=%00'))[0], 200);
  const own = await servers[0]!.service.inject({ url: '/api/v1/%00', headers: { host: 'localhost' } });
  assert.equal(own.json().RemoteException.exception, 'NotFoundException');
});

test('OPTIONS of what is no interface for programs tells its methods and has no body', async () => {
  for (const path of ['/none', '/static/none', '/favicon.ico', '/ws/v1/none', '/ws/v1']) {
    const type = path === '/favicon.ico' ? '' : 'text/plain;charset=utf-8';
    assert.deepEqual(await answered(path, 'OPTIONS'), [200, type, '', ''], path);
    for (const { service } of servers) {
      const { headers } = await service.inject({ url: path, method: 'OPTIONS', headers: { host: 'localhost' } });
      assert.equal(headers.allow, path.startsWith('/ws/') ? 'GET, POST' : 'GET,HEAD,POST,OPTIONS', path);
    }
  }
  assert.deepEqual(await answered('/', 'OPTIONS'), [302, 'text/plain;charset=utf-8', 'http://localhost:1/pages', '']);
  for (const { name, service } of servers) {
    for (const path of [pages[name], `${pages[name]}/own`, `${pages[name]}/none`]) {
      const { headers, statusCode, body } = await service.inject({ url: path, method: 'OPTIONS', headers: { host: 'localhost' } });
      assert.deepEqual(
        [statusCode, headers['content-type'], headers.allow, body],
        [200, 'text/plain;charset=utf-8', 'GET, POST', ''],
        path,
      );
    }
  }
});
