import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Authenticator } from '../auth/authenticator.ts';
import { silentLogger } from '../lib/log.ts';
import { text } from './answers.ts';
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
