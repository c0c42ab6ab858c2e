import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { Failure } from '../../model/errors.ts';
import { dominantCalculator } from '../../scheduler/state/calculator.ts';
import type { Interpreter, ReservationDefinition, ReservationRequest } from './definition.ts';
import { parseReservationId, ReservationSystem, type ReservationSystemOptions } from './reservation-system.ts';

const nowMs = 1_000_000_000;
const request = (more: Partial<ReservationRequest> = {}): ReservationRequest => ({
  capability: [512, 1],
  containers: 1,
  concurrency: 1,
  durationMs: 60_000,
  ...more,
});
const definition = (fromMs: number, toMs: number, more: Partial<ReservationDefinition> = {}): ReservationDefinition => ({
  arrivalMs: nowMs + fromMs,
  deadlineMs: nowMs + toMs,
  interpreter: 'ANY' as Interpreter,
  requests: [request()],
  name: 'nightly',
  recurrence: '0',
  ...more,
});

function system(
  records = new Map<string, string>(),
  write: () => Promise<void> = async () => {},
  more: Partial<ReservationSystemOptions> = {},
) {
  const total = [1638, 1];
  const store = {
    records: () => records,
    putRecord: (_kind: string, key: string, value: string) => write().then(() => void records.set(key, value)),
    dropRecord: (_kind: string, key: string) => write().then(() => void records.delete(key)),
  };
  const made = new ReservationSystem({
    store,
    clock: new ManualClock(nowMs),
    clusterTimestamp: 7,
    planQueues: () => [{ name: 'operations', path: 'root.operations', total, compare: (a, b) => dominantCalculator.compare(total, a, b) }],
    maximumAllocation: () => [8192, 4],
    maximumPeriodicityMs: 86_400_000,
    ...more,
  });
  return { made, records };
}
const refused = (pattern: RegExp) => (error: unknown) =>
  error instanceof Failure && error.entry.status === 400 && pattern.test(error.message);

