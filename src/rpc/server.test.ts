// A port over real connections: calls side by side, bounds, slow and silent clients, logins by token.
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { silentLogger } from '../lib/log.ts';
import { seededRandom } from '../lib/random.ts';
import { RpcPortFigures } from '../lib/rpc-figures.ts';
import { decodeDelimited, encodeDelimited, part } from '../wire/rpc/codec.ts';
import { message, optional } from '../wire/rpc/message.ts';
import { RpcRequestHeaderProto, RpcSaslProto } from '../wire/rpc/tables/transport.ts';
import type { RpcAuthentication } from './authentication.ts';
import { RpcException } from './exceptions.ts';
import { framed } from './frames.ts';
import { serveProtocol } from './protocol.ts';
import { listenRpc, type RpcServer, type RpcServerOptions } from './server.ts';
import { RefusedCall, RpcTestClient } from './test-support/rpc-client.ts';

const text = message('test.Text', { text: optional(1, 'string') });
const echo = {
  name: 'test.Echo',
  version: 1,
  methods: {
    echo: [text, text],
    list: [text, text],
    wait: [text, text],
    who: [text, text],
    fail: [text, text],
    break: [text, text],
    work: [text, text],
  },
} as const;

/** Which calls of `work` were answered, in their order. */
const worked: (string | undefined)[] = [];
/** Which lists were made, in their order; each is longer than the system keeps for a connection. */
const listed: (string | undefined)[] = [];
const listBytes = 16 * 1024 * 1024;
/** Calls of `wait` that stand until they are let go. */
const waiting: (() => void)[] = [];
const served = serveProtocol(
  echo,
  {
    echo: ({ request }) => request,
    list: async ({ request, growsLong }) => {
      const isMade = await growsLong();
      listed.push(request.text);
      isMade();
      return { text: 'x'.repeat(listBytes) };
    },
    wait: ({ request }) => new Promise((resolve) => waiting.push(() => resolve(request))),
    work: ({ request }) => {
      for (const endMs = performance.now() + 2; performance.now() < endMs; );
      worked.push(request.text);
      return request;
    },
    who: ({ caller: { user, realUser, authentication } }) => ({ text: `${user} ${realUser} ${authentication}` }),
    fail: () => {
      throw new RpcException('org.example.Refused', 'no');
    },
    break: () => {
      throw new Error('a secret of the inside');
    },
  },
  () => undefined,
);

const names: RpcAuthentication = { simple: { mayImpersonate: (realUser, target) => realUser === 'gateway' && target !== 'root' } };
const servers: RpcServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  waiting.splice(0);
  worked.splice(0);
  listed.splice(0);
});

async function listen(more: Partial<RpcServerOptions> = {}): Promise<string> {
  const server = await listenRpc({
    address: '127.0.0.1:0',
    figures: new RpcPortFigures('p'),
    protocols: () => Promise.resolve([served]),
    authentication: names,
    random: seededRandom(1),
    logger: silentLogger,
    frameLimitBytes: 1024 * 1024,
    callLimit: 10,
    callQueue: { limit: 100, backsOff: false },
    qops: ['auth'],
    connections: { total: 100, perAddress: 100 },
    idleThreshold: 1000,
    idleMs: 60_000,
    ...more,
  });
  servers.push(server);
  return `${server.host}:${server.port}`;
}

const textOf = (rest: Buffer): string | undefined => decodeDelimited(text, rest).value.text;

