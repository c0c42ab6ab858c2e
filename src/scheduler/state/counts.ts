// What an application holds, has reserved and wants, by partition and type of resource.

import { type Resource, zeros } from '../../model/resource.ts';

type Kind = 'used' | 'reserved' | 'pending';

const kinds: Readonly<Record<Kind, number>> = { used: 0, reserved: 1, pending: 2 };
const kindCount = 3;

/** Sums by partition, kind and type in one list. */
export class Counts {
  /** It begins with what is used of the default partition. */
  sums: number[];
  readonly #types: number;
  /** Something was counted in the default partition; the others in which something was. */
  #isInDefault = false;
  readonly #others: number[] = [];

  constructor(types: number) {
    this.#types = types;
    this.sums = zeros(types * kindCount);
  }

  /** `times` may be negative. */
  add(kind: Kind, partition: number, amount: Resource, times: number): void {
    if (partition === 0) this.#isInDefault = true;
    else if (!this.#others.includes(partition)) this.#enter(partition);
    const from = this.#place(kind, partition);
    for (let i = 0; i < amount.length; i++) this.sums[from + i]! += amount[i]! * times;
  }

  /** Something was counted in the partition. */
  has(partition: number): boolean {
    return partition === 0 ? this.#isInDefault : this.#others.includes(partition);
  }

  amount(kind: Kind, partition: number, type: number): number {
    return this.sums[this.#place(kind, partition) + type] ?? 0;
  }

  isNone(kind: Kind, partition: number): boolean {
    for (let type = 0; type < this.#types; type++) if (this.amount(kind, partition, type) !== 0) return false;
    return true;
  }

  /** The sums of a partition, as a vector of their own or written into one. */
  of(kind: Kind, partition: number, into: number[] = []): number[] {
    into.length = this.#types;
    for (let type = 0; type < into.length; type++) into[type] = this.amount(kind, partition, type);
    return into;
  }

  total(kind: Kind): number[] {
    const result = zeros(this.#types);
    for (const partition of [0, ...this.#others])
      for (let type = 0; type < result.length; type++) result[type]! += this.amount(kind, partition, type);
    return result;
  }

  #place(kind: Kind, partition: number): number {
    return (partition * kindCount + kinds[kind]) * this.#types;
  }

  #enter(partition: number): void {
    this.#others.push(partition);
    const missing = this.#place('used', partition + 1) - this.sums.length;
    if (missing > 0) this.sums = [...this.sums, ...zeros(missing)];
  }
}
