// Values that were changed at once and are being written: what they go back to where a write fails, however many are under way.

interface Unsaved {
  /** What is durable. */
  kept: unknown;
  /** Changes under way. */
  pending: number;
  /** The latest change. */
  last: object;
}

/** One change under way; it is either kept or refused, once. */
export interface UnsavedChange<T> {
  /** The value is durable. */
  kept(value: T): void;
  /** It cannot be kept: `goBack` is called with what is durable, unless a later change is under way or was kept. */
  refused(goBack: (kept: T) => void): void;
}

/** Values by what tells them apart. */
export class UnsavedValues<K> {
  readonly #values = new Map<K, Unsaved>();

  /** Whether a change of it is under way. */
  isPending(name: K): boolean {
    return this.#values.has(name);
  }

  /** A change begins; `before` is what held until now. */
  begin<T>(name: K, before: T): UnsavedChange<T> {
    const known = this.#values.get(name);
    const unsaved: Unsaved = known ?? { kept: before, pending: 0, last: {} };
    const own = {};
    unsaved.last = own;
    unsaved.pending++;
    this.#values.set(name, unsaved);
    const over = () => {
      if (--unsaved.pending === 0) this.#values.delete(name);
    };
    return {
      kept: (value) => {
        unsaved.kept = value;
        over();
      },
      refused: (goBack) => {
        over();
        if (unsaved.last === own) goBack(unsaved.kept as T);
      },
    };
  }
}
