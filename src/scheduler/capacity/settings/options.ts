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

/** Ends of the keys that have bounds, with their smallest value. A template's option has those of the queues that are made of it. */
const bounds = new Map(
  all.filter(({ minimum }) => minimum !== undefined).map(({ key, minimum }) => [key.slice(key.lastIndexOf('.') + 1), minimum!]),
);

/** The smallest value of the full key, of whatever queue, label or template; undefined where it has no bound. */
export const minimumOf = (key: string): number | undefined =>
  key.startsWith(prefix) ? bounds.get(key.slice(key.lastIndexOf('.') + 1)) : undefined;
