// Logins by Kerberos tickets over real connections. What makes and wraps messages is a stand-in: a message under its number, and whether it was to be
// private; test/kerberos has the real one.
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { GssRefused, type GssSession, GssUnavailable } from '../auth/kerberos/gss.ts';
import { silentLogger } from '../lib/log.ts';
import { seededRandom } from '../lib/random.ts';
import { RpcPortFigures } from '../lib/rpc-figures.ts';
import { encodeDelimited, part } from '../wire/rpc/codec.ts';
import { message, optional } from '../wire/rpc/message.ts';
import { RpcRequestHeaderProto, RpcSaslProto } from '../wire/rpc/tables/transport.ts';
import type { RefusedLogin } from './connection.ts';
import { RpcException } from './exceptions.ts';
import { framed } from './frames.ts';
import type { TicketLogin } from './gssapi.ts';
import { serveProtocol } from './protocol.ts';
import type { Qop } from './security-layer.ts';
import { listenRpc, type RpcServer } from './server.ts';
import { authorizeBy } from './service-authorization.ts';
import { RefusedCall, RpcTestClient, type TestTicket } from './test-support/rpc-client.ts';

const text = message('test.Text', { text: optional(1, 'string') });
const echo = { name: 'test.Echo', version: 1, methods: { echo: [text, text], who: [text, text] } } as const;
const served = serveProtocol(
  echo,
  {
    echo: ({ request }) => request,
    who: ({ caller: { user, principal, realUser, authentication } }) => ({ text: `${user} ${principal} ${realUser} ${authentication}` }),
  },
  () => undefined,
);

/** One way of a connection: each message has its number, and says whether it is private. */
function numbered(): {
  wrap(bytes: Uint8Array, isPrivate: boolean): Buffer;
  unwrap(bytes: Uint8Array): { message: Buffer; isPrivate: boolean };
} {
  let [sent, received] = [0, 0];
  return {
    wrap: (bytes, isPrivate) => Buffer.concat([Buffer.of(sent++ & 255, isPrivate ? 1 : 0), bytes]),
    unwrap: (bytes) => {
      if (bytes[0] !== (received++ & 255)) throw new GssRefused('out of turn');
      return { message: Buffer.from(bytes.subarray(2)), isPrivate: bytes[1] === 1 };
    },
  };
}

