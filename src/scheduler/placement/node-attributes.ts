// Attributes of nodes as the scheduler looks them up: `prefix/name` with a value, and which nodes have it.
import type { SchedulerNode } from '../state/model.ts';

/** Attributes by `prefix/name`. */
export type Attributes = ReadonlyMap<string, string>;

const none: Attributes = new Map();
const noNodes: ReadonlySet<SchedulerNode> = new Set();

/** Whether an attribute's full name is the asked one; without a prefix any prefix does. */
const isNamed = (fullName: string, name: string): boolean =>
  fullName === name || (!name.includes('/') && fullName.endsWith(name) && fullName[fullName.length - name.length - 1] === '/');

/** Attributes of all nodes. */
export class NodeAttributes {
  /** Grows with every change. */
  version = 0;
  readonly #byNode = new Map<SchedulerNode, Attributes>();
  /** Nodes by `prefix/name=value`. */
  readonly #holders = new Map<string, Set<SchedulerNode>>();
  /** Full names by the name without its prefix. */
  readonly #fullNames = new Map<string, Set<string>>();

  set(node: SchedulerNode, attributes: Attributes | undefined): void {
    this.version++;
    for (const [name, value] of this.#byNode.get(node) ?? none) {
      const key = `${name}=${value}`;
      const holders = this.#holders.get(key);
      holders?.delete(node);
      if (holders?.size === 0) this.#holders.delete(key);
    }
    if (!attributes || attributes.size === 0) {
      this.#byNode.delete(node);
      return;
    }
    this.#byNode.set(node, attributes);
    for (const [name, value] of attributes) {
      const key = `${name}=${value}`;
      const holders = this.#holders.get(key);
      if (holders) holders.add(node);
      else this.#holders.set(key, new Set([node]));
      const short = name.slice(name.indexOf('/') + 1);
      const full = this.#fullNames.get(short);
      if (full) full.add(name);
      else this.#fullNames.set(short, new Set([name]));
    }
  }

  of(node: SchedulerNode): Attributes {
    return this.#byNode.get(node) ?? none;
  }

  /** Whether the node's attribute has one of the values. */
  has(node: SchedulerNode, name: string, values: readonly string[]): boolean {
    const attributes = this.#byNode.get(node);
    if (!attributes) return false;
    for (const [fullName, value] of attributes) if (isNamed(fullName, name) && values.includes(value)) return true;
    return false;
  }

  /** Nodes whose attribute has one of the values, set by set. */
  holders(name: string, values: readonly string[]): ReadonlySet<SchedulerNode>[] {
    const fullNames = name.includes('/') ? [name] : [...(this.#fullNames.get(name) ?? [])];
    return fullNames.flatMap((fullName) => values.map((value) => this.#holders.get(`${fullName}=${value}`) ?? noNodes));
  }
}
