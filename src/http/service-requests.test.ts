import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { composeAuthenticator } from '../auth/composition.ts';
import { CookieSigner } from '../auth/signer.ts';
import { anonymousCaller, simpleProof } from '../auth/simple.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { failure } from '../model/errors.ts';
import { int, list, record, text as textMember } from '../wire/codec/describe.ts';
import { answer, empty, json, ok, redirect, rendered, stream, text } from './answers.ts';
import { answering, recordAnswer, textParameter, wholeParameter } from './described.ts';
import { usualLimits } from './limits.ts';
import { mountOpenApi } from './open-api.ts';
import { openApiDocument } from './open-api-document.ts';
import { profiles } from './profiles.ts';
import { createService, type Refusal, type Service } from './service.ts';
import type { ServiceOptions } from './service-options.ts';

const thing = record('thing', { name: textMember(), count: int(), tags: list(textMember()) }, { json: 'natural' });
const bare = record('thing', { name: textMember(), count: int() }, { json: 'natural', wrapped: false });
const refusals: Refusal[] = [];
let letGo = 0;
const large = 'x'.repeat(600 * 1024);

function aService(more: Partial<ServiceOptions> = {}): Service {
  const service = createService({
    name: 'test',
    profile: profiles.resourceManager,
    address: '127.0.0.1:0',
    logger: silentLogger,
    authenticator: composeAuthenticator({
      proofs: [simpleProof({ signer: new CookieSigner(Buffer.alloc(32, 1)), clock: systemClock, cookieType: undefined })],
      nobody: anonymousCaller('dr.who'),
      mayImpersonate: () => false,
    }),
    refused: (refusal) => void refusals.push(refusal),
    ...more,
  });
  service.route({
    method: 'GET',
    path: '/ws/things',
    about: 'All things.',
    handle: () => ok(thing, { name: 'all', tags: ['a'] }),
  });
  service.route({ method: 'GET', path: '/ws/things/:name', handle: ({ params }) => ok(thing, { name: params['name'] }) });
  service.route({ method: 'DELETE', path: '/ws/things/:name', handle: () => empty(204) });
  service.route({
    method: 'POST',
    path: '/ws/things',
    body: bare,
    handle: ({ body }) => answer(201, bare, body, { location: '/ws/things/1' }),
  });
  service.route({
    method: 'PUT',
    path: '/ws/things',
    body: bare,
    consumes: ['json'],
    strictBody: true,
    bodyLimitBytes: 100,
    handle: ({ body }) => ok(bare, body),
  });
  service.route({
    method: 'PUT',
    path: '/ws/bytes',
    body: 'raw',
    bodyLimitBytes: 1000,
    handle: ({ body }) => text(200, String((body as unknown as Buffer).length), 'text/plain'),
  });
  service.route({ method: 'GET', path: '/ws/json-only', produces: ['json'], handle: ({ format }) => rendered(`"${format}"`) });
  service.route({ method: 'GET', path: '/ws/any', produces: 'any', handle: ({ format }) => text(200, format, 'text/plain') });
  service.route({ method: 'GET', path: '/ws/large', handle: () => rendered(JSON.stringify(large)) });
  service.route({
    method: 'GET',
    path: '/ws/pieces',
    handle: () => stream(200, 'text/plain', ['a', Buffer.from('b'), 'c'], {}, async () => void letGo++),
  });
  service.route({
    method: 'GET',
    path: '/ws/broken-pieces',
    handle: () =>
      stream(
        200,
        'text/plain',
        (async function* () {
          yield 'begun';
          throw new Error('the disk is gone');
        })(),
      ),
  });
  service.route({ method: 'GET', path: '/ws/moved', handle: () => redirect(307, 'http://elsewhere/') });
  service.route({
    method: 'GET',
    path: '/ws/secret',
    handle: () => {
      throw failure('KILL_REFUSED', { id: 'a', user: 'dr.who' });
    },
  });
  service.route({
    method: 'GET',
    path: '/ws/crash',
    handle: () => {
      throw new Error('a password in here');
    },
  });
  service.route({ method: 'GET', path: '/plain', handle: () => json({ a: 1 }) });
  service.route({ method: 'GET', path: '/ws/open', authentication: 'none', handle: ({ caller }) => json(caller.user ?? null) });
  mountOpenApi(service, {
    title: 'Test',
    profile: profiles.resourceManager,
    described: async () => ({ 'GET /ws/things/:name': { query: { deep: textParameter() }, answers: [recordAnswer(thing)] } }),
  });
  return service;
}

