// Which node of a partition has room: a tree over the nodes whose inner points hold the most that any node below has free.

import type { Resource } from '../../model/resource.ts';

/** What the index needs to know of a node; it keeps `place`. */
interface IndexedNode {
  /** In the index, -1 outside. */
  place: number;
  /** It takes new containers. */
  readonly open: boolean;
  readonly available: Resource;
  readonly resource: Resource;
}

/** So many amounts are remembered as missing. */
const mostMissing = 8;

/** The most of each type below each point; leaves are places of nodes, -1 where a node does not count. */
class MostTree {
  readonly #types: number;
  #counted: number;
  #size = 1;
  /** The points from the top, as in a heap; the types of a point lie side by side. */
  #most: Float64Array;
  /** The place that `hasAny` found last. */
  #foundLast = 0;
  /** Amounts that no place holds: where types compete, that takes a long search to find out. */
  readonly #missing: Resource[] = [];

  constructor(types: number) {
    this.#types = types;
    this.#counted = types;
    this.#most = new Float64Array(2 * types).fill(-1);
  }

  /** So many types count, the first ones. */
  set counted(counted: number) {
    this.#counted = counted;
    this.#missing.length = 0;
  }

  set(place: number, amount: Resource | undefined): void {
    const types = this.#types;
    const most = this.#most;
    let grew = false;
    for (let type = 0; type < types; type++) {
      let at = this.#size + place;
      const value = amount ? (amount[type] ?? 0) : -1;
      if (most[at * types + type] === value) continue;
      if (value > most[at * types + type]!) grew = true;
      most[at * types + type] = value;
      for (at >>= 1; at >= 1; at >>= 1) {
        const left = 2 * at * types + type;
        const larger = Math.max(most[left]!, most[left + types]!);
        if (most[at * types + type] === larger) break;
        most[at * types + type] = larger;
      }
    }
    if (!grew) return;
    for (let i = this.#missing.length - 1; i >= 0; i--) if (this.#holds(this.#size + place, this.#missing[i]!)) this.#missing.splice(i, 1);
  }

  /** Makes room for so many places; true when everything has to be set again. */
  grow(places: number): boolean {
    if (places <= this.#size) return false;
    while (this.#size < places) this.#size *= 2;
    this.#most = new Float64Array(2 * this.#size * this.#types).fill(-1);
    return true;
  }

  /** The first place at or after `from` that holds the amount, or -1. */
  next(amount: Resource, from: number): number {
    if (from >= this.#size || this.#isMissing(amount)) return -1;
    const place = this.#search(amount, from);
    if (place < 0 && from === 0) {
      if (this.#missing.length === mostMissing) this.#missing.shift();
      this.#missing.push(amount);
    }
    return place;
  }

  #isMissing(amount: Resource): boolean {
    for (const missing of this.#missing) if (this.#isWithin(missing, amount)) return true;
    return false;
  }

  #isWithin(amount: Resource, other: Resource): boolean {
    for (let type = 0; type < this.#counted; type++) if ((amount[type] ?? 0) > (other[type] ?? 0)) return false;
    return true;
  }

  #search(amount: Resource, from: number): number {
    const size = this.#size;
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

  /** Some place holds the amount. The one that was found last is tried first, then those at or after `from`. */
  hasAny(amount: Resource, from: number): boolean {
    if (this.#foundLast < this.#size && this.#holds(this.#size + this.#foundLast, amount)) return true;
    let place = this.next(amount, from);
    if (place < 0 && from > 0) place = this.next(amount, 0);
    if (place >= 0) this.#foundLast = place;
    return place >= 0;
  }

  #holds(at: number, amount: Resource): boolean {
    const first = at * this.#types;
    for (let type = 0; type < this.#counted; type++) if (this.#most[first + type]! < (amount[type] ?? 0)) return false;
    return true;
  }
}

/** Finds nodes with room in logarithmic time and goes round them in turn, as heartbeats would. */
export class NodeIndex<Node extends IndexedNode> {
  readonly nodes: (Node | undefined)[] = [];
  /** Moves whenever a node's room changes. */
  version = 0;
  #counted: number;
  readonly #vacant: number[] = [];
  /** What open nodes have available. */
  readonly #free: MostTree;
  /** What nodes have in all that could be kept for a request: in service and not reserved. */
  readonly #keepable: MostTree;
  #cursor = 0;

  constructor(types: number) {
    this.#counted = types;
    this.#free = new MostTree(types);
    this.#keepable = new MostTree(types);
  }

  /** So many types count, the first ones; where only memory counts, nodes give more vcores than they have. */
  get counted(): number {
    return this.#counted;
  }

  set counted(counted: number) {
    this.#counted = counted;
    this.#free.counted = counted;
    this.#keepable.counted = counted;
  }

  add(node: Node): void {
    const place = this.#vacant.pop() ?? this.nodes.length;
    this.nodes[place] = node;
    node.place = place;
    const freeGrew = this.#free.grow(place + 1);
    if (this.#keepable.grow(place + 1) || freeGrew) for (const other of this.nodes) if (other) this.refresh(other);
    this.refresh(node);
  }

  remove(node: Node): void {
    this.nodes[node.place] = undefined;
    this.#vacant.push(node.place);
    this.#free.set(node.place, undefined);
    this.#keepable.set(node.place, undefined);
    this.version++;
    node.place = -1;
  }

  /** Takes over what the node has free now, after that alone changed. */
  refreshFree(node: Node): void {
    this.#free.set(node.place, node.open ? node.available : undefined);
    this.version++;
  }

  /** Takes over all that the node has now. */
  refresh(node: Node): void {
    const { open } = node;
    this.#free.set(node.place, open ? node.available : undefined);
    this.#keepable.set(node.place, open ? node.resource : undefined);
    this.version++;
  }

  /** The next node in turn with room for the amount that `accept` allows; the turn moves on past it. */
  find(amount: Resource, accept?: (node: Node) => boolean): Node | undefined {
    const start = this.#cursor;
    let from = start;
    let wrapped = false;
    for (;;) {
      const place = this.#free.next(amount, from);
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

  /** The turn is where another index has it, whose nodes were added here in their order. */
  takeTurnOf(other: NodeIndex<Node>): void {
    this.#cursor = other.nodes.slice(0, other.#cursor).filter((node) => node !== undefined).length;
    if (this.#cursor >= this.nodes.length) this.#cursor = 0;
  }

  /** The first node that would hold the amount when empty and is not kept for a request. */
  findKeepable(amount: Resource, accept: (node: Node) => boolean): Node | undefined {
    for (let place = this.#keepable.next(amount, 0); place >= 0; place = this.#keepable.next(amount, place + 1)) {
      const node = this.nodes[place]!;
      if (accept(node)) return node;
    }
    return undefined;
  }

  hasRoom(amount: Resource): boolean {
    return this.#free.hasAny(amount, this.#cursor);
  }

  hasKeepable(amount: Resource): boolean {
    return this.#keepable.hasAny(amount, 0);
  }
}
