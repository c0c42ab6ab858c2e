// From where masters call: an unmanaged one runs where nobody but itself knows, and its pages are fetched from there alone.
import type { Attempt } from '../applications/attempt.ts';

/** Addresses by attempt, as they were last heard; known again with the first call after a restart. */
export class MasterAddresses {
  readonly #addresses = new WeakMap<Readonly<Attempt>, string>();

  /** The master of an attempt called from `address`. */
  heard(attempt: Readonly<Attempt>, address: string): void {
    this.#addresses.set(attempt, address);
  }

  /** Undefined where the master has not called since the start. */
  of(attempt: Readonly<Attempt>): string | undefined {
    return this.#addresses.get(attempt);
  }
}
