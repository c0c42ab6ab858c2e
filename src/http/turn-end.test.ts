import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import { endWithTurn } from './turn-end.ts';

let handle: (response: ServerResponse, path: string) => void;
const server = createServer(({ url = '' }, response) => handle(response, url));
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(() => server.close());

/** Sends requests for paths behind one another on a connection that is closed behind the last; all that is answered. */
async function asked(...paths: string[]): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write(
    paths.map((path, i) => `GET ${path} HTTP/1.1\r\nhost: a\r\n${i === paths.length - 1 ? 'connection: close\r\n' : ''}\r\n`).join(''),
  );
  return text(socket);
}

const bodies = (answers: string): string[] => [...answers.matchAll(/\r\n\r\n([^\r]*?)(?=HTTP|$)/g)].map(([, body = '']) => body);

test('answers of one turn leave behind it, in the order of the requests', async () => {
  const endedAtOnce: boolean[] = [];
  handle = (response, path) => {
    response.writeHead(200, { 'content-length': path.length });
    endWithTurn(response, path === '/b' ? Buffer.from(path) : path);
    endedAtOnce.push(response.writableEnded);
  };
  assert.deepEqual(bodies(await asked('/a', '/b', '/c')), ['/a', '/b', '/c']);
  assert.deepEqual(endedAtOnce, [false, false, false]);
});

test('who gave a body is told when the system has it', async () => {
  const told: string[] = [];
  handle = (response, path) => {
    response.writeHead(200, { 'content-length': path.length });
    endWithTurn(response, path, () => told.push(path));
  };
  await asked('/a', '/b');
  assert.deepEqual(told, ['/a', '/b']);
});

test('a client that has left meanwhile, or an answer that cannot be sent, keeps the others from nothing', async () => {
  let [sentToNobody, othersEnded] = [false, false];
  const broken = {
    destroyed: false,
    end: () => assert.fail('a body that does not fit its head'),
    destroy: () => void (broken.destroyed = true),
  };
  handle = (response) => {
    const other = { destroyed: false, end: () => void (othersEnded = true) };
    response.writeHead(200, { 'content-length': 2 });
    endWithTurn(response, 'ok', () => void (sentToNobody = true));
    response.destroy();
    endWithTurn(broken as unknown as ServerResponse, 'more');
    endWithTurn(other as unknown as ServerResponse, 'ok');
  };
  assert.equal(await asked('/'), '');
  await immediate();
  assert.deepEqual({ sentToNobody, othersEnded, isClosed: broken.destroyed }, { sentToNobody: false, othersEnded: true, isClosed: true });
});
