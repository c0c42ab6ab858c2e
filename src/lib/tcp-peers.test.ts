import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionEnds, type SocketTable, TcpPeers } from './tcp-peers.ts';

const linux = process.platform === 'linux' ? false : 'only Linux has these tables';

const endsOf = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): ConnectionEnds => ({
  localAddress: localAddress!,
  localPort: localPort!,
  remoteAddress: remoteAddress!,
  remotePort: remotePort!,
});

/** A connection: what the server has of it, and what the client has. */
async function connection(listenOn: string, connectTo = listenOn) {
  const server = createServer({ allowHalfOpen: true });
  await once(server.listen(0, listenOn), 'listening');
  const { port } = server.address() as { port: number };
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect({ port, host: connectTo, allowHalfOpen: true });
  const [socket] = await accepted;
  socket.on('error', () => undefined);
  const close = () => {
    client.destroy();
    socket.destroy();
    server.close();
  };
  return { socket, client, [Symbol.dispose]: close };
}

describe('the user of a peer', { skip: linux }, () => {
  const own = process.geteuid?.();

  it('is found over IPv4, IPv6 and IPv4 in IPv6', async () => {
    const peers = new TcpPeers();
    const ways = [['127.0.0.1'], ['::1'], ['::', '127.0.0.1'], ['::', '::1'], ['127.0.0.1', '::ffff:127.0.0.1'], ['127.0.0.9']] as const;
    for (const [listenOn, connectTo] of ways) {
      using made = await connection(listenOn, connectTo);
      assert.equal(await peers.userIdOf(endsOf(made.socket)), own, `${listenOn} ${connectTo}`);
    }
  });

  it('is found while the peer has only ended its requests, and not once it has closed', async () => {
    const peers = new TcpPeers();
    using made = await connection('127.0.0.1');
    const ends = endsOf(made.socket);
    made.client.end();
    await once(made.socket.resume(), 'end');
    assert.equal(await peers.userIdOf(ends), own);
    made.client.destroy();
    // The kernel takes it off after the close has been asked for: until then the user is still the right one.
    for (;;) {
      const found = await peers.userIdOf(ends);
      if (found === undefined) break;
      assert.equal(found, own);
      await sleep(1);
    }
  });

  it('is nobody for ends that no socket has', async () => {
    const ends = { localAddress: '127.0.0.1', localPort: 1, remoteAddress: '127.0.0.1', remotePort: 2 };
    assert.equal(await new TcpPeers().userIdOf(ends), undefined);
    assert.equal(await new TcpPeers().userIdOf({ ...ends, remoteAddress: 'none', localAddress: '' }), undefined);
  });
});

describe('tables of sockets', () => {
  const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
  const line = (state: string, userId: number, inode: number) =>
    `   7: 0100007F:C350 0100007F:1F98 ${state} 00000000:00000000 00:00000000 00000000 ${userId}        0 ${inode} 1 0000000000000000 20 4 30 10 -1\n`;
  const ends = { localAddress: '127.0.0.1', localPort: 8088, remoteAddress: '127.0.0.1', remotePort: 50_000 };
  const reader = (tcp: readonly string[]) => {
    const reads: SocketTable[] = [];
    const read = async (table: SocketTable) => {
      reads.push(table);
      return head + (table === 'tcp' ? (tcp[reads.filter((each) => each === 'tcp').length - 1] ?? '') : '');
    };
    return { reads, peers: new TcpPeers(read) };
  };

  it('name no user for a socket that no process has, though its line says 0', async () => {
    assert.equal(await reader([line('01', 1234, 77)]).peers.userIdOf(ends), 1234);
    assert.equal(await reader([line('05', 0, 0)]).peers.userIdOf(ends), undefined);
    assert.equal(await reader([line('06', 0, 0)]).peers.userIdOf(ends), undefined);
  });

  it('are read again where a line was missed', async () => {
    assert.equal(await reader(['', line('01', 1234, 77)]).peers.userIdOf(ends), 1234);
    assert.equal(await reader(['', '', '', line('01', 1234, 77)]).peers.userIdOf(ends), undefined);
  });

  it('are read once for all who ask meanwhile', async () => {
    const { reads, peers } = reader(Array<string>(9).fill(line('01', 1234, 77)));
    const found = await Promise.all(Array.from({ length: 500 }, () => peers.userIdOf({ ...ends })));
    assert.deepEqual(new Set(found), new Set([1234]));
    assert.ok(reads.length <= 2 * 3, String(reads.length));
  });
});
