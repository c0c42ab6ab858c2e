// What administrators said of nodes, as records of the store: which are on their way out, and which sizes count instead of what nodes say.
import { fields, type JsonShape, number, orNull, text, truth } from '../../lib/json-shape.ts';
import { type NodeResource, nodeResource } from '../../wire/cluster/container-messages.ts';
import type { LeavingNode } from '../nodes/membership.ts';
import { storedJson } from './stored-json.ts';

/** Under which kinds the store has them, by node. */
export const leavingKind = 'leaving-node';
export const sizeKind = 'node-size';

export const leavingNode: JsonShape<LeavingNode> = fields({
  nodeId: text(),
  httpAddress: text(),
  byHand: truth(),
  untilMs: orNull(number()),
});
export const nodeSize = fields({ nodeId: text(), resource: nodeResource });

/** What of the store these records need. */
export interface RecordStore {
  records(kind: string): Map<string, string>;
  putRecord(kind: string, key: string, value: string): Promise<void>;
  dropRecord(kind: string, key: string): Promise<void>;
}

/** The records. */
export class NodeOrders {
  readonly #store: RecordStore;

  constructor(store: RecordStore) {
    this.#store = store;
  }

  putLeavingNode(node: LeavingNode): Promise<void> {
    return this.#store.putRecord(leavingKind, node.nodeId, JSON.stringify(node));
  }

  dropLeavingNode(nodeId: string): Promise<void> {
    return this.#store.dropRecord(leavingKind, nodeId);
  }

  /** @throws Error for a record that cannot be read */
  leavingNodes(): LeavingNode[] {
    return [...this.#store.records(leavingKind).values()].map((written) =>
      storedJson(leavingNode, written, 'the record of a leaving node'),
    );
  }

  /** Undefined: the size that the node says of itself counts again. */
  putNodeSize(nodeId: string, resource: NodeResource | undefined): Promise<void> {
    if (!resource) return this.#store.dropRecord(sizeKind, nodeId);
    return this.#store.putRecord(sizeKind, nodeId, JSON.stringify({ nodeId, resource }));
  }

  /** By node id: the size that counts instead of what the node says. @throws Error for a record that cannot be read */
  nodeSizes(): ReadonlyMap<string, NodeResource> {
    const sizes = [...this.#store.records(sizeKind).values()].map((written) =>
      storedJson(nodeSize, written, 'the record of the size of a node'),
    );
    return new Map(sizes.map(({ nodeId, resource }) => [nodeId, resource]));
  }
}
