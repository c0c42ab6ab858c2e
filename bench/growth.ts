// Does an answer take longer where more applications wait? Two clusters, one with few and one with many, are asked in turn.
import { startProcesses } from '../test/support/processes.ts';
import { fill } from './applications.ts';
import { load, median } from './load.ts';
import { type Measure, residentMiB } from './measure.ts';

const [few, many] = [1000, 50_000];
const rounds = 5;
const roundSeconds = 2;
const paths = [
  '/ws/v1/cluster/info',
  '/ws/v1/cluster/metrics',
  '/ws/v1/cluster/appstatistics',
  '/ws/v1/cluster/scheduler',
  '/ws/v1/cluster/apps?states=RUNNING',
  '/ws/v1/cluster/apps?states=ACCEPTED&limit=10',
  '/ws/v1/cluster/apps?user=nobody',
  '/ws/v1/cluster/apps?limit=100',
  '/api/v1/applications?limit=20',
];

const started = async (count: number) => {
  const cluster = await startProcesses({ mode: 'none', settings: { 'yarn.scheduler.capacity.maximum-applications': '1000000' } });
  await cluster.start('resource-manager');
  await fill(cluster.urls.resourceManager, count);
  return cluster;
};

export async function growth(): Promise<Measure[]> {
  await using small = await started(few);
  await using large = await started(many);
  const clusters = [small, large].map(({ urls, pids }) => ({ url: urls.resourceManager, pid: pids.get('resource-manager') ?? 0 }));
  const measures: Measure[] = [];
  const [fewer, more] = [few, many].map((count) => count.toLocaleString('en'));
  for (const path of paths) {
    const times: number[][] = [[], []];
    for (let round = 0; round < rounds; round++)
      for (const [index, { url, pid }] of clusters.entries())
        times[index]!.push((await load(url + path, roundSeconds, pid)).cpuMicroseconds);
    const [before, after] = times.map(median) as [number, number];
    const name = path.replace('/ws/v1/cluster', '');
    measures.push(
      { name: `${name}, processor time with ${fewer} waiting`, value: before, unit: '\u00b5s' },
      { name: `${name}, with ${more}: times as much`, value: after / before, unit: '' },
    );
  }
  for (const [index, count] of [fewer, more].entries())
    measures.push({ name: `resident with ${count} waiting, after that`, value: residentMiB(clusters[index]!.pid), unit: 'MiB' });
  return measures;
}
