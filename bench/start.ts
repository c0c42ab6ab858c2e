// How long from the command until every component answers, and how much memory do they take idle?
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcesses } from '../test/support/processes.ts';
import { type Measure, percentile, residentTreeMiB, restMs } from './measure.ts';
import type { Peer } from './peer.ts';

export async function start(peer?: Peer): Promise<Measure[]> {
  const times: number[] = [];
  let memory = Number.NaN;
  for (let round = 0; round < 5; round++) {
    await using cluster = await startProcesses({ mode: 'none' });
    const begin = performance.now();
    await cluster.start('up');
    times.push(performance.now() - begin);
    if (round === 4) {
      // Idle is who has had nothing to do for a while.
      await sleep(restMs);
      memory = residentTreeMiB(cluster.pids.get('up') ?? 0);
    }
  }
  return [
    { name: 'ready', value: percentile(times, 0.5), unit: 'ms', ...(peer ? { peer: peer.readyMs } : {}) },
    { name: 'resident, idle', value: memory, unit: 'MiB', ...(peer ? { peer: peer.residentMiB() } : {}) },
  ];
}
