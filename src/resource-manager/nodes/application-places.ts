// Which nodes have something of an application, from both sides: the end of an application touches its own nodes only.
import type { Node } from './node.ts';

/** Keeps `Node.applications` and its reverse together. */
export class ApplicationPlaces {
  readonly #nodes = new Map<string, Set<Node>>();

  /** Applications that stand anywhere. */
  get size(): number {
    return this.#nodes.size;
  }

  /** The node has something of the application. */
  add(node: Node, applicationId: string): void {
    node.applications.add(applicationId);
    const nodes = this.#nodes.get(applicationId);
    if (nodes) nodes.add(node);
    else this.#nodes.set(applicationId, new Set([node]));
  }

  /** The node left with all it had. */
  leave(node: Node): void {
    for (const id of node.applications) {
      const nodes = this.#nodes.get(id);
      nodes?.delete(node);
      if (nodes?.size === 0) this.#nodes.delete(id);
    }
    node.applications.clear();
  }

  /** Takes the application away from all its nodes; these are answered. */
  take(applicationId: string): ReadonlySet<Node> {
    const nodes = this.#nodes.get(applicationId) ?? new Set<Node>();
    this.#nodes.delete(applicationId);
    for (const node of nodes) node.applications.delete(applicationId);
    return nodes;
  }
}
