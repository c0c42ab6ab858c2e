import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { composeAuthenticator } from '../auth/composition.ts';
import { cookieProof } from '../auth/cookie.ts';
import { CookieSigner } from '../auth/signer.ts';
import { anonymousCaller, simpleProof } from '../auth/simple.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { failure } from '../model/errors.ts';
import { int, record, text as textMember } from '../wire/codec/describe.ts';
import { ok, redirect, stream, text } from './answers.ts';
import { profiles } from './profiles.ts';
import { createService } from './service.ts';

const thing = record('thing', { name: textMember(), count: int() }, { json: 'natural' });
const bare = record('thing', { name: textMember(), count: int() }, { json: 'natural', wrapped: false });

const signer = new CookieSigner(Buffer.alloc(32, 1));
const cookies = { signer, clock: systemClock, cookieType: 'simple-dt' };
const service = createService({
  name: 'test',
  profile: profiles.resourceManager,
  address: '127.0.0.1:0',
  logger: silentLogger,
  authenticator: composeAuthenticator({
    proofs: [cookieProof(cookies, ['simple-dt']), simpleProof(cookies)],
    nobody: anonymousCaller('dr.who'),
    mayImpersonate: (user) => user === 'root',
  }),
});
service.route({
  method: 'GET',
  path: '/ws/things/:name',
  handle: ({ params, user }) => (params['name'] === 'none' ? missing() : ok(thing, { name: `${params['name']} for ${user}`, count: 1 })),
});
service.route({ method: 'POST', path: '/ws/things', body: bare, handle: ({ body }) => ok(bare, body) });
service.route({ method: 'GET', path: '/ws/things', handle: () => stream(200, undefined, ['{"a"', ':1}']) });
service.route({
  method: 'GET',
  path: '/ws/lead/:to',
  handle: ({ params }) => redirect(307, `http://h/${params['to']}`, { text: '', contentType: 'text/plain' }),
});
service.route({
  method: 'GET',
  path: '/ws/name/:name',
  handle: ({ params }) => text(200, '', 'text/plain', { 'x-name': params['name']! }),
});
service.route({ method: 'GET', path: '/ws/crash', handle: () => text(200, String((undefined as unknown as { x: string }).x)) });
after(() => service.close());

function missing(): never {
  throw failure('NOT_FOUND', { what: 'none' });
}

test('calls of all requests have one shape, so that none of them outlives its request', async () => {
  // An accessor of its own gives each object a hidden class of its own, which lives until the old generation is collected.
  const calls: object[] = [];
  const watched = createService({
    name: 'watched',
    profile: profiles.resourceManager,
    address: '127.0.0.1:0',
    logger: silentLogger,
    authenticator: composeAuthenticator({ proofs: [], nobody: anonymousCaller('dr.who') }),
  });
  watched.route({
    method: 'GET',
    path: '/ws/watched',
    handle: (call) => {
      calls.push(call);
      return text(200, String(call.signal.aborted));
    },
  });
  assert.equal((await watched.inject({ url: '/ws/watched' })).body, 'false');
  await watched.close();
  for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(calls[0]))) assert.equal(get, undefined, name);
});

test('answers come in the format asked for', async () => {
  const json = await service.inject({ url: '/ws/things/a/' });
  assert.equal(json.statusCode, 200);
  assert.equal(json.headers['content-type'], 'application/json;charset=utf-8');
  assert.equal(json.body, '{"thing":{"name":"a for dr.who","count":1}}');
  const xml = await service.inject({ url: '/ws/things/a', headers: { accept: 'text/html,application/xml;q=0.9,*/*;q=0.8' } });
  assert.equal(xml.headers['content-type'], 'application/xml; charset=utf-8');
  assert.match(xml.body, /<thing><name>a for dr.who<\/name><count>1<\/count><\/thing>$/);
});

test('failures are answered in the format asked for, with the status of the catalogue', async () => {
  const json = await service.inject({ url: '/ws/things/none' });
  assert.equal(json.statusCode, 404);
  assert.deepEqual(json.json(), {
    RemoteException: {
      exception: 'NotFoundException',
      message: 'java.lang.Exception: none not found',
      javaClassName: 'org.apache.hadoop.yarn.webapp.NotFoundException',
    },
  });
  const xml = await service.inject({ url: '/ws/things/none', headers: { accept: 'application/xml' } });
  assert.equal(xml.statusCode, 404);
  assert.match(xml.body, /<RemoteException><exception>NotFoundException<\/exception>/);
  assert.equal((await service.inject({ url: '/ws/things/none', method: 'HEAD' })).statusCode, 405);
});

