// How many requests a second does the resource manager answer with 1,000 applications waiting?
import { startProcesses } from '../test/support/processes.ts';
import { cluster as base, fill, specification, submit } from './applications.ts';
import { answered, getJson, type Measure, rate } from './measure.ts';
import type { Peer } from './peer.ts';

const clients = 16;
const durationMs = 3000;

async function rates(rm: string): Promise<Map<string, { perSecond: number; p99Ms: number }>> {
  const { apps } = await getJson<{ apps: { app: { id: string }[] } }>(`${base(rm)}/apps?limit=1`);
  const paths: Record<string, string> = {
    info: '/info',
    metrics: '/metrics',
    'one application': `/apps/${apps.app[0]?.id}`,
    'apps?limit=100': '/apps?limit=100',
    'all applications': '/apps',
    scheduler: '/scheduler',
  };
  const results: Awaited<ReturnType<typeof rates>> = new Map();
  for (const [name, path] of Object.entries(paths)) {
    await rate(clients, 500, () => answered('GET', base(rm) + path));
    results.set(name, await rate(clients, durationMs, () => answered('GET', base(rm) + path)));
  }
  results.set('new id and durable submission', await rate(clients, durationMs, () => submit(rm, specification())));
  return results;
}

export async function rest(peer?: Peer): Promise<Measure[]> {
  await using cluster = await startProcesses({ settings: { 'yarn.scheduler.capacity.maximum-applications': '1000000' } });
  await fill(cluster.urls.resourceManager, 1000);
  const ours = await rates(cluster.urls.resourceManager);
  if (peer) await fill(peer.urls.resourceManager, 1000);
  const theirs = peer && (await rates(peer.urls.resourceManager));
  return [...ours].flatMap(([name, { perSecond, p99Ms }]) => {
    const other = theirs && (theirs.get(name) ?? { perSecond: Number.NaN, p99Ms: Number.NaN });
    return [
      { name, value: perSecond, unit: 'requests/s', ...(other ? { peer: other.perSecond } : {}) },
      { name: `${name}, p99 of ${clients} clients`, value: p99Ms, unit: 'ms', ...(other ? { peer: other.p99Ms } : {}) },
    ];
  });
}
