// How fast do containers start and end on one node, and what does the node manager take for itself?

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalResource } from '../src/wire/cluster/launch-context.ts';
import { type NodeProcess, startNodeProcess } from '../test/support/node-process.ts';
import { startProcesses } from '../test/support/processes.ts';
import { cluster as base, ended, specification, submit } from './applications.ts';
import { call, cpuShare, type Measure, percentile, residentMiB, residentTreeMiB, restMs } from './measure.ts';
import type { Peer } from './peer.ts';

const idleContainers = 1000;
const idleWatchMs = 10_000;
/** How often is asked when an application was placed, before it is left out. */
const mostLooks = 2000;

/** Milliseconds from the order to the first instruction, with one file in the cache. */
async function startLatencies(node: NodeProcess, first: number, count: number): Promise<number[]> {
  const file = join(node.home, 'words');
  writeFileSync(file, 'words\n');
  const { size, mtimeMs } = statSync(file);
  const words: LocalResource = { resource: `file://${file}`, type: 'FILE', visibility: 'PRIVATE', size, timestamp: Math.floor(mtimeMs) };
  const times: number[] = [];
  for (let number = first; number < first + count; number++) {
    const stamp = join(node.home, 'stamp');
    const order = node.order(number, `echo \\$EPOCHREALTIME > ${stamp}; read -r _ < words`, { localResources: { words } });
    const begin = performance.timeOrigin + performance.now();
    node.send(order);
    const { exitCode, diagnostics } = await node.resourceManager.complete(order.containerId);
    if (exitCode !== 0) throw new Error(diagnostics);
    times.push(Number(readFileSync(stamp, 'utf8')) * 1000 - begin);
  }
  return times;
}

/** Containers a second: all are ordered at once. */
async function throughput(node: NodeProcess, first: number, count: number): Promise<number> {
  const orders = Array.from({ length: count }, (_, index) => node.order(first + index, 'true'));
  const begin = performance.now();
  node.send(...orders);
  for (const { containerId } of orders) await node.resourceManager.complete(containerId);
  return (1000 * count) / (performance.now() - begin);
}

/** Share of a core that one container writing `mebibytes` of log costs the node manager. */
async function heavyLog(node: NodeProcess, number: number, mebibytes: number): Promise<number> {
  const order = node.order(number, `head -c ${mebibytes}M /dev/zero > <LOG_DIR>/stdout`);
  return cpuShare(node.pid(), async () => {
    node.send(order);
    await node.resourceManager.complete(order.containerId);
  });
}

/** Through a whole cluster, so that Hadoop can do the same: masters, each its application's only container. */
async function masters(rm: string, count: number): Promise<{ start: number[]; rate: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-containers-'));
  const start: number[] = [];
  for (let i = 0; i < count; i++) {
    const mark = join(folder, `mark-${i}`);
    const id = await submit(rm, specification(`: > ${mark}; sleep 1`));
    let placed = 0;
    for (let looks = 0; placed === 0 && looks < mostLooks; looks++) {
      await sleep(5);
      // A list of one is an object here: the text is looked through.
      const attempts = `${base(rm)}/apps/${id}/appattempts`;
      const attempt = /appattempt_\d+_\d+_\d+/.exec((await call('GET', `${attempts}?user.name=root`)).text)?.[0];
      if (attempt)
        placed = Number(
          /"startedTime":"?(\d+)/.exec((await call('GET', `${attempts}/${attempt}/containers?user.name=root`)).text)?.[1] ?? 0,
        );
    }
    await ended(rm, id);
    if (i > 0 && placed > 0) start.push(statSync(mark).mtimeMs - placed);
  }
  rmSync(folder, { recursive: true });
  const many = Math.min(50, 5 * count);
  const begin = performance.now();
  const ids = await Promise.all(Array.from({ length: many }, () => submit(rm, specification('true'))));
  for (const id of ids) await ended(rm, id, 20);
  return { start, rate: (1000 * many) / (performance.now() - begin) };
}

const clusterSettings = { 'yarn.scheduler.capacity.maximum-am-resource-percent': '1' };

export async function containers(peer?: Peer): Promise<Measure[]> {
  const measures: Measure[] = [];
  {
    // The first one fills the cache of compiled modules.
    await (await startNodeProcess())[Symbol.asyncDispose]();
    await using node = await startNodeProcess();
    await sleep(restMs);
    measures.push({
      name: 'idle node manager',
      value: residentMiB(node.pid()),
      unit: 'MiB',
      ...(peer ? { peer: peer.residentMiB('nm') } : {}),
    });
    measures.push({ name: 'idle node manager with its launcher', value: residentTreeMiB(node.pid()), unit: 'MiB' });
    await startLatencies(node, 1, 20);
    const starts = await startLatencies(node, 100, 100);
    measures.push(
      { name: 'order → first instruction, p50', value: percentile(starts, 0.5), unit: 'ms' },
      { name: 'order → first instruction, p99', value: percentile(starts, 0.99), unit: 'ms' },
    );
    await throughput(node, 1000, 100);
    measures.push({ name: 'containers of `true`, 100 at once', value: await throughput(node, 2000, 100), unit: 'containers/s' });
    await sleep(restMs);
    measures.push({ name: 'idle node manager after 320 containers', value: residentMiB(node.pid()), unit: 'MiB' });
    measures.push({ name: 'cpu while a container writes 1 GiB of log', value: await heavyLog(node, 3000, 1024), unit: '% of a core' });
  }
  {
    await using node = await startNodeProcess();
    const orders = Array.from({ length: idleContainers }, (_, index) => node.order(index + 1, 'exec sleep 3600'));
    node.send(...orders);
    for (const { containerId } of orders) await node.resourceManager.running(containerId);
    await sleep(restMs);
    measures.push({
      name: `cpu with ${idleContainers.toLocaleString('en')} idle containers`,
      value: await cpuShare(node.pid(), () => sleep(idleWatchMs)),
      unit: '% of a core',
    });
    measures.push({
      name: `memory with ${idleContainers.toLocaleString('en')} idle containers`,
      value: residentMiB(node.pid()),
      unit: 'MiB',
    });
  }
  await using cluster = await startProcesses({ settings: clusterSettings });
  const ours = await masters(cluster.urls.resourceManager, 20);
  const theirs = peer && (await masters(peer.urls.resourceManager, 5));
  const both = (name: string, unit: string, pick: (m: { start: number[]; rate: number }) => number): Measure => ({
    name,
    unit,
    value: pick(ours),
    ...(theirs ? { peer: pick(theirs) } : {}),
  });
  measures.push(
    both('placement → first instruction of a master, p50', 'ms', ({ start }) => percentile(start, 0.5)),
    both('applications of one container `true`', 'containers/s', ({ rate }) => rate),
  );
  return measures;
}
