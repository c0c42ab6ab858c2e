// Which node of a partition has room: a tree over the nodes whose inner points hold the most that any node below has free.

import type { Resource } from '../../model/resource.ts';
import type { SchedulerNode } from './nodes.ts';

/** Finds nodes with room in logarithmic time and goes round them in turn, as heartbeats would. */
export class NodeIndex {
  readonly nodes: (SchedulerNode | undefined)[] = [];
  readonly #types: number;
  #size = 1;
  /** One heap-shaped array per resource type. */
  #free: Float64Array[];
  #vacant: number[] = [];
  #cursor = 0;

  constructor(types: number) {
    this.#types = types;
    this.#free = Array.from({ length: types }, () => new Float64Array(2).fill(-1));
  }

  add(node: SchedulerNode): void {
    const place = this.#vacant.pop() ?? this.nodes.length;
    this.nodes[place] = node;
    node.place = place;
    if (place >= this.#size) this.#grow();
    this.refresh(node);
  }

  remove(node: SchedulerNode): void {
    this.nodes[node.place] = undefined;
    this.#vacant.push(node.place);
    this.#set(node.place, undefined);
    node.place = -1;
  }

  /** Takes over what the node has free now. */
  refresh(node: SchedulerNode): void {
    this.#set(node.place, node.open ? node.available : undefined);
  }

  /** The next node in turn with room for the amount that `accept` allows; the turn moves on past it. */
  find(amount: Resource, accept?: (node: SchedulerNode) => boolean): SchedulerNode | undefined {
    const start = this.#cursor;
    let from = start;
    let wrapped = false;
    for (;;) {
      const place = this.#next(amount, from);
      if (place < 0 || (wrapped && place >= start)) {
        if (wrapped || start === 0) return undefined;
        wrapped = true;
        from = 0;
        continue;
      }
      const node = this.nodes[place]!;
      if (!accept || accept(node)) {
        this.#cursor = place + 1 < this.nodes.length ? place + 1 : 0;
        return node;
      }
      from = place + 1;
    }
  }

  #set(place: number, available: Resource | undefined): void {
    for (let type = 0; type < this.#types; type++) {
      const tree = this.#free[type]!;
      let at = this.#size + place;
      tree[at] = available ? (available[type] ?? 0) : -1;
      for (at >>= 1; at >= 1; at >>= 1) {
        const left = tree[2 * at]!;
        const right = tree[2 * at + 1]!;
        const most = Math.max(left, right);
        if (tree[at] === most) break;
        tree[at] = most;
      }
    }
  }

  #grow(): void {
    while (this.#size < this.nodes.length) this.#size *= 2;
    this.#free = Array.from({ length: this.#types }, () => new Float64Array(2 * this.#size).fill(-1));
    for (const node of this.nodes) if (node) this.refresh(node);
  }

  #holds(at: number, amount: Resource): boolean {
    for (let type = 0; type < this.#types; type++) if (this.#free[type]![at]! < (amount[type] ?? 0)) return false;
    return true;
  }

  /** The first place at or after `from` with room, or -1. */
  #next(amount: Resource, from: number): number {
    const size = this.#size;
    if (from >= size) return -1;
    let at = size + from;
    for (;;) {
      if (this.#holds(at, amount)) {
        if (at >= size) return at - size;
        at *= 2;
        continue;
      }
      // To the right of this subtree: up while it is a right child, then over.
      while (at & 1) {
        at >>= 1;
        if (at <= 1) return -1;
      }
      if (at === 0) return -1;
      at++;
    }
  }
}
