// Where reservations are placed: whatever is asked, what is placed is what was asked, fits, and lies in its window.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Random, seededRandom } from '../../lib/random.ts';
import { Failure } from '../../model/errors.ts';
import type { Resource } from '../../model/resource.ts';
import { dominantCalculator } from '../../scheduler/state/calculator.ts';
import {
  checkDefinition,
  checkRequest,
  type Interpreter,
  interpreters,
  type ReservationDefinition,
  type ReservationRequest,
} from './definition.ts';
import { findPlace, merged, type Reservation } from './plan.ts';
import { checkAverage } from './quota.ts';
import { instancesIn, periodOf, takenIn } from './recurrence.ts';
import { gangsThatFit, type Interval, peak, type Room } from './room.ts';

const minuteMs = 60_000;
const total = [10_240, 20];
const at = (startMinute: number, endMinute: number, memoryMiB: number, vcores = 1): Interval => ({
  startMs: startMinute * minuteMs,
  endMs: endMinute * minuteMs,
  resource: [memoryMiB, vcores],
});
const request = (more: Partial<ReservationRequest> = {}): ReservationRequest => ({
  capability: [1024, 1],
  containers: 1,
  concurrency: 1,
  durationMs: minuteMs,
  ...more,
});
const definition = (more: Partial<ReservationDefinition> = {}): ReservationDefinition => ({
  arrivalMs: 0,
  deadlineMs: 60 * minuteMs,
  interpreter: 'ALL',
  requests: [request()],
  name: undefined,
  recurrence: '0',
  ...more,
});
const refusal = (run: () => unknown): string => {
  try {
    run();
    return '';
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    return error.message;
  }
};

/** Amount × ms of an interval list, by type. */
const volume = (intervals: readonly Interval[]): number[] =>
  total.map((_, type) => intervals.reduce((sum, { startMs, endMs, resource }) => sum + (resource[type] ?? 0) * (endMs - startMs), 0));

function randomRoom(random: Random): Room {
  const taken = Array.from({ length: random.int(6) }, () => {
    const start = random.int(50);
    return at(start, start + 1 + random.int(20), random.int(4) * 1024, random.int(4));
  });
  return { taken, total, greedy: random.int(2) === 0, late: random.int(2) === 0 };
}

function randomDefinition(random: Random): ReservationDefinition {
  const arrival = random.int(20);
  const requests = Array.from({ length: 1 + random.int(3) }, () => {
    const concurrency = 1 + random.int(3);
    return request({
      capability: [512 * (1 + random.int(4)), 1 + random.int(2)],
      concurrency,
      containers: concurrency * (1 + random.int(4)),
      durationMs: (1 + random.int(5)) * minuteMs,
    });
  });
  return definition({
    arrivalMs: arrival * minuteMs,
    deadlineMs: (arrival + 10 + random.int(40)) * minuteMs,
    interpreter: interpreters[random.int(interpreters.length)] as Interpreter,
    requests,
  });
}