const service = aService();
after(() => service.close());
const get = (url: string, headers: Record<string, string> = {}) => service.inject({ url, headers });
const exceptionOf = (body: string): string => JSON.parse(body).RemoteException.exception;

describe('methods', () => {
  it('that a path does not have are refused with those that it has', async () => {
    for (const [method, url, allow] of [
      ['PUT', '/ws/things/a', 'OPTIONS,DELETE,HEAD,GET'],
      ['PATCH', '/ws/things', 'OPTIONS,HEAD,POST,GET,PUT'],
      ['TRACE', '/ws/things', 'OPTIONS,HEAD,POST,GET,PUT'],
      ['GET', '/ws/bytes', 'OPTIONS,PUT'],
      ['HEAD', '/ws/bytes', 'OPTIONS,PUT'],
    ] as const) {
      const refused = await service.inject({ method: method as 'GET', url });
      assert.deepEqual([refused.statusCode, refused.headers['allow']], [405, allow], `${method} ${url}`);
    }
    const xml = await service.inject({ method: 'PATCH', url: '/ws/things', headers: { accept: 'application/xml' } });
    assert.match(
      xml.body,
      /<RemoteException><exception>WebApplicationException<\/exception><message>Method PATCH is not allowed here; allowed: /,
    );
  });

  it('HEAD has the headers of GET and no body, also of what is streamed', async () => {
    for (const url of ['/ws/things', '/ws/pieces', '/ws/large']) {
      const before = letGo;
      const [whole, head] = [await get(url), await service.inject({ method: 'HEAD', url })];
      assert.deepEqual([head.statusCode, head.headers['content-type'], head.body], [200, whole.headers['content-type'], ''], url);
      if (url === '/ws/pieces') assert.equal(letGo, before + 2, 'what is held is let go, read or not');
    }
  });

  it('OPTIONS describes the resource, relabelled for those who want XML', async () => {
    const options = await service.inject({ method: 'OPTIONS', url: '/ws/things/a' });
    assert.equal(options.headers['allow'], 'OPTIONS,DELETE,HEAD,GET');
    assert.match(options.body, /<resource path="\/ws\/things\/\{name\}"><method name="DELETE"\/><method name="GET"\/><\/resource>/);
    const xml = await service.inject({ method: 'OPTIONS', url: '/ws/things/a', headers: { accept: 'application/xml' } });
    assert.equal(xml.headers['content-type'], 'application/xml;charset=utf-8');
  });

  it('are one route each', () => {
    const other = aService();
    assert.throws(() => other.route({ method: 'GET', path: '/ws/things', handle: () => empty(200) }), /two routes for GET \/ws\/things/);
    return other.close();
  });
});

describe('paths', () => {
  it('end with or without a slash, and name something', async () => {
    assert.equal((await get('/ws/things/')).statusCode, 200);
    assert.equal(JSON.parse((await get('/ws/things/a%2Fb%20c')).body).thing.name, 'a/b c');
    for (const url of ['/ws/things//', '/ws/thing', '/ws/Things', '/ws', '/ws/things/a/b', '/ws/thing%73'])
      assert.equal((await get(url)).statusCode, 404, url);
  });

  it('may have parameters of segments, which say nothing', async () => {
    assert.equal(JSON.parse((await get('/ws/things/a;b=c')).body).thing.name, 'a');
    assert.equal((await get('/ws/things;x=1?y=;2')).statusCode, 200);
  });

  it('that cannot be decoded are refused', async () => {
    for (const url of ['/ws/things/%zz', '/ws/things/%']) assert.equal((await get(url)).statusCode, 400, url);
  });

  it('that are unknown have a page, or what the server says', async () => {
    const page = await get('/nowhere<script>');
    assert.deepEqual([page.statusCode, page.headers['content-type']], [404, 'text/html;charset=iso-8859-1']);
    assert.doesNotMatch(page.body, /<script>/);
    const other = aService({
      unknownPath: (path, { method }) => (path.startsWith('/mine') ? text(200, `${method} ${path}`, 'text/plain') : undefined),
    });
    assert.equal((await other.inject('/mine/x')).body, 'GET /mine/x');
    assert.equal((await other.inject('/yours')).statusCode, 404);
    await other.close();
  });
});

describe('formats', () => {
  it('are refused where the route has none of those that are accepted', async () => {
    const refused = await get('/ws/json-only', { accept: 'application/xml' });
    assert.equal(refused.statusCode, 406);
    assert.match(refused.body, /available: application\/json/);
    assert.equal((await get('/ws/json-only', { accept: 'application/xml, */*' })).body, '"json"');
    assert.equal((await get('/ws/any', { accept: 'text/csv' })).body, 'json');
    assert.equal((await get('/ws/any', { accept: 'application/xml' })).body, 'xml');
  });
});

