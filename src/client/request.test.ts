import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { request } from './request.ts';

describe('a request', () => {
  let server: Server;
  let url: string;
  let connections = 0;
  before(async () => {
    server = createServer((asked, answer) => {
      let body = '';
      asked.on('data', (piece) => (body += piece));
      asked.on('end', () => {
        if (asked.url === '/never') return;
        if (asked.url === '/stuck') return void answer.write('a');
        if (asked.url === '/broken') return void answer.write('a', () => answer.destroy());
        answer.writeHead(asked.url === '/missing' ? 404 : 200, { 'retry-after': '3' });
        answer.end(JSON.stringify({ method: asked.method, length: asked.headers['content-length'], body }));
      });
    });
    server.on('connection', () => connections++);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  it('sends and reads, on a connection that is kept', async () => {
    const first = await request(`${url}/x`, { method: 'POST', body: '{"ü":1}' });
    assert.deepEqual(await first.body.json(), { method: 'POST', length: '8', body: '{"ü":1}' });
    const second = await request(`${url}/missing`);
    assert.deepEqual([second.statusCode, second.headers['retry-after']], [404, '3']);
    await second.body.text();
    assert.equal(connections, 1);
  });

  it('gives up when nothing comes, when it breaks off, and when told to', async () => {
    await assert.rejects(request(`${url}/never`, { headersTimeout: 20 }), /no answer in 20 ms/);
    const stuck = await request(`${url}/stuck`, { bodyTimeout: 20 });
    await assert.rejects(stuck.body.text(), /nothing more in 20 ms/);
    const broken = await request(`${url}/broken`);
    await assert.rejects(broken.body.text());
    await assert.rejects(request(`${url}/never`, { signal: AbortSignal.abort() }), { name: 'AbortError' });
    await assert.rejects(request('http://127.0.0.1:1/'), /ECONNREFUSED/);
  });
});