describe('reservations', () => {
  it('accepts what fits and refuses what does not', async () => {
    const { made } = system();
    await made.submit('reservation_7_0001', 'operations', 'ada', definition(60_000, 120_000));
    await assert.rejects(
      made.submit('reservation_7_0002', 'root.operations', 'bob', definition(60_000, 120_000)),
      refused(/PlanningException: The request cannot be satisfied$/),
    );
    await made.submit('reservation_7_0002', 'operations', 'bob', definition(60_000, 180_000));
    assert.deepEqual(made.reservation('reservation_7_0002')?.allocations, [
      { startMs: nowMs + 120_000, endMs: nowMs + 180_000, resource: [512, 1] },
    ]);
    await assert.rejects(
      made.submit('reservation_7_0003', 'operations', 'bob', definition(60_000, 60_500)),
      refused(/cannot be satisfied/),
    );
  });
  it('are as before where a change cannot be stored', async () => {
    let isBroken = false;
    const { made, records } = system(new Map(), async () => {
      if (isBroken) throw new Error('the disk is full');
    });
    const unavailable = (error: unknown) => error instanceof Failure && error.code === 'UNAVAILABLE';
    await made.submit('reservation_7_0001', 'operations', 'ada', definition(60_000, 120_000));
    const before = made.reservation('reservation_7_0001');
    isBroken = true;
    await assert.rejects(made.submit('reservation_7_0002', 'operations', 'bob', definition(200_000, 300_000)), unavailable);
    await assert.rejects(made.update('reservation_7_0001', definition(60_000, 180_000), 'ada'), unavailable);
    await assert.rejects(made.delete('reservation_7_0001', 'ada'), unavailable);
    assert.deepEqual([made.reservation('reservation_7_0001'), made.reservation('reservation_7_0002')], [before, undefined]);
    isBroken = false;
    await made.delete('reservation_7_0001', 'ada');
    assert.deepEqual([made.reservation('reservation_7_0001'), records.size], [undefined, 0]);
  });
  it('is idempotent, refuses another definition, updates in place', async () => {
    const { made } = system();
    const first = definition(60_000, 120_000);
    await made.submit('reservation_7_0001', 'operations', 'ada', first);
    await made.submit('reservation_7_0001', 'operations', 'ada', first);
    await assert.rejects(
      made.submit('reservation_7_0001', 'operations', 'ada', { ...first, name: 'other' }),
      refused(/already exists with the reservation id/),
    );
    await made.update('reservation_7_0001', { ...first, name: 'other' }, 'bob');
    const { definition: changed, user } = made.reservation('reservation_7_0001')!;
    assert.deepEqual([changed.name, user], ['other', 'bob']);
    await assert.rejects(made.update('reservation_7_0009', first, 'ada'), refused(/with ID: reservation_7_0009 is unknown/));
    await made.delete('reservation_7_0001', 'ada');
    await assert.rejects(made.delete('reservation_7_0001', 'ada'), refused(/ID reservation_7_0001 does not exist in the plan$/));
    await assert.rejects(made.delete(undefined, 'ada'), refused(/^Missing reservation id/));
  });
  it('stays its owner’s where an administrator changes it by a list', async () => {
    const { made } = system(undefined, undefined, { allows: () => true });
    await made.submit('reservation_7_0001', 'operations', 'ada', definition(60_000, 120_000));
    await made.update('reservation_7_0001', definition(60_000, 180_000), 'admin');
    assert.equal(made.reservation('reservation_7_0001')?.user, 'ada');
  });
  it('places ordered stages one after the other', async () => {
    const { made } = system();
    const two = [request(), request({ durationMs: 30_000 })];
    await made.submit('reservation_7_0001', 'operations', 'ada', definition(0, 90_000, { interpreter: 'ORDER_NO_GAP', requests: two }));
    assert.deepEqual(made.reservation('reservation_7_0001')?.allocations, [{ startMs: nowMs, endMs: nowMs + 90_000, resource: [512, 1] }]);
    await assert.rejects(
      made.submit('reservation_7_0002', 'operations', 'ada', definition(0, 80_000, { interpreter: 'ORDER', requests: two })),
      refused(/^The time difference \(80000\)/),
    );
  });
  it('names what is wrong with a definition', async () => {
    const { made } = system();
    const submit = (more: ReservationDefinition, queue: string | undefined = 'operations') =>
      made.submit('reservation_7_0001', queue, 'ada', more);
    await assert.rejects(submit(definition(-10, -5)), refused(/^The specified deadline: 999999995 is the past/));
    await assert.rejects(submit(definition(0, 60_000, { recurrence: 'daily' })), refused(/^Invalid period daily/));
    await assert.rejects(submit(definition(0, 60_000, { recurrence: '-5' })), refused(/^Negative Period : -5/));
    await assert.rejects(
      submit(definition(0, 60_000, { recurrence: '30000' })),
      refused(/^Duration of the requested reservation: 60000 is greater than the recurrence: 30000/),
    );
    await assert.rejects(
      submit(definition(0, 60_000, { requests: [request({ capability: [99_999, 99] })] })),
      refused(/ContractValidationException: Individual capability/),
    );
    await assert.rejects(
      submit(definition(0, 60_000, { interpreter: 'ALL', requests: [request({ containers: 90, concurrency: 90 })] })),
      refused(/^The size of the largest gang/),
    );
    await assert.rejects(
      submit(definition(0, 60_000, { interpreter: 'ALL', requests: [request({ containers: 2, concurrency: 2 })] })),
      refused(/^The size of the largest gang in the reservation definition \(<memory:1024, vCores:2>\) exceed/),
    );
    await assert.rejects(submit(definition(0, 60_000), 'default'), refused(/queue: default is not managed by reservation system/));
    await assert.rejects(made.submit(undefined, 'operations', 'ada', definition(0, 60_000)), refused(/^Reservation id cannot be null/));
  });
  it('lists by window and id and survives a restart', async () => {
    const { made, records } = system();
    await made.submit('reservation_7_0001', 'operations', 'ada', definition(60_000, 120_000));
    const again = system(records).made;
    assert.equal(again.list('operations', 0, -1, 'ada').length, 1);
    assert.equal(again.list('operations', 0, nowMs + 59_999, 'ada').length, 0);
    await again.submit('reservation_7_0002', 'operations', 'bob', definition(60_000, 180_000));
    const ids = (fromMs: number, toMs: number) => again.list('operations', nowMs + fromMs, nowMs + toMs, 'ada').map(({ id }) => id.at(-1));
    assert.deepEqual(ids(0, 60_000), ['1', '2'], 'by what was asked for, not by where it was placed');
    assert.deepEqual(ids(120_000, 130_000), ['2']);
    await again.delete('reservation_7_0002', 'bob');
    assert.equal(again.list('operations', nowMs + 120_000, -1, 'ada').length, 0);
    for (const queue of ['operations', 'nowhere']) assert.throws(() => again.list(queue, 9, 5, 'ada'), refused(/^The specified end time/));
  });
  it('reads identifiers as Hadoop does', () => {
    assert.equal(parseReservationId('reservation_1_77'), 'reservation_1_0077');
    assert.equal(parseReservationId('reservation_1_-1'), 'reservation_1_-0001');
    assert.throws(() => parseReservationId('r_1'), /is invalid: r_1/);
    assert.throws(() => parseReservationId('reservation_1'), /is not parseable: reservation_1/);
    assert.throws(() => parseReservationId('reservation_x_1'), /For input string: "x"/);
  });
});
