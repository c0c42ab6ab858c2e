// What the pages ask and hear, without a browser.
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { QueryClient } from '@tanstack/react-query';
import { otherServer, serverAddress } from './base.ts';
import { ApiFailure, change, getJson, queryText, setCrossSiteHeader } from './http.ts';
import { followEvents, touchedBy } from './live.ts';
import { isLive, liveState } from './live-state.ts';

const { fetch: realFetch, EventSource: realSource } = globalThis;
afterEach(() => Object.assign(globalThis, { fetch: realFetch, EventSource: realSource, document: undefined }));

/** Answers every request; what was asked is kept. */
function answering(answer: () => Response): { readonly url: string; readonly init: RequestInit }[] {
  const asked: { url: string; init: RequestInit }[] = [];
  globalThis.fetch = (async (url: string, init: RequestInit) => {
    asked.push({ url, init });
    return answer();
  }) as typeof fetch;
  return asked;
}

describe('requests of the pages', () => {
  it('go to where the scripts came from, two folders up', () => {
    const here = new URL('../../', new URL('./base.ts', import.meta.url)).href;
    assert.equal(serverAddress('/ws/v1/cluster'), `${here}ws/v1/cluster`);
    assert.equal(serverAddress('api/v1/events?from=now'), `${here}api/v1/events?from=now`);
  });

  it('reach other servers by the host that the browser knows, where their own name is this machine', () => {
    const here = { hostname: 'gateway.example.org' };
    assert.equal(otherServer('http://127.0.0.1:8042', here), 'http://gateway.example.org:8042');
    assert.equal(otherServer('https://0.0.0.0:8090/', here), 'https://gateway.example.org:8090');
    assert.equal(otherServer('http://node7:8042', here), 'http://node7:8042');
    assert.equal(otherServer('N/A', here), 'N/A');
  });

  it('that change something carry what other sites cannot send', async () => {
    const asked = answering(() => new Response('{"state":"KILLED"}'));
    setCrossSiteHeader('X-Ours');
    assert.deepEqual(await change('PUT', 'ws/v1/cluster/apps/a/state', { state: 'KILLED' }), { state: 'KILLED' });
    const headers = asked[0]?.init.headers as Record<string, string>;
    assert.equal(headers['X-Ours'], 'heddle');
    assert.equal(headers['x-requested-by'], 'heddle');
    assert.equal(asked[0]?.init.body, '{"state":"KILLED"}');
    setCrossSiteHeader('X-XSRF-Header');
  });

  it('fail with the words of the server, in either form of its errors', async () => {
    const failed = async (body: string, status = 400) => {
      answering(() => new Response(body, { status, statusText: 'Bad Request' }));
      return getJson('x').then(
        () => assert.fail(),
        (error: ApiFailure) => [error.status, error.code, error.message],
      );
    };
    assert.deepEqual(await failed('{"RemoteException":{"exception":"NotFoundException","message":"no app"}}', 404), [
      404,
      'NotFoundException',
      'no app',
    ]);
    assert.deepEqual(await failed('{"exception":"BadRequestException","message":"no"}'), [400, 'BadRequestException', 'no']);
    assert.deepEqual(await failed('<html>no</html>'), [400, '', 'The server answered 400 Bad Request.']);
    assert.deepEqual(await failed('plain words'), [400, '', 'plain words']);
    globalThis.fetch = async () => {
      throw new TypeError('refused');
    };
    await assert.rejects(getJson('x'), (error) => error instanceof ApiFailure && error.status === 0);
  });

  it('take numbers that are none, which stand bare, as 0', async () => {
    answering(() => new Response('{"capacity":NaN,"most":-Infinity,"name":"NaN, \\"NaN"}'));
    assert.deepEqual(await getJson('ws/v1/cluster/scheduler'), { capacity: 0, most: 0, name: 'NaN, "NaN' });
    answering(() => new Response('NaN of nothing'));
    await assert.rejects(getJson('ws/v1/cluster/scheduler'), SyntaxError);
  });

  it('follow no master that has ended to another server', async () => {
    const asked = answering(() => Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' }));
    await assert.rejects(getJson('proxy/application_1_0001/ws/v1/mapreduce/jobs'), (error) => (error as ApiFailure).code === 'Moved');
    assert.equal(asked[0]?.init.redirect, 'manual');
  });

  it('leave out of their query what is empty', () => {
    assert.equal(queryText({ a: '', b: undefined, c: 0, d: 'x y' }), '?c=0&d=x+y');
    assert.equal(queryText({ a: undefined }), '');
  });
});

class Source extends EventTarget {
  static readonly CLOSED = 2;
  static last: Source;
  readyState = 0;
  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
    Source.last = this;
  }

  close(): void {
    this.readyState = Source.CLOSED;
  }
}

/** What a page is shown in. */
class Shown extends EventTarget {
  visibilityState = 'visible';

