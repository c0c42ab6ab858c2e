// All options of capacity-scheduler.xml that Hadoop 3.4 reads, and what is asked of the table as a whole: what a key is, what bounds it has.

import { clusterOptions, inertClusterOptions } from './cluster-options.ts';
import { type OptionTable, patternOf, prefix, type QueueOption } from './option.ts';
import { automaticOptions, inertQueueOptions, joinedOptions, plainOptions, reservationOptions } from './queue-options.ts';

/** The tables by the heading of their chapter in docs/reference/queue-options.md. */
export const optionTables = {
  Queues: { ...joinedOptions, ...plainOptions },
  'Automatic queues': automaticOptions,
  'Plans of reservable queues': reservationOptions,
  Cluster: clusterOptions,
  'Read by Hadoop alone, of queues': inertQueueOptions,
  'Read by Hadoop alone, of the cluster': inertClusterOptions,
} as const satisfies Readonly<Record<string, OptionTable>>;

const all: readonly QueueOption[] = Object.values(optionTables).flatMap((table: OptionTable) => Object.values(table));
const ofCluster = all.filter(({ scope, inherits }) => scope === 'cluster' || inherits === 'cluster');
const matcherOf = (options: readonly QueueOption[]): RegExp => new RegExp(`^(?:${options.map(patternOf).join('|')})$`);
const ofQueues = all.filter(({ scope }) => scope !== 'cluster');
const queueKey = matcherOf(ofQueues);
const clusterKey = matcherOf(ofCluster.filter((option) => option.prefix === undefined));

/** Whether queues have an option of that key (`capacity`, `user-settings.ada.weight`). */
export const isQueueKey = (key: string): boolean => queueKey.test(key);

/** Whether the cluster has an option of that key, without `yarn.scheduler.capacity.`. */
export const isClusterKey = (key: string): boolean => clusterKey.test(key);

/** Options of a kind of value, of queues or of the cluster, whose keys hold no names of users or labels. */
export const optionsOf = (scope: 'queues' | 'cluster'): readonly QueueOption[] =>
  (scope === 'queues' ? ofQueues : ofCluster).filter(({ key, type }) => !key.includes('<') && type !== 'family');

/**
 * Rows whose values count, by the last word of their keys, each with what a whole key of its own looks like: of any
 * queue, label, user or template. The longest come first: `accessible-node-labels.<label>.capacity` ends as `capacity` does.
 */
const byLastWord = Map.groupBy(
  all
    .filter(({ inert }) => inert === undefined)
    .sort((a, b) => b.key.length - a.key.length)
    .flatMap((option) => {
      const ofQueue = { option, whole: new RegExp(`^root\\..*(?<=\\.)${patternOf(option)}$`) };
      const itself = { option, whole: new RegExp(`^${patternOf(option)}$`) };
      if (option.prefix !== undefined || option.type === 'family') return [];
      return option.scope === 'cluster' ? [itself] : option.inherits === 'cluster' ? [itself, ofQueue] : [ofQueue];
    }),
  ({ option }) => lastWord(option.key),
);

/** The row that says what the value of a full key is, of whatever queue, label or template; undefined where nothing is made of the value. */
export function optionOf(key: string): QueueOption | undefined {
  if (!key.startsWith(prefix)) return undefined;
  const own = key.slice(prefix.length);
  return byLastWord.get(lastWord(key))?.find(({ whole }) => whole.test(own))?.option;
}

function lastWord(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1);
}