describe('a port of Hadoop RPC', () => {
  it('answers calls as they end, not as they came', async () => {
    using client = RpcTestClient.named(await listen(), 'ann', echo.name);
    const slow = client.begin(echo, 'wait', text, { text: 'slow' });
    assert.equal((await client.call(echo, 'echo', { text: 'quick' })).text, 'quick');
    waiting.pop()!();
    const reply = await client.reply();
    assert.deepEqual([reply?.header.callId, textOf(reply!.rest)], [slow, 'slow']);
  });

  it('sends what it has just answered before it closes', async () => {
    using client = RpcTestClient.named(await listen(), 'ann', echo.name);
    client.begin(echo, 'wait', text, { text: 'over' });
    while (waiting.length === 0) await new Promise(setImmediate);
    waiting[0]!();
    await servers.pop()!.close();
    const reply = await client.reply();
    assert.equal(reply && textOf(reply.rest), 'over');
  });

  it('tells exceptions by their class, and of faults inside nothing but where they are logged', async () => {
    using client = RpcTestClient.named(await listen(), 'ann', echo.name);
    await assert.rejects(
      client.call(echo, 'fail', {}),
      (error) => error instanceof RefusedCall && error.message === 'org.example.Refused: no',
    );
    await assert.rejects(client.call(echo, 'break', {}), (error) => error instanceof RefusedCall && !error.message.includes('secret'));
    assert.equal((await client.call(echo, 'echo', { text: 'still here' })).text, 'still here');
  });

  it('counts what it serves and refuses', async () => {
    const figures = new RpcPortFigures('p');
    const address = await listen({ figures, connections: { total: 1, perAddress: 1 } });
    assert.equal(address, `127.0.0.1:${figures.port}`);
    const client = RpcTestClient.named(address, 'ann', echo.name);
    await client.call(echo, 'echo', { text: 'one' });
    await assert.rejects(client.call(echo, 'fail', {}));
    const waits = client.begin(echo, 'wait', text, { text: 'two' });
    while (waiting.length === 0) await new Promise(setImmediate);
    assert.deepEqual([figures.answered, figures.failed, figures.running, figures.admitted, figures.connections], [2, 1, 1, 1, 1]);
    using more = RpcTestClient.named(address, 'ann', echo.name);
    await more.closed;
    assert.equal(figures.dropped, 1);
    waiting.pop()!();
    assert.equal((await client.reply())?.header.callId, waits);
    assert.deepEqual([figures.answered, figures.running], [3, 0]);
    const [received, sent] = [figures.receivedBytes, figures.sentBytes];
    assert.ok(received > 100 && sent > 20);
    client[Symbol.dispose]();
    while (figures.connections > 0) await new Promise(setImmediate);
    assert.deepEqual([figures.receivedBytes, figures.sentBytes], [received, sent], 'what closed connections carried stays counted');
  });

  it('knows who acts for whom', async () => {
    const address = await listen();
    using gateway = RpcTestClient.named(address, 'ann', echo.name, 'gateway');
    assert.equal((await gateway.call(echo, 'who', {})).text, 'ann gateway simple');
    using eve = RpcTestClient.named(address, 'ann', echo.name, 'eve');
    assert.equal((await eve.reply())?.header.exceptionClassName, 'org.apache.hadoop.security.authorize.AuthorizationException');
    await eve.closed;
  });

  it('does not believe names of those who may not say them', async () => {
    const address = await listen({ authentication: { simple: { ...names.simple!, mayName: (_socket, user) => user === 'ann' } } });
    using ann = RpcTestClient.named(address, 'ann', echo.name);
    assert.equal((await ann.call(echo, 'who', {})).text, 'ann undefined simple');
    using bob = RpcTestClient.named(address, 'bob', echo.name);
    assert.equal((await bob.reply())?.header.exceptionClassName, 'org.apache.hadoop.security.AccessControlException');
    await bob.closed;
  });

  it('reads no more of a client than it may have under way, and goes on when there is room', async () => {
    using client = RpcTestClient.named(await listen({ callLimit: 2 }), 'ann', echo.name);
    for (let number = 0; number < 5; number++) client.begin(echo, 'wait', text, { text: String(number) });
    const letGo = async (): Promise<string | undefined> => {
      while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
      assert.ok(waiting.length <= 2, 'two at a time');
      waiting.shift()!();
      return textOf((await client.reply())!.rest);
    };
    const answers: (string | undefined)[] = [];
    for (let number = 0; number < 5; number++) answers.push(await letGo());
    assert.deepEqual(answers.sort(), ['0', '1', '2', '3', '4']);
  });

  it('has no more calls under way than it may: clients with more wait, in their order, and are not cut off meanwhile', async () => {
    const address = await listen({ callQueue: { limit: 2, backsOff: false }, idleMs: 100, idleThreshold: 1 });
    using first = RpcTestClient.named(address, 'ann', echo.name);
    for (const number of ['0', '1']) first.begin(echo, 'wait', text, { text: number });
    while (waiting.length < 2) await new Promise(setImmediate);
    using gone = RpcTestClient.named(address, 'eve', echo.name);
    using second = RpcTestClient.named(address, 'bob', echo.name);
    for (const client of [gone, second]) client.begin(echo, 'work', text, { text: 'had to wait' });
    // Who says nothing is cut off after a time in which those who wait would be, too.
    await new RpcTestClient(address).closed;
    assert.deepEqual(worked, []);
    gone[Symbol.dispose]();
    await gone.closed;
    waiting.shift()!();
    assert.equal(textOf((await second.reply())!.rest), 'had to wait');
    waiting.shift()!();
    assert.deepEqual([textOf((await first.reply())!.rest), textOf((await first.reply())!.rest)], ['0', '1']);
    assert.equal((await second.call(echo, 'echo', { text: 'there is room' })).text, 'there is room');
  });

  it('tells clients with more to come again where it backs off, as Hadoop does, and serves who comes when there is room', async () => {
    const address = await listen({ callQueue: { limit: 1, backsOff: true } });
    using first = RpcTestClient.named(address, 'ann', echo.name);
    first.begin(echo, 'wait', text, { text: 'first' });
    while (waiting.length === 0) await new Promise(setImmediate);
    using second = RpcTestClient.named(address, 'bob', echo.name);
    second.begin(echo, 'echo', text, {});
    const { status, errorDetail, exceptionClassName, errorMsg } = (await second.reply())!.header;
    assert.deepEqual(
      [status, errorDetail, exceptionClassName, errorMsg],
      ['FATAL', 'ERROR_RPC_SERVER', 'org.apache.hadoop.ipc.RetriableException', 'Server too busy - disconnecting'],
    );
    await second.closed;
    waiting.pop()!();
    assert.equal(textOf((await first.reply())!.rest), 'first');
    using third = RpcTestClient.named(address, 'bob', echo.name);
    assert.equal((await third.call(echo, 'echo', { text: 'again' })).text, 'again');
  });

  it('closes at once connections beyond the limits, and serves who was there before and who comes after', async () => {
    for (const { connections, open } of [
      { connections: { total: 1, perAddress: 10 }, open: () => 1 },
      { connections: { total: 10, perAddress: 1 }, open: () => 1 },
      { connections: { total: 10, perAddress: 10 }, open: (served: boolean) => (served ? 86 : 1) },
    ]) {
      let isServed = false;
      const address = await listen({ connections: { ...connections, descriptors: () => ({ open: open(isServed), limit: 100 }) } });
      using first = RpcTestClient.named(address, 'ann', echo.name);
      assert.equal((await first.call(echo, 'echo', { text: 'a' })).text, 'a');
      isServed = true;
      for (let count = 0; count < 3; count++) await RpcTestClient.named(address, 'eve', echo.name).closed;
      assert.equal((await first.call(echo, 'echo', { text: 'b' })).text, 'b');
      isServed = false;
      first[Symbol.dispose]();
      await first.closed;
      // The server hears of its end a moment later.
      for (let text: string | undefined; text === undefined; ) {
        using next = RpcTestClient.named(address, 'ann', echo.name);
        text = await Promise.race([
          next.call(echo, 'echo', { text: 'c' }).then((answer) => answer.text),
          next.closed.then(() => undefined),
        ]);
      }
    }
  });

  it('gives others their turns while one has many calls at once', async () => {
    const address = await listen({ callLimit: 100 });
    using busy = RpcTestClient.named(address, 'ann', echo.name);
    using other = RpcTestClient.named(address, 'bob', echo.name);
    for (const client of [busy, other]) await client.call(echo, 'echo', { text: 'is known' });
    for (let call = 0; call < 60; call++) busy.begin(echo, 'work', text, { text: 'busy' });
    assert.equal(textOf((await busy.reply())!.rest), 'busy');
    assert.equal((await other.call(echo, 'work', { text: 'other' })).text, 'other');
    for (let call = 1; call < 60; call++) assert.equal(textOf((await busy.reply())!.rest), 'busy');
    assert.ok(worked.indexOf('other') < worked.length - 1, worked.join(' '));
  });

  it('closes logins and frames that take too long, and idle connections only where there are many', async () => {
    const address = await listen({ idleMs: 100, idleThreshold: 3 });
    using silent = new RpcTestClient(address);
    await silent.closed;
    using half = RpcTestClient.named(address, 'ann', echo.name);
    await half.call(echo, 'echo', {});
    half.send(Buffer.from([0, 0, 1, 0, 7]));
    await half.closed;
    using first = RpcTestClient.named(address, 'ann', echo.name);
    await first.call(echo, 'echo', {});
    using second = RpcTestClient.named(address, 'ann', echo.name);
    using third = RpcTestClient.named(address, 'ann', echo.name);
    await second.call(echo, 'echo', {});
    await third.call(echo, 'echo', {});
    // Three are many here: who says nothing goes until there are fewer, the one that works stays.
    third.begin(echo, 'wait', text, {});
    await Promise.race([first.closed, second.closed]);
    waiting.pop()!();
    assert.equal((await third.reply())?.header.status, 'SUCCESS');
  });

  it('holds no more of unfinished requests than a few of the longest, and serves who sends short ones or finishes', {
    timeout: 60_000,
  }, async () => {
    // Nobody is closed for taking long.
    const address = await listen({ idleMs: 3_600_000 });
    const long = 1024 * 1024;
    const head = Buffer.alloc(4);
    head.writeInt32BE(long);
    const crowd: RpcTestClient[] = [];
    const calm = RpcTestClient.named(address, 'eve', echo.name);
    using stack = new DisposableStack();
    stack.use(calm);
    const goesOn = async () => {
      for (let call = 0; call < 3; call++) await calm.call(echo, 'echo', {});
    };
    let closed = 0;
    for (let each = 0; each < 6; each++) {
      const client = stack.use(RpcTestClient.named(address, 'ann', echo.name));
      await client.call(echo, 'echo', {});
      void client.closed.then(() => closed++);
      // All but the last byte: the first four have room.
      await new Promise((sent) => client.socket.write(Buffer.concat([head, Buffer.alloc(long - 1)]), sent));
      await goesOn();
      crowd.push(client);
    }
    await Promise.all(crowd.slice(4).map((client) => client.closed));
    assert.equal(closed, 2);
    // A frame that ends gives its room back, though nothing of it could be understood.
    crowd[0]!.send(Buffer.of(0));
    await crowd[0]!.closed;
    using next = RpcTestClient.named(address, 'bob', echo.name);
    const text = 'x'.repeat(long - 1000);
    assert.equal((await next.call(echo, 'echo', { text })).text, text);
  });

  it('makes no more long answers than clients read, and lets short ones pass', async () => {
    const address = await listen({ callLimit: 100 });
    using lazy = RpcTestClient.named(address, 'ann', echo.name);
    using other = RpcTestClient.named(address, 'bob', echo.name);
    for (const client of [lazy, other]) await client.call(echo, 'echo', {});
    lazy.socket.pause();
    const count = 12;
    for (let call = 0; call < count; call++) lazy.begin(echo, 'list', text, { text: String(call) });
    for (let before = -1; listed.length > before; ) {
      before = listed.length;
      // Time enough for all of them, were none held back.
      for (let call = 0; call < 200; call++) await other.call(echo, 'echo', {});
    }
    assert.ok(listed.length > 0 && listed.length <= 7, `${listed.length} lists were made`);
    const soon = other.call(echo, 'list', { text: 'of the other' });
    lazy.socket.resume();
    for (let call = 0; call < count; call++) assert.equal((await lazy.reply())?.header.status, 'SUCCESS');
    assert.equal((await soon).text?.length, listBytes);
    assert.equal(listed.length, count + 1);
  });

  it('closes those who read nothing, whatever they wait for, and nobody who reads a long answer slowly', async () => {
    const address = await listen({ idleMs: 400 });
    using lazy = RpcTestClient.named(address, 'ann', echo.name);
    using slow = RpcTestClient.named(address, 'bob', echo.name);
    for (const client of [lazy, slow]) await client.call(echo, 'echo', {});
    lazy.begin(echo, 'wait', text, {});
    lazy.begin(echo, 'list', text, {});
    slow.begin(echo, 'list', text, {});
    let [readBytes, lastBytes] = [0, 0];
    slow.socket.on('data', (chunk: Buffer) => {
      readBytes += chunk.length;
      if (readBytes - lastBytes < listBytes / 12) return;
      lastBytes = readBytes;
      slow.socket.pause();
      setTimeout(() => slow.socket.resume(), 100);
    });
    lazy.socket.pause();
    assert.equal((await slow.reply())?.header.status, 'SUCCESS');
    // It learns when it reads again that it was closed in the midst of the answer.
    lazy.socket.resume();
    assert.equal(await lazy.reply(), undefined);
  });

  it('refuses frames of a login that are longer than any login', async () => {
    using client = new RpcTestClient(await listen());
    client.send(Buffer.concat([Buffer.from([0x68, 0x72, 0x70, 0x63, 9, 0, 0]), Buffer.from([0, 8, 0, 0])]));
    await client.closed;
  });
});

