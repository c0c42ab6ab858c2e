// The order of suffixes and the least rotation, against comparing them all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { leastRotation, suffixArray } from './suffix-array.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_124) });

/** Texts that repeat themselves, as they are the hard ones: of few letters, and of periods. */
const texts = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 80, size: 'max' }),
  fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 80, size: 'max' }),
  fc
    .tuple(fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 12 }))
    .map(([period, times]) => Array.from({ length: times }, () => period).flat()),
);

test('suffixes are in the order of their bytes', () => {
  fc.assert(
    fc.property(texts, (letters) => {
      const text = Buffer.from(letters);
      const expected = letters.map((_, i) => i).sort((a, b) => Buffer.compare(text.subarray(a), text.subarray(b)));
      assert.deepEqual([...suffixArray(text)], expected);
    }),
    { numRuns: 400 },
  );
  assert.deepEqual([...suffixArray(Buffer.alloc(0))], []);
});

test('no rotation is less than the one that is found', () => {
  fc.assert(
    fc.property(texts, (letters) => {
      const twice = Buffer.from([...letters, ...letters]);
      const rotation = (place: number) => twice.subarray(place, place + letters.length);
      const least = rotation(leastRotation(twice, letters.length));
      for (let place = 0; place < letters.length; place++) assert.ok(Buffer.compare(least, rotation(place)) <= 0);
    }),
    { numRuns: 400 },
  );
});
