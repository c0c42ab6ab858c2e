// How many containers a second the policies place on one core, with queue limits, user limits and labels on; with --peer what Hadoop's
// scheduler does with the same work.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Measure } from './measure.ts';
import { fetchPeer, type Peer } from './peer.ts';
import { type Load, Loaded, measure, type Rates } from './scheduler/load.ts';
import { nodeUpdates } from './scheduler/node-updates.ts';
import { childrenCpuSeconds, hadoopNodeUpdates, hadoopSimulation, run } from './scheduler/peer.ts';
import { queueFile, syntheticTrace } from './scheduler/trace.ts';

const node = { memoryMiB: 65_536, vcores: 32, labels: true };
const large = { memoryMiB: 262_144, vcores: 128, labels: false };
const loads: [string, Load][] = [
  ['1,000 nodes, 1,000 queues', { ...node, nodes: 1000, parents: 20, leaves: 50, applications: 10_000, requests: 60 }],
  ['5,000 nodes, 100 queues', { ...node, nodes: 5000, parents: 10, leaves: 10, applications: 10_000, requests: 60 }],
  ['5,000 nodes, 1,000 queues', { ...node, nodes: 5000, parents: 20, leaves: 50, applications: 10_000, requests: 60 }],
  ['20,000 nodes, 100 queues', { ...node, nodes: 20_000, parents: 10, leaves: 10, applications: 10_000, requests: 60 }],
  ['20,000 nodes, 1,000 queues', { ...node, nodes: 20_000, parents: 20, leaves: 50, applications: 10_000, requests: 60 }],
  ['5,000 large nodes, 500 queues', { ...large, nodes: 5000, parents: 20, leaves: 25, applications: 5000, requests: 200 }],
  ['20,000 large nodes, 10,000 queues', { ...large, nodes: 20_000, parents: 100, leaves: 100, applications: 20_000, requests: 40 }],
  ['fair, 5,000 nodes, 100 queues', { ...node, kind: 'fair', nodes: 5000, parents: 10, leaves: 10, applications: 10_000, requests: 60 }],
];

function rowsOf(name: string, rates: Rates): Measure[] {
  const rows: Measure[] = [
    { name: `${name}: filling (${rates.placed} containers)`, value: rates.fillPerSecond, unit: 'placements/s' },
    { name: `${name}: 1,000 end, 1,000 start`, value: rates.manyPerSecond, unit: 'placements/s' },
    { name: `${name}: 20 end, 20 start`, value: rates.fewPerSecond, unit: 'placements/s' },
    { name: `${name}: slice, p99`, value: rates.sliceP99Ms, unit: 'ms' },
  ];
  // Where everything asked for runs, nothing starts again.
  return rows.filter(({ value }) => value > 0);
}

/** Heap of a policy with 100,000 live applications that hold 1,000,000 containers. */
function memory(): Measure {
  const collect = (globalThis as { gc?: () => void }).gc;
  collect?.();
  const before = process.memoryUsage().heapUsed;
  const loaded = new Loaded({ ...large, nodes: 20_000, parents: 20, leaves: 50, applications: 100_000, requests: 10 });
  const placed = loaded.place();
  collect?.();
  const value = (process.memoryUsage().heapUsed - before) / 1024 ** 2;
  return { name: `heap of 100,000 applications with ${placed} containers`, value, unit: 'MiB' };
}

/** CPU seconds per 1,000 placements of a whole simulation, start of the process included. */
async function simulations(peer: boolean): Promise<Measure> {
  const scheduler = syntheticTrace();
  const folder = mkdtempSync(join(tmpdir(), 'heddle-simulation-'));
  try {
    const trace = join(folder, 'trace.json');
    const queues = join(folder, 'capacity-scheduler.xml');
    writeFileSync(trace, JSON.stringify(scheduler.trace));
    writeFileSync(queues, queueFile(scheduler));
    const main = join(import.meta.dirname, '../src/main.ts');
    const size = `${scheduler.nodeMemoryMiB}x${scheduler.nodeVcores}`;
    const before = childrenCpuSeconds();
    const code = await run(process.execPath, [main, 'simulate', trace, '--queues', queues, '--node-size', size, '--json']);
    if (code !== 0) throw new Error(`heddle simulate ended with ${code}`);
    const value = (childrenCpuSeconds() - before) / (scheduler.containers / 1000);
    const seconds = peer ? await hadoopSimulation(scheduler) : undefined;
    const theirs = seconds === undefined ? undefined : seconds / (scheduler.containers / 1000);
    return {
      name: `simulating a SYNTH trace (${scheduler.containers} containers), per 1,000 placements`,
      value,
      unit: 'CPU-s',
      ...(theirs === undefined ? {} : { peer: theirs }),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function scheduler(_peer?: Peer, compared = false): Promise<Measure[]> {
  if (compared) await fetchPeer();
  const results: Measure[] = [];
  const costs = new Map<string, number>();
  for (const [name, load] of loads) {
    const rates = measure(load);
    costs.set(name, 1 / rates.fillPerSecond);
    results.push(...rowsOf(name, rates));
  }
  const growth = costs.get('20,000 nodes, 1,000 queues')! / costs.get('1,000 nodes, 1,000 queues')!;
  results.push({ name: 'cost of a placement, 20,000 nodes against 1,000', value: growth, unit: 'times' });
  const { updates, anew } = nodeUpdates(100, 200);
  const theirs = compared ? await hadoopNodeUpdates(100, 200) : undefined;
  const hadoop = theirs === undefined ? {} : { peer: theirs };
  results.push({ name: '100 queues × 200 applications at the user limit: node updates', value: updates, unit: 'updates/s', ...hadoop });
  results.push({ name: 'the same, every application visited anew each time', value: anew, unit: 'updates/s', ...hadoop });
  results.push(await simulations(compared), memory());
  return results;
}
