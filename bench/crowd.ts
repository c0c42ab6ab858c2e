// Does anything else wait where tens of thousands of applications are listed again and again while a thousand a second come, and what memory do they take?
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { startProcesses } from '../test/support/processes.ts';
import { cluster as base, fill, specification, submit } from './applications.ts';
import { hasWrk } from './load.ts';
import { answered, type Measure, percentile, residentMiB, restMs } from './measure.ts';

const [listed, all] = [50_000, 100_000];
const submissionsPerSecond = 1000;
const watchedMs = 10_000;
/** Submissions begin in groups, so many milliseconds apart. */
const everyMs = 10;

/** The whole list again and again by one client that is quicker than the server, until it is told to end. Answers how many there were a second. */
function listing(url: string): { end(): Promise<number> } {
  if (hasWrk) {
    const child = spawn('wrk', ['-t1', '-c1', '--timeout', '60s', `-d${watchedMs / 1000}s`, url], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (piece) => (text += piece));
    const closed = once(child, 'close');
    return {
      async end() {
        await closed;
        return Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]);
      },
    };
  }
  let lists = 0;
  let ending = false;
  const begin = performance.now();
  const done = (async () => {
    for (; !ending; lists++) await answered('GET', url);
  })();
  return {
    async end() {
      ending = true;
      await done;
      return (1000 * lists) / (performance.now() - begin);
    },
  };
}

/** Submits so many a second for a time, whether the ones before are answered or not; answers how many were answered a second. */
async function submitPaced(rm: string): Promise<number> {
  const pending = new Set<Promise<unknown>>();
  const begin = performance.now();
  let begun = 0;
  for (let now = begin; now < begin + watchedMs; now = performance.now()) {
    for (const due = ((now - begin) / 1000) * submissionsPerSecond; begun < due; begun++) {
      const one: Promise<unknown> = submit(rm, specification()).finally(() => pending.delete(one));
      pending.add(one);
    }
    await sleep(everyMs);
  }
  await Promise.all(pending);
  return (1000 * begun) / (performance.now() - begin);
}

export async function crowd(): Promise<Measure[]> {
  await using cluster = await startProcesses({ mode: 'none', settings: { 'yarn.scheduler.capacity.maximum-applications': '1000000' } });
  await cluster.start('resource-manager');
  const rm = cluster.urls.resourceManager;
  const resident = () => residentMiB(cluster.pids.get('resource-manager') ?? 0);
  await fill(rm, listed);
  await sleep(restMs);
  const name = listed.toLocaleString('en');
  const measures: Measure[] = [{ name: `resident with ${name} waiting`, value: resident(), unit: 'MiB' }];
  const watcher = new Worker(new URL('./watch-info.ts', import.meta.url), { workerData: `${base(rm)}/info` });
  await once(watcher, 'online');
  const lists = listing(`${base(rm)}/apps`);
  const submissions = await submitPaced(rm);
  const listsPerSecond = await lists.end();
  const samples = once(watcher, 'message');
  watcher.postMessage('end');
  const [waits] = (await samples) as [number[]];
  const during = `while ${name} are listed and ${submissionsPerSecond.toLocaleString('en')} a second submitted`;
  measures.push(
    { name: `info ${during}, p50`, value: percentile(waits, 0.5), unit: 'ms' },
    { name: `info ${during}, p99`, value: percentile(waits, 0.99), unit: 'ms' },
    { name: `info ${during}, longest`, value: Math.max(...waits), unit: 'ms' },
    { name: `submissions ${during.replace(/ and .*/, '')}`, value: submissions, unit: '/s' },
    { name: `whole lists of ${name} or more`, value: listsPerSecond, unit: '/s' },
  );
  await fill(rm, all - listed - Math.round((submissionsPerSecond * watchedMs) / 1000));
  await sleep(restMs);
  measures.push({ name: `resident with ${all.toLocaleString('en')} waiting, after that`, value: resident(), unit: 'MiB' });
  return measures;
}
