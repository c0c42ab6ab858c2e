import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { Simulator } from '../../scheduler/conformance/simulator.ts';
import { QueueLooks } from './queue-looks.ts';

function stand(simulator: Simulator, describingMs = 0) {
  const clock = new ManualClock();
  const { policy } = simulator;
  let described = 0;
  let changes = 0;
  const looks = new QueueLooks({
    policy: {
      metrics: () => policy.metrics(),
      describe() {
        described++;
        clock.advance(describingMs);
        return policy.describe();
      },
    },
    changes: () => changes,
    clock,
    longestMs: 250,
  });
  const change = () => void changes++;
  return { looks, clock, change, described: () => described };
}

const kinds = {
  capacity: { simulator: () => new Simulator(), path: 'root.default', above: 'root' },
  fair: { simulator: () => new Simulator({ kind: 'fair' }), path: 'root.default', above: 'root' },
  fifo: { simulator: () => new Simulator({ kind: 'fifo' }), path: 'default', above: 'default' },
} as const;

describe('one queue', () => {
  for (const [kind, { simulator: build, path, above }] of Object.entries(kinds))
    it(`is told of with what runs and waits in it and below it (${kind})`, () => {
      const simulator = build();
      simulator.addNodes(1, 8192, 8);
      simulator.submit({ queue: 'default', masterMiB: 1024 });
      simulator.run();
      const { looks } = stand(simulator);
      for (const name of [path, above]) {
        const { used, runningApplications, waitingApplications, allocatedContainers, state } = looks.of(name)!;
        assert.deepEqual(
          { used, runningApplications, waitingApplications, allocatedContainers, state },
          {
            used: { memoryMiB: 1024, vcores: 1 },
            runningApplications: 1,
            waitingApplications: 0,
            allocatedContainers: 1,
            state: 'RUNNING',
          },
          name,
        );
      }
      assert.equal(looks.of('root.nothing'), undefined);
    });

  it('is found in one description for all who look in the same moment', () => {
    const { looks, clock, change, described } = stand(new Simulator());
    for (let times = 0; times < 100; times++) looks.of(times % 2 === 0 ? 'root' : 'root.default');
    assert.equal(described(), 1);
    change();
    looks.of('root');
    assert.equal(described(), 2);
    // What no change says: queues that were set anew.
    clock.advance(250);
    looks.of('root');
    assert.equal(described(), 3);
  });

  it('is not looked at again at once by those who wait, and the later the longer it takes to describe all', async () => {
    for (const [describingMs, restsMs] of [
      [0, 100],
      [1, 100],
      [30, 600],
      [1000, 2000],
    ] as const) {
      const { looks, clock } = stand(new Simulator(), describingMs);
      looks.of('root');
      let rested = false;
      const rest = looks.rest().then(() => {
        rested = true;
      });
      clock.advance(restsMs - 1);
      await Promise.resolve();
      await Promise.resolve();
      assert.equal(rested, false, `${describingMs} ms`);
      clock.advance(1);
      await rest;
    }
  });
});
