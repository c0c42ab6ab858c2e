import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer as createPlainServer, type Server, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { Server as TlsServer } from 'node:tls';
import { type ConnectionKey, provenContext, provenPath, provenProtocol } from '../../src/auth/connection-key.ts';
import { MasterClient } from '../../src/client/master-client.ts';
import { ProvenAgent, Unproven } from '../../src/client/proven-agent.ts';
import { ProvenConnections, wantsProven } from '../../src/http/proven-connections.ts';
import { silentLogger } from '../../src/lib/log.ts';

const keyOf = (name: string): ConnectionKey => ({ identity: `node ${name}`, key: Buffer.alloc(32, name) });

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that answers with the identity that was proven; its keys may change. */
async function startServer(known: ConnectionKey[]) {
  const served: string[] = [];
  const refused: string[] = [];
  const server = createServer((asked, response) => {
    served.push(asked.url ?? '');
    response.end(proven.identityOf(asked) ?? 'nobody');
  });
  const proven = new ProvenConnections({
    server,
    hint: () => known.map(({ identity }) => identity).join(','),
    keyOf: (name) => known.find(({ identity }) => identity === name)?.key,
    logger: silentLogger,
    refused: (address) => refused.push(address),
  });
  server.on('upgrade', (asked, socket, head) => (wantsProven(asked) ? proven.handle(asked, socket, head) : socket.destroy()));
  const url = await listen(server);
  const close = () => {
    proven.close();
    server.closeAllConnections();
    server.close();
  };
  return { proven, served, refused, url, known, [Symbol.dispose]: close };
}

/** What listens there instead: it remembers every byte, and answers as it is told. */
async function startSquatter(answer: (socket: Socket, heard: string) => void) {
  const heard: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createPlainServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (piece) => {
      heard.push(Buffer.from(piece));
      answer(socket, piece.toString('latin1'));
    });
  });
  const url = await listen(server);
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url, heard: () => Buffer.concat(heard).toString('latin1'), [Symbol.dispose]: close };
}

const agentOf = (url: string, ...keys: ConnectionKey[]) =>
  new ProvenAgent({ url: () => url, keys: () => keys, unknown: 'it does not know the secret', keepAlive: true });

async function ask(agent: ProvenAgent, path = '/', headers = {}): Promise<string> {
  const asking = request({ agent, host: 'server', path, headers });
  asking.end();
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of answer) text += piece;
  return text;
}

