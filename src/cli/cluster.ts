// `heddle cluster status` and `heddle top`: how the cluster is, once or for as long as one looks.
import type { Command } from 'commander';
import type { ClusterClient } from '../client/cluster-client.ts';
import { RemoteFailure } from '../client/remote-failure.ts';
import type { ApplicationInfo } from '../wire/cluster/application.ts';
import type { ClusterInfo, ClusterMetrics } from '../wire/cluster/cluster-info.ts';
import type { ClusterUsage } from '../wire/cluster/own-answers.ts';
import { fitted } from './columns.ts';
import { type Connection, connect, talk, talkPatiently } from './connection.ts';
import { type ClusterFlags, wholeNumber, withClusterOptions } from './options.ts';
import {
  formatDuration,
  formatMemory,
  formatTime,
  printFacts,
  printJson,
  printText,
  Screen,
  tableText,
  terminalColumns,
} from './output.ts';
import { type QueueRow, queueRows } from './queue.ts';

/** Registers `heddle cluster …` and `heddle top`. */
export function addCluster(program: Command): void {
  const cluster = program.command('cluster').description('the cluster as a whole');
  withClusterOptions(cluster.command('status')).description('say how the cluster is: nodes, what is used, what waits').action(status);
  withClusterOptions(program.command('top'))
    .description('show what uses the cluster, again and again; once where the output is no terminal')
    .option('--interval <seconds>', 'how often', wholeNumber(1, 3600), 2)
    .option('--count <applications>', 'at most so many applications', wholeNumber(1, 1000))
    .option('--once', 'once, then end')
    .action(top);
}

const share = (part: unknown, whole: unknown): string => (Number(whole) > 0 ? `${Math.round((Number(part) / Number(whole)) * 100)}%` : '-');
const number = (value: unknown): number => Number(value ?? 0);

