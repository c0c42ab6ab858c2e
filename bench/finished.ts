// Does the resource manager's memory grow with the applications that ended, and does anything get slower?
import { startProcesses } from '../test/support/processes.ts';
import { cluster as base, ended, specification, submit } from './applications.ts';
import { answered, call, getJson, type Measure, percentile, residentMiB } from './measure.ts';

const clients = 16;

/** Submits and kills `count` applications; the ids of the last few. */
async function endMany(rm: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  let left = count;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (left-- > 0) {
        const id = await submit(rm, specification());
        const answer = await call('PUT', `${base(rm)}/apps/${id}/state?user.name=root`, { state: 'KILLED' });
        if (answer.status >= 300) throw new Error(`kill: ${answer.status} ${answer.text.slice(0, 300)}`);
        if (ids.length < clients) ids.push(id);
      }
    }),
  );
  for (const id of ids) await ended(rm, id);
  return ids;
}

/** Milliseconds of a request, p50 of 30. */
async function timeOf(url: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 30; i++) {
    const begin = performance.now();
    await answered('GET', url);
    times.push(performance.now() - begin);
  }
  return percentile(times, 0.5);
}

export async function finished(): Promise<Measure[]> {
  await using cluster = await startProcesses({ mode: 'roles', settings: { 'yarn.scheduler.capacity.maximum-applications': '100000' } });
  const rm = cluster.urls.resourceManager;
  const measures: Measure[] = [];
  let have = 0;
  let first = '';
  for (const count of [1_000, 10_000, 25_000, 50_000]) {
    const ids = await endMany(rm, count - have);
    first ||= ids[0] ?? '';
    have = count;
    const name = count.toLocaleString('en');
    const { clusterMetrics } = await getJson<{ clusterMetrics: { appsKilled: number } }>(`${base(rm)}/metrics`);
    if (clusterMetrics.appsKilled !== count) throw new Error(`${clusterMetrics.appsKilled} of ${count} applications ended`);
    measures.push(
      { name: `resident after ${name} ended`, value: residentMiB(cluster.pids.get('resource-manager') ?? 0), unit: 'MiB' },
      { name: `one of the first, of ${name}, p50`, value: await timeOf(`${base(rm)}/apps/${first}`), unit: 'ms' },
      { name: `apps?limit=100 of ${name}, p50`, value: await timeOf(`${base(rm)}/apps?limit=100`), unit: 'ms' },
    );
  }
  return measures;
}
