// The totals of opportunistic containers go on over restarts.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { openDatabase } from '../../storage/sqlite.ts';
import { ResourceManagerStore } from '../store/resource-manager-store.ts';
import { aContainer } from '../test-support/builders.ts';
import type { Write, WriteAnswer } from './effects.ts';
import { OpportunisticScheduler } from './opportunistic.ts';
import { ClusterState } from './state.ts';

function aScheduler(store: ResourceManagerStore) {
  const writes: { write: Write; answer: WriteAnswer }[] = [];
  const scheduler = new OpportunisticScheduler(
    {
      state: new ClusterState(),
      effects: { wakeScheduler: () => undefined, persist: (write, answer) => void writes.push({ write, answer }) },
      clock: new ManualClock(),
      isReachable: () => true,
      nextContainerId: () => '',
    },
    store.opportunisticTotals(),
  );
  /** Carries out what was left to be written. */
  const write = async (): Promise<number> => {
    const left = writes.splice(0);
    for (const { write, answer } of left) {
      if (write.kind === 'opportunisticCounts') await store.putOpportunisticTotals(write.counts);
      answer.stored?.();
    }
    return left.length;
  };
  return { scheduler, write };
}

it('opportunistic containers are counted over restarts, written once for many, and again for what came meanwhile', async () => {
  const store = new ResourceManagerStore(openDatabase(':memory:', { logger: silentLogger }));
  const { scheduler, write } = aScheduler(store);
  for (let i = 0; i < 3; i++) {
    scheduler.joined();
    scheduler.ended(aContainer({ executionType: 'OPPORTUNISTIC', startedMs: 1 }));
  }
  assert.equal(await write(), 1);
  assert.equal(await write(), 1, 'two ended while the first was being written');
  assert.equal(await write(), 0);
  scheduler.joined();
  assert.equal(scheduler.counts.allocated, 1);
  const again = aScheduler(store).scheduler;
  assert.deepEqual(again.counts, { allocated: 0, everAllocated: 0, everReleased: 3, nodeLocal: 0, rackLocal: 0, offSwitch: 0 });
  store.close();
});
