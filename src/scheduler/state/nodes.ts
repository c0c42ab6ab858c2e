// All nodes and their partitions: found by id, host, rack and label, with their totals.

import { addInto, type Resource, subtractFrom, zeros } from '../../model/resource.ts';
import type { NodeView } from '../entries.ts';
import { AllocationTags } from '../placement/allocation-tags.ts';
import { NodeAttributes } from '../placement/node-attributes.ts';
import { SchedulerNode } from './model.ts';
import { NodeIndex } from './node-index.ts';

/** The nodes of one label and their total. Index 0 is the default partition, named ''. */
export interface Partition {
  readonly index: number;
  readonly name: string;
  exclusive: boolean;
  readonly total: number[];
  readonly rooms: NodeIndex<SchedulerNode>;
  nodes: number;
}

/** All nodes, by id, host, rack and partition. */
export class NodeTable {
  readonly byId = new Map<string, SchedulerNode>();
  readonly byHost = new Map<string, Set<SchedulerNode>>();
  readonly byRack = new Map<string, Set<SchedulerNode>>();
  readonly partitions: Partition[] = [];
  /** Total of all nodes of all partitions. */
  readonly total: number[];
  /** Tags of containers by node and rack, for placement constraints. */
  readonly tags: AllocationTags;
  readonly attributes = new NodeAttributes();
  /** Nodes that came, left or changed their partition. */
  #moves = 0;
  readonly #types: number;
  #counted: number;
  readonly #byName = new Map<string, Partition>();
  /** Places of partitions that are nobody's any more. */
  readonly #vacant: number[] = [];
  #largest: number[] | undefined;

  constructor(types: number, tagsOfApplication: (applicationId: string) => readonly string[] = () => []) {
    this.#types = types;
    this.#counted = types;
    this.total = zeros(types);
    this.tags = new AllocationTags(tagsOfApplication);
    this.partition('');
  }

  /** So many types, the first ones, limit what nodes hold (1: memory alone). */
  get counted(): number {
    return this.#counted;
  }

  set counted(counted: number) {
    this.#counted = counted;
    for (const { rooms } of this.partitions) rooms.counted = counted;
  }

  /** The partition of a label, created when it is new. */
  partition(name: string): Partition {
    let found = this.#byName.get(name);
    if (!found) {
      found = {
        index: this.#vacant.pop() ?? this.partitions.length,
        name,
        exclusive: true,
        total: zeros(this.#types),
        rooms: new NodeIndex(this.#types),
        nodes: 0,
      };
      found.rooms.counted = this.#counted;
      this.partitions[found.index] = found;
      this.#byName.set(name, found);
    }
    return found;
  }

  /** Gives the place of a partition, which has no nodes and of which nobody knows any more, to the next label that is new. */
  vacate({ name, index }: Partition): void {
    if (this.#byName.delete(name)) this.#vacant.push(index);
  }

  /** The partitions that are not vacated, the one that came first foremost. */
  inOrderOfArrival(): Partition[] {
    return [...this.#byName.values()];
  }

  add(view: NodeView): SchedulerNode {
    const node = new SchedulerNode(view, this.#types);
    this.byId.set(node.nodeId, node);
    into(this.byHost, node.host, node);
    into(this.byRack, node.rack, node);
    this.#enter(node, this.partition(view.label));
    addInto(this.total, node.resource);
    this.attributes.set(node, view.attributes);
    this.#largest = undefined;
    return node;
  }

  remove(node: SchedulerNode): void {
    this.byId.delete(node.nodeId);
    outOf(this.byHost, node.host, node);
    outOf(this.byRack, node.rack, node);
    this.#leave(node);
    subtractFrom(this.total, node.resource);
    this.attributes.set(node, undefined);
    this.#largest = undefined;
  }

  relabel(node: SchedulerNode, label: string): void {
    this.#leave(node);
    this.#enter(node, this.partition(label));
  }

  resize(node: SchedulerNode, resource: Resource): void {
    const partition = this.partitions[node.partition]!;
    subtractFrom(this.total, node.resource);
    subtractFrom(partition.total, node.resource);
    node.resize(resource, this.#types);
    addInto(this.total, node.resource);
    addInto(partition.total, node.resource);
    this.#largest = undefined;
    this.refresh(node);
  }

  /** After a container came or went. */
  refreshFree(node: SchedulerNode): void {
    this.partitions[node.partition]!.rooms.refreshFree(node);
  }

  /** After the node's room or openness changed. */
  refresh(node: SchedulerNode): void {
    this.partitions[node.partition]!.rooms.refresh(node);
  }

  /** The most of each type that a single node has in total; undefined without nodes. */
  largest(): Resource | undefined {
    if (this.byId.size === 0) return undefined;
    if (!this.#largest) {
      const most = zeros(this.#types);
      for (const node of this.byId.values())
        for (let i = 0; i < most.length; i++) if (node.resource[i]! > most[i]!) most[i] = node.resource[i]!;
      this.#largest = most;
    }
    return this.#largest;
  }

  /** Grows with everything that placement constraints depend on. */
  get placementVersion(): number {
    return this.tags.version + this.attributes.version + this.#moves;
  }

  #enter(node: SchedulerNode, partition: Partition): void {
    this.#moves++;
    node.partition = partition.index;
    addInto(partition.total, node.resource);
    partition.nodes++;
    partition.rooms.add(node);
  }

  #leave(node: SchedulerNode): void {
    const partition = this.partitions[node.partition]!;
    subtractFrom(partition.total, node.resource);
    partition.nodes--;
    partition.rooms.remove(node);
  }
}

function into(map: Map<string, Set<SchedulerNode>>, key: string, node: SchedulerNode): void {
  const set = map.get(key);
  if (set) set.add(node);
  else map.set(key, new Set([node]));
}

function outOf(map: Map<string, Set<SchedulerNode>>, key: string, node: SchedulerNode): void {
  const set = map.get(key);
  set?.delete(node);
  if (set?.size === 0) map.delete(key);
}
