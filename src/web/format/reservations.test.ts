import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { marksOf, placeOf, type ReadReservation, reservationsOf, spanOf, stepsOf } from './reservations.ts';

const hour = 3_600_000;
const resource = (memory: string) => ({ resourceInformations: { resourceInformation: [{ name: 'memory-mb', value: memory }] } });
const read = (id: string, from: number, to: number, memory: string): ReadReservation => ({
  'reservation-id': id,
  user: 'ann',
  'acceptance-time': '5',
  'resource-allocations': { resource: resource(memory), startTime: String(from), endTime: String(to) },
  'reservation-definition': { arrival: String(from), deadline: String(to), 'reservation-name': 'report', 'recurrence-expression': '0' },
});

describe('reservations', () => {
  it('are read from the mapped form: numbers as texts, a list of one without its list', () => {
    const [one, ...others] = reservationsOf(read('r1', 0, hour, '1024'));
    assert.deepEqual(others, []);
    assert.deepEqual(one, {
      ...{ id: 'r1', name: 'report', user: 'ann', arrivalMs: 0, deadlineMs: hour, acceptedMs: 5, recurrence: '0' },
      allocations: [{ startMs: 0, endMs: hour, amounts: { 'memory-mb': 1024 } }],
    });
    assert.deepEqual(reservationsOf(undefined), []);
  });

  it('add up over time', () => {
    const list = reservationsOf([read('r1', 0, 2 * hour, '1000'), read('r2', hour, 3 * hour, '500')]);
    assert.deepEqual(stepsOf(list, 'memory-mb'), [
      { atMs: 0, amount: 1000 },
      { atMs: hour, amount: 1500 },
      { atMs: 2 * hour, amount: 500 },
      { atMs: 3 * hour, amount: 0 },
    ]);
    assert.ok(stepsOf(list, 'vcores').every(({ amount }) => amount === 0));
  });

  it('lie in a window that holds now and them', () => {
    const list = reservationsOf([read('r1', 5 * hour, 9 * hour, '1')]);
    assert.deepEqual(spanOf(list, 2 * hour, undefined), { fromMs: 2 * hour, toMs: 9 * hour });
    assert.deepEqual(spanOf(list, 12 * hour, 12), { fromMs: 11 * hour, toMs: 24 * hour });
    assert.deepEqual(spanOf([], 0, undefined), { fromMs: 0, toMs: hour });
    const span = { fromMs: 0, toMs: 10 * hour };
    assert.deepEqual([placeOf(-5, span), placeOf(5 * hour, span), placeOf(20 * hour, span)], [0, 0.5, 1]);
  });

  it('have marks at round times of the zone', () => {
    const span = { fromMs: 0.5 * hour, toMs: 10 * hour };
    assert.deepEqual(
      marksOf(span, 6, 0).map((ms) => ms / hour),
      [2, 4, 6, 8, 10],
    );
    assert.deepEqual(
      marksOf(span, 4, hour).map((ms) => ms / hour),
      [2, 5, 8],
    );
    assert.ok(marksOf({ fromMs: 0, toMs: 1e15 }, 5, 0).length <= 100);
  });
});