describe('bodies', () => {
  const send = (method: 'POST' | 'PUT', url: string, payload: string | Buffer | undefined, headers: Record<string, string> = {}) =>
    service.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });

  it('are read in the format that they say, and answered in the one that is asked for', async () => {
    const posted = await send('POST', '/ws/things', '<thing><name>a</name><count>2</count></thing>', { 'content-type': 'application/xml' });
    assert.deepEqual([posted.statusCode, posted.headers['location'], posted.body], [201, '/ws/things/1', '{"name":"a","count":2}']);
    const xml = await send('POST', '/ws/things', '{"name":"a"}', { 'content-type': 'application/json', accept: 'application/xml' });
    assert.match(xml.body, /<thing><name>a<\/name><\/thing>$/);
  });

  it('that are missing or of another type are refused', async () => {
    const cases: [payload: string | undefined, type: string | undefined, status: number][] = [
      [undefined, undefined, 400],
      ['{}', undefined, 415],
      ['{}', 'text/plain', 415],
      ['{}', 'application/jsonx', 415],
      ['', 'application/json', 400],
      ['{', 'application/json', 400],
      ['{}', 'application/json; charset=utf-8', 201],
    ];
    for (const [payload, type, status] of cases)
      assert.equal(
        (await send('POST', '/ws/things', payload, type === undefined ? {} : { 'content-type': type })).statusCode,
        status,
        `${payload} ${type}`,
      );
    assert.equal((await send('PUT', '/ws/things', '<thing/>', { 'content-type': 'application/xml' })).statusCode, 415);
  });

  it('of strict routes have no member that is unknown', async () => {
    const refused = await send('PUT', '/ws/things', '{"name":"a","nmae":1}', { 'content-type': 'application/json' });
    assert.equal(refused.statusCode, 400);
    assert.match(refused.body, /nmae is not known here/);
  });

  it('beyond the limit are refused, packed or not', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'x'.repeat(200) });
    assert.equal((await send('PUT', '/ws/things', body, headers)).statusCode, 413);
    assert.equal((await send('PUT', '/ws/things', gzipSync(body), { ...headers, 'content-encoding': 'gzip' })).statusCode, 413);
    // A small body that is large unpacked.
    assert.equal((await send('PUT', '/ws/bytes', gzipSync(Buffer.alloc(10_000_000)), { 'content-encoding': 'gzip' })).statusCode, 413);
    assert.equal((await send('PUT', '/ws/bytes', Buffer.alloc(1000))).body, '1000');
  });

  it('that are packed in another way, or not at all, are refused', async () => {
    for (const [payload, encoding] of [
      [Buffer.from('abc'), 'gzip'],
      [Buffer.from('abc'), 'br'],
      [gzipSync('abc').subarray(0, 12), 'gzip'],
    ] as const)
      assert.equal((await send('PUT', '/ws/bytes', payload, { 'content-encoding': encoding })).statusCode, 400, encoding);
    assert.equal((await send('PUT', '/ws/bytes', 'abc', { 'content-encoding': 'identity' })).body, '3');
  });

  it('that are read by a description are read as they came where they are not packed as they say', async () => {
    const body = '{"name":"a"}';
    const plain = await send('PUT', '/ws/things', body, { 'content-type': 'application/json' });
    assert.equal(plain.statusCode, 200);
    for (const [payload, encoding] of [
      [body, 'utf-8'],
      [body, 'gzip'],
      [body, 'br'],
      [body, ' Identity '],
      [gzipSync(body), 'GZIP'],
      [gzipSync(body), 'x-gzip'],
    ] as const) {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
      assert.equal((await send('PUT', '/ws/things', payload, headers)).body, plain.body, encoding);
    }
    const broken = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    assert.equal((await send('PUT', '/ws/things', gzipSync(body).subarray(0, 12), broken)).statusCode, 400);
  });
});

