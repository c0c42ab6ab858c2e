// How long after kill -9 does a resource manager with 20,000 waiting applications answer again, with all of them?
import { command, startProcesses } from '../test/support/processes.ts';
import { cluster as base, fill } from './applications.ts';
import { type Measure, percentile, residentMiB } from './measure.ts';

const waiting = 20_000;
const rounds = 5;

/** @throws where an application is missing, or there are more */
async function countWaiting(rm: string): Promise<void> {
  const answer = await fetch(`${base(rm)}/appstatistics?states=ACCEPTED`);
  const { appStatInfo } = (await answer.json()) as { appStatInfo: { statItem: { count: number }[] } };
  const count = appStatInfo.statItem.reduce((sum, item) => sum + item.count, 0);
  if (count !== waiting) throw new Error(`${count} applications wait, not ${waiting}`);
}

export async function recovery(): Promise<Measure[]> {
  await using cluster = await startProcesses({
    mode: 'none',
    program: command,
    settings: { 'yarn.scheduler.capacity.maximum-applications': '1000000' },
  });
  await cluster.start('resource-manager');
  const rm = cluster.urls.resourceManager;
  await fill(rm, waiting);
  await countWaiting(rm);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await cluster.stop('resource-manager', 'SIGKILL');
    const begin = performance.now();
    await cluster.start('resource-manager');
    await countWaiting(rm);
    times.push(performance.now() - begin);
  }
  const name = `${waiting.toLocaleString('en')} waiting`;
  return [
    { name: `from the command to an answer that counts ${name}, p50`, value: percentile(times, 0.5), unit: 'ms' },
    { name: 'the longest', value: Math.max(...times), unit: 'ms' },
    { name: `resident with ${name}, recovered`, value: residentMiB(cluster.pids.get('resource-manager') ?? 0), unit: 'MiB' },
  ];
}
