// The sizes that are requested, each kept once: requests and containers share them, and a full partition is known to be full by
// looking at a few sizes instead of at all applications.

import type { Resource } from '../../model/resource.ts';
import type { Calculator } from './calculator.ts';
import type { Partition } from './nodes.ts';

/** More sizes than this are not looked through. */
const manySizes = 64;
const manyShared = 10_000;

export class PendingSizes {
  readonly #shared = new Map<string, Resource>();
  /** Containers wanted of each size, by partition. */
  readonly #wanted = new Map<Resource, number[]>();
  /** Set by `mayServe`. */
  readonly roomy: Resource[] = [];
  isShort = false;
  isWithoutNode = false;

  /** The one vector kept for the size. */
  share(size: Resource): Resource {
    const key = size.join();
    const known = this.#shared.get(key);
    if (known) return known;
    if (this.#shared.size >= manyShared) this.#shared.clear();
    this.#shared.set(key, size);
    return size;
  }

  change(partition: number, size: Resource, count: number): void {
    let wanted = this.#wanted.get(size);
    if (!wanted) {
      wanted = [];
      this.#wanted.set(size, wanted);
    }
    wanted[partition] = (wanted[partition] ?? 0) + count;
    if (wanted[partition] === 0 && wanted.every((of) => !of)) this.#wanted.delete(size);
  }

  /**
   * Tells whether some size that is wanted in the partition is within what is `left` and has a node with room for it, or one that may be
   * reserved. Else `isShort` tells that some size is more than what is left, `isWithoutNode` that some size is not, and has no such node;
   * where `exchanges`, `roomy` has the sizes of the first kind for which a node has room. True when that is not known cheaply.
   */
  mayServe(partition: Partition, left: Resource, calculator: Calculator, exchanges: boolean): boolean {
    if (this.#wanted.size > manySizes) return true;
    const { rooms, index } = partition;
    this.roomy.length = 0;
    this.isShort = false;
    this.isWithoutNode = false;
    for (const [size, wanted] of this.#wanted) {
      if (!wanted[index]) continue;
      if (!calculator.fits(size, left)) {
        this.isShort = true;
        if (exchanges && rooms.hasRoom(size)) this.roomy.push(size);
      } else if (rooms.hasRoom(size) || rooms.hasKeepable(size)) return true;
      else this.isWithoutNode = true;
    }
    return false;
  }

  /** Whether some node of the partition has room for a size that is wanted, or could be kept for it if it may be; true when that is not known cheaply. */
  anyFits(partition: Partition, mayKeep: (size: Resource) => boolean = () => true): boolean {
    if (this.#wanted.size > manySizes) return true;
    for (const [size, wanted] of this.#wanted) {
      if (!wanted[partition.index]) continue;
      if (partition.rooms.hasRoom(size) || (mayKeep(size) && partition.rooms.hasKeepable(size))) return true;
    }
    return false;
  }
}