describe('what is placed', () => {
  const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122);

  it(`fits beside what is there, lies in its window, and is as much as was asked (seed ${seed})`, () => {
    const random = seededRandom(seed);
    let placedCount = 0;
    for (let i = 0; i < 1500; i++) {
      const room = randomRoom(random);
      const wanted = randomDefinition(random);
      let placed: Interval[];
      try {
        placed = findPlace(wanted, room);
      } catch (error) {
        assert.ok(error instanceof Failure);
        continue;
      }
      placedCount++;
      const say = JSON.stringify({ wanted, room, placed });
      for (const { startMs, endMs } of placed) assert.ok(startMs >= wanted.arrivalMs && endMs <= wanted.deadlineMs && startMs < endMs, say);
      const free = peak([...room.taken, ...placed], wanted.arrivalMs, wanted.deadlineMs);
      const before = peak(room.taken, wanted.arrivalMs, wanted.deadlineMs);
      free.forEach((amount, type) => assert.ok(amount <= Math.max(total[type] ?? 0, before[type] ?? 0), say));
      const asked = wanted.requests.map(({ capability, containers, durationMs }) =>
        capability.map((amount) => amount * containers * durationMs),
      );
      if (wanted.interpreter === 'ANY')
        assert.ok(
          asked.some((one) => one.every((amount, type) => amount === volume(placed)[type])),
          say,
        );
      else
        assert.deepEqual(
          volume(placed),
          total.map((_, type) => asked.reduce((sum, one) => sum + (one[type] ?? 0), 0)),
          say,
        );
    }
    assert.ok(placedCount > 500, `only ${placedCount} were placed`);
  });

  it('begins as early as it can, or ends as late where the plan says so', () => {
    const taken = [at(0, 10, 10_240, 20)];
    const greedy = (late: boolean) => findPlace(definition(), { taken, total, greedy: true, late })[0];
    assert.deepEqual([greedy(false)?.startMs, greedy(true)?.endMs], [10 * minuteMs, 60 * minuteMs]);
  });

  it('is spread over the least loaded times where the plan is not greedy', () => {
    const taken = [at(0, 30, 8192, 1)];
    const [placed] = findPlace(definition(), { taken, total });
    assert.ok((placed?.startMs ?? 0) >= 30 * minuteMs);
  });

  it('keeps stages in order, without a gap where that is asked', () => {
    const stages = [request({ durationMs: 5 * minuteMs }), request({ durationMs: 5 * minuteMs, capability: [2048, 1] })];
    const order = findPlace(definition({ interpreter: 'ORDER', requests: stages }), { taken: [], total, greedy: true });
    assert.deepEqual(
      order.map(({ startMs, endMs, resource }) => [startMs / minuteMs, endMs / minuteMs, resource[0]]),
      [
        [0, 5, 1024],
        [5, 10, 2048],
      ],
    );
    // The second stage would have to wait: only with a gap there is a place.
    const taken = [at(5, 10, 9000, 1)];
    const narrow = { deadlineMs: 15 * minuteMs, requests: stages };
    assert.ok(findPlace(definition({ interpreter: 'ORDER', ...narrow }), { taken, total, greedy: true }).length > 0);
    assert.match(
      refusal(() =>
        findPlace(definition({ interpreter: 'ORDER_NO_GAP', ...narrow }), { taken: [at(5, 10, 10_240, 20)], total, greedy: true }),
      ),
      /The allocation found does not respect ORDER_NO_GAP/,
    );
    // Nor may one stage have a gap.
    const split = { deadlineMs: 15 * minuteMs, requests: [request({ capability: [6000, 1], containers: 2, durationMs: 5 * minuteMs })] };
    const busy = { taken: [at(5, 10, 9000, 1)], total };
    assert.equal(findPlace(definition({ interpreter: 'ORDER', ...split }), busy).length, 2);
    assert.match(
      refusal(() => findPlace(definition({ interpreter: 'ORDER_NO_GAP', ...split }), busy)),
      /The allocation found does not respect ORDER_NO_GAP/,
    );
  });

  it('leaves the user no more than a user may hold', () => {
    const room: Room = { taken: [], total, ofUser: [at(0, 60, 2048, 2)], userTotal: [3072, 20], greedy: true };
    assert.equal(gangsThatFit(request(), room, [], 0, minuteMs), 1);
    assert.match(
      refusal(() => findPlace(definition({ requests: [request({ containers: 2, concurrency: 2 })] }), room)),
      /cannot be satisfied/,
    );
  });
});

describe('what a plan holds', () => {
  it('is the most at any moment of a window', () => {
    const held = [at(0, 10, 1, 5), at(5, 15, 2, 1), at(12, 20, 4, 1)];
    const most = (from: number, to: number) => peak(held, from * minuteMs, to * minuteMs);
    assert.deepEqual([most(0, 5), most(0, 10), most(10, 12), most(0, 60), most(30, 40)], [[1, 5], [3, 6], [2, 1], [6, 6], []]);
  });

  it('becomes steps that hold the same at every moment', () => {
    const random = seededRandom(9);
    for (let i = 0; i < 300; i++) {
      const intervals = Array.from({ length: 1 + random.int(6) }, () => {
        const start = random.int(20);
        return at(start, start + 1 + random.int(8), random.int(3), random.int(3));
      });
      const steps = merged(intervals);
      steps.forEach((step, n) => assert.ok(n === 0 || (steps[n - 1] as Interval).endMs <= step.startMs));
      for (let minute = 0; minute < 30; minute++) {
        const window = [minute * minuteMs, minute * minuteMs + 1] as const;
        const amounts = (list: readonly Interval[]) => [0, 1].map((type) => peak(list, ...window)[type] ?? 0);
        assert.deepEqual(amounts(steps), amounts(intervals));
      }
    }
  });
});