const accepted = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${provenProtocol}\r\n\r\n`;

describe('a proven connection', () => {
  it('serves requests of who knows the key, and others on the same port without a proof', async () => {
    using server = await startServer([keyOf('a')]);
    const agent = agentOf(server.url, keyOf('a'));
    assert.equal(await ask(agent), 'node a');
    assert.equal(await ask(agent, '/again'), 'node a');
    assert.equal(await (await fetch(server.url)).text(), 'nobody');
    agent.destroy();
  });

  it('takes the newest key that both know', async () => {
    using server = await startServer([keyOf('b'), keyOf('a')]);
    for (const [known, expected] of [
      [['a'], 'node a'],
      [['c', 'b', 'a'], 'node b'],
    ] as const) {
      const agent = agentOf(server.url, ...known.map(keyOf));
      assert.equal(await ask(agent), expected);
      agent.destroy();
    }
  });

  it('is refused on both sides where the key, or its name, is another', async () => {
    using server = await startServer([keyOf('a'), keyOf('b')]);
    for (const wrong of [[{ ...keyOf('a'), key: Buffer.alloc(32, 'x') }], [keyOf('x')], [keyOf('x'), keyOf('y')]])
      await assert.rejects(ask(agentOf(server.url, ...wrong)), new Unproven('it does not know the secret'));
    assert.deepEqual(server.served, []);
    assert.deepEqual(new Set(server.refused), new Set(['127.0.0.1']));
  });

  it('is closed when its key does not count any more', async () => {
    using server = await startServer([keyOf('a')]);
    const agent = agentOf(server.url, keyOf('a'));
    await ask(agent);
    const [socket] = Object.values(agent.freeSockets).flat() as Socket[];
    server.known[0] = keyOf('b');
    server.proven.recheck((name) => name !== 'node a');
    await once(socket!, 'close');
    await assert.rejects(ask(agent), Unproven);
  });
});

describe('who sits on the port and does not know the key', () => {
  const answers: [string, (socket: Socket, heard: string) => void][] = [
    ['answers as a web server', (socket) => socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')],
    ['says that all is well', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')],
    ['speaks another protocol', (socket) => socket.end('SSH-2.0-OpenSSH_9\r\n')],
    ['upgrades to what was not asked', (socket) => socket.write(accepted.replace(provenProtocol, 'websocket'))],
    ['upgrades and speaks at once', (socket) => socket.write(`${accepted}{"kind":"welcome"}`)],
    ['upgrades and speaks in clear', (socket, heard) => socket.write(heard.startsWith('GET') ? accepted : 'HTTP/1.1 200 OK\r\n\r\n')],
  ];
  for (const [name, answer] of answers)
    it(`${name}: it gets nothing but the question`, async () => {
      using squatter = await startSquatter(answer);
      await assert.rejects(ask(agentOf(squatter.url, keyOf('a')), '/secret-path', { authorization: 'secret-header' }), Unproven);
      const heard = squatter.heard();
      assert.ok(heard.startsWith(`GET ${provenPath} HTTP/1.1\r\n`));
      for (const secret of ['secret-path', 'secret-header', 'aaaa', 'authorization']) assert.ok(!heard.includes(secret), secret);
    });

  it('gets neither the token nor the words of a master', async () => {
    using squatter = await startSquatter((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'));
    const token = 'token-of-the-attempt';
    const client = new MasterClient({ resourceManager: squatter.url, attemptId: 'appattempt_1_0001_000001', token, patienceMs: 0 });
    await assert.rejects(client.finish({ finalStatus: 'SUCCEEDED', diagnostics: 'words of the master' }), Unproven);
    for (const secret of [token, 'words of the master', 'POST', 'authorization']) assert.ok(!squatter.heard().includes(secret), secret);
  });

  it('does TLS with another key: it gets a proof that is of no use, and no request', async () => {
    const requests: string[] = [];
    const tls = new TlsServer({ ...provenContext, pskIdentityHint: 'node a', pskCallback: () => Buffer.alloc(32, 'x') });
    tls.on('secureConnection', (socket) => socket.on('data', (data) => requests.push(String(data))));
    tls.on('tlsClientError', () => undefined);
    const server = createServer();
    server.on('upgrade', (_asked, socket) => {
      socket.on('error', () => undefined);
      socket.write(accepted);
      tls.emit('connection', socket);
    });
    const url = await listen(server);
    await assert.rejects(ask(agentOf(url, keyOf('a'))), new Unproven('it does not know the secret'));
    assert.deepEqual(requests, []);
    server.closeAllConnections();
    server.close();
  });
});

/** Passes everything on between clients and a server, after `change`; remembers what clients said, a connection each. */
async function startRelay(url: string, change: (data: Buffer, from: 'client' | 'server') => Buffer = (data) => data) {
  const said: Buffer[][] = [];
  const seen: Buffer[] = [];
  const target = Number(new URL(url).port);
  const sockets = new Set<Socket>();
  const server = createPlainServer((client) => {
    const mine: Buffer[] = [];
    said.push(mine);
    const behind = connect(target, '127.0.0.1');
    for (const [from, to, name] of [[client, behind, 'client'] as const, [behind, client, 'server'] as const]) {
      sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.on('data', (data: Buffer) => {
        seen.push(data);
        if (name === 'client') mine.push(data);
        to.write(change(data, name));
      });
    }
  });
  const relayUrl = await listen(server);
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: relayUrl, said, seen: () => Buffer.concat(seen).toString('latin1'), [Symbol.dispose]: close };
}

describe('who stands between both', () => {
  it('reads nothing of what they say', async () => {
    using server = await startServer([keyOf('a')]);
    using relay = await startRelay(server.url);
    const agent = agentOf(relay.url, keyOf('a'));
    assert.equal(await ask(agent, '/words', { 'x-word': 'between us' }), 'node a');
    for (const word of ['/words', 'between us', 'HTTP/1.1 200']) assert.ok(!relay.seen().includes(word), word);
    agent.destroy();
  });

  it('changes nothing: the connection breaks, and the request never arrives', async () => {
    using server = await startServer([keyOf('a')]);
    let afterProof = false;
    using relay = await startRelay(server.url, (data, from) => {
      // Application data begins with 23.
      if (from !== 'client' || data[0] !== 23) return data;
      afterProof = true;
      const changed = Buffer.from(data);
      changed[changed.length - 1]! ^= 1;
      return changed;
    });
    await assert.rejects(ask(agentOf(relay.url, keyOf('a'))));
    assert.ok(afterProof);
    assert.deepEqual(server.served, []);
  });

  it('has no use for what it recorded: played again, it opens nothing and repeats no request', async () => {
    using server = await startServer([keyOf('a')]);
    using relay = await startRelay(server.url);
    const agent = agentOf(relay.url, keyOf('a'));
    await ask(agent, '/once');
    agent.destroy();
    const recorded = relay.said[0]!;
    assert.ok(recorded.length >= 3, 'question, proof and request');
    const again = connect(Number(new URL(server.url).port), '127.0.0.1');
    again.on('error', () => undefined);
    const closed = once(again, 'close');
    // Each piece follows an answer, as it did.
    let next = 0;
    const go = () => {
      const piece = recorded[next++];
      if (piece) again.write(piece);
      else again.end();
    };
    again.on('connect', go).on('data', go);
    await closed;
    assert.deepEqual(server.served, ['/once']);
  });
});
