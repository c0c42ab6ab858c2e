import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { alsoByTicket, fetchProven, ProofMissing } from './credentials.ts';
import { requestProven } from './request-proven.ts';

let server: Server;
let url: URL;
/** What the next request is answered with, by its headers. */
let challenge: (request: IncomingMessage) => string | readonly string[] | undefined;
let asked: (string | undefined)[] = [];
before(async () => {
  server = createServer((request, response) => {
    asked.push(request.headers.authorization);
    const asks = challenge(request);
    if (asks !== undefined) response.writeHead(401, { 'www-authenticate': asks as string }).end('x'.repeat(100_000));
    else response.end(`${request.headers['heddle-acting-user']}`);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`);
});
after(() => {
  server.close();
  server.closeAllConnections();
});
afterEach(() => {
  asked = [];
});

let tickets = 0;
const authorize = () =>
  alsoByTicket(() => ({ authorization: 'Bearer s' }), { asking: new Set(), ticketFor: async (host) => `${host}-${++tickets}` }, 'anné');
const wantsTicket = ({ headers }: IncomingMessage) => (headers.authorization?.startsWith('Negotiate ') ? undefined : 'Negotiate');

describe('a server with a ticket', () => {
  it('shows it where it is asked for one, and from then on there at once', async () => {
    challenge = wantsTicket;
    tickets = 0;
    const proof = authorize();
    const first = await fetchProven(url, {}, proof);
    assert.deepEqual([first.status, await first.text()], [200, 'ann%C3%A9']);
    const second = await requestProven(url.href, proof, { method: 'POST', body: '{}' });
    assert.deepEqual([second.statusCode, await second.body.text()], [200, 'ann%C3%A9']);
    assert.deepEqual(asked, ['Bearer s', 'Negotiate 127.0.0.1-1', 'Negotiate 127.0.0.1-2']);
  });

  it('sends a body again with it', async () => {
    challenge = wantsTicket;
    tickets = 0;
    const answer = await requestProven(url.href, authorize(), { method: 'POST', body: '{"a":1}' });
    assert.deepEqual([answer.statusCode, await answer.body.text(), asked.length], [200, 'ann%C3%A9', 2]);
  });

  it('understands a challenge among others, and shows none where none is asked for', async () => {
    for (const asks of [['Bearer realm="x"', 'Negotiate'], ['Bearer realm="x", negotiate'], ['NEGOTIATE']]) {
      asked = [];
      challenge = (request) => wantsTicket(request) && asks;
      assert.equal((await fetchProven(url, {}, authorize())).status, 200, asks.join());
    }
    for (const asks of ['Bearer realm="negotiate"', 'Basic', 'Negotiated']) {
      asked = [];
      challenge = () => asks;
      assert.equal((await fetchProven(url, {}, authorize())).status, 401, asks);
      assert.deepEqual(asked, ['Bearer s'], asks);
    }
  });

  it('is refused once more where the ticket does not help, without end', async () => {
    challenge = () => 'Negotiate';
    const proof = authorize();
    assert.equal((await fetchProven(url, {}, proof)).status, 401);
    assert.equal((await fetchProven(url, {}, proof)).status, 401);
    assert.deepEqual(
      asked.map((text) => text?.split(' ')[0]),
      ['Bearer', 'Negotiate', 'Negotiate'],
    );
  });

  it('says why there is none', async () => {
    challenge = () => 'Negotiate';
    const none = alsoByTicket(
      () => ({}),
      { asking: new Set(), ticketFor: () => Promise.reject(new Error('Server not found in Kerberos database')) },
      'ann',
    );
    await assert.rejects(fetchProven(url, {}, none), (error: Error) => {
      assert.ok(error instanceof ProofMissing);
      assert.match(error.message, /^no Kerberos ticket for HTTP@127\.0\.0\.1: Server not found in Kerberos database$/);
      return true;
    });
  });
});
