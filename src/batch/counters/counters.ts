// Counters of an attempt, a task or a job: groups of named sums, kept and listed in Hadoop's order.
import { addLongs, type Long, largerLong, longAsJson, longFromJson } from '../../lib/java-long.ts';
import {
  counterDisplayName,
  fileSystemCounterGroup,
  fileSystemCounterParts,
  fileSystemKeys,
  groupDisplayName,
  jobCounterGroup,
  jobCounterNames,
  legacyGroups,
  taskCounterGroup,
  taskCounterNames,
} from './names.ts';

/** A counter as it is listed. */
export interface CounterEntry {
  readonly name: string;
  readonly displayName: string;
  readonly value: Long;
}

/** A group as it is listed. */
export interface CounterGroup {
  readonly name: string;
  readonly displayName: string;
  readonly counters: readonly CounterEntry[];
}

/** Counters as plain data, the form in which tasks report them: group → name → value, a text of digits where no number has it exactly. */
export type CounterData = Readonly<Record<string, Readonly<Record<string, number | string>>>>;

/** Limits of `mapreduce.job.counters.*`. */
export interface CounterLimits {
  readonly counters: number;
  readonly groups: number;
  readonly counterNameLength: number;
  readonly groupNameLength: number;
}
export const defaultCounterLimits: CounterLimits = { counters: 120, groups: 50, counterNameLength: 64, groupNameLength: 128 };

/** For counters that were within their limits when they were counted. */
export const noCounterLimits: CounterLimits = {
  counters: Number.MAX_SAFE_INTEGER,
  groups: Number.MAX_SAFE_INTEGER,
  counterNameLength: Number.MAX_SAFE_INTEGER,
  groupNameLength: Number.MAX_SAFE_INTEGER,
};

/** The limits that a job's settings say. @throws BadSetting */
export function counterLimits(settings: { integer(name: string, otherwise: number): number }): CounterLimits {
  const limit = (name: string, otherwise: number) => Math.max(1, settings.integer(name, otherwise));
  return {
    counters: limit('mapreduce.job.counters.max', defaultCounterLimits.counters),
    groups: limit('mapreduce.job.counters.groups.max', defaultCounterLimits.groups),
    counterNameLength: limit('mapreduce.job.counters.counter.name.max', defaultCounterLimits.counterNameLength),
    groupNameLength: limit('mapreduce.job.counters.group.name.max', defaultCounterLimits.groupNameLength),
  };
}

/** Thrown when a job makes more counters or groups than `mapreduce.job.counters.*` allows; a task that meets it fails. */
export class CounterLimitExceeded extends Error {
  override readonly name = 'LimitExceededException';
}

const frameworkGroups = [fileSystemCounterGroup, jobCounterGroup, taskCounterGroup];
const order = (names: Readonly<Record<string, string>>) => new Map(Object.keys(names).map((name, index) => [name, index]));
const enumOrder: Readonly<Record<string, ReadonlyMap<string, number>>> = {
  [jobCounterGroup]: order(jobCounterNames),
  [taskCounterGroup]: order(taskCounterNames),
};
const fileSystemOrder = order(fileSystemKeys);
const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function compareGroups(a: string, b: string): number {
  const frameworkA = frameworkGroups.indexOf(a);
  const frameworkB = frameworkGroups.indexOf(b);
  if (frameworkA >= 0 || frameworkB >= 0) return (frameworkA < 0 ? 3 : frameworkA) - (frameworkB < 0 ? 3 : frameworkB);
  return byText(a, b);
}

function compareCounters(group: string, a: string, b: string): number {
  if (group === fileSystemCounterGroup) {
    const left = fileSystemCounterParts(a);
    const right = fileSystemCounterParts(b);
    if (left === undefined || right === undefined) return byText(a, b);
    return byText(left.scheme, right.scheme) || fileSystemOrder.get(left.key)! - fileSystemOrder.get(right.key)!;
  }
  const known = Object.hasOwn(enumOrder, group) ? enumOrder[group] : undefined;
  if (known === undefined) return byText(a, b);
  return (known.get(a) ?? known.size) - (known.get(b) ?? known.size) || byText(a, b);
}

