// `heddle queue list`.
import type { Command } from 'commander';
import { many, type QueueInfo } from '../client/cluster-client.ts';
import { connect, talk } from './connection.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { formatMemory, printJson, printTable } from './output.ts';

/** Registers `heddle queue …`. */
export function addQueue(program: Command): void {
  const queue = program.command('queue').description('look at the queues');
  withClusterOptions(queue.command('list')).description('list queues with their shares and use').action(list);
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
export function queueRows(queues: readonly QueueInfo[], parent = ''): QueueRow[] {
  return queues.flatMap((queue) => {
    const name = queue.queueName ?? 'root';
    const path = queue.queuePath ?? (parent === '' || name.includes('.') ? name : `${parent}.${name}`);
    const used = (queue.resourcesUsed ?? queue.usedResources) as Amounts;
    // The fair scheduler tells amounts: their part of the cluster's memory.
    const whole = (queue['clusterResources'] as Amounts)?.memory;
    const part = (amounts: unknown): number | undefined => {
      const memory = (amounts as Amounts)?.memory;
      return memory === undefined || !whole ? undefined : (memory / whole) * 100;
    };
    const row: QueueRow = {
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
    return [row, ...queueRows(many(queue.queues?.queue ?? queue.childQueues?.queue) as QueueInfo[], path)];
  });
}

async function list(flags: ClusterFlags): Promise<void> {
  const { cluster } = connect(flags);
  const { type, queues } = await talk(() => cluster.scheduler());
  const rows = queueRows(queues);
  if (flags.json) return printJson({ scheduler: type, queues: rows });
  const percent = (value: number | undefined): string => (value === undefined ? '' : `${Number(value.toFixed(1))}%`);
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
  );
}