describe('a port that takes tokens alone', () => {
  const secret = Buffer.from('of the token');
  const authentication: RpcAuthentication = {
    tokens: {
      passwordOf: (identifier) => {
        if (identifier.toString() !== 'known')
          throw new RpcException('org.apache.hadoop.security.token.SecretManager$InvalidToken', 'unknown');
        return secret;
      },
      userOf: () => ({ user: 'attempt' }),
    },
  };
  async function login(client: RpcTestClient, name: string, password: Buffer): Promise<void> {
    client.send(Buffer.from([0x68, 0x72, 0x70, 0x63, 9, 0, 0xdf]));
    const offered = await client.login(Buffer.from(name).toString('base64'), password.toString('base64'));
    assert.deepEqual(
      offered.map(({ method }) => method),
      ['TOKEN'],
    );
  }

  it('knows the caller by it, whatever name the context says', async () => {
    using client = new RpcTestClient(await listen({ authentication }));
    await login(client, 'known', secret);
    assert.equal((await client.saslReply()).state, 'SUCCESS');
    client.context({}, echo.name);
    assert.equal((await client.call(echo, 'who', {})).text, 'attempt undefined token');
  });

  it('refuses names, other tokens, other passwords, and calls before the login', async () => {
    const address = await listen({ authentication });
    using named = RpcTestClient.named(address, 'ann', echo.name);
    assert.equal((await named.reply())?.header.errorMsg, 'SIMPLE authentication is not enabled.  Available:[TOKEN]');
    for (const [name, password] of [
      ['other', secret],
      ['known', Buffer.from('wrong')],
    ] as const) {
      using client = new RpcTestClient(address);
      await login(client, name, password);
      const reply = await client.reply();
      assert.deepEqual([reply?.header.status, reply?.header.errorDetail], ['FATAL', 'FATAL_UNAUTHORIZED']);
      await client.closed;
    }
    using early = new RpcTestClient(address);
    early.send(Buffer.from([0x68, 0x72, 0x70, 0x63, 9, 0, 0xdf]));
    early.context({ effectiveUser: 'ann' }, echo.name);
    assert.equal((await early.reply())?.header.errorMsg, 'Connection header sent during SASL negotiation');
  });
});

