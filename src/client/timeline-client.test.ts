import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { deliveryOf, owed, sendEntities, TimelineClient } from './timeline-client.ts';

test('429 and 5xx are repeated, other refusals are not', () => {
  assert.deepEqual(deliveryOf(200, undefined, ''), { kind: 'taken' });
  assert.deepEqual(deliveryOf(429, '2', ''), { kind: 'again', afterMs: 2000 });
  assert.deepEqual(deliveryOf(503, undefined, ''), { kind: 'again' });
  assert.equal(deliveryOf(403, undefined, 'no').kind, 'refused');
});

test('entities reach the server in order, as the given user, again after a busy answer', async () => {
  const seen: { url: string; ids: string[] }[] = [];
  let busy = 1;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      if (busy-- > 0) {
        response.writeHead(503).end();
        return;
      }
      seen.push({ url: request.url ?? '', ids: (JSON.parse(body) as { entities: { entity: string }[] }).entities.map((e) => e.entity) });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"errors":[]}');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const client = new TimelineClient({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    user: 'the rm',
    clock: systemClock,
    logger: silentLogger,
  });
  client.putEntities([{ entity: 'a', entitytype: 't' }]);
  client.putEntities([{ entity: 'b', entitytype: 't' }]);
  await client.flush();
  assert.deepEqual(seen, [{ url: '/ws/v1/timeline?user.name=the%20rm', ids: ['a', 'b'] }]);
  await client.close();
  server.closeAllConnections();
  server.close();
});

test('what is owed stays owed to a server that does not take it from this sender, and is given up where it can never be taken', async () => {
  const answers = [
    '{"errors":[{"entity":"a","entitytype":"t","errorcode":4}]}',
    '{"errors":[{"entity":"a","entitytype":"t","errorcode":1}]}',
  ];
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end(answers.shift());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const target = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, user: 'rm', logger: silentLogger };
  const send = owed(sendEntities, target);
  assert.equal((await send('{"entity":"a","entitytype":"t"}')).kind, 'again');
  assert.deepEqual(await send('{"entity":"a","entitytype":"t"}'), { kind: 'taken', refused: 1, denied: false });
  server.closeAllConnections();
  server.close();
});
