// How much of bodies a server holds in memory at once: of all callers, and of those of one address.
import { type Failure, failure } from '../model/errors.ts';

/** Bytes held at most. */
export interface BodyBudgetLimits {
  readonly totalBytes: number;
  readonly perAddressBytes: number;
}

const retrySeconds = 1;

/** What is held, by address; given back when a request is answered. */
export class BodyBudget {
  readonly #limits: BodyBudgetLimits;
  readonly #byAddress = new Map<string, number>();
  #heldBytes = 0;

  constructor(limits: BodyBudgetLimits) {
    this.#limits = limits;
  }

  /** What is held now. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Takes room for more bytes of a caller; where there is none, says why and takes nothing. */
  take(address: string, bytes: number): Failure | undefined {
    const own = (this.#byAddress.get(address) ?? 0) + bytes;
    if (this.#heldBytes + bytes > this.#limits.totalBytes) return failure('BODIES_FULL', { seconds: retrySeconds });
    if (own > this.#limits.perAddressBytes) return failure('BODIES_OF_ADDRESS_FULL', { address, seconds: retrySeconds });
    this.#heldBytes += bytes;
    this.#byAddress.set(address, own);
    return undefined;
  }

  /** Gives room back. */
  release(address: string, bytes: number): void {
    this.#heldBytes -= bytes;
    const left = (this.#byAddress.get(address) ?? 0) - bytes;
    if (left > 0) this.#byAddress.set(address, left);
    else this.#byAddress.delete(address);
  }
}