test('wrong methods, types and bodies are refused with a 4xx', async () => {
  const method = await service.inject({ url: '/ws/things', method: 'DELETE' });
  assert.deepEqual([method.statusCode, method.headers['allow']], [405, 'OPTIONS,HEAD,POST,GET']);
  assert.equal(
    (await service.inject({ url: '/ws/things', method: 'POST', payload: 'x', headers: { 'content-type': 'text/plain' } })).statusCode,
    415,
  );
  assert.equal((await service.inject({ url: '/ws/things', method: 'POST' })).statusCode, 400);
  assert.equal(
    (await service.inject({ url: '/ws/things', method: 'POST', payload: '{', headers: { 'content-type': 'application/json' } })).statusCode,
    400,
  );
  assert.equal((await service.inject({ url: '/ws/things/a', headers: { accept: 'text/csv' } })).statusCode, 406);
  assert.equal((await service.inject({ url: '/ws/%zz' })).statusCode, 400);
  assert.equal((await service.inject({ url: '/ws/other' })).statusCode, 404);
  assert.equal((await service.inject({ url: '/ws/things//' })).statusCode, 404);
  const { url } = await service.listen();
  const foreign = async (path: string, method = 'PROPFIND') => {
    const asked = request(`${url}${path}`, { method }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    return [answer.statusCode, answer.headers.allow];
  };
  assert.deepEqual(await foreign('/ws/things/a'), [405, 'OPTIONS,HEAD,GET']);
  // Whose requests have to have a type, where anybody knows the method.
  assert.deepEqual(await foreign('/ws/things/a', 'QUERY'), [405, 'OPTIONS,HEAD,GET']);
  assert.deepEqual(await foreign('/ws/other'), [404, undefined]);
  assert.equal((await service.inject({ url: '/ws/crash' })).statusCode, 500);
});

test('no header holds what none may: addresses are escaped, control characters are refused', async () => {
  const lead = async (to: string) => {
    const { statusCode, headers } = await service.inject({ url: `/ws/lead/${to}` });
    return [statusCode, headers['location']];
  };
  assert.deepEqual(await lead('a%C3%A9%F0%9F%A7%B5'), [307, 'http://h/a%C3%A9%F0%9F%A7%B5']);
  for (const to of ['%00', 'a%0d%0aX-Y:z', '%7f', '%0a']) assert.deepEqual(await lead(to), [400, undefined], to);
  for (const name of ['%01', '%0d%0aX-Y:z', '%F0%9F%A7%B5']) {
    const answer = await service.inject({ url: `/ws/name/${name}` });
    assert.equal(answer.statusCode, 400);
    assert.equal(answer.json().RemoteException.message, 'The header x-name of the answer would hold a character that no header may.');
  }
  // A cookie names the caller; so does a header of the same answer.
  for (const user of ['%00', '%0a', '%F0%9F%A7%B5', '%7f']) {
    const answer = await service.inject({ url: `/ws/things/a?user.name=${user}` });
    assert.ok(answer.statusCode < 500, `${user}: ${answer.statusCode}`);
  }
});

test('types that cannot be read are a bad request once it is known who calls and where', async () => {
  const ask = async (headers: Record<string, string>, method: 'GET' | 'POST' | 'OPTIONS' = 'GET', url = '/ws/things/a') => {
    const answer = await service.inject({ url, method, headers, ...(method === 'POST' ? { payload: '{}' } : {}) });
    return [answer.statusCode, answer.headers['content-type'] ?? '', answer.body === ''];
  };
  const page = 'text/html;charset=iso-8859-1';
  for (const accept of [',application/xml', 'application/xml;q=x', 'a b']) assert.deepEqual(await ask({ accept }), [400, '', true], accept);
  for (const quality of ['1.5', '-1'])
    assert.deepEqual(await ask({ accept: `application/json;q=${quality}` }), [400, 'application/json', false]);
  assert.deepEqual(await ask({ accept: ',' }, 'OPTIONS'), [400, '', true]);
  for (const type of ['', 'garbage']) {
    assert.deepEqual(await ask({ 'content-type': type }), [400, page, false], `GET ${type}`);
    assert.deepEqual(await ask({ 'content-type': type }, 'POST', '/ws/things'), [400, page, false], `POST ${type}`);
  }
  assert.equal((await ask({ accept: ',' }, 'GET', '/ws/none'))[0], 404);
});

test('OPTIONS describes, HEAD has no body, gzip is given to those who ask', async () => {
  const options = await service.inject({ url: '/ws/things', method: 'OPTIONS' });
  assert.deepEqual(
    [options.statusCode, options.headers['allow'], options.headers['content-type']],
    [200, 'OPTIONS,HEAD,POST,GET', 'application/vnd.sun.wadl+xml;charset=utf-8'],
  );
  const kinds: Record<string, [number, string]> = {
    'application/xml': [200, 'application/xml;charset=utf-8'],
    'application/*': [200, 'application/vnd.sun.wadl+xml;charset=utf-8'],
    'application/json, */*;q=0.1': [200, 'application/vnd.sun.wadl+xml;charset=utf-8'],
    'application/json': [204, 'text/plain;charset=utf-8'],
    'text/html': [204, 'text/plain;charset=utf-8'],
    none: [204, 'text/plain;charset=utf-8'],
  };
  for (const [accept, [status, type]] of Object.entries(kinds)) {
    const { statusCode, headers, body } = await service.inject({ url: '/ws/things', method: 'OPTIONS', headers: { accept } });
    assert.deepEqual([statusCode, headers['content-type'], headers.allow], [status, type, 'OPTIONS,HEAD,POST,GET'], accept);
    assert.equal(body === '', status === 204);
  }
  assert.equal((await service.inject({ url: '/ws/things/a', method: 'HEAD' })).body, '');
  const zipped = await service.inject({ url: '/ws/things/a', headers: { 'accept-encoding': 'GZip' } });
  assert.equal(gunzipSync(zipped.rawPayload).toString(), '{"thing":{"name":"a for dr.who","count":1}}');
  assert.equal((await service.inject({ url: '/ws/things' })).body, '{"a":1}');
  // Hadoop's interfaces compress for whoever names gzip, its pages never; pages here follow what was said of it.
  const encodingOf = async (url: string, wanted: string) =>
    (await service.inject({ url, headers: { 'accept-encoding': wanted } })).headers['content-encoding'];
  assert.equal(await encodingOf('/ws/things/a', 'gzip;q=0'), 'gzip');
  for (const wanted of ['gzip;q=0', 'br, gzip; q=0.0, deflate']) assert.equal(await encodingOf('/nothing', wanted), undefined, wanted);
  for (const wanted of ['gzip', 'gzip;q=0.5', 'gzip;q=1, br;q=0']) assert.equal(await encodingOf('/nothing', wanted), 'gzip', wanted);
  const posted = await service.inject({
    url: '/ws/things',
    method: 'POST',
    payload: gzipSync('{"name":"b"}'),
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  });
  assert.equal(posted.body, '{"name":"b"}');
});

test('callers are known by name, cookie and proxy user', async () => {
  const named = await service.inject({ url: '/ws/things/a?user.name=ada@REALM' });
  assert.match(named.body, /a for ada"/);
  const cookie = String(named.headers['set-cookie']).split(';')[0]!;
  assert.match(cookie, /^hadoop.auth="u=ada@REALM&p=ada@REALM&t=simple-dt&e=\d+&s=/);
  assert.match((await service.inject({ url: '/ws/things/a?user.name=bob', headers: { cookie } })).body, /a for ada"/);
  assert.match((await service.inject({ url: '/ws/things/a', headers: { cookie: cookie.replace('ada', 'eve') } })).body, /a for dr.who"/);
  assert.match((await service.inject({ url: '/ws/things/a?user.name=root&DoAs=bob' })).body, /a for bob"/);
  assert.equal((await service.inject({ url: '/ws/things/a?user.name=bob&doAs=ada' })).statusCode, 403);
  assert.equal((await service.inject({ url: '/ws/things/a?user.name=' })).statusCode, 400);
});
