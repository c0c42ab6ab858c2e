import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { composeAuthenticator } from '../auth/composition.ts';
import { anonymousCaller } from '../auth/simple.ts';
import { BufferPool } from '../lib/buffer-pool.ts';
import { silentLogger } from '../lib/log.ts';
import { renderedBytes, stream, text } from './answers.ts';
import { profiles } from './profiles.ts';
import { createService } from './service.ts';

const pieceBytes = 64 * 1024;
const pool = new BufferPool({ bytes: pieceBytes, mostFree: 4 });
const service = createService({
  name: 'test',
  profile: profiles.resourceManager,
  address: '127.0.0.1:0',
  logger: silentLogger,
  authenticator: composeAuthenticator({ proofs: [], nobody: anonymousCaller(undefined) }),
});
let open = 0;

/** The same buffer again and again, each time with the next letter. */
async function* letters(count: number) {
  open++;
  try {
    for (let i = 0; i < count; i++) {
      const piece = pool.lend(pieceBytes);
      piece.fill(97 + (i % 26));
      yield piece;
      pool.giveBack(piece.fill(0));
      await new Promise((done) => setImmediate(done));
    }
  } finally {
    open--;
  }
}
const lettersAsText = (count: number) =>
  Array.from({ length: count }, (_, i) => String.fromCharCode(97 + (i % 26)).repeat(pieceBytes)).join('');

service.route({ method: 'GET', path: '/ws/letters/:count', handle: ({ params }) => renderedBytes(letters(Number(params['count']))) });
service.route({
  method: 'GET',
  path: '/ws/lent',
  handle: () => {
    const body = pool.lend(pieceBytes).fill('x');
    return renderedBytes(body, () => pool.giveBack(body.fill('-')));
  },
});
service.route({
  method: 'GET',
  path: '/ws/text/:text',
  handle: ({ params }) => text(200, params['text']!, 'text/plain;charset=utf-8', { 'x-of': 'b\u00fccher' }),
});

/** An answer to a caller who has left before it is there. */
const left = { entered: Promise.withResolvers<void>(), closed: Promise.withResolvers<void>() };
service.route({
  method: 'GET',
  path: '/ws/held',
  handle: async ({ signal }) => {
    left.entered.resolve();
    await once(signal, 'abort');
    return stream(200, 'text/plain', ['held'], {}, async () => left.closed.resolve());
  },
});

let url = '';
before(async () => {
  ({ url } = await service.listen());
});
after(() => service.close());

const asked = async (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<IncomingMessage> => {
  const [answer] = await once(get(url + path, { headers, method }), 'response');
  return answer as IncomingMessage;
};
const bodyOf = async (answer: IncomingMessage): Promise<Buffer> => Buffer.concat(await answer.toArray());

test('what an answer holds is let go also where its caller left before it was made', { timeout: 20_000 }, async () => {
  const request = get(`${url}/ws/held`);
  request.on('error', () => undefined);
  await left.entered.promise;
  request.destroy();
  await left.closed.promise;
});

test('pieces that become others arrive as they were, at readers that let them wait and at many at a time', async () => {
  const slow = await asked('/ws/letters/200');
  const others = await Promise.all(Array.from({ length: 5 }, async () => (await bodyOf(await asked('/ws/letters/30'))).toString()));
  for (const other of others) assert.ok(other === lettersAsText(30));
  assert.ok((await bodyOf(slow)).toString() === lettersAsText(200));
  const zipped = await asked('/ws/letters/30', { 'accept-encoding': 'GZIP' });
  assert.ok(gunzipSync(await bodyOf(zipped)).toString() === lettersAsText(30));
});

test('pieces end where their reader leaves', async () => {
  const answer = await asked('/ws/letters/100000');
  await once(answer, 'data');
  assert.equal(open, 1);
  answer.destroy();
  while (open > 0) await new Promise((done) => setImmediate(done));
});

test('bytes are given back when they are sent', async () => {
  for (let i = 0; i < 20; i++) {
    const bodies = await Promise.all(Array.from({ length: 6 }, async () => bodyOf(await asked('/ws/lent'))));
    for (const body of bodies) assert.ok(body.equals(Buffer.alloc(pieceBytes, 'x')));
  }
  const zipped = await asked('/ws/lent', { 'accept-encoding': 'gzip' });
  assert.ok(gunzipSync(await bodyOf(zipped)).equals(Buffer.alloc(pieceBytes, 'x')));
  const head = await asked('/ws/lent', {}, 'HEAD');
  assert.deepEqual([head.headers['content-length'], (await bodyOf(head)).length], ['0', 0]);
});

test('texts arrive whole in any script, beside headers of any', async () => {
  for (const words of ['plain', 'b\u00fccher', '\u{1f600} and more', '']) {
    const answer = await asked(`/ws/text/${encodeURIComponent(words || ' ')}`);
    const body = await bodyOf(answer);
    assert.deepEqual([body.toString('utf8').trim(), answer.headers['content-length']], [words, String(body.length)]);
    assert.equal(answer.headers['x-of'], 'b\u00fccher');
  }
});
