// Which records attempts leave out, one failure after the other.
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { nextKept, type RecordRange, type SkippingPlan, withRange } from '../tasks/skipping/record-ranges.ts';
import { rememberedSkipping, rememberSkipping } from './skipping-file.ts';
import { TaskSkipping } from './task-skipping.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_123) });

const isIn = (ranges: readonly RecordRange[], index: number) => ranges.some(({ first, count }) => index >= first && index < first + count);
const range = (first: number, count: number): RecordRange => ({ first, count });

test('ranges that touch or overlap become one, and the next record that is kept is the one behind', () => {
  const some = fc.array(fc.record({ first: fc.nat(40), count: fc.nat(6) }), { maxLength: 8 });
  fc.assert(
    fc.property(some, (added) => {
      const ranges = added.reduce<readonly RecordRange[]>(withRange, []);
      for (let index = 0; index < 50; index++) {
        assert.equal(isIn(ranges, index), isIn(added, index));
        let next = index;
        while (isIn(added, next)) next++;
        assert.equal(nextKept(ranges, index), next);
      }
      for (const [index, { first }] of ranges.entries())
        if (index > 0) assert.ok(first > ranges[index - 1]!.first + ranges[index - 1]!.count);
    }),
  );
});

/** What an attempt over so many records comes to. A vague program says nothing of what it has done, and is told of records before it looks at them. */
function attempt(plan: SkippingPlan | undefined, records: number, bad: ReadonlySet<number>, isVague: boolean) {
  const kept = Array.from({ length: records }, (_, index) => index).filter((index) => !isIn(plan?.leftOut ?? [], index));
  const failing = kept.findIndex((index) => bad.has(index));
  const failed = { skipping: plan, nextRecords: undefined as RecordRange | undefined, trialPassed: false };
  if (failing < 0) return plan?.isTrial === true ? { ...failed, trialPassed: true } : undefined;
  const last = kept[isVague ? Math.min(failing + 3, kept.length - 1) : failing]!;
  const first = kept[isVague ? 0 : failing]!;
  if (plan !== undefined) failed.nextRecords = range(first, last - first + 1);
  return failed;
}

test('all bad records are found, with no more around each than may be left out', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.array(fc.nat(199), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 0, max: 3 }),
      fc.boolean(),
      (records, places, most, startAfterFailures, isVague) => {
        const bad = new Set(places.filter((place) => place < records));
        const skipping = new TaskSkipping({ most, startAfterFailures });
        let attempts = 1;
        for (let end = attempt(skipping.plan, records, bad, isVague); end !== undefined; attempts++) {
          assert.ok(attempts < 60, 'it comes to an end');
          skipping.failed(end);
          end = attempt(skipping.plan, records, bad, isVague);
        }
        const { leftOut } = skipping.state;
        for (const { first, count } of leftOut)
          assert.ok(
            [...bad].some((index) => index >= first && index < first + count),
            'nothing is left out without a cause',
          );
        assert.ok(leftOut.reduce((sum, { count }) => sum + count, 0) <= most * bad.size);
        const halvings = isVague ? Math.ceil(Math.log2(records + 4)) : 0;
        const begin = bad.size === 0 ? 0 : startAfterFailures;
        assert.ok(attempts <= 1 + begin + bad.size * (1 + halvings), `${attempts} attempts`);
      },
    ),
  );
});

describe('nothing is learnt of records from an attempt', () => {
  const exact = (plan: SkippingPlan | undefined, index: number) => ({
    skipping: plan,
    nextRecords: range(index, 1),
    trialPassed: false,
  });

  test('that ran before skipping began, or by an older plan', () => {
    const skipping = new TaskSkipping({ most: 1, startAfterFailures: 1 });
    skipping.failed({ skipping: undefined, nextRecords: undefined, trialPassed: false });
    const first = skipping.plan;
    assert.deepEqual(first, { leftOut: [], isTrial: false });
    skipping.failed(exact(first, 4));
    assert.deepEqual(skipping.plan?.leftOut, [range(4, 1)]);
    const second = skipping.plan;
    skipping.failed(exact(first, 7));
    skipping.failed(exact(undefined, 8));
    assert.equal(skipping.plan, second);
    assert.equal(skipping.state.failures, 4);
  });

  test('that ended before it had to do with records: a trial is repeated', () => {
    const skipping = new TaskSkipping({ most: 1, startAfterFailures: 0 });
    skipping.failed({ skipping: skipping.plan, nextRecords: range(0, 8), trialPassed: false });
    const trial = skipping.plan;
    assert.equal(trial?.isTrial, true);
    skipping.failed({ skipping: trial, nextRecords: undefined, trialPassed: false });
    assert.equal(skipping.plan, trial);
    skipping.failed({ skipping: trial, nextRecords: undefined, trialPassed: true });
    assert.deepEqual(skipping.state.suspected, range(4, 4));
  });
});

describe('what masters remember of a task', () => {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-skipping-'));
  after(() => rmSync(folder, { recursive: true }));

  test('is what was said last; half a line is passed over, and what follows it is read', () => {
    assert.equal(rememberedSkipping(folder).size, 0);
    rememberSkipping(folder, 'a', { failures: 1, leftOut: [] });
    rememberSkipping(folder, 'b', { failures: 2, leftOut: [range(3, 1)] });
    rememberSkipping(folder, 'a', { failures: 2, leftOut: [], suspected: range(0, 9) });
    appendFileSync(join(folder, 'skipping.jsonl'), '\n{"taskId":"b","state":{"fail');
    rememberSkipping(folder, 'c', { failures: 1, leftOut: [] });
    assert.deepEqual(
      [...rememberedSkipping(folder)],
      [
        ['a', { failures: 2, leftOut: [], suspected: range(0, 9) }],
        ['b', { failures: 2, leftOut: [range(3, 1)] }],
        ['c', { failures: 1, leftOut: [] }],
      ],
    );
  });
});
