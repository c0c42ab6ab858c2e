import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { ProvenAgent } from './proven-agent.ts';

/** What a request fails with whose server answers the question for a proven connection like this. */
async function failureWith(
  answer: (response: ServerResponse, asked: IncomingMessage) => void,
  ticketFor?: (host: string) => Promise<string>,
): Promise<Error> {
  const server = createServer((asked, response) => answer(response, asked));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const agent = new ProvenAgent({ url: () => `http://127.0.0.1:${port}`, keys: () => [], unknown: 'another key', ticketFor });
  try {
    return await new Promise((failed, succeeded) => {
      request({ host: '127.0.0.1', port, path: '/', agent }, () => succeeded(new Error('it was answered')))
        .on('error', failed)
        .end();
    });
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
}

describe('a server that does not believe this side', () => {
  it('is quoted with its reason, without letters that would change a log', async () => {
    const failed = await failureWith((response) => response.writeHead(401).end('No node \u001b[31mof mine\n.'));
    assert.equal(failed.name, 'Unproven');
    assert.match(failed.message, /does not believe this side \(HTTP 401\): No node \ufffd\[31mof mine\ufffd\.$/);
  });

  it('is not listened to for ever', async () => {
    const failed = await failureWith((response) => {
      response.writeHead(401);
      const more = (): void => void (response.write('x'.repeat(600)) && setImmediate(more));
      more();
    });
    assert.match(failed.message, /: x{1000}$/);
  });

  it('may say nothing; any other answer proves nothing', async () => {
    assert.match((await failureWith((response) => response.writeHead(401).end())).message, /: it does not say why$/);
    assert.match((await failureWith((response) => response.writeHead(200).end('x'))).message, /proves nothing \(HTTP 200\)$/);
  });
});

describe('what stands before a server and asks for a ticket', () => {
  const asking = (response: ServerResponse, asked: IncomingMessage) => {
    const { authorization } = asked.headers;
    if (authorization === undefined) response.writeHead(401, { 'www-authenticate': 'Negotiate' }).end('ticket, please');
    else response.writeHead(418).end(authorization);
  };

  it('gets one, once', async () => {
    const hosts: string[] = [];
    const ticketFor = async (host: string) => `dGlja2V0${hosts.push(host)}`;
    assert.match((await failureWith(asking, ticketFor)).message, /proves nothing \(HTTP 418\)$/);
    const refusing = (response: ServerResponse) => response.writeHead(401, { 'www-authenticate': 'Negotiate' }).end('never');
    assert.match((await failureWith(refusing, ticketFor)).message, /\(HTTP 401\): never$/);
    assert.deepEqual(hosts, ['127.0.0.1', '127.0.0.1']);
  });

  it('is quoted where there is none', async () => {
    assert.match((await failureWith(asking)).message, /\(HTTP 401\): ticket, please$/);
    const failed = await failureWith(asking, () => Promise.reject(new Error('no KDC')));
    assert.equal(failed.message, 'no KDC');
  });
});