describe('answers', () => {
  it('have the headers that keep browsers from guessing and framing', async () => {
    const { headers } = await get('/ws/things');
    assert.deepEqual(
      ['x-content-type-options', 'x-xss-protection', 'cache-control', 'pragma', 'x-frame-options', 'vary'].map((name) => headers[name]),
      ['nosniff', '1; mode=block', 'no-cache', 'no-cache', 'SAMEORIGIN', 'Accept-Encoding'],
    );
    const reader = aService({ profile: profiles.reader });
    const plain = (await reader.inject({ url: '/ws/things', headers: { 'accept-encoding': 'gzip' } })).headers;
    assert.deepEqual([plain['x-frame-options'], plain['vary'], plain['content-encoding']], [undefined, undefined, undefined]);
    await reader.close();
    const framed = aService({ frameOptions: '' });
    assert.equal((await framed.inject('/ws/things')).headers['x-frame-options'], undefined);
    await framed.close();
  });

  it('are packed for those who take gzip, large ones while they are sent', async () => {
    for (const [url, content] of [
      ['/ws/things', '{"thing":{"name":"all","tags":["a"]}}'],
      ['/ws/pieces', 'abc'],
      ['/ws/large', JSON.stringify(large)],
    ] as const) {
      const packed = await get(url, { 'accept-encoding': 'deflate, gzip;q=0.5' });
      assert.equal(packed.headers['content-encoding'], 'gzip', url);
      assert.equal(gunzipSync(packed.rawPayload).toString(), content);
      const plain = await get(url, { 'accept-encoding': 'deflate' });
      assert.deepEqual([plain.headers['content-encoding'], plain.body], [undefined, content], url);
    }
  });

  it('redirect without being followed', async () => {
    const moved = await get('/ws/moved');
    assert.deepEqual([moved.statusCode, moved.headers['location']], [307, 'http://elsewhere/']);
  });

  it('of failures inside tell a reference and nothing else', async () => {
    const crashed = await get('/ws/crash');
    assert.equal(crashed.statusCode, 500);
    assert.match(crashed.body, /The server failed; its log says more \(reference [a-z0-9]+\)/);
    assert.doesNotMatch(crashed.body, /password/);
  });
});

describe('refusals for who calls', () => {
  it('are told to who listens, with the caller', async () => {
    refusals.length = 0;
    assert.equal((await get('/ws/secret?user.name=ada')).body, 'Unauthorized attempt to kill appid a by remote user dr.who');
    assert.equal(exceptionOf((await get('/ws/things?user.name=bob&doAs=ada')).body), 'AuthorizationException');
    await get('/ws/things?user.name=');
    await get('/ws/nowhere');
    assert.deepEqual(
      refusals.map(({ method, path, caller, failure: { code } }) => [method, path, caller?.user, code]),
      [
        ['GET', '/ws/secret', 'ada', 'KILL_REFUSED'],
        ['GET', '/ws/things', undefined, 'IMPERSONATION_REFUSED'],
      ],
    );
    assert.equal(refusals[1]!.failure.parameters['auditedUser'], 'bob');
  });

  it('may come from a guard that knows the method', async () => {
    const guarded = aService({ guard: ({ method }) => (method === 'DELETE' ? failure('CROSS_SITE_REFUSED') : undefined) });
    assert.equal((await guarded.inject({ method: 'DELETE', url: '/ws/things/a' })).statusCode, 400);
    assert.equal((await guarded.inject('/ws/things/a')).statusCode, 200);
    await guarded.close();
  });

  it('do not hold for paths with credentials of their own', async () => {
    assert.equal((await get('/ws/open?user.name=')).body, 'null');
  });
});

