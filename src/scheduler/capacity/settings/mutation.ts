// Changes of the queue configuration as `PUT /scheduler-conf` asks for them (Hadoop's ConfigurationUpdateAssembler).

import { keyOf, prefix } from './option.ts';
import { list } from './properties.ts';
import { joinedOptions } from './queue-options.ts';

/** Keys of a queue relative to its path; undefined values unset. */
export interface QueueChange {
  /** Full path; absent ones end under `null`, as in Hadoop. */
  readonly queue: string | undefined;
  readonly parameters: readonly (readonly [string, string | undefined])[];
}

/** One request: applied in this order. */
export interface ConfigurationChange {
  readonly remove: readonly string[];
  readonly add: readonly QueueChange[];
  readonly update: readonly QueueChange[];
  readonly global: readonly (readonly [string, string | undefined])[];
}

/** The request contradicts the stored queues; `message` is Hadoop's. */
export class ChangeRefused extends Error {}

/** The properties after the change; the given ones stay as they are. @throws ChangeRefused */
export function applyChange(before: ReadonlyMap<string, string>, change: ConfigurationChange): Map<string, string> {
  const after = new Map(before);
  for (const queue of change.remove) removeQueue(after, queue);
  for (const added of change.add) addQueue(after, added);
  for (const updated of change.update) setParameters(after, updated);
  for (const [key, value] of change.global) put(after, key, value);
  return after;
}

function removeQueue(properties: Map<string, string>, path: string): void {
  const dot = path.lastIndexOf('.');
  if (dot === -1) throw new ChangeRefused(`Can't remove queue ${path}`);
  const parent = path.slice(0, dot);
  const siblings = siblingsOf(properties, parent);
  if (!siblings.includes(path.slice(dot + 1))) throw new ChangeRefused(`Queue ${path} not found`);
  setSiblings(
    properties,
    parent,
    siblings.filter((name) => name !== path.slice(dot + 1)),
  );
  const own = `${prefix}${path}.`;
  for (const key of [...properties.keys()]) if (key.startsWith(own)) properties.delete(key);
}

function addQueue(properties: Map<string, string>, change: QueueChange): void {
  const path = change.queue ?? 'null';
  const dot = path.lastIndexOf('.');
  if (dot === -1) throw new ChangeRefused(`Can't add invalid queue ${path}`);
  const parent = path.slice(0, dot);
  const siblings = siblingsOf(properties, parent);
  if (siblings.includes(path.slice(dot + 1))) throw new ChangeRefused(`Can't add existing queue ${path}`);
  setSiblings(properties, parent, [...siblings, path.slice(dot + 1)]);
  if (siblings.length === 0) properties.delete(keyOf(joinedOptions.orderingPolicy, { queue: parent }));
  setParameters(properties, change);
}

function setParameters(properties: Map<string, string>, { queue, parameters }: QueueChange): void {
  for (const [key, value] of parameters) put(properties, `${prefix}${queue ?? 'null'}.${key}`, value === '' ? undefined : value);
}

function put(properties: Map<string, string>, key: string, value: string | undefined): void {
  if (value === undefined) properties.delete(key);
  else properties.set(key, value);
}

const siblingsOf = (properties: ReadonlyMap<string, string>, parent: string): string[] =>
  list(properties.get(keyOf(joinedOptions.queues, { queue: parent })) ?? '');

function setSiblings(properties: Map<string, string>, parent: string, names: readonly string[]): void {
  if (names.length > 0) properties.set(keyOf(joinedOptions.queues, { queue: parent }), names.join(','));
  else {
    properties.delete(keyOf(joinedOptions.queues, { queue: parent }));
    properties.delete(keyOf(joinedOptions.orderingPolicy, { queue: parent }));
  }
}
