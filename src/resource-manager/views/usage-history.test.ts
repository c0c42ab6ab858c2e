import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { UsageHistory, usageSpans } from './usage-history.ts';

const nothing = {
  totalMemoryMiB: 0,
  usedMemoryMiB: 0,
  pendingMemoryMiB: 0,
  totalVcores: 0,
  usedVcores: 0,
  pendingVcores: 0,
  runningApplications: 0,
  waitingApplications: 0,
  containers: 0,
  pendingContainers: 0,
  machineMemoryMiB: 0,
  machineCores: 0,
};

describe('use over time', () => {
  it('is looked at every ten seconds, and kept for an hour and, in larger steps, a day', async () => {
    const clock = new ManualClock();
    const beganMs = clock.now();
    let containers = 0;
    const history = new UsageHistory(() => ({ ...nothing, containers: containers++ }), clock);
    history.begin(silentLogger);
    assert.equal(history.of('hour').length, 1);
    for (let second = 0; second < 25 * 3600; second += 10) clock.advance(10_000);
    const [hour, day] = [history.of('hour'), history.of('day')];
    assert.equal(hour.length, usageSpans.hour.samples);
    assert.equal(day.length, usageSpans.day.samples);
    for (const [samples, { stepMs }] of [
      [hour, usageSpans.hour],
      [day, usageSpans.day],
    ] as const)
      for (let index = 1; index < samples.length; index++) assert.equal(samples[index]!.timeMs - samples[index - 1]!.timeMs, stepMs);
    assert.equal(hour.at(-1)?.timeMs, beganMs + 25 * 3_600_000);
    assert.equal(hour.at(-1)?.containers, containers - 1);
    await history.close();
    clock.advance(60_000);
    assert.equal(history.of('hour').at(-1)?.timeMs, beganMs + 25 * 3_600_000);
  });
});