describe('a port that protects messages', () => {
  const token = { identifier: Buffer.from('known'), password: Buffer.from('of the token') };
  const authentication: RpcAuthentication = {
    tokens: { passwordOf: () => token.password, userOf: () => ({ user: 'attempt' }) },
    simple: names.simple!,
  };
  const kinds = [
    { qop: 'auth-int', cipher: '3des' },
    { qop: 'auth-conf', cipher: '3des' },
    { qop: 'auth-conf', cipher: 'rc4' },
  ] as const;

  for (const kind of kinds)
    it(`does so with ${kind.qop} and ${kind.cipher}: calls side by side, long ones in pieces, refusals too`, async () => {
      const address = await listen({ authentication, qops: [kind.qop] });
      using client = await RpcTestClient.proven(address, token, echo.name, kind);
      const slow = client.begin(echo, 'wait', text, { text: 'slow' });
      assert.equal((await client.call(echo, 'who', {})).text, 'attempt undefined token');
      const long = 'x'.repeat(300_000);
      assert.equal((await client.call(echo, 'echo', { text: long })).text, long);
      waiting.pop()!();
      const reply = await client.reply();
      assert.deepEqual([reply?.header.callId, textOf(reply!.rest)], [slow, 'slow']);
      client.context({}, echo.name);
      assert.equal((await client.reply())?.header.errorMsg, 'Connection context already processed');
      await client.closed;
    });

  it('takes nothing that is not protected, nothing that was changed, and no lesser protection', async () => {
    const [kind] = kinds;
    const address = await listen({ authentication, qops: ['auth-conf', kind.qop] });
    await assert.rejects(RpcTestClient.proven(address, token, echo.name), /Mismatched qop: auth/);
    using bare = await RpcTestClient.proven(address, token, echo.name, kind);
    bare.send(framed(encodeDelimited(part(RpcRequestHeaderProto, { ...callHeader, callId: 7 }))));
    assert.equal((await bare.reply())?.header.errorMsg, 'Messages of this connection are protected: this one is not');
    using changed = await RpcTestClient.proven(address, token, echo.name, kind);
    const wrap = part(RpcSaslProto, { state: 'WRAP', token: Buffer.alloc(40) });
    changed.send(framed(encodeDelimited(part(RpcRequestHeaderProto, { ...callHeader, callId: -33 }), wrap)));
    assert.equal((await changed.reply())?.header.exceptionClassName, 'javax.security.sasl.SaslException');
    await changed.closed;
  });

  it('leaves callers unprotected who only say their name, as Hadoop does', async () => {
    using client = RpcTestClient.named(await listen({ authentication, qops: ['auth-conf'] }), 'ann', echo.name);
    assert.equal((await client.call(echo, 'who', {})).text, 'ann undefined simple');
  });
});

const callHeader = { rpcKind: 'RPC_PROTOCOL_BUFFER', rpcOp: 'RPC_FINAL_PACKET', clientId: Buffer.alloc(16), retryCount: -1 } as const;
const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 1);

describe('bytes that nobody meant', () => {
  it(`never stop a port: it answers the next client (seed ${seed})`, async () => {
    const address = await listen({ idleMs: 60_000 });
    const start = Buffer.from([0x68, 0x72, 0x70, 0x63, 9, 0]);
    const bytes = fc.tuple(fc.constantFrom(0, 0xdf), fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.boolean());
    const property = fc.asyncProperty(bytes, async ([auth, random, isFramed]) => {
      using client = new RpcTestClient(address);
      const length = Buffer.alloc(4);
      length.writeInt32BE(random.length);
      client.send(Buffer.concat([start, Buffer.from([auth]), ...(isFramed ? [length] : []), Buffer.from(random)]));
      client.socket.end();
      await client.closed;
      using next = RpcTestClient.named(address, 'ann', echo.name);
      assert.equal((await next.call(echo, 'echo', { text: 'here' })).text, 'here');
    });
    await fc.assert(property, { seed, numRuns: Number(process.env['HEDDLE_TEST_RUNS'] ?? 150) });
  });
});
