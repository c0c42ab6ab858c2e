// Whether a container may stand on a node, and which nodes come into question at all (PlacementConstraintsUtil).
import type { PlacementConstraint, TagConstraint, TagTarget } from '../../model/placement-constraint.ts';
import type { RequestPlacement, SchedulerNode } from '../state/model.ts';
import type { NodeTable } from '../state/nodes.ts';

/** Whether the node satisfies the constraint now. */
export function allows(placement: RequestPlacement, node: SchedulerNode, table: NodeTable): boolean {
  return satisfies(placement.constraint, placement, node, table);
}

/** Notes when no node satisfies the constraint, whatever room and label it has. */
export function noteHopeless(placement: RequestPlacement, table: NodeTable): void {
  for (const node of table.byId.values()) if (allows(placement, node, table)) return;
  placement.hopelessAt = table.placementVersion;
}

function satisfies(constraint: PlacementConstraint, placement: RequestPlacement, node: SchedulerNode, table: NodeTable): boolean {
  switch (constraint.kind) {
    case 'and':
      return constraint.of.every((one) => satisfies(one, placement, node, table));
    case 'or':
      return constraint.of.some((one) => satisfies(one, placement, node, table));
    case 'attribute':
      return table.attributes.has(node, constraint.name, constraint.values) !== constraint.negated;
    case 'tags':
      return tagsSatisfied(constraint, placement, node, table);
  }
}

/** The largest of the counts reaches the minimum, the smallest is not above the maximum: Hadoop's reading of several tags. */
function tagsSatisfied(constraint: TagConstraint, placement: RequestPlacement, node: SchedulerNode, table: NodeTable): boolean {
  const { scope, targets, minimum, maximum } = constraint;
  let most = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const { namespace, tag } of targets) {
    const count =
      scope === 'node'
        ? table.tags.onNode(node, namespace, tag, placement.applicationId)
        : table.tags.inRack(node.rack, namespace, tag, placement.applicationId);
    if (count > most) most = count;
    if (count < least) least = count;
  }
  if (least > maximum) return false;
  if (most >= minimum) return true;
  return targets.some((target) => gathers(target, constraint, placement, node, table));
}

/**
 * Who asks to stand beside its own kind must be able to begin: while there are fewer than the minimum anywhere, the next one
 * goes where all of them are.
 */
function gathers(
  target: TagTarget,
  { scope, minimum }: TagConstraint,
  placement: RequestPlacement,
  node: SchedulerNode,
  table: NodeTable,
): boolean {
  const { namespace, tag } = target;
  if (!placement.ownTags.includes(tag)) return false;
  if (namespace.kind === 'not-self' || namespace.kind === 'app-tag') return false;
  if (namespace.kind === 'app-id' && namespace.applicationId !== placement.applicationId) return false;
  const everywhere = table.tags.inCluster(namespace, tag, placement.applicationId);
  if (everywhere >= minimum) return false;
  const here =
    scope === 'node'
      ? table.tags.onNode(node, namespace, tag, placement.applicationId)
      : table.tags.inRack(node.rack, namespace, tag, placement.applicationId);
  return here === everywhere;
}

type Nodes = Iterable<SchedulerNode> & { readonly size: number };

/** Beyond this many it is quicker to go round the nodes with room. */
const fewNodes = 256;

/** The only nodes that may satisfy the constraint, when an index names few; undefined when any may. */
export function candidates(placement: RequestPlacement, table: NodeTable): Nodes[] | undefined {
  const found = candidatesOf(placement.constraint, placement, table);
  return found && found.reduce((sum, { size }) => sum + size, 0) <= fewNodes ? found : undefined;
}

function candidatesOf(constraint: PlacementConstraint, placement: RequestPlacement, table: NodeTable): Nodes[] | undefined {
  switch (constraint.kind) {
    case 'attribute':
      return constraint.negated ? undefined : table.attributes.holders(constraint.name, constraint.values);
    case 'tags': {
      const { applicationId } = placement;
      if (constraint.minimum === 0) return undefined;
      // The first of its kind may go anywhere.
      if (
        constraint.targets.some(
          ({ namespace, tag }) => table.tags.inCluster(namespace, tag, applicationId) === 0 && placement.ownTags.includes(tag),
        )
      )
        return undefined;
      const holders = constraint.targets.map(({ namespace, tag }) => table.tags.holders(namespace, tag, applicationId));
      if (constraint.scope === 'node') return holders;
      const racks = new Set<string>();
      for (const set of holders) for (const { rack } of set) racks.add(rack);
      return [...racks].flatMap((rack) => table.byRack.get(rack) ?? []);
    }
    case 'and': {
      let best: Nodes[] | undefined;
      let fewest = Number.POSITIVE_INFINITY;
      for (const one of constraint.of) {
        const found = candidatesOf(one, placement, table);
        const size = found?.reduce((sum, set) => sum + set.size, 0) ?? Number.POSITIVE_INFINITY;
        if (found && size < fewest) [best, fewest] = [found, size];
      }
      return best;
    }
    case 'or': {
      const all = constraint.of.map((one) => candidatesOf(one, placement, table));
      return all.every((one) => one !== undefined) ? all.flat() : undefined;
    }
  }
}
