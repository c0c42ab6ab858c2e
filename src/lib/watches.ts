// Who waits for a change of a list is woken by what changes in it, comes into it or leaves it: long polls of lists. What changes elsewhere costs each
// who waits one question; a list is made anew only where it may be another.
import { type Wait, woken } from './woken.ts';

/** How many callers watch lists of one kind at a time. */
const mostWatchers = 1000;

/** What a list has, and what may come into it. */
export interface ListShown<Thing> {
  /** Names of the things that the list has. */
  readonly names: ReadonlySet<string>;
  /** Whether a thing that the list does not have may belong into it now. */
  mayShow(thing: Thing): boolean;
}

/** One list that is watched. */
export interface Watch<Thing> {
  /** What changes from now on counts: called before the list is made. */
  look(): void;
  /** What the list was found to have. */
  sees(shown: ListShown<Thing>): void;
  /** Resolves when the list may be another than `sees` was told, after `waitMs`, and when the caller leaves. */
  next(wait: Wait): Promise<void>;
}

class OneWatch<Thing> implements Watch<Thing> {
  /** What changed while the list is made; undefined: the list is made. */
  #meanwhile: Map<string, Thing> | undefined;
  #shown: ListShown<Thing> | undefined;
  #isHit = false;
  #wake: () => void = () => undefined;

  look(): void {
    this.#meanwhile = new Map();
    this.#shown = undefined;
    this.#isHit = false;
  }

  sees(shown: ListShown<Thing>): void {
    this.#shown = shown;
    for (const [name, thing] of this.#meanwhile ?? []) this.tell(name, thing);
    this.#meanwhile = undefined;
  }

  tell(name: string, thing: Thing): void {
    if (this.#isHit) return;
    const shown = this.#shown;
    if (shown === undefined) {
      this.#meanwhile?.set(name, thing);
      return;
    }
    if (!shown.names.has(name) && !shown.mayShow(thing)) return;
    this.#isHit = true;
    this.#wake();
  }

  async next(wait: Wait): Promise<void> {
    if (this.#isHit) return;
    await woken(wait, (wake) => {
      this.#wake = wake;
      return () => undefined;
    });
  }
}

/** Lists of things of one kind, each of which has a name. */
export class Watches<Thing> {
  readonly #most: number;
  readonly #watches = new Set<OneWatch<Thing>>();

  /** `most`: how many watch at a time. */
  constructor(most = mostWatchers) {
    this.#most = most;
  }

  /** A thing has changed, has come, or is gone: it is looked at as it is now. */
  tell(name: string, thing: Thing): void {
    for (const watch of this.#watches) watch.tell(name, thing);
  }

  /** Watches for as long as `during` takes; undefined, without a call, where too many do. */
  watch<Result>(during: (watch: Watch<Thing>) => Promise<Result>): Promise<Result> | undefined {
    if (this.#watches.size >= this.#most) return undefined;
    const watch = new OneWatch<Thing>();
    this.#watches.add(watch);
    return during(watch).finally(() => this.#watches.delete(watch));
  }
}
