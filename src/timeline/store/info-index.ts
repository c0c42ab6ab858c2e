// Which entities have a value of other info: those of the youngest in memory, others in sorted runs of the database, so that a put writes
// nothing where its values happen to stand. A full memory is written as one run, and runs of one size become one, some keys with each put.
// After the Log-Structured Merge-Tree (O'Neil et al., 1996).
import type { Database } from '../../storage/sqlite.ts';
import type { EntityHead } from './entity-query.ts';
import { type Position, positionDigits, positionOf, valueDigits, valueHash, valueLength } from './info-key.ts';
import { InfoRuns, type Run } from './info-runs.ts';
import { InfoTail } from './info-tail.ts';
import { mergedKeys, RunWriting } from './run-writing.ts';

/** From so many keys on those in memory are written as a run. */
const longestTail = 65_536;
/** So many runs of one size become one, of the next size. */
const runsOfSize = 8;
/** Keys that are written with a put, besides those for its own: each is written once for each size that it comes to. */
const keysAtOnce = 64;
const writtenForOne = 4;
/** Texts of keys that are dropped with a put. */
const droppedAtOnce = 20;

/** A value of an entity; `expression` is what valueKey makes of it. */
export interface InfoOf {
  readonly head: EntityHead;
  readonly name: string;
  readonly expression: string;
}

/** From where on entities are looked up. */
export interface From extends Position {
  readonly isInclusive: boolean;
  /** Only those that started later, ms. */
  readonly afterMs: number;
}

/** What was in memory when its run was begun. */
interface Frozen {
  readonly writing: RunWriting;
  readonly tail: InfoTail;
  readonly last: number;
  readonly latestMs: number;
}

/** How much was told: what came since then can be taken back. */
interface Told {
  readonly tail: number;
  readonly frozen: number;
  readonly undo: number;
}

const nothingTold: Told = { tail: 0, frozen: 0, undo: 0 };

interface Merge {
  readonly writing: RunWriting;
  readonly of: readonly Run[];
}

export class InfoIndex {
  readonly #runs: InfoRuns;
  readonly #unindexed: (after: number) => Iterable<InfoOf>;
  readonly #longestTail: number;
  #tail = new InfoTail();
  /** The last entity of which something is in memory, and the latest start of one. */
  #last = 0;
  #latestMs = Number.MIN_SAFE_INTEGER;
  #frozen: Frozen | undefined;
  #merge: Merge | undefined;
  /** By their last entity. */
  #listed: readonly Run[] = [];
  /** The same, the one with the latest start first. */
  #latestFirst: readonly Run[] = [];
  /** Numbers of runs that are to be dropped. */
  #dropped: number[] = [];
  #nextRun = 1;
  #indexed = 0;
  /** There may be runs of one size. */
  #mayMerge = false;
  #added = 0;
  /** What takes back what was taken out of a run on its way since the last commit. */
  #undo: (() => void)[] = [];
  /** How much was told when the change began, and when the last commit was. */
  #begun: Told = nothingTold;
  #committed: Told = nothingTold;
  /** In this change something was written. */
  #isWriting = false;
  /** Since the last commit something was written. */
  #hasWritten = false;
  /** The last transaction was undone: nothing is written besides what puts bring until one is kept. */
  #isTroubled = false;
  /** Memory has to be filled anew. */
  #isStale = false;
  /** The entity that was placed last. */
  #placed: { readonly head: EntityHead; readonly position: string } | undefined;
  /** Of which runs entities that started until when are gone, ms. */
  readonly #goneMs = new Map<number, number>();

  /**
   * `unindexed` gives what entities made after one have, of all their views. What was told in a transaction that was undone is taken back.
   * `longest`: how many keys stay in memory.
   */
  constructor(database: Database, unindexed: (after: number) => Iterable<InfoOf>, longest = longestTail) {
    this.#runs = new InfoRuns(database);
    this.#unindexed = unindexed;
    this.#longestTail = longest;
    database.watch({
      begun: () => {
        this.#begun = this.#told();
        this.#isWriting = false;
      },
      failed: () => this.#failed(),
      committed: () => this.#settled(false),
      undone: () => {
        if (this.#hasWritten) this.#isStale = true;
        else this.#takeBack(this.#committed);
        this.#settled(true);
      },
    });
    this.#load();
  }

  #failed(): void {
    if (this.#isWriting) this.#isStale = true;
    else this.#takeBack(this.#begun);
  }

  #told(): Told {
    return { tail: this.#tail.length, frozen: this.#frozen?.tail.length ?? 0, undo: this.#undo.length };
  }

  /** Nothing was written since: the lists are those of then. */
  #takeBack({ tail, frozen, undo }: Told): void {
    this.#tail.cut(tail);
    this.#frozen?.tail.cut(frozen);
    for (const back of this.#undo.splice(undo).reverse()) back();
  }

  #settled(isTroubled: boolean): void {
    this.#undo = [];
    this.#committed = this.#told();
    this.#hasWritten = false;
    this.#isTroubled = isTroubled;
  }

