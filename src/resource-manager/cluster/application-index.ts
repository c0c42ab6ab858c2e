// Applications in memory by what lists ask for. A list goes through the smallest of these groups instead of all applications.

import type { PublicApplicationState } from '../../model/application-states.ts';
import { queueAndAbove } from '../../model/queue-path.ts';
import { type Application, publicState } from '../applications/application.ts';
import { ApplicationOrder } from './application-order.ts';

/** What an application of a list has. Absent parts say nothing. */
export interface ApplicationKeys {
  /** Public states. */
  readonly states?: ReadonlySet<string> | undefined;
  readonly users?: ReadonlySet<string> | undefined;
  /** In lower case. */
  readonly types?: ReadonlySet<string> | undefined;
  /** In lower case; one of them. */
  readonly tags?: ReadonlySet<string> | undefined;
  readonly name?: string | undefined;
  /** One of them, or a queue below. */
  readonly queues?: ReadonlySet<string> | undefined;
  readonly startedFromMs?: number | undefined;
  readonly startedToMs?: number | undefined;
  readonly finishedFromMs?: number | undefined;
}

/** How many applications there are of a type in a state. */
export interface ApplicationCount {
  readonly state: PublicApplicationState;
  readonly type: string;
  readonly count: number;
}

/** Applications that all which a key lets pass are among. */
interface Candidates {
  readonly size: number;
  readonly members: () => Iterable<Application>;
}

/** What is remembered of an application, to find it again where it stands. */
interface Entry {
  state: PublicApplicationState;
  queue: string;
  ended: boolean;
}

type GroupName = 'states' | 'users' | 'types' | 'tags' | 'names' | 'queues';

/** To sort one application costs about as much as to look at so many. */
const looksPerSort = 4;

