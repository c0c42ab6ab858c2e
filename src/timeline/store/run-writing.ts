// A run of keys on its way into the database, some keys at a time; it is listed once it is whole.
import type { InfoRuns } from './info-runs.ts';

export class RunWriting {
  /** Its number. */
  readonly run: number;
  readonly #runs: InfoRuns;
  readonly #source: Iterator<string, undefined>;
  /** Taken out since it began. */
  readonly #removed = new Set<string>();
  #written = 0;

  /** `source` gives the keys in their order. */
  constructor(runs: InfoRuns, run: number, source: Iterator<string, undefined>) {
    this.run = run;
    this.#runs = runs;
    this.#source = source;
  }

  /** How many keys were written. */
  get written(): number {
    return this.#written;
  }

  /** Writes keys, at most `most`, inside a change: how many were looked at, and whether these were the last. */
  write(most: number): { readonly keys: number; readonly isWhole: boolean } {
    const keys: string[] = [];
    let looked = 0;
    let next = this.#source.next();
    for (; !next.done; next = this.#source.next()) {
      if (this.#removed.size === 0 || !this.#removed.has(next.value)) keys.push(next.value);
      if (++looked >= most) break;
    }
    this.#runs.append(this.run, keys);
    this.#written += keys.length;
    return { keys: looked, isWhole: next.done === true };
  }

  /** Takes a key out, whether it is written or to come. Returns what takes that back in memory. */
  remove(key: string): () => void {
    this.#removed.add(key);
    this.#runs.remove(this.run, key);
    return () => this.#removed.delete(key);
  }
}

/** Keys of sorted lists as one, each once. */
export function* mergedKeys(lists: readonly Generator<string, undefined>[]): Generator<string, undefined> {
  const heads = lists.map((list) => ({ list, next: list.next() }));
  let last: string | undefined;
  for (;;) {
    let least: (typeof heads)[number] | undefined;
    for (const head of heads) if (!head.next.done && (!least || head.next.value < (least.next.value ?? ''))) least = head;
    if (!least || least.next.done) return;
    if (least.next.value !== last) yield least.next.value;
    last = least.next.value;
    least.next = least.list.next();
  }
}
