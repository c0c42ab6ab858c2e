import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { it } from 'node:test';
import { listeningSockets, parseListening } from './listening-sockets.ts';

it('the sockets of a process are those that it listens on, with their real addresses', {
  skip: process.platform !== 'linux' && 'only Linux has these tables',
}, async () => {
  const hosts = ['127.0.0.1', '0.0.0.0', '::1', '::'];
  const servers = hosts.map((host) => createServer().listen(0, host));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  const found = listeningSockets(process.pid) ?? [];
  assert.deepEqual(
    ports.map((port) => found.find((socket) => socket.port === port)?.address),
    hosts,
  );
  for (const server of servers) server.close();
});

it('a process that is gone listens nowhere that could be seen', () => {
  assert.equal(listeningSockets(2 ** 22 + 1), undefined);
});

it('sockets of other processes and connections are left out', () => {
  const line = (state: string, inode: number) =>
    `   0: 0100007F:1F98 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  0  0 ${inode} 1\n`;
  const table = `head\n${line('0A', 7)}${line('0A', 8)}${line('01', 7)}`;
  assert.equal(parseListening(table, new Set(['7'])).length, 1);
});
