// The words between reduces and the nodes that have map outputs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeShuffleHeader, encodeServiceData, encodeShuffleHeader, hashOf } from './protocol.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122) });

const header = fc.record({
  mapId: fc.string({ maxLength: 60 }),
  partLength: fc.integer({ min: -1, max: 2 ** 40 }),
  rawLength: fc.integer({ min: -1, max: 2 ** 40 }),
  reduce: fc.nat(70_000),
});

test('a header is read as it was written, whatever follows it', () => {
  fc.assert(
    fc.property(header, fc.uint8Array({ maxLength: 20 }), (written, rest) => {
      const bytes = encodeShuffleHeader(written);
      assert.deepEqual(decodeShuffleHeader(Buffer.concat([bytes, rest])), { header: { ...written }, size: bytes.length });
    }),
  );
});

test('of a header that has not wholly arrived nothing is read', () => {
  fc.assert(
    fc.property(header, fc.nat(), (written, cut) => {
      const bytes = encodeShuffleHeader(written);
      assert.equal(decodeShuffleHeader(bytes.subarray(0, cut % bytes.length)), undefined);
    }),
  );
});

test('a header is laid out as Hadoop’s ShuffleHeader: id as Text, then three variable-length numbers', () => {
  const bytes = encodeShuffleHeader({ mapId: 'attempt_1', partLength: 300, rawLength: 127, reduce: 0 });
  assert.equal(bytes.toString('hex'), `09${Buffer.from('attempt_1').toString('hex')}8e012c7f00`);
});

test('an impossible length of an id is refused instead of waited for', () => {
  for (const bytes of [Buffer.from([0x8e, 0x01, 0x2c]), Buffer.from([0xff])])
    assert.throws(() => decodeShuffleHeader(bytes), /shuffle header with an impossible map id/);
});

test('a hash depends on the token and on the whole message', () => {
  const token = Buffer.from('secret');
  const hash = hashOf(token, '/mapOutput?job=job_1_0001&reduce=0&map=a');
  assert.equal(Buffer.from(hash, 'base64').length, 32);
  assert.equal(hashOf(token, '/mapOutput?job=job_1_0001&reduce=0&map=a'), hash);
  assert.notEqual(hashOf(token, '/mapOutput?job=job_1_0001&reduce=1&map=a'), hash);
  assert.notEqual(hashOf(Buffer.from('other'), '/mapOutput?job=job_1_0001&reduce=0&map=a'), hash);
});

test('service data are the token in base 64', () => {
  assert.equal(encodeServiceData(Buffer.from([0xff, 0xfe])), '//4=');
});
