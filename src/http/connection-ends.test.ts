import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Authenticator } from '../auth/authenticator.ts';
import { Changes } from '../lib/changes.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { failure } from '../model/errors.ts';
import { stream, text } from './answers.ts';
import { awaitedAnswer } from './awaited-answer.ts';
import { serverEnd, throwAtServerEnd } from './open-calls.ts';
import { profiles } from './profiles.ts';
import { createService } from './service.ts';

const authenticator: Authenticator = {
  identify: ({ remoteAddress }) => ({
    caller: { user: 'ada', principal: 'ada', anonymous: false, authentication: 'simple', remoteAddress },
  }),
};

const aService = () =>
  createService({ name: 'test', profile: profiles.resourceManager, address: '127.0.0.1:0', authenticator, logger: silentLogger });

test('a connection whose request wanted another protocol is answered once, and closed', async () => {
  const service = aService();
  service.route({ method: 'GET', path: '/plain', handle: () => text(200, 'here') });
  const { port } = await service.listen();
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('GET /plain HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  assert.match(await textOf(socket), /^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*connection: close\r\n(?:.*\r\n)*\r\nhere$/i);
  await service.close();
});

test('a server that closes sends what it has answered just before', async () => {
  const service = aService();
  const asked = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  service.route({
    method: 'GET',
    path: '/over',
    handle: async () => {
      asked.resolve();
      await over.promise;
      return text(200, 'it is over');
    },
  });
  const { url } = await service.listen();
  const answer = fetch(`${url}/over`);
  await asked.promise;
  over.resolve();
  await service.close();
  assert.equal(await (await answer).text(), 'it is over');
});

/** Resolves when the signal fires. */
const fired = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort');
};

test('a server that closes answers who waits, and wants no more on their connections', async () => {
  const service = aService();
  const asked = Promise.withResolvers<void>();
  service.route({
    method: 'GET',
    path: '/waits',
    handle: async ({ signal }) => {
      asked.resolve();
      await fired(signal);
      // What is left to do takes some turns.
      for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate);
      return text(200, signal.reason === serverEnd ? 'this server ends' : 'the client left');
    },
  });
  const { url, port } = await service.listen();
  const answer = fetch(`${url}/waits`);
  await asked.promise;
  const closed = service.close();
  const refused = connect(port, '127.0.0.1');
  assert.equal((await once(refused, 'error'))[0].code, 'ECONNREFUSED');
  const { headers, status } = await answer;
  assert.deepEqual([status, headers.get('connection'), await (await answer).text()], [200, 'close', 'this server ends']);
  await closed;
});

test('one thing that is waited for is told as it is when the server closes, or that it is not known whether it comes', async () => {
  const service = aService();
  const [changes, clock] = [new Changes(), systemClock];
  let asked = 0;
  const both = Promise.withResolvers<void>();
  const looked = () => void (++asked === 2 && both.resolve());
  const absent = failure('JOB_NOT_FOUND', { id: 'job_1_1' });
  const things = { '/there': { isOver: false, value: () => ({ state: 'RUNNING' }) }, '/absent': { absent } };
  for (const [path, thing] of Object.entries(things))
    service.route({
      method: 'GET',
      path,
      produces: ['json'],
      handle: (call) =>
        awaitedAnswer(call, {
          ...{ name: path, changes, clock },
          read() {
            looked();
            return thing;
          },
        }),
    });
  const { url } = await service.listen();
  const answers = Object.keys(things).map((path) => fetch(`${url}${path}?wait=60000&until=end`));
  await both.promise;
  await service.close();
  const [there, away] = await Promise.all(answers);
  assert.deepEqual([there!.status, await there!.json()], [200, { state: 'RUNNING' }]);
  assert.deepEqual([away!.status, away!.headers.get('retry-after')], [503, '1']);
});

test('streams that wait end when the server closes: whole where more may come later, broken off where that would look like the end', async () => {
  const service = aService();
  const told = (path: string, end: (signal: AbortSignal) => void) =>
    service.route({
      method: 'GET',
      path,
      produces: 'any',
      gzip: false,
      handle: ({ signal }) =>
        stream(
          200,
          'text/plain',
          (async function* () {
            yield 'first\n';
            await fired(signal);
            end(signal);
            yield 'last\n';
          })(),
        ),
    });
  told('/events', () => undefined);
  told('/follow', throwAtServerEnd);
  const { url } = await service.listen();
  const [events, follow] = await Promise.all(['/events', '/follow'].map((path) => fetch(`${url}${path}`)));
  const closed = service.close();
  assert.equal(await events!.text(), 'first\nlast\n');
  await assert.rejects(follow!.text());
  await closed;
});

test('a server that closes ends web sockets that nobody else ends, and does not wait for what never answers', async () => {
  const service = aService();
  const taken = Promise.withResolvers<void>();
  service.upgrade({
    path: '/socket',
    authentication: 'none',
    handle(_upgrade, socket) {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello');
    },
  });
  service.route({
    method: 'GET',
    path: '/never',
    handle() {
      taken.resolve();
      return new Promise(() => undefined);
    },
  });
  const { url, port } = await service.listen();
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  await once(socket, 'readable');
  const never = assert.rejects(fetch(`${url}/never`));
  await taken.promise;
  await service.close();
  await never;
  assert.match(await textOf(socket), /hello$/);
});
