import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FrameLengthRefused, FrameReader, framed } from './frames.ts';

const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 1);

describe('frames', () => {
  it(`come out as they went in, however the stream is cut (seed ${seed})`, () => {
    const property = fc.property(
      fc.array(fc.uint8Array({ maxLength: 300 })),
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
      (all, cuts) => {
        const stream = Buffer.concat(all.map(framed));
        const reader = new FrameReader();
        const found: Buffer[] = [];
        for (let at = 0, turn = 0; at < stream.length; turn++) {
          const size = cuts[turn % cuts.length]!;
          reader.push(stream.subarray(at, at + size));
          at += size;
          for (let frame = reader.frame(1000); frame; frame = reader.frame(1000)) found.push(Buffer.from(frame));
        }
        assert.deepEqual(
          found.map((frame) => frame.toString('hex')),
          all.map((frame) => Buffer.from(frame).toString('hex')),
        );
        assert.equal(reader.waitingBytes, 0);
      },
    );
    fc.assert(property, { seed, numRuns: Number(process.env['HEDDLE_TEST_RUNS'] ?? 200) });
  });

  it('of a length that none may have are refused as soon as it is there', () => {
    for (const length of [-1, 1001, 2 ** 31 - 1]) {
      const reader = new FrameReader();
      const head = Buffer.alloc(4);
      head.writeInt32BE(length);
      reader.push(head);
      assert.throws(() => reader.frame(1000), FrameLengthRefused);
    }
  });

  it('that are only announced set nothing aside', () => {
    const reader = new FrameReader();
    reader.push(Buffer.from([0, 0, 3, 0, 1, 2]));
    assert.equal(reader.frame(1000), undefined);
    assert.equal(reader.waitingBytes, 6);
  });
});
