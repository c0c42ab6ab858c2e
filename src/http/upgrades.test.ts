import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { composeAuthenticator } from '../auth/composition.ts';
import { CookieSigner } from '../auth/signer.ts';
import { anonymousCaller, simpleProof } from '../auth/simple.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { profiles } from './profiles.ts';
import { createService } from './service.ts';

it('an upgrade carries no operation on tokens out', async () => {
  const asked: string[] = [];
  const cookies = { signer: new CookieSigner(Buffer.alloc(32, 1)), clock: systemClock, cookieType: 'simple-dt' } as const;
  const composed = composeAuthenticator({ proofs: [simpleProof(cookies)], nobody: anonymousCaller('dr.who'), mayImpersonate: () => false });
  const service = createService({
    ...{ name: 'test', profile: profiles.resourceManager, address: '127.0.0.1:0', logger: silentLogger },
    authenticator: {
      identify(request) {
        asked.push(`${request.query('user.name')} ${request.query('op')}`);
        return composed.identify(request);
      },
    },
  });
  service.upgrade({
    path: '/shell',
    authentication: 'required',
    handle: ({ user }, socket) => void socket.end(`HTTP/1.1 101 ${user}\r\n\r\n`),
  });
  const { port } = await service.listen();
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const target = '/shell?user.name=ann&op=GETDELEGATIONTOKEN&renewer=ann';
  socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
  assert.match(await text(socket), /^HTTP\/1\.1 101 ann\r\n/);
  assert.deepEqual(asked, ['ann undefined']);
  await service.close();
});
