// Who waits for a change of one thing among many is woken by it: long polls of one application, of one job.
import { type Wait, woken } from './woken.ts';

/** How one caller waits. */
export interface ChangeWait extends Wait {
  /** `count` from before the caller looked: what happened since then is not missed. */
  readonly since: number;
}

/** Changes of things that have a name each. */
export class Changes {
  readonly #waiting = new Map<string, Set<() => void>>();
  #count = 0;
  #closed = false;

  /** How many changes there were, of all things together. */
  get count(): number {
    return this.#count;
  }

  /** Wakes who waits for this thing. */
  tell(name: string): void {
    this.#count++;
    const waiting = this.#waiting.get(name);
    this.#waiting.delete(name);
    for (const wake of waiting ?? []) wake();
  }

  /** Resolves at the next change of the thing, after `waitMs`, when the caller leaves, and at once where anything changed since `since`. */
  async next(name: string, { since, ...wait }: ChangeWait): Promise<void> {
    if (this.#closed || this.#count !== since) return;
    await woken(wait, (wake) => {
      const waiting = this.#waiting.get(name) ?? new Set();
      this.#waiting.set(name, waiting.add(wake));
      return () => {
        waiting.delete(wake);
        if (waiting.size === 0 && this.#waiting.get(name) === waiting) this.#waiting.delete(name);
      };
    });
  }

  /** Nothing changes any more: who waits is woken, and nobody waits from now on. */
  close(): void {
    this.#closed = true;
    for (const name of [...this.#waiting.keys()]) this.tell(name);
  }

  get closed(): boolean {
    return this.#closed;
  }
}
