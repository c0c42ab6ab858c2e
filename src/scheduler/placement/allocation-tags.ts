// How many containers with which tag stand where: by node, by rack and in the cluster, of each application and of all
// (AllocationTagsManager). Kept up with every container, so that a constraint is answered by looking a number up.

import type { TagNamespace } from '../../model/placement-constraint.ts';
import type { SchedulerNode } from '../state/model.ts';

/** Tagged containers of one place. */
class TagCounts {
  readonly all = new Map<string, number>();
  readonly #byApplication = new Map<string, Map<string, number>>();

  get empty(): boolean {
    return this.all.size === 0;
  }

  change(applicationId: string, tag: string, by: 1 | -1): void {
    add(this.all, tag, by);
    let own = this.#byApplication.get(applicationId);
    if (!own) {
      own = new Map();
      this.#byApplication.set(applicationId, own);
    }
    add(own, tag, by);
    if (own.size === 0) this.#byApplication.delete(applicationId);
  }

  of(applicationId: string, tag: string): number {
    return this.#byApplication.get(applicationId)?.get(tag) ?? 0;
  }

  applications(): Iterable<string> {
    return this.#byApplication.keys();
  }
}

function add(counts: Map<string, number>, tag: string, by: 1 | -1): void {
  const count = (counts.get(tag) ?? 0) + by;
  if (count > 0) counts.set(tag, count);
  else counts.delete(tag);
}

const noNodes: ReadonlySet<SchedulerNode> = new Set();
const ownKey = (applicationId: string, tag: string): string => `${applicationId} ${tag}`;

/** All tagged containers. */
export class AllocationTags {
  /** Grows with every change. */
  version = 0;
  readonly #nodes = new Map<SchedulerNode, TagCounts>();
  readonly #racks = new Map<string, TagCounts>();
  readonly #cluster = new TagCounts();
  /** Nodes with a tag, by the tag alone and by application and tag. */
  readonly #holders = new Map<string, Set<SchedulerNode>>();
  readonly #tagsOfApplication: (applicationId: string) => readonly string[];

  constructor(tagsOfApplication: (applicationId: string) => readonly string[]) {
    this.#tagsOfApplication = tagsOfApplication;
  }

  /** A container with the tags came to the node (1) or left it (-1). */
  change(node: SchedulerNode, applicationId: string, tags: readonly string[], by: 1 | -1): void {
    this.version++;
    const ofNode = countsOf(this.#nodes, node);
    const ofRack = countsOf(this.#racks, node.rack);
    for (const tag of tags) {
      ofNode.change(applicationId, tag, by);
      ofRack.change(applicationId, tag, by);
      this.#cluster.change(applicationId, tag, by);
      this.#hold(tag, node, ofNode.all.has(tag));
      this.#hold(ownKey(applicationId, tag), node, ofNode.of(applicationId, tag) > 0);
    }
    if (ofNode.empty) this.#nodes.delete(node);
    if (ofRack.empty) this.#racks.delete(node.rack);
  }

  onNode(node: SchedulerNode, namespace: TagNamespace, tag: string, applicationId: string): number {
    return this.#count(this.#nodes.get(node), namespace, tag, applicationId);
  }

  inRack(rack: string, namespace: TagNamespace, tag: string, applicationId: string): number {
    return this.#count(this.#racks.get(rack), namespace, tag, applicationId);
  }

  inCluster(namespace: TagNamespace, tag: string, applicationId: string): number {
    return this.#count(this.#cluster, namespace, tag, applicationId);
  }

  /** Nodes that have a container with the tag; where the namespace spans several applications, of any. */
  holders(namespace: TagNamespace, tag: string, applicationId: string): ReadonlySet<SchedulerNode> {
    const key =
      namespace.kind === 'self' ? ownKey(applicationId, tag) : namespace.kind === 'app-id' ? ownKey(namespace.applicationId, tag) : tag;
    return this.#holders.get(key) ?? noNodes;
  }

  /** Tags of a node with their numbers, of all applications together. */
  ofNode(node: SchedulerNode): ReadonlyMap<string, number> {
    return this.#nodes.get(node)?.all ?? new Map();
  }

  #count(counts: TagCounts | undefined, namespace: TagNamespace, tag: string, applicationId: string): number {
    if (!counts) return 0;
    switch (namespace.kind) {
      case 'self':
        return counts.of(applicationId, tag);
      case 'all':
        return counts.all.get(tag) ?? 0;
      case 'not-self':
        return (counts.all.get(tag) ?? 0) - counts.of(applicationId, tag);
      case 'app-id':
        return counts.of(namespace.applicationId, tag);
      case 'app-tag': {
        let count = 0;
        for (const id of counts.applications())
          if (this.#tagsOfApplication(id).includes(namespace.applicationTag)) count += counts.of(id, tag);
        return count;
      }
    }
  }

  #hold(key: string, node: SchedulerNode, holds: boolean): void {
    const holders = this.#holders.get(key);
    if (holds) {
      if (holders) holders.add(node);
      else this.#holders.set(key, new Set([node]));
      return;
    }
    holders?.delete(node);
    if (holders?.size === 0) this.#holders.delete(key);
  }
}

function countsOf<Place>(map: Map<Place, TagCounts>, place: Place): TagCounts {
  let counts = map.get(place);
  if (!counts) {
    counts = new TagCounts();
    map.set(place, counts);
  }
  return counts;
}
