// Locality delays: a request that names nodes or racks waits a little for them before it goes elsewhere. Hadoop counts scheduling
// opportunities, one for each heartbeat of a node; here nothing waits for heartbeats, so an opportunity is the time in which one would
// come: the heartbeat interval divided by the number of nodes. It is never more than one interval for a level, as in Hadoop.

import type { OpenRequest, SchedulerNode } from '../state/model.ts';
import type { NodeTable, Partition } from '../state/nodes.ts';
import { refusesPartition, refusesService, refusesSize } from './node.ts';
import { pickNode } from './node-choice.ts';

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
  readonly #missedMs = new WeakMap<OpenRequest, number>();
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

  /** A request may go further from its places now: those that wait are looked at again. True once for each such moment. */
  takeDue(): boolean {
    if (this.#nextMs === undefined || this.#now() < this.#nextMs) return false;
    this.#nextMs = undefined;
    return true;
  }

  get isDue(): boolean {
    return this.#nextMs !== undefined && this.#now() >= this.#nextMs;
  }

  /** A node with room as near as the request still insists on; sets its reach. */
  pick(table: NodeTable, partition: Partition, request: OpenRequest, blacklist: ReadonlySet<string>): SchedulerNode | undefined {
    if (!request.relaxLocality || (request.nodes.length === 0 && request.racks.length === 0))
      return pickNode(table, partition, request, blacklist);
    const sinceMs = this.#missedMs.get(request);
    request.reach = this.#reachOf(request, table, partition, sinceMs);
    // The moment noted at its first miss may have been overwritten by that of another request.
    if (request.reach !== 'any' && sinceMs !== undefined) this.#remind(sinceMs, request, partition);
    const node = pickNode(table, partition, request, blacklist);
    if (node && (request.nodes.includes(node.host) || request.nodes.includes(node.nodeId))) this.#missedMs.delete(request);
    else if (!node && request.reach !== 'any' && sinceMs === undefined) {
      this.#missedMs.set(request, this.#now());
      this.#remind(this.#now(), request, partition);
    }
    return node;
  }

  /** Sets the reach of a request that is looked at elsewhere than in its partition: it waits for its places as long as it would there. */
  look(table: NodeTable, partition: Partition, request: OpenRequest): void {
    request.reach = this.reachNow(request, table, partition);
    const sinceMs = this.#missedMs.get(request);
    if (request.reach !== 'any' && sinceMs !== undefined) this.#remind(sinceMs, request, partition);
  }

  /** How far from its places the request may go now; anywhere when it is not for them that it waits. */
  reachNow(request: OpenRequest, table: NodeTable, partition: Partition): OpenRequest['reach'] {
    const sinceMs = this.#missedMs.get(request);
    return sinceMs === undefined ? 'any' : this.#reachOf(request, table, partition, sinceMs);
  }

  #reachOf(request: OpenRequest, table: NodeTable, partition: Partition, sinceMs: number | undefined): OpenRequest['reach'] {
    const forNode = this.rules.forNode(partition.nodes);
    const forRack = this.rules.forRack(partition.nodes, request.nodes.length + request.racks.length);
    const hasNode =
      forNode > 0 &&
      request.nodes.some((place) => isThere(table.byId.get(place), partition, request) || any(table.byHost.get(place), partition, request));
    const hasRack = forRack > 0 && request.racks.some((rack) => any(table.byRack.get(rack), partition, request));
    if (!hasNode && !hasRack) return 'any';
    const missed = sinceMs === undefined ? 0 : ((this.#now() - sinceMs) * partition.nodes) / this.#intervalMs;
    if (hasNode && missed < forNode) return 'node';
    if (missed < forRack) return hasRack ? 'rack' : 'node';
    return 'any';
  }

  /** Notes the moments at which the request may go to its racks, and anywhere. */
  #remind(sinceMs: number, request: OpenRequest, partition: Partition): void {
    const { nodes } = partition;
    for (const missed of [this.rules.forNode(nodes), this.rules.forRack(nodes, request.nodes.length + request.racks.length)]) {
      const atMs = sinceMs + Math.ceil((missed * this.#intervalMs) / Math.max(1, nodes));
      if (atMs > this.#now() && (this.#nextMs === undefined || atMs < this.#nextMs)) this.#nextMs = atMs;
    }
  }
}

/** In service, and large enough: worth waiting for. */
const isThere = (node: SchedulerNode | undefined, partition: Partition, request: OpenRequest): boolean =>
  node !== undefined && !refusesService(node) && !refusesPartition(node, partition) && !refusesSize(node, request, partition);

function any(nodes: Iterable<SchedulerNode> | undefined, partition: Partition, request: OpenRequest): boolean {
  for (const node of nodes ?? []) if (isThere(node, partition, request)) return true;
  return false;
}
