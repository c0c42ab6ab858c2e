// Changes of the queue configuration as `PUT /scheduler-conf` asks for them (Hadoop's ConfigurationUpdateAssembler).

import { keyOf, prefix } from './option.ts';
import { list } from './properties.ts';
import { joinedOptions } from './queue-options.ts';

/** Keys of a queue relative to its path; undefined values unset. */
export interface QueueChange {
  /** Full path; changes of an absent one end under `null`, as in Hadoop. */
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

/** The properties after the change; the given ones stay as they are. Work grows with both, however many queues come and go. @throws ChangeRefused */
export function applyChange(before: ReadonlyMap<string, string>, change: ConfigurationChange): Map<string, string> {
  const after = new Map(before);
  removeQueues(after, change.remove);
  addQueues(after, change.add);
  for (const updated of change.update) setParameters(after, updated);
  for (const [key, value] of change.global) put(after, key, value);
  return after;
}

/** The children that one parent lists; several with one name are one. */
interface Siblings {
  readonly key: string;
  readonly names: string[];
  readonly known: Set<string>;
}

/** The lists of children that a change has looked at, each read and written once. */
class SiblingLists {
  readonly #properties: Map<string, string>;
  readonly #byKey = new Map<string, Siblings>();

  constructor(properties: Map<string, string>) {
    this.#properties = properties;
  }

  of(parent: string): Siblings {
    const key = keyOf(joinedOptions.queues, { queue: parent });
    let found = this.#byKey.get(key);
    if (!found) {
      const names = list(this.#properties.get(key) ?? '');
      found = { key, names, known: new Set(names) };
      this.#byKey.set(key, found);
    }
    return found;
  }

  /** Another value of the key was set: it counts. */
  forget(key: string): void {
    this.#byKey.delete(key);
  }

  write(): void {
    for (const { key, names, known } of this.#byKey.values()) {
      if (known.size > 0) this.#properties.set(key, names.filter((name) => known.has(name)).join(','));
      else this.#properties.delete(key);
    }
  }
}

function removeQueues(properties: Map<string, string>, paths: readonly string[]): void {
  if (paths.length === 0) return;
  const removed = new Set<string>();
  const lists = new SiblingLists(properties);
  for (const path of paths) {
    const dot = path.lastIndexOf('.');
    if (dot === -1) throw new ChangeRefused(`Can't remove queue ${path}`);
    const parent = path.slice(0, dot);
    const { known } = lists.of(parent);
    const name = path.slice(dot + 1);
    if (!known.has(name) || isBelow(`${parent}.`, removed)) throw new ChangeRefused(`Queue ${path} not found`);
    known.delete(name);
    removed.add(path);
    if (known.size === 0) properties.delete(keyOf(joinedOptions.orderingPolicy, { queue: parent }));
  }
  lists.write();
  const longest = paths.reduce((most, { length }) => Math.max(most, length), 0);
  for (const key of [...properties.keys()])
    if (key.startsWith(prefix) && isBelow(key.slice(prefix.length, prefix.length + longest + 1), removed)) properties.delete(key);
}

/** Whether what stands before a dot of a text is one of these paths. */
function isBelow(text: string, paths: ReadonlySet<string>): boolean {
  for (let dot = text.indexOf('.'); dot !== -1; dot = text.indexOf('.', dot + 1)) if (paths.has(text.slice(0, dot))) return true;
  return false;
}

function addQueues(properties: Map<string, string>, changes: readonly QueueChange[]): void {
  const lists = new SiblingLists(properties);
  for (const change of changes) {
    const path = change.queue;
    if (path === undefined) throw new ChangeRefused('A queue to add has no queue-name.');
    const dot = path.lastIndexOf('.');
    if (dot === -1) throw new ChangeRefused(`Can't add invalid queue ${path}`);
    const parent = path.slice(0, dot);
    const name = path.slice(dot + 1);
    const { key, names, known } = lists.of(parent);
    if (known.has(name)) throw new ChangeRefused(`Can't add existing queue ${path}`);
    if (known.size === 0) {
      properties.delete(keyOf(joinedOptions.orderingPolicy, { queue: parent }));
      properties.set(key, '');
    }
    known.add(name);
    names.push(name);
    setParameters(properties, change, lists);
  }
  lists.write();
}

function setParameters(properties: Map<string, string>, { queue, parameters }: QueueChange, lists?: SiblingLists): void {
  for (const [option, value] of parameters) {
    const key = `${prefix}${queue ?? 'null'}.${option}`;
    put(properties, key, value === '' ? undefined : value);
    lists?.forget(key);
  }
}

function put(properties: Map<string, string>, key: string, value: string | undefined): void {
  if (value === undefined) properties.delete(key);
  else properties.set(key, value);
}