/** Nodes by what they are, none where there are none. */
const nodesText = (metrics: ClusterMetrics): string =>
  [
    [metrics.activeNodes, 'active'],
    [metrics.unhealthyNodes, 'unhealthy'],
    [metrics.decommissioningNodes, 'decommissioning'],
    [metrics.decommissionedNodes, 'decommissioned'],
    [metrics.lostNodes, 'lost'],
    [metrics.shutdownNodes, 'shut down'],
    [metrics.rebootedNodes, 'rebooted'],
  ]
    .filter(([count], at) => at === 0 || number(count) > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ');

const amountText = (used: number, all: number, machines: number, show: (amount: number) => string): string =>
  `${show(used)} of ${show(all)} (${share(used, all)})${machines > 0 && all > 0 ? `, the machines use ${share(machines, all)}` : ''}`;

const memoryText = (memoryMiB: number): string => formatMemory(Math.round(memoryMiB)) ?? '';

/** How much there is and is used; `usage` is undefined where the cluster does not tell it, and then nodes with labels are left out. */
function used(metrics: ClusterMetrics, usage: ClusterUsage | undefined): readonly (readonly [string, string])[] {
  const now = usage?.samples.at(-1) ?? {
    usedMemoryMiB: number(metrics.allocatedMB),
    totalMemoryMiB: number(metrics.totalMB),
    usedVcores: number(metrics.allocatedVirtualCores),
    totalVcores: number(metrics.totalVirtualCores),
    containers: number(metrics.containersAllocated),
    pendingContainers: number(metrics.containersPending),
    machineMemoryMiB: 0,
    machineCores: 0,
  };
  const labelled = now.totalMemoryMiB - number(metrics.totalMB);
  return [
    ['memory', amountText(now.usedMemoryMiB, now.totalMemoryMiB, now.machineMemoryMiB, memoryText)],
    // Cores may be given twice, and then say nothing of labels.
    ...(labelled > 0 ? [['with labels', `${memoryText(labelled)} of it`] as const] : []),
    ['vcores', amountText(now.usedVcores, now.totalVcores, now.machineCores, String)],
    ['containers', `${now.containers} run, ${now.pendingContainers} are waited for`],
  ];
}

/** Clusters of other kinds do not tell it. */
const usageOf = (cluster: ClusterClient): Promise<ClusterUsage | undefined> =>
  cluster.usage().catch((error: unknown) => {
    if (error instanceof RemoteFailure) return undefined;
    throw error;
  });

async function status(flags: ClusterFlags): Promise<void> {
  const { cluster, resourceManagerUrl } = connect(flags);
  const [info, metrics, { type }, usage] = await talk(() =>
    Promise.all([cluster.info(), cluster.metrics(), cluster.scheduler(), usageOf(cluster)]),
  );
  if (flags.json) return printJson({ url: resourceManagerUrl, scheduler: type, ...info, metrics, usage });
  printFacts([
    ['resource manager', resourceManagerUrl],
    ['state', stateText(info)],
    ['started', `${formatDuration(Date.now() - number(info.startedOn))} ago`],
    ['speaks', `YARN ${info.hadoopVersion}`],
    ['scheduler', type],
    ['nodes', nodesText(metrics)],
    ...used(metrics, usage),
    ['applications', `${number(metrics.appsRunning)} run, ${number(metrics.appsPending)} wait`],
    ['ended', `${number(metrics.appsCompleted)} finished, ${number(metrics.appsFailed)} failed, ${number(metrics.appsKilled)} killed`],
  ]);
}

const stateText = ({ state, haState }: ClusterInfo): string => [state, haState].filter(Boolean).join(', ').toLowerCase();

/** What one look shows. */
interface Look {
  readonly metrics: ClusterMetrics;
  readonly usage?: ClusterUsage | undefined;
  readonly queues: readonly QueueRow[];
  /** Running ones with the most memory first, then those that wait, the oldest first. */
  readonly applications: readonly ApplicationInfo[];
}

async function look(cluster: ClusterClient): Promise<Look> {
  const [metrics, usage, { queues }, applications] = await Promise.all([
    cluster.metrics(),
    usageOf(cluster),
    cluster.scheduler(),
    cluster.applications({ states: 'RUNNING,ACCEPTED' }),
  ]);
  const uses = ({ allocatedMB }: ApplicationInfo): number => Math.max(0, number(allocatedMB));
  const sorted = [...applications].sort((a, b) => uses(b) - uses(a) || number(a.startedTime) - number(b.startedTime));
  return { metrics, usage, queues: queueRows(queues), applications: sorted };
}

const known = (value: unknown): number | undefined => (number(value) < 0 ? undefined : number(value));

function tableOf(applications: readonly ApplicationInfo[]): string {
  return tableText(
    ['APPLICATION', 'USER', 'QUEUE', 'STATE', 'PROGRESS', 'CONTAINERS', 'MEMORY', 'VCORES', 'TIME', 'NAME'],
    applications.map((app) => [
      ...[app.id, app.user, app.queue, app.state, `${Math.round(app.progress ?? 0)}%`, known(app.runningContainers)],
      ...[formatMemory(known(app.allocatedMB)), known(app.allocatedVCores), formatDuration(app.elapsedTime), fitted(app.name ?? '', 40)],
    ]),
    terminalColumns(),
  );
}

const percent = (value: number | undefined): string => (value === undefined ? '-' : `${Math.round(value)}%`);

/** The lines of one look. */
export function linesOf({ metrics, usage, queues, applications }: Look, count = Number.POSITIVE_INFINITY): string[] {
  const head = [
    `nodes: ${nodesText(metrics)}; applications: ${number(metrics.appsRunning)} run, ${number(metrics.appsPending)} wait`,
    used(metrics, usage)
      .map(([name, text]) => `${name}: ${text}`)
      .join('; '),
    `queues: ${queues
      .slice(1)
      .map(({ path, usedPercent, pending }) => `${path} ${percent(usedPercent)}${pending ? ` (${pending} wait)` : ''}`)
      .join(', ')}`,
    '',
  ];
  if (applications.length === 0) return [...head, 'No application runs or waits.'];
  const shown = applications.slice(0, count);
  const more = applications.length - shown.length;
  return [...head, ...tableOf(shown).trimEnd().split('\n'), ...(more > 0 ? [`and ${more} more`] : [])];
}

interface TopFlags extends ClusterFlags {
  readonly interval: number;
  readonly count?: number;
  readonly once?: boolean;
}

async function top(flags: TopFlags): Promise<void> {
  const connection = connect(flags);
  const isLive = process.stdout.isTTY && !flags.once && !flags.json;
  if (isLive) return watch(connection, flags);
  const found = await talk(() => look(connection.cluster));
  if (flags.json) return printJson({ ...found, applications: found.applications.slice(0, flags.count) });
  printText(`${linesOf(found, flags.count).join('\n')}\n`);
}

/** Shows it until a key ends it. What stood on the screen before is there again afterwards, however it ends. */
async function watch({ cluster, resourceManagerUrl }: Connection, flags: TopFlags): Promise<void> {
  const { stdin } = process;
  const ending = new AbortController();
  const end = (): void => ending.abort();
  const onKey = (key: Buffer): void => {
    if (['q', 'Q', '\u0003', '\u001b'].includes(key.toString())) end();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
  if (stdin.isTTY) stdin.setRawMode(true).on('data', onKey).resume();
  const screen = new Screen();
  try {
    while (!ending.signal.aborted) {
      const found = await talkPatiently(() => look(cluster));
      screen.show([`heddle top  ${resourceManagerUrl}  ${formatTime(Date.now())}  (q ends)`, ...linesOf(found, flags.count)]);
      await pause(flags.interval * 1000, ending.signal);
    }
  } finally {
    if (stdin.isTTY) stdin.setRawMode(false).off('data', onKey).pause();
    screen.close();
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