describe('on a socket', () => {
  let url: string;
  let port: number;
  before(async () => {
    ({ url, port } = await service.listen());
  });
  const whole = async (bytes: string, to = port): Promise<string> => {
    const socket = connect(to, '127.0.0.1');
    socket.end(bytes);
    let received = '';
    socket.on('data', (chunk) => (received += chunk));
    await once(socket, 'close');
    return received;
  };
  const raw = async (bytes: string): Promise<string> => (await whole(bytes)).split('\r\n')[0]!;

  it('what is no HTTP is refused', async () => {
    assert.equal(await raw('hello\r\n\r\n'), 'HTTP/1.1 400 Bad Request');
    assert.equal(
      await raw(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(70_000)}\r\n\r\n`),
      'HTTP/1.1 431 Request Header Fields Too Large',
    );
  });

  it('a HEAD that cannot be read is refused by headers alone', async () => {
    const narrow = aService({ limits: { ...usualLimits, headerBytes: 8192 } });
    const at = (await narrow.listen()).port;
    const long = `Host: x\r\nX: ${'y'.repeat(10_000)}\r\n\r\n`;
    const headOf = /^HTTP\/1\.1 431 [^\r]*\r\n(?:[^\r]+\r\n)+\r\n/;
    assert.equal((await whole(`HEAD / HTTP/1.1\r\n${long}`, at)).replace(headOf, ''), '');
    assert.match((await whole(`GET / HTTP/1.1\r\n${long}`, at)).replace(headOf, ''), /^<h1>Bad Message 431</);
    await narrow.close();
  });

  it('an address and headers of tens of kilobytes are read', async () => {
    for (const length of [20_000, 60_000]) {
      const text = 'y'.repeat(length);
      assert.equal(await raw(`GET /ws/things?x=${text} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`), 'HTTP/1.1 200 OK');
      assert.equal(await raw(`GET /ws/things HTTP/1.1\r\nHost: localhost\r\nX: ${text}\r\nConnection: close\r\n\r\n`), 'HTTP/1.1 200 OK');
      assert.equal(await raw(`GET /ws/things/${text} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`), 'HTTP/1.1 200 OK');
    }
  });

  it('an answer that breaks off breaks the connection, and the service goes on', async () => {
    const asked = request(`${url}/ws/broken-pieces`).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    const [error] = await once(response, 'error');
    assert.match(String(error), /aborted|ECONNRESET/);
    assert.equal((await fetch(`${url}/ws/things`)).status, 200);
  });

  it('callers who go away are told to the handler', async () => {
    const other = aService();
    const entered = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    other.route({
      method: 'GET',
      path: '/ws/wait',
      handle: ({ signal }) => {
        entered.resolve();
        return new Promise((answered) => {
          signal.addEventListener('abort', () => {
            aborted.resolve();
            answered(empty(200));
          });
        });
      },
    });
    const { url: address } = await other.listen();
    const asked = request(`${address}/ws/wait`).end();
    asked.on('error', () => undefined);
    await entered.promise;
    asked.destroy();
    await aborted.promise;
    await other.close();
  });
});

describe('/openapi.json', () => {
  interface Operation {
    readonly operationId: string;
    readonly parameters: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
    readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: object }>; readonly $ref?: string }>;
    readonly requestBody: { readonly content: Record<string, { readonly schema: { readonly $ref: string } }> };
  }
  interface Document {
    readonly openapi: string;
    readonly info: { readonly title: string };
    readonly paths: Record<string, Record<string, Operation>>;
    readonly components: { readonly schemas: Record<string, object> };
  }

  it('describes every route with its parameters, bodies and answers', async () => {
    const { body: text } = await get('/openapi.json');
    const document = JSON.parse(text) as Document;
    assert.deepEqual([document.openapi, document.info.title], ['3.1.0', 'Test']);
    assert.deepEqual(Object.keys(document.paths['/ws/things']!), ['get', 'post', 'put']);
    const { parameters, responses, operationId } = document.paths['/ws/things/{name}']!['get']!;
    assert.deepEqual(
      parameters.map((one) => `${one.in} ${one.name} ${one.required ?? false}`),
      ['path name true', 'query deep false', 'query doAs false'],
    );
    assert.equal(operationId, 'getWsThingsName');
    assert.deepEqual(Object.keys(responses['200']?.content ?? {}), ['application/json', 'application/xml']);
    assert.deepEqual(Object.keys(responses), ['200', '400', '401', '403', '404', 'default']);
    const schema = document.components.schemas['Thing'] as { readonly properties: { readonly thing: object } };
    assert.deepEqual(responses['200']?.content?.['application/json']?.schema, { $ref: '#/components/schemas/Thing' });
    assert.deepEqual(schema.properties.thing, {
      type: 'object',
      properties: {
        name: { type: 'string' },
        count: { type: 'integer', format: 'int32' },
        tags: { type: 'array', items: { type: 'string' } },
      },
    });
    assert.deepEqual(Object.keys(document.paths['/ws/things']!['put']!.requestBody.content), ['application/json']);
    const { $ref } = document.paths['/ws/things']!['post']!.requestBody.content['application/xml']!.schema;
    assert.deepEqual((document.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)] as { xml: object }).xml, { name: 'thing' });
    assert.deepEqual(Object.keys(document.paths['/ws/bytes']!['put']!.requestBody.content), ['*/*']);
    assert.equal((await get('/openapi.json')).body, text, 'made once');
  });

  it('names each operation once, and the parameters that a path reads', () => {
    const document = openApiDocument({
      title: 'x',
      version: '1',
      routes: service.routes,
      described: { 'GET /ws/things': { ...answering(recordAnswer(thing)), query: { states: textParameter(), limit: wholeParameter() } } },
      wrappedErrors: true,
    }) as unknown as Document;
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
    const { parameters } = document.paths['/ws/things']!['get']!;
    assert.deepEqual(
      parameters.map(({ name }) => name),
      ['states', 'limit', 'doAs'],
    );
  });
});
