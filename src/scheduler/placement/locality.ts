// Locality delays: a request that names nodes or racks waits a little for them before it goes elsewhere. Hadoop counts scheduling
// opportunities, one for each heartbeat of a node; here nothing waits for heartbeats, so an opportunity is the time in which one would
// come: the heartbeat interval divided by the number of nodes. It is never more than one interval for a level, as in Hadoop.

import type { OpenAsk } from '../state/asks.ts';
import type { NodeTable, Partition, SchedulerNode } from '../state/nodes.ts';
import { holds, pickNode } from './node-choice.ts';

/** Opportunities that a request lets pass, given the nodes of the partition and the places it names. */
export interface LocalityRules {
  /** Before a node of a named rack is taken. */
  forNode(nodes: number): number;
  /** Before any node is taken. */
  forRack(nodes: number, places: number): number;
}

/** `node-locality-delay` and `rack-locality-additional-delay` of the capacity scheduler (-1: by the number of places named). */
export const capacityLocality = (nodeDelay: number, rackDelay: number): LocalityRules => ({
  forNode: (nodes) => Math.min(nodes, Math.max(0, nodeDelay)),
  forRack: (nodes, places) =>
    nodeDelay < 0
      ? 0
      : rackDelay > -1
        ? Math.min(nodes, nodeDelay + rackDelay)
        : Math.max(Math.min(places, nodes), Math.min(nodes, nodeDelay)),
});

/** `yarn.scheduler.fair.locality.threshold.node` and `.rack`: parts of the cluster, below 0 off. */
export const fairLocality = (nodePart: number, rackPart: number): LocalityRules => ({
  forNode: (nodes) => Math.max(0, Math.min(1, nodePart)) * nodes,
  forRack: (nodes) => (Math.max(0, Math.min(1, nodePart)) + Math.max(0, Math.min(1, rackPart))) * nodes,
});

/** Chooses nodes for the requests of one policy. */
export class Locality {
  readonly #intervalMs: number;
  readonly #now: () => number;
  /** Since when a request has missed the places it names; a container there begins anew. */
  readonly #missedMs = new WeakMap<OpenAsk, number>();
  #nextMs: number | undefined;
  rules: LocalityRules;

  /** `intervalMs`: `yarn.resourcemanager.nodemanagers.heartbeat-interval-ms`. */
  constructor(rules: LocalityRules, intervalMs: number, now: () => number) {
    this.rules = rules;
    this.#intervalMs = intervalMs;
    this.#now = now;
  }

  /** When the first of those who wait may go further. */
  get nextMs(): number | undefined {
    return this.#nextMs;
  }

  /** Somebody may go further: those set aside are looked at again. */
  takeDue(): boolean {
    if (this.#nextMs === undefined || this.#now() < this.#nextMs) return false;
    this.#nextMs = undefined;
    return true;
  }

  get isDue(): boolean {
    return this.#nextMs !== undefined && this.#now() >= this.#nextMs;
  }

  /** A node with room as near as the request still insists on; sets its reach. */
  pick(table: NodeTable, partition: Partition, ask: OpenAsk, blacklist: ReadonlySet<string>): SchedulerNode | undefined {
    if (!ask.relaxLocality || (ask.nodes.length === 0 && ask.racks.length === 0)) return pickNode(table, partition, ask, blacklist);
    const sinceMs = this.#missedMs.get(ask);
    ask.reach = this.#reachOf(ask, table, partition, sinceMs);
    // The moment noted at its first miss may have been overwritten by that of another request.
    if (ask.reach !== 'any' && sinceMs !== undefined) this.#remind(sinceMs, ask, partition);
    const node = pickNode(table, partition, ask, blacklist);
    if (node && (ask.nodes.includes(node.host) || ask.nodes.includes(node.nodeId))) this.#missedMs.delete(ask);
    else if (!node && ask.reach !== 'any' && sinceMs === undefined) {
      this.#missedMs.set(ask, this.#now());
      this.#remind(this.#now(), ask, partition);
    }
    return node;
  }

  /** How far from its places the request may go now; anywhere when it is not for them that it waits. */
  reachNow(ask: OpenAsk, table: NodeTable, partition: Partition): OpenAsk['reach'] {
    const sinceMs = this.#missedMs.get(ask);
    return sinceMs === undefined ? 'any' : this.#reachOf(ask, table, partition, sinceMs);
  }

  #reachOf(ask: OpenAsk, table: NodeTable, partition: Partition, sinceMs: number | undefined): OpenAsk['reach'] {
    const forNode = this.rules.forNode(partition.nodes);
    const forRack = this.rules.forRack(partition.nodes, ask.nodes.length + ask.racks.length);
    const hasNode =
      forNode > 0 &&
      ask.nodes.some((place) => isThere(table.byId.get(place), partition, ask) || any(table.byHost.get(place), partition, ask));
    const hasRack = forRack > 0 && ask.racks.some((rack) => any(table.byRack.get(rack), partition, ask));
    if (!hasNode && !hasRack) return 'any';
    const missed = sinceMs === undefined ? 0 : ((this.#now() - sinceMs) * partition.nodes) / this.#intervalMs;
    if (hasNode && missed < forNode) return 'node';
    if (missed < forRack) return hasRack ? 'rack' : 'node';
    return 'any';
  }

  /** Notes the moments at which the request may go to its racks, and anywhere. */
  #remind(sinceMs: number, ask: OpenAsk, partition: Partition): void {
    const { nodes } = partition;
    for (const missed of [this.rules.forNode(nodes), this.rules.forRack(nodes, ask.nodes.length + ask.racks.length)]) {
      const atMs = sinceMs + Math.ceil((missed * this.#intervalMs) / Math.max(1, nodes));
      if (atMs > this.#now() && (this.#nextMs === undefined || atMs < this.#nextMs)) this.#nextMs = atMs;
    }
  }
}

/** In service, and large enough: worth waiting for. */
const isThere = (node: SchedulerNode | undefined, partition: Partition, ask: OpenAsk): boolean =>
  node?.schedulable === true && node.partition === partition.index && holds(node.resource, ask, partition);

function any(nodes: Iterable<SchedulerNode> | undefined, partition: Partition, ask: OpenAsk): boolean {
  for (const node of nodes ?? []) if (isThere(node, partition, ask)) return true;
  return false;
}