describe('reservations that come again', () => {
  const daily = (more: Partial<Reservation> = {}): Reservation => ({
    id: 'r',
    user: 'ann',
    queue: 'q',
    acceptedMs: 0,
    definition: definition({ recurrence: String(100 * minuteMs) }),
    allocations: [at(10, 20, 100)],
    ...more,
  });

  it('have an interval in every period, and one that is not repeated has its own only', () => {
    const starts = (reservation: Reservation, from: number, to: number) =>
      instancesIn(reservation, from * minuteMs, to * minuteMs).map(({ startMs }) => startMs / minuteMs);
    assert.deepEqual(starts(daily(), 0, 350), [10, 110, 210, 310]);
    assert.deepEqual(starts(daily(), 115, 119), [110]);
    assert.deepEqual(starts(daily(), 120, 210), []);
    const once = daily({ definition: definition() });
    assert.deepEqual([starts(once, 0, 350), starts(once, 100, 350), periodOf('x'), periodOf('5')], [[10], [], 0, 5]);
  });

  it('see the most that others hold in any of their repetitions', () => {
    const other = daily({ definition: definition(), allocations: [at(115, 118, 300)] });
    const taken = takenIn([daily(), other], { fromMs: 0, toMs: 50 * minuteMs }, 100 * minuteMs, 200 * minuteMs);
    assert.deepEqual(peak(taken, 10 * minuteMs, 20 * minuteMs)[0], 400);
    assert.deepEqual(peak(taken, 18 * minuteMs, 20 * minuteMs)[0], 100);
    assert.deepEqual(takenIn([daily()], { fromMs: 0, toMs: 50 * minuteMs }, 0, 0), [at(10, 20, 100)]);
  });

  it('stay within what a user may hold on average', () => {
    const quota = { instantaneous: 1, average: 0.5, windowMs: 60 * minuteMs };
    const wanted = daily({ id: 'wanted', definition: definition(), allocations: [at(0, 30, 10_240)] });
    assert.equal(
      refusal(() => checkAverage(wanted, [], total, quota)),
      '',
    );
    const own = daily({ definition: definition(), allocations: [at(40, 41, 1024)] });
    assert.match(
      refusal(() => checkAverage(wanted, [own], total, quota)),
      /Integral \(avg over time\) quota capacity 0\.5 over a window of 3600 seconds, {2}would be exceeded by accepting reservation: wanted/,
    );
    assert.equal(
      refusal(() => checkAverage(wanted, [own], total, { ...quota, average: 1 })),
      '',
    );
  });
});

describe('what may be reserved', () => {
  const compare = (a: Resource, b: Resource) => dominantCalculator.compare(total, a, b);
  const bounds = { nowMs: 1000, total, compare, maximumAllocation: [4096, 4], maximumPeriodicityMs: 1000 * minuteMs };
  const problem = (more: Partial<ReservationDefinition>) => refusal(() => checkDefinition(definition(more), bounds));

  it('is refused by the first rule that it breaks, in the words of Hadoop', () => {
    assert.equal(problem({}), '');
    assert.match(problem({ deadlineMs: 1000, requests: [] }), /The specified deadline: 1000 is the past/);
    assert.match(problem({ requests: [] }), /No resources have been specified to reserve/);
    assert.match(
      problem({ requests: [request({ durationMs: 61 * minuteMs })] }),
      /The time difference \(3600000\) between arrival \(0\) and deadline/,
    );
    assert.match(
      problem({ interpreter: 'ORDER', requests: [request({ durationMs: 40 * minuteMs }), request({ durationMs: 40 * minuteMs })] }),
      /The time difference/,
    );
    assert.match(
      problem({ requests: [request({ concurrency: 11, containers: 11 })] }),
      /The size of the largest gang .* exceed the capacity available/,
    );
    for (const [recurrence, words] of [
      ['soon', /Invalid period soon/],
      ['-5', /Negative Period : -5/],
      ['60000', /is greater than the recurrence: 60000/],
      ['7000000', /must be divisible by the recurrence expression provided: 7000000/],
    ] as const)
      assert.match(problem({ recurrence }), words);
  });

  it('is held against gangs and the largest container by the planner', () => {
    const planner = (more: Partial<ReservationRequest>) => refusal(() => checkRequest(request(more), [4096, 4]));
    assert.equal(planner({}), '');
    assert.match(planner({ concurrency: 0 }), /Gang Size should be >= 1/);
    assert.match(planner({ containers: 0 }), /Num containers should be > 0/);
    assert.match(planner({ containers: 3, concurrency: 2 }), /exact multiple of gang size/);
    assert.match(planner({ capability: [4097, 1] }), /should not exceed cluster's maxAlloc/);
  });

  it('is held against them one request after the other, as far as the planner comes', () => {
    const wrong = request({ containers: 3, concurrency: 2 });
    const place = (interpreter: ReservationDefinition['interpreter'], ...requests: ReservationRequest[]) =>
      findPlace(definition({ interpreter, requests }), { taken: [], total, maximumAllocation: [4096, 4] });
    assert.equal(place('ANY', request(), wrong).length, 1);
    assert.match(
      refusal(() => place('ANY', wrong, request())),
      /exact multiple of gang size/,
    );
    const unfit = request({ containers: 11, concurrency: 11 });
    assert.match(
      refusal(() => place('ALL', unfit, wrong)),
      /The request cannot be satisfied/,
    );
    assert.match(
      refusal(() => place('ALL', request(), wrong)),
      /exact multiple of gang size/,
    );
  });
});
