import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { AuthenticationRequest } from './authenticator.ts';
import { composeAuthenticator } from './composition.ts';
import { LocalUsers, type LocalUsersOptions, userIdsOf } from './local-users.ts';
import { anonymousCaller, simpleProof } from './simple.ts';

const stranger = 61_666;

describe('another user of the machine', () => {
  const server = createServer();
  let socket: Socket;
  let client: Socket;
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    client = connect((server.address() as { port: number }).port, '127.0.0.1');
    [socket] = await accepted;
  });
  after(() => {
    client.destroy();
    socket.destroy();
    server.close();
  });

  const asked: string[] = [];
  /** Who a request on the connection is, when the kernel says `userId`. */
  const identify = (userId: number | undefined | Error, query: Record<string, string>, options: Partial<LocalUsersOptions> = {}) => {
    const users = new LocalUsers({
      trusted: new Set([0, process.geteuid?.() ?? 0]),
      peers: {
        userIdOf: async () => {
          asked.push('kernel');
          if (userId instanceof Error) throw userId;
          return userId;
        },
      },
      ...options,
    });
    const proofs = [
      users.believed(simpleProof({ cookieType: undefined } as never)),
      (request: AuthenticationRequest) =>
        request.query('token') === undefined
          ? undefined
          : ({
              caller: { user: 'ann', principal: 'ann', anonymous: false, authentication: 'token', remoteAddress: '' },
            } as const),
    ];
    const authenticator = users.before(composeAuthenticator({ proofs, nobody: users.believed(anonymousCaller('dr.who')) }));
    const request = (more: Partial<AuthenticationRequest> = {}): AuthenticationRequest => ({
      method: 'GET',
      path: '/',
      query: (name) => query[name],
      headers: {},
      remoteAddress: '127.0.0.1',
      socket,
      ...more,
    });
    return {
      authenticator,
      request,
      of: async (more?: Partial<AuthenticationRequest>) => told(await authenticator.identify(request(more))),
    };
  };
  const told = (identity: Awaited<ReturnType<ReturnType<typeof composeAuthenticator>['identify']>>) =>
    'caller' in identity ? identity.caller.user : 'refusal' in identity ? identity.refusal.code : identity;

  it('is refused by every name and by none, unless it has a proof', async () => {
    assert.equal(await identify(stranger, { 'user.name': 'ann' }).of(), 'LOCAL_USER_UNTRUSTED');
    assert.equal(await identify(stranger, {}).of(), 'LOCAL_USER_UNTRUSTED');
    assert.equal(await identify(stranger, { token: 'x' }).of(), 'ann');
  });
  it('is refused where the kernel does not tell it, or cannot be asked', async () => {
    assert.equal(await identify(undefined, { 'user.name': 'ann' }).of(), 'LOCAL_USER_UNTRUSTED');
    assert.equal(await identify(new Error('EACCES'), { 'user.name': 'ann' }).of(), 'LOCAL_USER_UNTRUSTED');
  });
  it('is served when it is root, this very user, or trusted', async () => {
    for (const userId of [0, process.geteuid!()]) assert.equal(await identify(userId, { 'user.name': 'ann' }).of(), 'ann');
    assert.equal(await identify(stranger, { 'user.name': 'ann' }, { trusted: new Set([stranger]) }).of(), 'ann');
    assert.equal(await identify(0, {}).of(), 'dr.who');
  });
  it('is one of those whose containers run as it, or has no name', async () => {
    const containerUsers = (userId: number) => (userId === stranger ? new Set(['ann', 'bob']) : undefined);
    assert.equal(await identify(stranger, { 'user.name': 'bob' }, { containerUsers }).of(), 'bob');
    assert.equal(await identify(stranger, { 'user.name': 'eve' }, { containerUsers }).of(), 'LOCAL_USER_UNTRUSTED');
    assert.equal(await identify(stranger, {}, { containerUsers }).of(), 'dr.who');
    assert.equal(await identify(stranger + 1, { 'user.name': 'bob' }, { containerUsers }).of(), 'LOCAL_USER_UNTRUSTED');
  });
  it('is looked up once for each connection', async () => {
    const { authenticator, request } = identify(0, { 'user.name': 'ann' });
    asked.length = 0;
    await authenticator.identify(request());
    for (let i = 0; i < 3; i++) assert.ok(!(authenticator.identify(request()) instanceof Promise));
    assert.deepEqual(asked, ['kernel']);
  });
  it('is no matter of calls without a connection', async () => {
    assert.equal(await identify(stranger, { 'user.name': 'ann' }).of({ socket: undefined as never }), 'ann');
  });
  it('is refused on a connection that is closed already', async () => {
    const { socket: closed } = { socket: connect(1, '127.0.0.1') };
    await once(closed, 'error');
    assert.equal(await identify(0, { 'user.name': 'ann' }).of({ socket: closed }), 'LOCAL_USER_UNTRUSTED');
  });
});

describe('trusted users', () => {
  it('are given by number or name', () => {
    assert.deepEqual(userIdsOf(['0', '12', 'root'], 'key'), [0, 12, 0]);
    assert.throws(() => userIdsOf(['no-such-user-here'], 'key'), /no user 'no-such-user-here'/);
  });
});
