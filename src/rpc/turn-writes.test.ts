import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import { writeWithTurn } from './turn-writes.ts';

/** The two ends of a connection. */
async function connected() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = (await once(server, 'connection')) as [Socket];
  server.close();
  return { client, socket };
}

describe('what is written in a turn', () => {
  it('leaves at its end, in its order and in one piece', async () => {
    const { client, socket } = await connected();
    const writes: number[] = [];
    const { _writev: writev } = socket as unknown as { _writev: (chunks: unknown[], done: () => void) => void };
    (socket as unknown as { _writev: typeof writev })._writev = function (chunks, done) {
      writes.push(chunks.length);
      writev.call(this, chunks, done);
    };
    for (const text of ['a', 'b', 'c']) writeWithTurn(socket, Buffer.from(text));
    assert.deepEqual([socket.writableLength, writes], [3, []]);
    await immediate();
    writeWithTurn(socket, Buffer.from('d'));
    writeWithTurn(socket, Buffer.from('e'));
    await immediate();
    assert.deepEqual([socket.writableCorked, writes], [0, [3, 2]]);
    socket.end();
    assert.equal((await buffer(client)).toString(), 'abcde');
  });

  it('leaves before the connection is ended in the same turn, and harms nobody where it is closed', async () => {
    const [ended, closed, other] = await Promise.all([connected(), connected(), connected()]);
    for (const { socket } of [ended, closed, other]) writeWithTurn(socket, Buffer.from('last'));
    ended.socket.end();
    closed.socket.destroy();
    closed.client.resume();
    assert.equal((await buffer(ended.client)).toString(), 'last');
    other.socket.end();
    assert.equal((await buffer(other.client)).toString(), 'last');
  });
});
