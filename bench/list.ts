// How fast are lists of 1,000 and 10,000 waiting applications, does anything else wait for them, and what memory do they take?
import { Worker } from 'node:worker_threads';
import { startProcesses } from '../test/support/processes.ts';
import { cluster as base, fill } from './applications.ts';
import { answered, type Measure, percentile, residentMiB } from './measure.ts';
import type { Peer } from './peer.ts';

/** Milliseconds and bytes of one whole list, and of `info` asked for again and again, from another thread, while lists are served. */
async function sample(rm: string, lists: number): Promise<{ list: number; bytes: number; info: number; longest: number }> {
  const watcher = new Worker(new URL('./watch-info.ts', import.meta.url), { workerData: `${base(rm)}/info` });
  await new Promise((done) => watcher.once('online', done));
  const times: number[] = [];
  let bytes = 0;
  for (let i = 0; i < lists; i++) {
    const begin = performance.now();
    bytes = (await answered('GET', `${base(rm)}/apps`)).bytes;
    times.push(performance.now() - begin);
  }
  const samples = new Promise<number[]>((done) => watcher.once('message', done));
  watcher.postMessage('end');
  const waits = await samples;
  return { list: percentile(times, 0.5), bytes, info: percentile(waits, 0.99), longest: Math.max(...waits) };
}

export async function list(peer?: Peer): Promise<Measure[]> {
  await using cluster = await startProcesses({ mode: 'roles', settings: { 'yarn.scheduler.capacity.maximum-applications': '100000' } });
  const rm = cluster.urls.resourceManager;
  const measures: Measure[] = [];
  let have = 0;
  for (const count of [1_000, 10_000]) {
    await fill(rm, count - have);
    if (peer) await fill(peer.urls.resourceManager, count - have);
    have = count;
    const ours = await sample(rm, 30);
    const theirs = peer && (await sample(peer.urls.resourceManager, 5));
    const name = count.toLocaleString('en');
    measures.push(
      { name: `list of ${name}, p50`, value: ours.list, unit: 'ms', ...(theirs ? { peer: theirs.list } : {}) },
      { name: `list of ${name}`, value: ours.bytes / 1e6, unit: 'MB', ...(theirs ? { peer: theirs.bytes / 1e6 } : {}) },
      { name: `info while ${name} are listed, p99`, value: ours.info, unit: 'ms', ...(theirs ? { peer: theirs.info } : {}) },
      { name: `info while ${name} are listed, longest`, value: ours.longest, unit: 'ms', ...(theirs ? { peer: theirs.longest } : {}) },
      {
        name: `resident with ${name} waiting`,
        value: residentMiB(cluster.pids.get('resource-manager') ?? 0),
        unit: 'MiB',
        ...(peer ? { peer: peer.residentMiB('rm') } : {}),
      },
    );
  }
  return measures;
}
