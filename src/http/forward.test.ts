import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer as listenPlainly, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import type { Authenticator } from '../auth/authenticator.ts';
import { proxyUserHeader, signedProxyUser, verifiedProxyUser } from '../auth/proxy-user.ts';
import { createProxyRoutes, redirectTarget } from './forward.ts';
import { ProxyTargets } from './forward-targets.ts';
import { HostNames } from './own-names.ts';
import { profiles } from './profiles.ts';
import type { ProxiedApplication } from './proxied-application.ts';
import { createService, type Service } from './service.ts';

const authenticator: Authenticator = {
  identify: (request) => ({
    caller: {
      user: request.query('user.name') ?? 'dr.who',
      principal: undefined,
      anonymous: true,
      authentication: 'simple',
      remoteAddress: request.remoteAddress,
    },
  }),
};
const hosts = ['127.0.0.1'];
const ownPort = 8042;
const page = (id: string) => `http://rm.example/cluster/app/${id}`;

const theirs = [
  'hadoop.auth=stolen',
  'hadoop.auth =stolen',
  'HADOOP.AUTH=x; Path=/',
  '__Host-x=1; Path=/',
  'proxy-user=x',
  'checked_y=true',
  'nameless',
  '=z',
];
const dangerous: Record<string, string> = {
  'x-own': 'y',
  'service-worker-allowed': '/',
  'clear-site-data': '"*"',
  'strict-transport-security': 'max-age=1',
  'x-frame-options': 'ALLOWALL',
  refresh: '0; url=http://evil.example',
  'access-control-allow-origin': '*',
  'www-authenticate': 'Basic realm="cluster"',
  'x-accel-redirect': '/etc/passwd',
  'alt-svc': 'h2="evil.example:443"',
  link: '<x>; rel=preload',
};

