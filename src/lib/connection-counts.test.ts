import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { ConnectionCounts, type ConnectionCountsOptions } from './connection-counts.ts';

const from = (remoteAddress: string) => Object.assign(new EventEmitter(), { remoteAddress });
const counts = (more: Partial<ConnectionCountsOptions> = {}) =>
  new ConnectionCounts({ total: 20, perAddress: 10, descriptors: () => undefined, ...more });

describe('connections of a port', () => {
  it('are within the limits, beyond that of their address, beyond that of all, or far beyond one of them', () => {
    const one = counts();
    const added = (address: string, count: number) => Array.from({ length: count }, () => one.add(from(address)));
    assert.deepEqual(new Set(added('a', 10)), new Set([undefined]));
    assert.deepEqual(added('a', 3), ['address', 'address', 'far']);
    assert.deepEqual(new Set(added('b', 7)), new Set([undefined]));
    assert.deepEqual(added('c', 4), ['total', 'total', 'total', 'far']);
    assert.equal(one.total, 24);
  });

  it('leave their room to others when they close', () => {
    const one = counts({ total: 2, perAddress: 1 });
    const first = from('a');
    assert.deepEqual([one.add(first), one.add(from('a'))], [undefined, 'address']);
    first.emit('close');
    assert.equal(one.total, 1);
    assert.equal(one.add(from('b')), undefined);
  });

  it('may not take the last descriptors of the process', () => {
    let open = 0;
    const one = counts({ descriptors: () => ({ open, limit: 100 }) });
    for (open = 80; open <= 90; open++) assert.equal(one.add(from(`${open}`)), open <= 85 ? undefined : 'descriptors', String(open));
  });

  it('are told from what this process may open', { skip: process.platform !== 'linux' }, () => {
    const limit = Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
    const last = Math.floor(limit * 0.85) - 1;
    const one = new ConnectionCounts({ total: 20, perAddress: 20 });
    const withNumber = (fd: number) => Object.assign(from('a'), { _handle: { fd } });
    assert.deepEqual([one.add(withNumber(last)), one.add(withNumber(last + 1))], [undefined, 'descriptors']);
  });

  it('have a number that says so', { skip: process.platform !== 'linux' }, async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [socket] = await once(server, 'connection');
    assert.ok(
      (socket as { _handle: { fd: number } })._handle.fd > 2,
      'Node.js no longer shows it: descriptors have to be counted another way',
    );
    client.destroy();
    socket.destroy();
    server.close();
  });
});