/** Applications by their keys. */
export class ApplicationIndex {
  /** By their beginning, the order of lists. */
  readonly byStart = new ApplicationOrder(({ startedMs }) => startedMs);
  readonly byId = new ApplicationOrder(({ id }) => id);
  readonly #entries = new Map<Application, Entry>();
  readonly #groups: Readonly<Record<GroupName, Map<string, Set<Application>>>> = {
    states: new Map(),
    users: new Map(),
    types: new Map(),
    tags: new Map(),
    names: new Map(),
    queues: new Map(),
  };
  /** How many there are, by state, then by type. */
  readonly #counts = new Map<PublicApplicationState, Map<string, number>>();
  /** Those with a time of their end. */
  readonly #ended = new Set<Application>();
  readonly #find: (id: string) => Application | undefined;

  /** `find`: an application that is in the index. */
  constructor(find: (id: string) => Application | undefined) {
    this.#find = find;
  }

  add(application: Application): void {
    this.byStart.add(application);
    this.byId.add(application);
    this.#entries.set(application, { state: publicState(application), queue: application.queue, ended: false });
    this.#changeAll(application, true);
    this.update(application);
  }

  remove(application: Application): void {
    this.byStart.remove(application);
    this.byId.remove(application);
    this.#changeAll(application, false);
    this.#ended.delete(application);
    this.#entries.delete(application);
  }

  /** The application has another state, queue or end. */
  update(application: Application): void {
    const entry = this.#entries.get(application);
    if (!entry) return;
    const state = publicState(application);
    if (state !== entry.state) {
      this.#changeState(application, entry.state, false);
      entry.state = state;
      this.#changeState(application, state, true);
    }
    if (application.queue !== entry.queue) {
      this.#changeQueue(application, entry.queue, false);
      entry.queue = application.queue;
      this.#changeQueue(application, entry.queue, true);
    }
    if (application.finishedMs > 0) this.#ended.add(application);
    else this.#ended.delete(application);
  }

  /** Those with a time of their end. */
  ended(): IteratorObject<Application, undefined> {
    return this.#ended.values();
  }

  /** How many there are of each state and type. */
  *counts(): Generator<ApplicationCount> {
    for (const [state, types] of this.#counts) for (const [type, count] of types) yield { state, type, count };
  }

  /**
   * All applications that have the keys, and maybe others, by their beginning. `wanted`: after how many the caller stops. `idsIn`: what the
   * scheduler has in a queue and below it, which counts beside the queue that an application shows.
   */
  select(keys: ApplicationKeys, wanted = Number.POSITIVE_INFINITY, idsIn?: (queue: string) => Iterable<string>): Iterable<Application> {
    const narrowest = this.narrowest(keys, wanted, idsIn);
    if (narrowest) return this.byStart.sort(narrowest);
    const { startedFromMs, startedToMs } = keys;
    return this.byStart.between(startedFromMs ?? Number.NEGATIVE_INFINITY, startedToMs ?? Number.POSITIVE_INFINITY);
  }

  /** The same, the latest first. */
  latest(keys: ApplicationKeys, wanted: number): Iterable<Application> {
    const narrowest = this.narrowest(keys, wanted);
    return narrowest ? this.byStart.sort(narrowest).reverse() : this.byStart.after(undefined, true);
  }

  /** The smallest group of a key, in no order; undefined where it is cheaper to go through all in an order, until `wanted` are found. */
  narrowest(keys: ApplicationKeys, wanted: number, idsIn?: (queue: string) => Iterable<string>): Application[] | undefined {
    const all = this.byStart.size;
    let smallest: Candidates | undefined;
    for (const candidates of this.#candidates(keys, idsIn)) if (!smallest || candidates.size < smallest.size) smallest = candidates;
    if (!smallest) return undefined;
    // In an order one of all/size applications is one of the group.
    if (Math.min(all, (wanted * all) / Math.max(1, smallest.size)) <= looksPerSort * smallest.size) return undefined;
    return [...new Set(smallest.members())];
  }

  *#candidates(keys: ApplicationKeys, idsIn?: (queue: string) => Iterable<string>): Generator<Candidates> {
    const { states, users, types, tags, name, queues, startedFromMs, startedToMs, finishedFromMs } = keys;
    if (states) yield this.#union('states', states);
    if (users) yield this.#union('users', users);
    if (types) yield this.#union('types', types);
    if (tags) yield this.#union('tags', tags);
    if (name !== undefined) yield this.#union('names', [name]);
    if (queues && idsIn) yield this.#inQueues(queues, idsIn);
    if (finishedFromMs !== undefined && finishedFromMs > 0) yield { size: this.#ended.size, members: () => this.#ended };
    if (startedFromMs !== undefined || startedToMs !== undefined) yield this.#startedBetween(startedFromMs, startedToMs);
  }

  #union(name: GroupName, keys: Iterable<string>): Candidates {
    const found = [...keys].flatMap((key) => this.#groups[name].get(key) ?? []);
    return { size: found.reduce((sum, { size }) => sum + size, 0), members: () => found.flatMap((group) => [...group]) };
  }

  #inQueues(queues: ReadonlySet<string>, idsIn: (queue: string) => Iterable<string>): Candidates {
    const shown = this.#union('queues', queues);
    const scheduled = () => [...queues].flatMap((queue) => [...idsIn(queue)]).flatMap((id) => this.#find(id) ?? []);
    return { size: shown.size, members: () => [...scheduled(), ...shown.members()] };
  }

  #startedBetween(fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY): Candidates {
    return { size: this.byStart.countBetween(fromMs, toMs), members: () => this.byStart.between(fromMs, toMs) };
  }

  #changeAll(application: Application, comes: boolean): void {
    const { submission, user } = application;
    const entry = this.#entries.get(application);
    if (!entry) return;
    this.#changeState(application, entry.state, comes);
    this.#changeQueue(application, entry.queue, comes);
    this.#change('users', user, application, comes);
    this.#change('types', submission.type.toLowerCase(), application, comes);
    this.#change('names', submission.name, application, comes);
    for (const tag of submission.tags) this.#change('tags', tag.toLowerCase(), application, comes);
  }

  #changeState(application: Application, state: PublicApplicationState, comes: boolean): void {
    this.#change('states', state, application, comes);
    this.#count(state, application.submission.type, comes ? 1 : -1);
  }

  #count(state: PublicApplicationState, type: string, by: 1 | -1): void {
    const types = this.#counts.get(state) ?? new Map<string, number>();
    const count = (types.get(type) ?? 0) + by;
    if (count > 0) types.set(type, count);
    else types.delete(type);
    if (types.size > 0) this.#counts.set(state, types);
    else this.#counts.delete(state);
  }

  /** A queue's group has what is in the queues below it. */
  #changeQueue(application: Application, queue: string, comes: boolean): void {
    for (const path of queueAndAbove(queue)) this.#change('queues', path, application, comes);
  }

  #change(name: GroupName, key: string, application: Application, comes: boolean): void {
    const groups = this.#groups[name];
    const group = groups.get(key);
    if (!comes) {
      group?.delete(application);
      if (group?.size === 0) groups.delete(key);
    } else if (group) group.add(application);
    else groups.set(key, new Set([application]));
  }
}