/** Sessions that have not ended. */
const open = new Set<GssSession>();
/** A ticket reads `principal for target`; later answers come sooner, as from a process they may. */
const tickets: TicketLogin = {
  principal: 'rm/host@R',
  begin: async (token) => {
    const [principal = '', target = ''] = Buffer.from(token).toString().split(' for ');
    await new Promise((resolve) => setImmediate(resolve));
    if (principal === 'busy') throw new GssUnavailable('too many logins at once');
    if (target === '') throw new GssRefused('Request is a replay');
    const way = numbered();
    let delay = 3;
    const soon = async <T>(value: T): Promise<T> => {
      for (let turns = delay-- % 4; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
      return value;
    };
    const session: GssSession = {
      principal,
      target,
      token: Buffer.from('the server itself'),
      wrap: (bytes, isPrivate) => soon(way.wrap(bytes, isPrivate)),
      unwrap: async (bytes) => soon(way.unwrap(bytes)),
      end: () => void open.delete(session),
    };
    open.add(session);
    return session;
  },
  nameOf: (principal) => (principal.includes('@') ? /^([^/@]+)(?:\/[^@]*)?@R$/.exec(principal)?.[1] : principal),
  mayImpersonate: (realUser, target) => realUser === 'gateway' && target !== 'root',
};

const servers: RpcServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const refused: RefusedLogin[] = [];
async function listen(qops: readonly Qop[] = ['auth'], more: object = {}): Promise<string> {
  refused.splice(0);
  const server = await listenRpc({
    address: '127.0.0.1:0',
    figures: new RpcPortFigures('p'),
    protocols: () => Promise.resolve([served]),
    authentication: { tickets },
    refused: (refusal) => refused.push(refusal),
    random: seededRandom(1),
    logger: silentLogger,
    frameLimitBytes: 1024 * 1024,
    callLimit: 10,
    callQueue: { limit: 100, backsOff: false },
    qops,
    connections: { total: 100, perAddress: 100 },
    idleThreshold: 1000,
    idleMs: 60_000,
    ...more,
  });
  servers.push(server);
  return `${server.host}:${server.port}`;
}

const bits: Readonly<Record<Qop, number>> = { auth: 1, 'auth-int': 2, 'auth-conf': 4 };

/** What a client does with a ticket; `said`: the bits of its choice and what follows them. */
function ticketOf(
  first: string,
  qop: Qop = 'auth',
  said: Buffer = Buffer.of(bits[qop], 1, 0, 0),
): TestTicket & { readonly offers: Buffer[] } {
  const way = numbered();
  const offers: Buffer[] = [];
  return {
    offers,
    first: Buffer.from(first),
    choose: (offer) => {
      offers.push(way.unwrap(offer).message);
      return way.wrap(said, false);
    },
    layer:
      qop === 'auth' ? undefined : { wrap: (bytes) => way.wrap(bytes, qop === 'auth-conf'), unwrap: (bytes) => way.unwrap(bytes).message },
  };
}

async function loggedIn(address: string, ticket: TestTicket, effectiveUser?: string): Promise<RpcTestClient> {
  const client = new RpcTestClient(address);
  await client.loginByTicket(ticket);
  client.context(effectiveUser === undefined ? {} : { effectiveUser }, echo.name);
  return client;
}
const refusal = (javaClass: string, says: string) => (error: unknown) =>
  error instanceof RefusedCall && error.header.exceptionClassName?.endsWith(javaClass) === true && error.header.errorMsg === says;
const ann = 'ann@R for rm/host@R';

describe('a ticket', () => {
  it('logs its user in, and is offered under the service and host of the server', async () => {
    const address = await listen();
    using client = new RpcTestClient(address);
    const ticket = ticketOf(ann);
    const auths = await client.loginByTicket(ticket);
    assert.deepEqual(
      auths.map(({ method, mechanism, protocol, serverId }) => [method, mechanism, protocol, serverId]),
      [['KERBEROS', 'GSSAPI', 'rm', 'host']],
    );
    assert.deepEqual(ticket.offers, [Buffer.of(1, 1, 0, 0)]);
    client.context({ effectiveUser: 'ann@R' }, echo.name);
    assert.equal((await client.call(echo, 'who', {})).text, 'ann ann@R undefined kerberos');
    assert.equal(open.size, 0, 'without protection the session is over with the login');
  });

  it('stands beside tokens and names where those are taken too', async () => {
    const tokens = { passwordOf: () => Buffer.alloc(20), userOf: () => ({ user: 'ann' }) };
    const address = await listen(['auth'], { authentication: { tokens, tickets } });
    using client = new RpcTestClient(address);
    const auths = await client.loginByTicket(ticketOf(ann));
    assert.deepEqual(
      auths.map(({ method }) => method),
      ['TOKEN', 'KERBEROS'],
    );
    using named = RpcTestClient.named(address, 'ann', echo.name);
    assert.equal((await named.reply())?.header.errorMsg, 'SIMPLE authentication is not enabled.  Available:[TOKEN, KERBEROS]');
  });

  it('acts for others where its user may', async () => {
    const address = await listen();
    using gateway = await loggedIn(address, ticketOf('gateway/host@R for rm/host@R'), 'bob');
    assert.equal((await gateway.call(echo, 'who', {})).text, 'bob gateway/host@R gateway kerberos');
    for (const [first, target] of [
      ['gateway/host@R', 'root'],
      ['ann@R', 'bob'],
    ] as const) {
      using client = await loggedIn(address, ticketOf(`${first} for rm/host@R`), target);
      const reply = await client.reply();
      assert.equal(reply?.header.exceptionClassName, 'org.apache.hadoop.security.authorize.AuthorizationException');
      assert.equal(reply.header.errorMsg, `User: ${first} is not allowed to impersonate ${target}`);
    }
  });

  it('is asked by its mapped name whether it may speak a protocol, and refused by its principal', async () => {
    const asked: string[] = [];
    const authorize = authorizeBy(() => (_protocol, user) => {
      asked.push(user);
      return user === 'ann' ? undefined : 'user';
    });
    const address = await listen(['auth'], { authorize });
    using client = await loggedIn(address, ticketOf(ann));
    assert.equal((await client.call(echo, 'echo', { text: 'in' })).text, 'in');
    using eve = await loggedIn(address, ticketOf('eve/x@R for rm/host@R'));
    const says = 'User eve/x@R (auth:KERBEROS) is not authorized for protocol interface test.Echo: denied by configured ACL';
    assert.equal((await eve.reply())?.header.errorMsg, says);
    using proxy = await loggedIn(address, ticketOf('gateway@R for rm/host@R'), 'bob');
    assert.match((await proxy.reply())?.header.errorMsg ?? '', /^User bob \(auth:PROXY\) via gateway@R \(auth:KERBEROS\) is not/);
    assert.deepEqual(asked, ['ann', 'ann', 'eve', 'bob']);
  });
});

describe('a ticket is refused', () => {
  const login = async (ticket: TestTicket): Promise<void> => {
    using client = new RpcTestClient(await listen());
    await client.loginByTicket(ticket);
  };

  it('that the library refuses, in Hadoop’s words; the log has those of the library', async () => {
    await assert.rejects(login(ticketOf('again')), refusal('SaslException', 'GSS initiate failed'));
    assert.deepEqual(
      refused.map(({ reason }) => reason),
      ['GSS initiate failed (Request is a replay)'],
    );
  });

  it('that is for another service, even one whose key is in the keytab', async () => {
    await assert.rejects(login(ticketOf('ann@R for nm/host@R')), refusal('SaslException', 'GSS initiate failed'));
    assert.match(refused[0]?.reason ?? '', /the ticket is for nm\/host@R, not for rm\/host@R/);
  });

  it('of a principal that is nobody here, or that would be somebody else', async () => {
    using nobody = await loggedIn(await listen(), ticketOf('ann@OTHER for rm/host@R'));
    assert.match((await nobody.reply())?.header.errorMsg ?? '', /^Illegal principal name ann@OTHER/);
    const other = ticketOf(ann, 'auth', Buffer.concat([Buffer.of(1, 1, 0, 0), Buffer.from('root@R')]));
    await assert.rejects(login(other), refusal('SaslException', 'ann@R is not authorized to connect as root@R'));
  });

  it('with a protection that was not offered, or with several', async () => {
    for (const said of [2, 4, 3, 0])
      await assert.rejects(
        login(ticketOf(ann, 'auth', Buffer.of(said, 1, 0, 0))),
        refusal('SaslException', `Client selected unsupported protection: ${said}`),
      );
    await assert.rejects(
      login(ticketOf(ann, 'auth', Buffer.alloc(0))),
      refusal('SaslException', 'Client selected unsupported protection: 0'),
    );
  });

  it('while nobody can look at it, and the client may try again', async () => {
    await assert.rejects(login(ticketOf('busy')), refusal('ipc.RetriableException', 'Kerberos tickets cannot be looked at now'));
  });

  it('out of turn: an answer before the ticket, words where none are expected, another server’s offer', async () => {
    const address = await listen();
    const begun = async (token: Buffer | undefined, serverId = 'host'): Promise<RpcTestClient> => {
      const client = new RpcTestClient(address);
      client.send(Buffer.from([0x68, 0x72, 0x70, 0x63, 9, 0, 0xdf]));
      client.sasl({ state: 'NEGOTIATE' });
      await client.saslReply();
      client.sasl({ state: 'INITIATE', auths: [{ method: 'KERBEROS', mechanism: 'GSSAPI', protocol: 'rm', serverId }], token });
      return client;
    };
    using silent = await begun(undefined);
    await assert.rejects(silent.saslReply(), refusal('SaslException', 'Client did not send a token'));
    using elsewhere = await begun(Buffer.from(ann), 'elsewhere');
    await assert.rejects(
      elsewhere.saslReply(),
      refusal('AccessControlException', 'KERBEROS authentication is not enabled.  Available:[KERBEROS]'),
    );
    using talkative = await begun(Buffer.from(ann));
    await talkative.saslReply();
    talkative.sasl({ state: 'RESPONSE', token: Buffer.of(1) });
    await assert.rejects(talkative.saslReply(), refusal('SaslException', 'Handshake expecting no response data from server'));
    using early = new RpcTestClient(address);
    early.send(Buffer.from([0x68, 0x72, 0x70, 0x63, 9, 0, 0xdf]));
    early.sasl({ state: 'RESPONSE', token: Buffer.from(ann) });
    await assert.rejects(early.saslReply(), refusal('SaslException', 'Client did not send a token'));
  });
});

describe('a connection that a ticket protects', () => {
  for (const qop of ['auth-int', 'auth-conf'] as const)
    it(`with ${qop} carries many calls in turn, long ones too, and ends its session with itself`, async () => {
      using client = await loggedIn(await listen(['auth', qop]), ticketOf(ann, qop));
      const long = 'long '.repeat(50_000);
      const sent = Array.from({ length: 30 }, (_, number) => (number % 10 === 3 ? long : String(number)));
      for (const one of sent) client.begin(echo, 'echo', text, { text: one });
      const replies = new Map<number, number>();
      for (const _ of sent) {
        const reply = await client.reply();
        replies.set(reply!.header.callId, reply!.rest.length);
      }
      assert.deepEqual(
        [...replies.keys()].sort((one, other) => one - other),
        sent.map((_, number) => number),
      );
      assert.ok(replies.get(3)! > long.length);
      assert.equal(open.size, 1);
      client.socket.destroy();
      while (open.size > 0) await new Promise((resolve) => setImmediate(resolve));
    });

  it('takes nothing that is not protected as agreed, nor out of turn', async () => {
    const address = await listen(['auth-conf']);
    const protectedBy = async (): Promise<{ client: RpcTestClient; said: (token: Buffer) => Promise<string | undefined> }> => {
      const client = await loggedIn(address, ticketOf(ann, 'auth-conf'));
      await client.call(echo, 'echo', {});
      const said = async (token: Buffer) => {
        const header = {
          rpcKind: 'RPC_PROTOCOL_BUFFER',
          rpcOp: 'RPC_FINAL_PACKET',
          callId: -33,
          clientId: Buffer.alloc(16),
          retryCount: -1,
        } as const;
        client.send(framed(encodeDelimited(part(RpcRequestHeaderProto, header), part(RpcSaslProto, { state: 'WRAP', token }))));
        return (await client.reply())?.header.errorMsg;
      };
      return { client, said };
    };
    // Numbers so far: the choice, the context, the call.
    const first = await protectedBy();
    assert.equal(await first.said(Buffer.of(3, 0, 9)), 'Privacy not provided');
    await first.client.closed;
    const second = await protectedBy();
    assert.equal(await second.said(Buffer.of(2, 1, 9)), 'Problems unwrapping SASL buffer');
    await second.client.closed;
  });

  it('is closed where its answers can no longer be protected', async () => {
    const gone = { ...tickets, begin: async (token: Uint8Array) => ({ ...(await tickets.begin(token)), end: () => undefined }) };
    let isGone = false;
    const begin: TicketLogin['begin'] = async (token) => {
      const session = await gone.begin(token);
      return { ...session, wrap: (...args) => (isGone ? Promise.reject(new RpcException('x', 'gone')) : session.wrap(...args)) };
    };
    using client = await loggedIn(
      await listen(['auth-int'], { authentication: { tickets: { ...gone, begin } } }),
      ticketOf(ann, 'auth-int'),
    );
    await client.call(echo, 'echo', {});
    isGone = true;
    client.begin(echo, 'echo', text, {});
    assert.equal(await client.reply(), undefined);
    open.clear();
  });
});
