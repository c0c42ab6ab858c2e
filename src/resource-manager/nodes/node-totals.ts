// What all nodes come to: how many are in each state, and what the running ones use. Kept with each change, so that reading costs the same
// for any number of nodes.
import type { Node } from './node.ts';
import type { NodeState } from './node-states.ts';

/** Cores are added up in millionths, which add up and come off again without a rest. */
const millionths = 1_000_000;
const millionthsOf = (cores: number): number => Math.round(cores * millionths);

/** How many nodes are in each state. */
export type NodeCounts = Readonly<Record<NodeState, number>>;

/** The sums over nodes. */
export class NodeTotals {
  readonly #counts: Record<NodeState, number> = {
    NEW: 0,
    RUNNING: 0,
    UNHEALTHY: 0,
    DECOMMISSIONING: 0,
    DECOMMISSIONED: 0,
    LOST: 0,
    REBOOTED: 0,
    SHUTDOWN: 0,
  };
  #usedMemoryMiB = 0;
  #usedMillionths = 0;

  get counts(): NodeCounts {
    return this.#counts;
  }

  /** Physical memory in use on running nodes, as they report. */
  get usedMemoryMiB(): number {
    return this.#usedMemoryMiB;
  }

  /** Cores in use on running nodes, as they report. */
  get usedCores(): number {
    return this.#usedMillionths / millionths;
  }

  /** A node counts as it is now, until `remove`: what counts of it changes in between only. */
  add(node: Readonly<Node>): void {
    this.#change(node, 1);
  }

  remove(node: Readonly<Node>): void {
    this.#change(node, -1);
  }

  #change({ state, usage }: Readonly<Node>, sign: 1 | -1): void {
    this.#counts[state] += sign;
    if (state !== 'RUNNING') return;
    this.#usedMemoryMiB += sign * usage.node.physicalMemoryMiB;
    this.#usedMillionths += sign * millionthsOf(usage.node.cpuCores);
  }
}