  turn(state: 'visible' | 'hidden'): void {
    this.visibilityState = state;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

describe('events', () => {
  it('name what of the cache they make old', () => {
    assert.ok(touchedBy('application.created').includes('applications'));
    assert.ok(touchedBy('container.finished').includes('nodes'));
    assert.ok(!touchedBy('node.state').includes('applications'));
    // A list says of an application whose master got its container that it starts.
    assert.deepEqual(
      [false, true].map((isMaster) => touchedBy('container.created', isMaster).includes('applications')),
      [false, true],
    );
  });

  it('make a burst one refresh, of the applications that they name and of lists that nobody scrolls through', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    Object.assign(globalThis, { EventSource: Source, document: new Shown() });
    const client = new QueryClient();
    client.setQueryData(['application', 'a', 'report'], {});
    client.setQueryData(['application', 'b', 'report'], {});
    client.setQueryData(['applications', 'short'], { pages: [1] });
    client.setQueryData(['applications', 'long'], { pages: [1, 2, 3, 4] });
    client.setQueryData(['settings'], {});
    const stop = followEvents(client);
    Source.last.dispatchEvent(new Event('open'));
    assert.ok(isLive());
    const isOld = (...key: string[]) => client.getQueryState(key)?.isInvalidated;
    const told = (isMaster: boolean) =>
      Source.last.dispatchEvent(new MessageEvent('container.created', { data: JSON.stringify({ applicationId: 'c', isMaster }) }));
    told(false);
    test.mock.timers.tick(1000);
    assert.equal(isOld('applications', 'short'), false);
    told(true);
    test.mock.timers.tick(1000);
    assert.equal(isOld('applications', 'short'), true);
    client.setQueryData(['applications', 'short'], { pages: [1] });
    for (let count = 0; count < 3; count++)
      Source.last.dispatchEvent(new MessageEvent('application.state', { data: '{"applicationId":"a"}' }));
    assert.equal(isOld('application', 'a', 'report'), false);
    test.mock.timers.tick(1000);
    assert.equal(isOld('application', 'a', 'report'), true);
    assert.equal(isOld('application', 'b', 'report'), false);
    assert.equal(isOld('applications', 'short'), true);
    assert.equal(isOld('applications', 'long'), false);
    assert.equal(isOld('settings'), false);
    Source.last.dispatchEvent(new Event('gap'));
    assert.equal(isOld('settings'), true);
    stop();
    assert.equal(Source.last.readyState, Source.CLOSED);
    client.clear();
  });

  it('that are cut for a moment are as before, for longer are lost, and answered by something else are asked for anew', (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    Object.assign(globalThis, { EventSource: Source, document: new Shown() });
    const client = new QueryClient();
    client.setQueryData(['settings'], {});
    const stop = followEvents(client);
    const first = Source.last;
    first.dispatchEvent(new Event('open'));
    first.dispatchEvent(new Event('error'));
    test.mock.timers.tick(2000);
    first.dispatchEvent(new Event('open'));
    test.mock.timers.tick(20_000);
    assert.equal(liveState(), 'live');
    for (let tries = 0; tries < 4; tries++) {
      first.dispatchEvent(new Event('error'));
      test.mock.timers.tick(1000);
    }
    assert.equal(liveState(), 'lost');
    // A proxy says that its server is away.
    first.readyState = Source.CLOSED;
    first.dispatchEvent(new Event('error'));
    assert.equal(liveState(), 'polling');
    test.mock.timers.tick(10_000);
    assert.notEqual(Source.last, first);
    assert.equal(client.getQueryState(['settings'])?.isInvalidated, false);
    Source.last.dispatchEvent(new Event('open'));
    assert.deepEqual([liveState(), client.getQueryState(['settings'])?.isInvalidated], ['live', true]);
    stop();
    client.clear();
  });

  it('are heard by windows that somebody looks at', (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const shown = new Shown();
    shown.visibilityState = 'hidden';
    Object.assign(globalThis, { EventSource: Source, document: shown });
    const client = new QueryClient();
    client.setQueryData(['settings'], {});
    const before = Source.last;
    const stop = followEvents(client);
    assert.equal(Source.last, before, 'one that was opened behind another takes no connection');
    shown.turn('visible');
    const first = Source.last;
    assert.notEqual(first, before);
    first.dispatchEvent(new Event('open'));
    shown.turn('hidden');
    test.mock.timers.tick(4000);
    shown.turn('visible');
    test.mock.timers.tick(20_000);
    assert.deepEqual([Source.last, first.readyState, liveState()], [first, 0, 'live']);
    shown.turn('hidden');
    test.mock.timers.tick(5000);
    assert.equal(first.readyState, Source.CLOSED);
    client.setQueryData(['settings'], {});
    shown.turn('visible');
    assert.notEqual(Source.last, first);
    Source.last.dispatchEvent(new Event('open'));
    assert.deepEqual([liveState(), client.getQueryState(['settings'])?.isInvalidated], ['live', true]);
    stop();
    assert.equal(Source.last.readyState, Source.CLOSED);
    client.clear();
  });
});
