// Merging many runs a few at a time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesOfPasses, firstPassSize, mergeDown } from './merge-passes.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_123) });

test('the first pass is so small that all later ones are full', () => {
  for (const [runs, factor, expected] of [
    [10, 10, 10],
    [11, 10, 2],
    [19, 10, 10],
    [20, 10, 2],
    [3, 2, 2],
    [1, 5, 1],
  ] as const)
    assert.equal(firstPassSize(runs, factor), expected, `${runs} runs, ${factor} at a time`);
});

test('neighbours are merged, never more than the factor at a time, until the factor can take what is left', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 1000 }), { maxLength: 60 }), fc.integer({ min: 2, max: 12 }), async (sizes, factor) => {
      const runs = sizes.map((bytes, i) => ({ bytes, of: [i] }));
      const passes: number[] = [];
      let written = 0;
      const left = await mergeDown(runs, factor, async (some) => {
        passes.push(some.length);
        const bytes = some.reduce((sum, run) => sum + run.bytes, 0);
        written += bytes;
        return { bytes, of: some.flatMap((run) => run.of) };
      });
      assert.equal(bytesOfPasses(runs, factor), written, 'so much was foretold');
      assert.deepEqual(
        left.flatMap((run) => run.of),
        sizes.map((_, i) => i),
        'all runs, in their order',
      );
      if (sizes.length <= factor) assert.deepEqual(passes, []);
      else {
        assert.equal(left.length, factor);
        assert.ok(passes[0]! >= 2 && passes[0]! <= factor);
        for (const pass of passes.slice(1)) assert.equal(pass, factor);
      }
    }),
    { numRuns: 100 },
  );
});

test('the smallest neighbours are merged first', async () => {
  const merged: number[][] = [];
  await mergeDown(
    [900, 5, 5, 900].map((bytes) => ({ bytes })),
    3,
    (some) => {
      merged.push(some.map((run) => run.bytes));
      return { bytes: 10 };
    },
  );
  assert.deepEqual(merged, [[5, 5]]);
});
