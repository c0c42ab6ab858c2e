// Containers by their ids: what a cluster of a million enters, finds and takes out most often (docs/decisions/0018-a-table-of-containers.md).
import type { HeldContainer } from './model.ts';

// Containers by their id, for clusters that hold a million of them. A Map enters each new key in the engine's table of all strings, waits
// for memory several times and moves everything when it grows. Here an id takes two looks, and a small part moves at a time.

/** A power of two; so many parts grow each on its own. */
const shardCount = 64;
const shardBits = 6;
const smallest = 16;

export class ContainerTable {
  readonly #shards = Array.from({ length: shardCount }, () => new Shard());
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(containerId: string): HeldContainer | undefined {
    const hash = hashOf(containerId);
    return this.#shardOf(hash).get(containerId, hash);
  }

  has(containerId: string): boolean {
    return this.get(containerId) !== undefined;
  }

  /** Enters a container whose id is not in the table. */
  add(container: HeldContainer): void {
    const hash = hashOf(container.containerId);
    this.#shardOf(hash).add(container, hash);
    this.#size++;
  }

  /** Removes the container and returns it. */
  take(containerId: string): HeldContainer | undefined {
    const hash = hashOf(containerId);
    const taken = this.#shardOf(hash).take(containerId, hash);
    if (taken) this.#size--;
    return taken;
  }

  #shardOf(hash: number): Shard {
    return this.#shards[hash & (shardCount - 1)]!;
  }
}

/** Open addressing: a container stands in the first free slot from the one that its hash names. */
class Shard {
  /** Hashes of the containers in the slots; 0 where a slot is free. */
  #hashes = new Int32Array(smallest);
  #slots: (HeldContainer | undefined)[] = new Array(smallest).fill(undefined);
  #mask = smallest - 1;
  #count = 0;

  get(containerId: string, hash: number): HeldContainer | undefined {
    return this.#slots[this.#find(containerId, hash)];
  }

  add(container: HeldContainer, hash: number): void {
    if (++this.#count * 4 > this.#slots.length * 3) this.#resize(this.#slots.length * 2);
    this.#put(container, hash);
  }

  take(containerId: string, hash: number): HeldContainer | undefined {
    const place = this.#find(containerId, hash);
    const taken = this.#slots[place];
    if (!taken) return undefined;
    this.#close(place);
    this.#count--;
    if (this.#slots.length > smallest && this.#count * 8 < this.#slots.length) this.#resize(this.#slots.length / 2);
    return taken;
  }

  /** The slot of the container, or the free one in which the search ended. */
  #find(containerId: string, hash: number): number {
    let at = this.#homeOf(hash);
    while (this.#hashes[at] !== 0 && (this.#hashes[at] !== hash || this.#slots[at]!.containerId !== containerId))
      at = (at + 1) & this.#mask;
    return at;
  }

  #put(container: HeldContainer, hash: number): void {
    let at = this.#homeOf(hash);
    while (this.#hashes[at] !== 0) at = (at + 1) & this.#mask;
    this.#hashes[at] = hash;
    this.#slots[at] = container;
  }

  /** Frees the slot; those behind it that a search would no longer reach move up. */
  #close(place: number): void {
    const hashes = this.#hashes;
    const mask = this.#mask;
    let free = place;
    for (let at = (place + 1) & mask; hashes[at] !== 0; at = (at + 1) & mask) {
      if (((at - this.#homeOf(hashes[at]!)) & mask) < ((at - free) & mask)) continue;
      hashes[free] = hashes[at]!;
      this.#slots[free] = this.#slots[at];
      free = at;
    }
    hashes[free] = 0;
    this.#slots[free] = undefined;
  }

  #resize(length: number): void {
    const hashes = this.#hashes;
    const slots = this.#slots;
    this.#hashes = new Int32Array(length);
    this.#slots = new Array(length).fill(undefined);
    this.#mask = length - 1;
    for (const [place, container] of slots.entries()) if (container) this.#put(container, hashes[place]!);
  }

  #homeOf(hash: number): number {
    return (hash >>> shardBits) & this.#mask;
  }
}

/** 32 bits, never 0 (FNV-1a with a last mixing). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5 | 0;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13) || 1;
}
