import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type AgreedProtection, digestCiphers, digestLayer } from './digest-layers.ts';

const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 1);
const numRuns = Number(process.env['HEDDLE_TEST_RUNS'] ?? 50);
const sessionKey = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');

const kinds: readonly Pick<AgreedProtection, 'qop' | 'cipher'>[] = [
  { qop: 'auth-int', cipher: '3des' },
  ...digestCiphers.map((cipher) => ({ qop: 'auth-conf', cipher }) as const),
];
const pair = (kind: Pick<AgreedProtection, 'qop' | 'cipher'>) => ({
  client: digestLayer({ ...kind, sessionKey, side: 'client' }),
  server: digestLayer({ ...kind, sessionKey, side: 'server' }),
});
const refused = /javax|DIGEST-MD5: a protected message/;

for (const kind of kinds)
  describe(`messages under ${kind.qop} with ${kind.cipher} (seed ${seed})`, () => {
    it('come out as they went in, both ways', () => {
      const property = fc.property(fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 5 }), (messages) => {
        const { client, server } = pair(kind);
        for (const message of messages) {
          assert.deepEqual([...server.unwrap(client.wrap(message))], [...message]);
          assert.deepEqual([...client.unwrap(server.wrap(message))], [...message]);
        }
      });
      fc.assert(property, { seed, numRuns });
    });

    it('are refused where a bit was turned, and where they were cut', () => {
      const property = fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(), fc.nat(), (message, bit, cut) => {
        const wrapped = pair(kind).client.wrap(message);
        const turned = Buffer.from(wrapped);
        const at = bit % (wrapped.length * 8);
        turned[at >> 3] = turned[at >> 3]! ^ (1 << (at & 7));
        assert.throws(() => pair(kind).server.unwrap(turned), refused);
        assert.throws(() => pair(kind).server.unwrap(wrapped.subarray(0, cut % wrapped.length)), refused);
      });
      fc.assert(property, { seed, numRuns });
    });

    it('are refused a second time, out of turn, and by who sent them', () => {
      const again = pair(kind);
      const first = again.client.wrap(Buffer.from('first'));
      again.server.unwrap(first);
      assert.throws(() => again.server.unwrap(first), refused);
      const late = pair(kind);
      late.client.wrap(Buffer.from('lost'));
      assert.throws(() => late.server.unwrap(late.client.wrap(Buffer.from('second'))), refused);
      const mirrored = pair(kind);
      assert.throws(() => mirrored.client.unwrap(mirrored.client.wrap(Buffer.from('back'))), refused);
    });

    it(kind.qop === 'auth-conf' ? 'cannot be read on the way' : 'can be read on the way', () => {
      const text = Buffer.from('a password that stands in a message');
      assert.equal(pair(kind).client.wrap(text).includes(text), kind.qop === 'auth-int');
    });
  });