/** Sums of counters, which run over as Java's longs. Names ending in `_MAX` merge by maximum, all others by addition (Hadoop's FrameworkCounterGroup). */
export class Counters {
  readonly #groups = new Map<string, Map<string, Long>>();
  readonly limits: CounterLimits;
  #count = 0;

  constructor(data?: CounterData, limits: CounterLimits = defaultCounterLimits) {
    this.limits = limits;
    if (data !== undefined) this.add(data);
  }

  #group(name: string): { group: string; counters: Map<string, Long> } {
    const known = Object.hasOwn(legacyGroups, name) ? legacyGroups[name]! : name;
    const group = known.length > this.limits.groupNameLength ? known.slice(0, this.limits.groupNameLength - 1) : known;
    let counters = this.#groups.get(group);
    if (counters === undefined) {
      if (!frameworkGroups.includes(group) && this.#groups.size >= this.limits.groups)
        throw new CounterLimitExceeded(`Too many counter groups: ${this.#groups.size + 1} max=${this.limits.groups}`);
      counters = new Map();
      this.#groups.set(group, counters);
    }
    return { group, counters };
  }

  #put(groupName: string, counterName: string, change: (old: Long | undefined) => Long): void {
    const { group, counters } = this.#group(groupName);
    const name = counterName.length > this.limits.counterNameLength ? counterName.slice(0, this.limits.counterNameLength - 1) : counterName;
    const old = counters.get(name);
    if (old === undefined && !frameworkGroups.includes(group)) {
      if (this.#count >= this.limits.counters)
        throw new CounterLimitExceeded(`Too many counters: ${this.#count + 1} max=${this.limits.counters}`);
      this.#count++;
    }
    counters.set(name, change(old));
  }

  /** Adds to a counter, making it where it does not exist (also with 0). Throws {@link CounterLimitExceeded}. */
  increment(group: string, name: string, amount: Long = 1): void {
    this.#put(group, name, (old) => addLongs(old ?? 0, amount));
  }

  set(group: string, name: string, value: Long): void {
    this.#put(group, name, () => value);
  }

  /** The value, 0 where the counter does not exist; beyond 2^53 the nearest number. */
  get(group: string, name: string): number {
    return Number(this.#groups.get(group)?.get(name) ?? 0);
  }

  has(group: string, name: string): boolean {
    return this.#groups.get(group)?.has(name) ?? false;
  }

  /** Merges other counters into these. */
  add(other: Counters | CounterData): this {
    const groups = other instanceof Counters ? other.data() : other;
    for (const [group, counters] of Object.entries(groups)) {
      this.#group(group);
      for (const [name, told] of Object.entries(counters)) {
        const value = longFromJson(told);
        this.#put(group, name, (old) =>
          old === undefined ? value : name.endsWith('_MAX') ? largerLong(old, value) : addLongs(old, value),
        );
      }
    }
    return this;
  }

  get empty(): boolean {
    return this.#groups.size === 0;
  }

  /** Groups and counters in Hadoop's order: framework groups, then others by name; enum order inside framework groups. */
  groups(): CounterGroup[] {
    return [...this.#groups]
      .filter(([, counters]) => counters.size > 0)
      .sort(([a], [b]) => compareGroups(a, b))
      .map(([name, counters]) => ({
        name,
        displayName: groupDisplayName(name),
        counters: [...counters]
          .sort(([a], [b]) => compareCounters(name, a, b))
          .map(([counter, value]) => ({ name: counter, displayName: counterDisplayName(name, counter), value })),
      }));
  }

  data(): CounterData {
    return Object.fromEntries(
      [...this.#groups].map(([group, counters]) => [
        group,
        Object.fromEntries([...counters].map(([name, value]) => [name, longAsJson(value)])),
      ]),
    );
  }
}

/** Sum of several sets, with the limits of the first. */
export function sumCounters(sets: Iterable<Counters>): Counters {
  let sum: Counters | undefined;
  for (const set of sets) {
    sum ??= new Counters(undefined, set.limits);
    sum.add(set);
  }
  return sum ?? new Counters();
}