  /** Something besides what was put is written in this change. */
  #writes(): void {
    this.#hasWritten = true;
    this.#isWriting = true;
  }

  /** Memory as it has to be; after a transaction that was undone it may have to be filled anew. */
  #freshen(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    this.#load();
    // A change may have begun that fails yet: what it did to the database so far was read as well.
    this.#writes();
  }

  /** What is in the database, and what has to be in memory. */
  #load(): void {
    this.#tail = new InfoTail();
    this.#frozen = undefined;
    this.#merge = undefined;
    this.#indexed = this.#runs.indexed();
    this.#last = this.#indexed;
    this.#latestMs = Number.MIN_SAFE_INTEGER;
    this.#setListed(this.#runs.listed());
    // Numbers may be given again.
    this.#goneMs.clear();
    const known = new Set(this.#listed.map(({ run }) => run));
    const numbers = [...this.#runs.numbers()];
    this.#dropped = numbers.filter((run) => !known.has(run));
    this.#nextRun = Math.max(0, ...numbers, ...known) + 1;
    for (const info of this.#unindexed(this.#indexed)) this.#remember(info);
    this.#undo = [];
    this.#committed = this.#told();
  }

  #setListed(runs: readonly Run[]): void {
    this.#listed = runs;
    const known = new Set(runs.map(({ run }) => run));
    for (const run of this.#goneMs.keys()) if (!known.has(run)) this.#goneMs.delete(run);
    this.#mayMerge = runs.length >= runsOfSize;
    this.#latestFirst = [...runs].sort((left, right) => right.latestMs - left.latestMs);
  }

  /** Up to which entity values are not kept in memory: what is said of them later is looked up by rows of their own. */
  get boundary(): number {
    this.#freshen();
    return this.#frozen?.last ?? this.#indexed;
  }

  /** An entity behind the boundary has a value. */
  add(info: InfoOf): void {
    this.#remember(info);
    this.#added += 1;
  }

  #remember({ head, name, expression }: InfoOf): void {
    this.#tail.add(valueHash(head.type, name, expression), this.#positionOf(head));
    this.#last = Math.max(this.#last, head.key);
    this.#latestMs = Math.max(this.#latestMs, head.startMs);
  }

  /** Where an entity stands; its values come one after the other. */
  #positionOf(head: EntityHead): string {
    if (this.#placed?.head !== head) this.#placed = { head, position: positionDigits(head) };
    return this.#placed.position;
  }

  /** An entity has a value no more. `isGone`: the entity goes; its keys in runs go with these. */
  remove({ head, name, expression }: InfoOf, isGone = false): void {
    const value = valueHash(head.type, name, expression);
    const position = this.#positionOf(head);
    if (head.key > this.boundary) return this.#tail.remove(value, position);
    const key = valueDigits(value) + position;
    if (this.#frozen && head.key > this.#indexed) {
      this.#frozen.tail.remove(value, position);
      this.#undo.push(this.#frozen.writing.remove(key));
    }
    if (isGone) return;
    for (const { run, first, last } of this.#listed) if (first <= head.key && head.key <= last) this.#runs.remove(run, key);
    if (this.#merge) this.#undo.push(this.#merge.writing.remove(key));
  }

  /** Where entities stand that may have a value, in their order, at most `most`. */
  find(type: string, name: string, expression: string, from: From, most: number): Position[] {
    this.#freshen();
    const value = valueHash(type, name, expression);
    const digits = valueDigits(value);
    const begin = positionDigits(from);
    const { isInclusive } = from;
    let found = [this.#tail, this.#frozen?.tail].flatMap((tail) => tail?.from(value, begin, isInclusive, most) ?? []);
    for (const { run, latestMs } of this.#latestFirst) {
      if (latestMs <= from.afterMs) break;
      if (found.length >= most) {
        found = found.sort().slice(0, most);
        if (positionDigits({ startMs: latestMs, id: '' }) > (found.at(-1) ?? '')) break;
      }
      found.push(...this.#endsOf(run, digits, begin, isInclusive, most));
    }
    return [...new Set(found.sort())]
      .slice(0, most)
      .map(positionOf)
      .filter(({ startMs }) => startMs > from.afterMs);
  }

  #endsOf(run: number, value: string, begin: string, isInclusive: boolean, most: number): string[] {
    const ends: string[] = [];
    const goneMs = this.#goneMs.get(run);
    const gone = goneMs === undefined ? undefined : positionDigits({ startMs: goneMs, id: '' });
    for (const key of this.#runs.keysFrom(run, value + begin)) {
      if (!key.startsWith(value) || ends.length >= most) break;
      const end = key.slice(valueLength);
      if (gone !== undefined && end >= gone) break;
      if (isInclusive || end !== begin) ends.push(end);
    }
    return ends;
  }

  /** Goes on with what there is to write, as much as was added; must run inside a change. */
  work(): void {
    this.#freshen();
    const most = keysAtOnce + writtenForOne * this.#added;
    this.#added = 0;
    if (this.#isTroubled) return;
    if (!this.#frozen && this.#tail.length >= this.#longestTail) this.#freeze();
    if (!this.#frozen && !this.#mayMerge && this.#dropped.length === 0) return;
    this.#writes();
    let left = most;
    if (this.#frozen) left -= this.#writeFrozen(left);
    if (left > 0 && this.#mayMerge) left -= this.#writeMerged(left);
    if (left > 0) this.#drop(droppedAtOnce);
  }

  /** Writes all that is in memory; must run inside a change. */
  settle(): void {
    this.#freshen();
    this.#writes();
    while (this.#frozen || this.#tail.length > 0) {
      if (!this.#frozen) this.#freeze();
      this.#writeFrozen(Number.POSITIVE_INFINITY);
    }
  }

  #begin(source: Iterator<string, undefined>): RunWriting {
    return new RunWriting(this.#runs, this.#nextRun++, source);
  }

  #freeze(): void {
    const tail = this.#tail;
    this.#frozen = { writing: this.#begin(tail.keys()), tail, last: this.#last, latestMs: this.#latestMs };
    this.#tail = new InfoTail();
    this.#latestMs = Number.MIN_SAFE_INTEGER;
  }

  #writeFrozen(most: number): number {
    const frozen = this.#frozen!;
    const { writing, last, latestMs } = frozen;
    const { keys, isWhole } = writing.write(most);
    if (!isWhole) return keys;
    const made = { run: writing.run, first: this.#indexed + 1, last, keys: writing.written, latestMs };
    this.#runs.list(made);
    this.#runs.setIndexed(last);
    this.#indexed = last;
    this.#frozen = undefined;
    this.#setListed([...this.#listed, made]);
    return keys;
  }

  #writeMerged(most: number): number {
    this.#merge ??= this.#nextMerge();
    const merge = this.#merge;
    if (!merge) {
      this.#mayMerge = false;
      return 0;
    }
    const { writing, of } = merge;
    const { keys, isWhole } = writing.write(most);
    if (!isWhole) return keys;
    const latestMs = Math.max(...of.map((one) => one.latestMs));
    const made = { run: writing.run, first: of[0]!.first, last: of.at(-1)!.last, keys: writing.written, latestMs };
    const goneMs = Math.min(...of.map((one) => this.#goneMs.get(one.run) ?? Number.NEGATIVE_INFINITY));
    if (goneMs > Number.NEGATIVE_INFINITY) this.#goneMs.set(made.run, goneMs);
    for (const one of of) this.#runs.unlist(one.run);
    this.#runs.list(made);
    this.#dropped.push(...of.map((one) => one.run));
    this.#merge = undefined;
    this.#setListed(this.#listed.flatMap((one) => (one === of[0] ? [made] : of.includes(one) ? [] : [one])));
    return keys;
  }

  /** Runs of one size that follow each other. */
  #nextMerge(): Merge | undefined {
    const sizes = this.#listed.map(({ keys }) => Math.max(0, Math.floor(Math.log(keys / this.#longestTail) / Math.log(runsOfSize))));
    for (let at = 0; at + runsOfSize <= sizes.length; at++) {
      if (sizes.slice(at, at + runsOfSize).some((size) => size !== sizes[at])) continue;
      const of = this.#listed.slice(at, at + runsOfSize);
      return { writing: this.#begin(mergedKeys(of.map(({ run }) => this.#runs.keysFrom(run, '')))), of };
    }
    return undefined;
  }

  #drop(most: number): number {
    let dropped = 0;
    while (dropped < most) {
      const run = this.#dropped[0];
      if (run === undefined) break;
      const gone = this.#runs.drop(run, most - dropped);
      if (gone === 0) this.#dropped.shift();
      dropped += gone;
    }
    return dropped;
  }

  /**
   * Entities that started at or before a time are gone; runs with nothing else are dropped, about `most` texts. `lastMade`: the
   * entity that was made last, of those that are left: its successors have numbers that others had. Must run inside a change. Returns how many rows went.
   */
  forget(untilMs: number, most: number, lastMade: number): number {
    this.#freshen();
    this.#writes();
    const old = this.#listed.filter(({ latestMs }) => latestMs <= untilMs);
    if (old.length > 0) {
      if (this.#merge?.of.some((one) => old.includes(one))) {
        this.#dropped.push(this.#merge.writing.run);
        this.#merge = undefined;
      }
      for (const { run } of old) this.#runs.unlist(run);
      this.#dropped.push(...old.map(({ run }) => run));
      this.#setListed(this.#listed.filter((one) => !old.includes(one)));
    }
    for (const { run } of this.#listed) this.#goneMs.set(run, Math.max(untilMs, this.#goneMs.get(run) ?? untilMs));
    if (!this.#frozen && lastMade < this.#indexed) {
      this.#runs.setIndexed(lastMade);
      this.#indexed = lastMade;
      this.#last = lastMade;
    }
    return this.#drop(most);
  }
}
