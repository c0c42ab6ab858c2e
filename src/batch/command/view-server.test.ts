import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import type { CommandView } from '../../wire/cluster/command-job.ts';
import { ViewServer } from './view-server.ts';

it('the view of a command is for its own address, and changes nothing for pages of other sites', async (test) => {
  const server = new ViewServer(systemClock, () => ({ version: 1 }) as CommandView);
  test.after(() => server.close());
  const port = await server.listen('127.0.0.1');
  const status = (method: string, path: string, headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      request({ port, method, path, headers }, (answer) => resolve(answer.resume().statusCode ?? 0))
        .on('error', reject)
        .end();
    });
  assert.equal(await status('GET', '/', {}), 200);
  assert.equal(await status('GET', '/', { 'heddle-proxied': '1' }), 200);
  assert.equal(await status('GET', '/', { host: 'rebind.example' }), 400);
  assert.equal(await status('PUT', '/drained', { host: 'rebind.example' }), 400);
  assert.equal(await status('PUT', '/drained', { origin: 'http://evil.example' }), 403);
  assert.equal(await status('PUT', '/drained', {}), 200);
});

it('goes on whatever is asked for', async (test) => {
  const server = new ViewServer(systemClock, () => ({ version: 1 }) as CommandView);
  test.after(() => server.close());
  const port = await server.listen('127.0.0.1');
  const answerTo = async (target: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    socket.end(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
    return (await text(socket)).slice('HTTP/1.1 '.length).slice(0, 3);
  };
  const targets = {
    '//': '404',
    '//[': '404',
    'http://[/': '400',
    '///x': '404',
    '/?version=-1': '200',
    '/%': '404',
    '/%00?%': '404',
    '*': '400',
  };
  for (const [target, status] of Object.entries(targets)) assert.equal(await answerTo(target), status, target);
});

it('the view of a command that ends is answered to who waits for it', async () => {
  let version = 1;
  const asked = Promise.withResolvers<void>();
  const server = new ViewServer(systemClock, () => {
    asked.resolve();
    return { version } as CommandView;
  });
  const port = await server.listen('127.0.0.1');
  const answer = fetch(`http://127.0.0.1:${port}/?version=1`);
  await asked.promise;
  version = 2;
  await server.close();
  assert.deepEqual(await (await answer).json(), { version: 2 });
});
