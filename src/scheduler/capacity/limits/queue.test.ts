// What limits of queues refuse, in numbers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dominantCalculator } from '../../state/calculator.ts';
import { Counts } from '../../state/counts.ts';
import type { CapacityApplication } from '../application.ts';
import { refusesMore, refusesSize, reservedBy } from './queue.ts';
import { headroomRefusal, queueLimitRefusal } from './refusal.ts';

const total = [100, 100];

function holding(reserved: readonly number[]): CapacityApplication {
  const counts = new Counts(2);
  counts.add('reserved', 0, reserved, 1);
  const reservedContainers = reserved.some((value) => value > 0) ? 1 : 0;
  return { counts, reservedContainers } satisfies Pick<CapacityApplication, 'counts' | 'reservedContainers'> as CapacityApplication;
}

describe('a queue', () => {
  it('takes more while its dominant share is below its limit', () => {
    assert.equal(refusesMore([40, 10], [50, 50], undefined, total, dominantCalculator), undefined);
    assert.equal(refusesMore([50, 10], [50, 50], undefined, total, dominantCalculator), undefined);
    assert.equal(refusesMore([50, 50], [50, 50], undefined, total, dominantCalculator), queueLimitRefusal);
  });

  it('takes more at its limit where reservations could be given up', () => {
    assert.equal(refusesMore([50, 50], [50, 50], [10, 10], total, dominantCalculator), undefined);
    assert.equal(refusesMore([50, 50], [50, 50], [0, 0], total, dominantCalculator), queueLimitRefusal);
    assert.equal(refusesMore([60, 60], [50, 50], [10, 10], total, dominantCalculator), queueLimitRefusal);
  });

  it('refuses a size of which one type is more than what is left', () => {
    const size = (resource: number[]) => refusesSize(resource, holding([0, 0]), 0, [40, 40], [50, 60], dominantCalculator);
    assert.equal(size([10, 20]), undefined);
    assert.equal(size([11, 1]), headroomRefusal);
    assert.equal(size([1, 21]), headroomRefusal);
  });

  it('counts what the application reserved as left to it', () => {
    const size = (reserved: number[]) => refusesSize([10, 1], holding(reserved), 0, [50, 40], [50, 60], dominantCalculator);
    assert.equal(size([0, 0]), headroomRefusal);
    assert.equal(size([10, 1]), undefined);
    assert.equal(size([9, 1]), headroomRefusal);
  });
});

describe('what an application reserved', () => {
  it('is undefined where it is nothing', () => {
    assert.equal(reservedBy(holding([0, 0]), 0), undefined);
    assert.deepEqual(reservedBy(holding([3, 1]), 0), [3, 1]);
  });
});
