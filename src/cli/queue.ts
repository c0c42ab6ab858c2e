// `heddle queue list|show`; changes lie in `queue-changes.ts`.

import type { Command } from 'commander';
import { many, type QueueInfo } from '../client/cluster-client.ts';
import { coresText } from '../model/resource.ts';
import { connect, talk } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { formatMemory, printFacts, printJson, printTable, printText } from './output.ts';
import { addQueueChanges } from './queue-changes.ts';
import { queuesBelow } from './queues-below.ts';

/** Registers `heddle queue …`. */
export function addQueue(program: Command): void {
  const queue = program.command('queue').description('look at the queues and change them');
  withClusterOptions(queue.command('list')).description('list queues with their shares and use').action(list);
  withClusterOptions(queue.command('show').argument('<queue>', 'its path, or its name where no other has it'))
    .description('show one queue: shares, limits, use, users')
    .action(show);
  addQueueChanges(queue);
}

/** A queue of any scheduler with what all of them tell. */
export interface QueueRow {
  readonly path: string;
  readonly state: string | undefined;
  readonly guaranteedPercent: number | undefined;
  readonly maximumPercent: number | undefined;
  readonly usedPercent: number | undefined;
  readonly usedMemoryMiB: number | undefined;
  readonly usedVcores: number | undefined;
  readonly running: number | undefined;
  readonly pending: number | undefined;
}

function firstNumber(...values: unknown[]): number | undefined {
  for (const value of values) if (typeof value === 'number') return value;
  return undefined;
}

type Amounts = { memory?: number; vCores?: number } | undefined;

/** The queues of a scheduler, parents before their children. */
export const queueRows = (queues: readonly QueueInfo[]): QueueRow[] => queuesBelow(queues).map(({ path, queue }) => rowOf(path, queue));

function rowOf(path: string, queue: QueueInfo): QueueRow {
  const used = (queue.resourcesUsed ?? queue.usedResources) as Amounts;
  // The fair scheduler tells amounts: their part of the cluster's memory.
  const whole = (queue['clusterResources'] as Amounts)?.memory;
  const part = (amounts: unknown): number | undefined => {
    const memory = (amounts as Amounts)?.memory;
    return memory === undefined || !whole ? undefined : (Number(memory) / whole) * 100;
  };
  return {
    path,
    state: queue.state,
    guaranteedPercent: firstNumber(queue.absoluteCapacity, queue.capacity, part(queue['steadyFairResources'])),
    maximumPercent: firstNumber(queue['absoluteMaxCapacity'], queue.maxCapacity, part(queue['maxResources'])),
    usedPercent: firstNumber(queue.absoluteUsedCapacity, queue.usedCapacity, part(queue.usedResources)),
    usedMemoryMiB: firstNumber(used?.memory),
    usedVcores: firstNumber(used?.vCores),
    running: firstNumber(queue.numActiveApps, queue['numActiveApplications'], queue.numApplications),
    pending: firstNumber(queue.numPendingApps, queue['numPendingApplications']),
  };
}

const percent = (value: number | undefined): string => (value === undefined ? '' : `${Number(value.toFixed(1))}%`);

async function list(flags: ClusterFlags): Promise<void> {
  const { cluster } = connect(flags);
  const { type, queues } = await talk(() => cluster.scheduler());
  const rows = queueRows(queues);
  if (flags.json) return printJson({ scheduler: type, queues: rows });
  printTable(
    ['QUEUE', 'STATE', 'GUARANTEED', 'MAXIMUM', 'USED', 'MEMORY', 'VCORES', 'RUNNING', 'PENDING'],
    rows.map((row) => [
      row.path,
      row.state,
      percent(row.guaranteedPercent),
      percent(row.maximumPercent),
      percent(row.usedPercent),
      formatMemory(row.usedMemoryMiB),
      row.usedVcores,
      row.running,
      row.pending,
    ]),
    ['VCORES', 'MEMORY', 'STATE'],
  );
}

/** Users of a leaf queue, as the capacity scheduler tells them. */
interface QueueUser {
  readonly username?: string;
  readonly numActiveApplications?: number;
  readonly numPendingApplications?: number;
  readonly resourcesUsed?: Amounts;
  readonly userResourceLimit?: Amounts;
}

const amountsText = (amounts: Amounts): string =>
  amounts === undefined ? '' : `${formatMemory(amounts.memory ?? 0)}, ${coresText(amounts.vCores ?? 0)}`;
const textOf = (value: unknown): string | number | undefined =>
  typeof value === 'string' || typeof value === 'number' ? value : value === undefined || value === null ? undefined : String(value);

async function show(named: string, flags: ClusterFlags): Promise<void> {
  const { cluster } = connect(flags);
  const { type, queues } = await talk(() => cluster.scheduler());
  const all = queuesBelow(queues);
  const exact = all.filter(({ path }) => path === named || path === `root.${named}`);
  const found = exact.length > 0 ? exact : all.filter(({ path }) => path.endsWith(`.${named}`));
  if (found.length === 0) throw new CommandFailure(`there is no queue ${named}`, '"heddle queue list" shows the queues there are.');
  if (found.length > 1)
    throw new CommandFailure(`several queues are called ${named}`, `Name one of ${found.map(({ path }) => path).join(', ')}.`, 2);
  const { path, queue } = found[0]!;
  if (flags.json) return printJson({ scheduler: type, path, ...queue });
  const row = rowOf(path, queue);
  const users = many((queue['users'] as { user?: QueueUser | QueueUser[] } | null | undefined)?.user);
  printFacts([
    ['queue', path],
    ['state', row.state],
    ['guaranteed', percent(row.guaranteedPercent)],
    ['maximum', percent(row.maximumPercent)],
    ['used', percent(row.usedPercent)],
    ['in use', amountsText({ memory: row.usedMemoryMiB ?? 0, vCores: row.usedVcores ?? 0 })],
    ['running', row.running],
    ['pending', row.pending],
    ['applications at most', textOf(queue['maxApplications'])],
    ['for masters at most', amountsText(queue['AMResourceLimit'] as Amounts)],
    ['minimum user limit', queue['userLimit'] === undefined ? undefined : `${textOf(queue['userLimit'])}%`],
    ['user limit factor', textOf(queue['userLimitFactor'])],
    ['ordering', textOf(queue['orderingPolicyInfo'])],
    ['preemption', queue['preemptionDisabled'] === undefined ? undefined : queue['preemptionDisabled'] ? 'off' : 'on'],
    ['labels', many(queue['nodeLabels'] as string | string[] | undefined).join(', ')],
    ['default label', textOf(queue['defaultNodeLabelExpression'])],
  ]);
  if (users.length === 0) return;
  printText('\n');
  printTable(
    ['USER', 'RUNNING', 'PENDING', 'USES', 'LIMIT'],
    users.map((user) => [
      ...[user.username, user.numActiveApplications, user.numPendingApplications, amountsText(user.resourcesUsed)],
      amountsText(user.userResourceLimit),
    ]),
  );
}
