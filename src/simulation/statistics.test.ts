// What a simulation counts: waits, shares over time, starvation, preemption.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../lib/random.ts';
import { Statistics } from './statistics.ts';

const facts = { queueFile: 'f', policy: 'capacity', seed: undefined, nodes: 1, stuck: [] } as const;
const ann = { queue: 'a', user: 'ann' };
const bob = { queue: 'b', user: 'bob' };

describe('statistics', () => {
  it('share the cluster by the type that a queue uses most, over the time that was observed', () => {
    const statistics = new Statistics(2);
    statistics.submitted(ann);
    statistics.asked(ann, 1);
    statistics.placed(ann, [100, 5], false, 0);
    statistics.advance(4000);
    statistics.released(ann, [100, 5]);
    statistics.finished(ann, 4000);
    const report = statistics.report(facts, [1000, 10]);
    assert.deepEqual([report.makespanMs, report.observedMs, report.utilisation], [4000, 4000, { memory: 0.1, vcores: 0.5 }]);
    assert.deepEqual(
      report.queues.map(({ name, share, shares }) => [name, share, shares]),
      [['a', 0.5, [0.5, 0.5, 0.5, 0.5]]],
    );
    assert.deepEqual(
      report.users.map(({ name }) => name),
      ['ann'],
    );
  });

  it('count waits by rank', () => {
    const statistics = new Statistics(2);
    for (let waitMs = 1; waitMs <= 100; waitMs++) {
      statistics.asked(ann, 1);
      statistics.placed(ann, [1, 1], waitMs % 10 === 0, waitMs);
    }
    const { taskWaits, masterWaits, jobTimes } = statistics.report(facts, [1000, 1000]);
    assert.deepEqual(taskWaits, { count: 90, mean: 50, p50: 49, p95: 95, max: 99 });
    assert.deepEqual([masterWaits.count, masterWaits.p50, masterWaits.max], [10, 50, 100]);
    assert.deepEqual(jobTimes, { count: 0, mean: 0, p50: 0, p95: 0, max: 0 });
  });

  it('know how long a queue wanted containers and got none', () => {
    const statistics = new Statistics(2);
    statistics.asked(ann, 2);
    statistics.asked(bob, 1);
    statistics.advance(3000);
    statistics.placed(ann, [1, 1], false, 3000);
    statistics.advance(5000);
    statistics.placed(ann, [1, 1], false, 5000);
    // Nothing is wanted now: that is no hunger.
    statistics.advance(60_000);
    statistics.asked(ann, 1);
    statistics.advance(61_000);
    const [a, b] = statistics.report(facts, [1, 1]).queues;
    assert.deepEqual([a?.longestStarvationMs, b?.longestStarvationMs], [3000, 61_000]);
    assert.equal(statistics.pending, 2);
  });

  it('count jobs that were refused by reason, those that ended and those that did not', () => {
    const statistics = new Statistics(2);
    statistics.submitted(ann);
    statistics.submitted(bob);
    statistics.finished(ann, 5);
    for (let i = 0; i < 3; i++) statistics.refused('no queue');
    for (let i = 0; i < 30; i++) statistics.refused(`reason ${i}`);
    statistics.advance(9000);
    const report = statistics.report(facts, [1, 1]);
    assert.deepEqual(report.jobs, { submitted: 35, finished: 1, refused: 33, unfinished: 1 });
    assert.deepEqual([report.refusals[0], report.refusals.length], [{ reason: 'no queue', jobs: 3 }, 20]);
    // A job never ended: the time until nothing happened any more counts.
    assert.deepEqual([report.makespanMs, report.observedMs], [0, 9000]);
  });

  it('count what preemption took and lost', () => {
    const statistics = new Statistics(2);
    statistics.preempted(ann, true, 100);
    statistics.preempted(ann, false, 50);
    const report = statistics.report(facts, [1, 1]);
    assert.deepEqual(report.preemptions, { containers: 2, masters: 1, lostMs: 150 });
    assert.equal(report.queues[0]?.preempted, 2);
  });

  it('lose nothing however long it takes: slices double, sums stay', () => {
    const random = seededRandom(11);
    const statistics = new Statistics(2);
    let nowMs = 0;
    let used = 0;
    let sum = 0;
    for (let i = 0; i < 400; i++) {
      const stepMs = random.int(60_000);
      sum += used * stepMs;
      statistics.advance((nowMs += stepMs));
      if (used > 0 && random.int(2) === 0) {
        statistics.released(ann, [10, 1]);
        used -= 10;
      } else {
        statistics.asked(ann, 1);
        statistics.placed(ann, [10, 1], false, 0);
        used += 10;
      }
    }
    while (used > 0) {
      statistics.released(ann, [10, 1]);
      used -= 10;
    }
    const { utilisation, observedMs, sliceMs, queues } = statistics.report(facts, [1000, 1000]);
    assert.equal(observedMs, nowMs);
    assert.ok(Math.abs(utilisation.memory - sum / (1000 * nowMs)) < 0.0001, `${utilisation.memory}`);
    assert.ok(sliceMs * 48 >= nowMs && (queues[0]?.shares.length ?? 0) <= 48);
  });
});