describe('the web proxy', () => {
  const applications = new Map<string, ProxiedApplication>();
  /** What was logged. */
  const told: string[] = [];
  const seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
  let service: Service;
  let listening: ReturnType<Service['listen']>;
  let stranger: Service;
  let master: Server;

  before(async () => {
    master = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      seen.push({ method: request.method!, url: request.url!, headers: request.headers, body });
      if (request.url?.startsWith('/ui/moved')) response.writeHead(302, { location: '/ui/there' }).end();
      else if (request.url?.startsWith('/ui/away'))
        response.writeHead(302, { location: new URL(request.url, 'http://x').searchParams.get('to') ?? '' }).end();
      else if (request.url?.startsWith('/ui/none')) response.writeHead(204).end();
      else
        response
          .writeHead(201, { 'content-type': 'text/x', 'set-cookie': ['a=1; Path=/', ...theirs], ...dangerous, etag: '"e"' })
          .end(`hello ${request.url}`);
    });
    await new Promise<void>((done) => master.listen(0, '127.0.0.1', done));
    const target = `127.0.0.1:${(master.address() as AddressInfo).port}/ui?t=1#main`;
    applications.set('application_1_0001', {
      user: 'ada',
      ended: false,
      originalTrackingUrl: target,
      page: page('application_1_0001'),
      hosts,
    });
    applications.set('application_1_0002', {
      user: 'ada',
      ended: false,
      originalTrackingUrl: 'N/A',
      page: page('application_1_0002'),
      hosts,
    });
    applications.set('application_1_0003', { user: 'ada', ended: true, originalTrackingUrl: 'http://h.example/job/1', page: '', hosts });
    const build = (warnStrangers: boolean) => {
      const made = createService({
        name: 'proxy',
        profile: profiles.resourceManager,
        address: '127.0.0.1:0',
        authenticator,
        logger: pino({ level: 'error' }, { write: (line) => void told.push(line) }),
      });
      const options = {
        lookUp: (id: string) => applications.get(id),
        failurePage: (id: string) => `http://rm.example/cluster/failure/${id}`,
        ownUrls: () => ['http://own.example:8088'],
        warnStrangers,
        targets: new ProxyTargets({ allowedHosts: ['h.example'], ownPorts: () => [ownPort], ownHosts: new HostNames(['history.example']) }),
        sign: (id: string, user: string | undefined) => signedProxyUser('key', id, user, 0),
        sandboxed: !warnStrangers,
      };
      for (const route of createProxyRoutes({ ...options, scheme: 'http', httpsOnly: false, timeoutMs: 60_000 })) made.route(route);
      return made;
    };
    service = build(false);
    listening = service.listen();
    await listening;
    stranger = build(true);
  });
  after(async () => {
    await service.close();
    await stranger.close();
    master.close();
  });

  const ask = (path: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'HEAD' = 'GET', more: object = {}) =>
    service.inject({ url: path, method, ...more });

  it('relays any method with its body and keeps the tracking parameters first', async () => {
    const answer = await ask('/proxy/application_1_0001/a/b?x=y', 'POST', {
      payload: 'data',
      headers: { 'content-type': 'text/z', cookie: 'hadoop.auth=secret; b=2', 'x-request-id': 'trace-7' },
    });
    assert.equal(answer.statusCode, 201);
    assert.equal(answer.payload, 'hello /ui/a/b?t=1&x=y');
    assert.equal(answer.headers['content-type'], 'text/x;charset=utf-8');
    assert.equal(answer.headers['x-own'], undefined);
    assert.deepEqual(answer.headers['set-cookie'], ['a=1; Path=/proxy/application_1_0001']);
    const last = seen.at(-1)!;
    assert.deepEqual([last.method, last.body, last.headers['content-type']], ['POST', 'data', 'text/z']);
    assert.equal(last.headers.cookie, 'proxy-user=dr.who; b=2');
    assert.deepEqual([answer.headers['x-request-id'], last.headers['x-request-id']], ['trace-7', 'trace-7']);
  });
  it('follows redirects within the master and passes on those that lead away', async () => {
    assert.equal((await ask('/proxy/application_1_0001/moved')).payload, 'hello /ui/there');
    for (const to of ['http://h.example/x', 'https://history.example:19888/jobhistory', 'http://127.0.0.1:1/y']) {
      const away = await ask(`/proxy/application_1_0001/away?to=${to}`);
      assert.deepEqual([away.statusCode, away.headers.location], [302, to]);
    }
    const posted = await ask('/proxy/application_1_0001/moved', 'POST', { payload: 'x' });
    assert.deepEqual([posted.statusCode, posted.headers.location], [302, '/proxy/application_1_0001/there']);
    assert.equal((await ask('/proxy/application_1_0001/none')).statusCode, 204);
  });
  it('leads who came through a gateway to pages of its own server by the address that was asked', async () => {
    const known = applications.get('application_1_0002')!;
    applications.set('application_1_0002', { ...known, page: 'http://own.example:8088/cluster/app/application_1_0002' });
    const own = await ask('/proxy/application_1_0002/', 'GET', { headers: { host: 'localhost:80' } });
    assert.equal(own.headers.location, 'http://own.example:8088/cluster/app/application_1_0002');
    const headers = { host: 'localhost:80', 'x-forwarded-host': 'heddle.example' };
    const led = await ask('/proxy/application_1_0002/', 'GET', { headers });
    applications.set('application_1_0002', known);
    assert.equal(led.headers.location, 'http://localhost:80/cluster/app/application_1_0002');
  });
  it('sends visitors of unregistered and ended applications elsewhere', async () => {
    assert.equal((await ask('/proxy/application_1_2/a?b=c')).headers.location, page('application_1_0002'));
    assert.equal((await ask('/proxy/application_1_0003/a%2Fb%20c?c=d&e=%20f')).headers.location, 'http://h.example/job/1/a/b%20c?c=d&e=+f');
    const ended: [asked: string, led: string][] = [
      [';a=b', ''],
      ['/a;b=c/d;e?f=g;h=i&=j', '/a/d?f=g&h=i'],
      ['/a%252Fb%5Cc%7Cd%0Ae%22', '/a%2Fb%5Cc%7Cd%0Ae%22'],
      ["/a'(b)*!~$&+,:=@%3Bc", "/a'(b)*!~$&+,:=@;c"],
    ];
    for (const [asked, led] of ended)
      assert.equal((await ask(`/proxy/application_1_0003${asked}`)).headers.location, `http://h.example/job/1${led}`);
  });
  it('refuses queries that it cannot read where it would write them anew, and leaves them to masters', async () => {
    for (const query of ['%', 'a=%zz', 'a=%ff', 'a=%E'])
      for (const asked of ['application_1_0002', 'application_1_0003/a', 'application_1_0099', 'redirect/application_1_0001', 'x']) {
        const answer = await ask(`/proxy/${asked}?${query}`, 'GET', { headers: { accept: 'application/json' } });
        assert.equal(answer.statusCode, 400, `${asked} ${query}`);
        assert.deepEqual([JSON.parse(answer.payload).servlet, JSON.parse(answer.payload).message], ['proxy', 'Unable to parse URI query']);
      }
    assert.equal((await ask('/proxy/application_1_0001/a?b=%zz')).payload, 'hello /ui/a?t=1&b=%zz');
  });
  it('finds applications with blanks around the parts of their ids, and asks masters for paths without empty parts', async () => {
    assert.equal((await ask('/proxy/%20application_1_%200002%20')).headers.location, page('application_1_0002'));
    assert.equal((await ask('/proxy/application_1_0001/a//b///')).payload, 'hello /ui/a/b/?t=1');
  });
  it('refuses methods in the form that the caller takes', async () => {
    const json = { headers: { accept: 'application/json' } };
    const refused = await ask('/proxy/x', 'POST', json);
    assert.equal(refused.headers['content-type'], 'application/json');
    assert.deepEqual(JSON.parse(refused.payload), {
      servlet: 'proxy',
      message: 'HTTP method POST is not supported by this URL',
      url: '/proxy/x',
      status: '405',
    });
    assert.equal((await service.inject({ url: '/proxy/x', method: 'PATCH' })).statusCode, 405);
  });
  it('answers malformed paths, unknown applications and loops', async () => {
    assert.equal((await ask('/proxy')).statusCode, 404);
    assert.equal((await ask('/proxy/redirect')).statusCode, 404);
    for (const path of ['/proxy/', '/proxy/x', '/proxy//application_1_0001', '/proxy/application_1', '/proxy/application_1_1more']) {
      assert.equal((await ask(path)).statusCode, 400, path);
    }
    const unknown = await ask('/proxy/application_9_0009_x/a');
    assert.equal(unknown.statusCode, 404);
    assert.match(unknown.payload, /Application application_9_0009_x could not be found in RM or history server/);
    assert.equal((await ask('/proxy/application_9_0009', 'HEAD')).statusCode, 404);
    assert.equal((await ask('/proxy/application_9_0009', 'POST')).statusCode, 405);
    assert.equal((await ask('/proxy/application_9_0009', 'DELETE')).headers['content-type'], undefined);
    assert.equal((await ask('/proxy/application_9_0009', 'OPTIONS')).headers.allow, 'GET, HEAD, PUT, TRACE, OPTIONS');
    assert.equal((await ask('/proxy/redirect/application_9_9')).headers.location, 'http://rm.example/cluster/failure/application_9_9');
    assert.equal((await ask('/proxy/redirect/application_9_9', 'DELETE')).statusCode, 405);
  });
  it('answers browsers with pages, and leaves parameters of paths to the master', async () => {
    const broken = await ask('/proxy/x', 'GET', { headers: { accept: 'text/html,application/xml;q=0.9,*/*;q=0.8' } });
    assert.deepEqual([broken.statusCode, broken.headers['content-type']], [400, 'text/html;charset=utf-8']);
    assert.match(broken.payload, /Error parsing application ID: x/);
    assert.equal((await ask('/proxy/application_1_0001/a;b=c/d')).payload, 'hello /ui/a;b=c/d?t=1');
    assert.equal((await ask('/proxy/application_1_0001/a?x=%41&d%65legation=secret&y')).payload, 'hello /ui/a?t=1&x=%41&y');
  });
  it('ends an id at an escaped slash, and refuses what only masters take before it looks for one', async () => {
    assert.equal((await ask('/proxy/application_1_0001%2Fa%20b/c')).payload, 'hello /ui/a%20b/c?t=1');
    assert.equal((await ask('/proxy/x', 'POST')).statusCode, 405);
  });
  it('takes nothing from a master that would speak for the whole site', async () => {
    const { headers } = await ask('/proxy/application_1_0001/a');
    assert.deepEqual(headers['set-cookie'], ['a=1; Path=/proxy/application_1_0001']);
    for (const name of Object.keys(dangerous)) assert.notEqual(headers[name], dangerous[name], name);
    assert.equal(headers['x-frame-options'], 'SAMEORIGIN');
    assert.equal(headers['etag'], '"e"');
    assert.match(String(headers['content-security-policy']), /^sandbox .*allow-scripts$/);
    assert.doesNotMatch(String(headers['content-security-policy']), /allow-same-origin/);
    const apart = await stranger.inject({ url: '/proxy/application_1_0001/a?user.name=ada' });
    assert.equal(String(apart.headers['content-security-policy']), "frame-ancestors 'self'");
    const worker = await ask('/proxy/application_1_0001/worker.js', 'GET', { headers: { 'service-worker': 'script' } });
    assert.equal(worker.statusCode, 403);
  });
  it('names the visitor, and lets nobody else name one', async () => {
    const forged = [
      'proxy-user =ann',
      'proxy-user=ann',
      ' PROXY-USER=ann',
      '"proxy-user"=ann',
      'proxy-user\u00a0=ann',
      'checked_x=1; hadoop.auth=z; heddle-session=y',
      'nothing',
      '=ann',
    ];
    const given = { cookie: [...forged, 'own=1'].join('; '), [proxyUserHeader]: signedProxyUser('other', 'application_1_0001', 'ann', 0) };
    await ask('/proxy/application_1_0001/a?user.name=eve', 'GET', { headers: given });
    const { headers } = seen.at(-1)!;
    assert.equal(headers.cookie, 'proxy-user=eve; own=1');
    assert.equal(headers['heddle-proxied'], '1');
    assert.equal(verifiedProxyUser(String(headers[proxyUserHeader]), 'key', 'application_1_0001', 1000), 'eve');
  });
  it('goes to the hosts of the application alone, and to no server of the cluster', async () => {
    const status = async (originalTrackingUrl: string) => {
      applications.set('application_1_0005', { user: 'eve', ended: false, originalTrackingUrl, page: '', hosts, nodePorts: [45454] });
      const before = seen.length;
      const answer = await ask('/proxy/application_1_0005/');
      assert.equal(seen.length, before);
      return answer.statusCode;
    };
    for (const url of [
      'http://169.254.169.254/',
      'http://192.0.2.1:80/',
      'http://[2001:db8::1]/',
      `http://127.0.0.1:${ownPort}/ws/v1/node`,
    ])
      assert.equal(await status(url), 403, url);
    for (const url of [
      'http://localhost:45454/',
      `http://0x7f000001:${ownPort}/`,
      `http://user:pass@[::1]:${ownPort}/`,
      `http://2130706433:${ownPort}/`,
    ])
      assert.equal(await status(url), 403, url);
  });
  it('leads no loop: what was proxied is refused by every server but a master', async () => {
    const url = `http://127.0.0.1:${new URL((await listening).url).port}/proxy/application_1_0006/`;
    applications.set('application_1_0006', { user: 'eve', ended: false, originalTrackingUrl: url, page: '', hosts });
    const answer = await fetch(url);
    assert.deepEqual([answer.status, /sent this request for a user/.test(await answer.text())], [400, true]);
  });
  it('sends visitors to no other place that a master names', async () => {
    for (const to of [
      'http://elsewhere.example/x',
      '//evil.example/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'http://user@h.example/',
      'data:text/html,x',
      'http://',
    ]) {
      const away = await ask(`/proxy/application_1_0001/away?to=${encodeURIComponent(to)}`);
      assert.deepEqual([away.statusCode, away.headers.location], [403, undefined], to);
    }
    applications.set('application_1_0007', { user: 'eve', ended: true, originalTrackingUrl: 'http://evil.example/x', page: '', hosts });
    const ended = await ask('/proxy/application_1_0007/a?b=c&delegation=secret');
    assert.deepEqual([ended.statusCode, ended.headers.location], [200, undefined]);
    assert.match(ended.payload, /<a href="http:\/\/evil\.example\/x\/a\?b=c" rel="noreferrer">/);
  });
  it('says 502 where the master does not answer', async () => {
    applications.set('application_1_0004', { user: 'ada', ended: false, originalTrackingUrl: 'http://127.0.0.1:1/', page: '', hosts });
    const { statusCode, payload } = await ask('/proxy/application_1_0004/');
    assert.deepEqual([statusCode, payload.includes('does not answer: nothing listens there')], [502, true], payload);
  });
  it('says in words what is wrong with an answer that cannot be passed on', async () => {
    for (const [said, reason] of [
      ['\0\0garbage', 'what it says is no answer of HTTP'],
      [`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(2_000_000)}\r\n\r\n`, 'the headers of its answer are too long'],
      [
        'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!',
        /its answer has another length than it says|no answer of HTTP/,
      ],
      ['', 'it closed the connection'],
    ] as const) {
      const master = listenPlainly((socket) => socket.on('error', () => undefined).once('data', () => socket.end(said)));
      await new Promise<void>((done) => master.listen(0, '127.0.0.1', done));
      const originalTrackingUrl = `http://127.0.0.1:${(master.address() as AddressInfo).port}/`;
      applications.set('application_1_0008', { user: 'ada', ended: false, originalTrackingUrl, page: '', hosts });
      const { statusCode, payload } = await ask('/proxy/application_1_0008/');
      master.close();
      assert.equal(statusCode, 502);
      assert.match(payload, new RegExp(`does not answer: (?:${typeof reason === 'string' ? reason : reason.source})`), payload);
    }
  });
  it('takes a visitor who goes away before the master answers for no fault of its own', async () => {
    const arrived = Promise.withResolvers<Socket>();
    const master = listenPlainly((socket) => socket.on('error', () => undefined).once('data', () => arrived.resolve(socket)));
    await new Promise<void>((done) => master.listen(0, '127.0.0.1', done));
    const originalTrackingUrl = `http://127.0.0.1:${(master.address() as AddressInfo).port}/`;
    applications.set('application_1_0009', { user: 'ada', ended: false, originalTrackingUrl, page: '', hosts });
    const visitor = get(`${(await listening).url}/proxy/application_1_0009/`).on('error', () => undefined);
    const asked = await arrived.promise;
    visitor.destroy();
    await once(asked, 'close');
    master.close();
    // Whoever comes next is served after what the proxy has to say of the visit.
    assert.equal((await ask('/proxy/application_1_0001/a')).statusCode, 201);
    assert.deepEqual(
      told.filter((line) => line.includes('a request failed inside the server')),
      [],
    );
  });
  it('warns strangers until they approve', async () => {
    const url = '/proxy/application_1_0001/a?user.name=bob';
    const first = await stranger.inject({ url });
    assert.match(first.payload, /WARNING: The following page may not be safe!/);
    assert.match(String(first.headers['set-cookie']), /^checked_application_1_0001=false; /);
    assert.match((await stranger.inject({ url: `${url}&proxyapproved=true` })).payload, /WARNING/);
    const approved = await stranger.inject({ url: `${url}&proxyapproved=true`, headers: { cookie: 'checked_application_1_0001=false' } });
    assert.equal(approved.statusCode, 201);
    assert.match((await stranger.inject({ url: '/proxy/application_1_0001/a?user.name=ada' })).payload, /^hello/);
  });
  it('joins tracking URL, rest and parameters', () => {
    const tracking = new URL('http://host:1/foo/bar?a=b#main');
    assert.equal(
      redirectTarget(tracking, 'test/tez', [
        ['x', 'y'],
        ['h', 'p'],
      ]),
      'http://host:1/foo/bar/test/tez?a=b&x=y&h=p#main',
    );
    const of = (value: string) => redirectTarget(new URL('http://host:1/'), undefined, [['x', value]]).slice('http://host:1/?x='.length);
    assert.equal(of('/b/c d?e:f@g,h;i$'), '/b/c+d?e:f@g,h;i$');
    assert.equal(of('a&b=c+d#e'), 'a%26b%3Dc%2Bd%23e');
    assert.equal(of('%2F 100%'), '%2F+100%25');
  });
});
