// What has to be taken from one node so that it helps: smaller parts would go back to where they came from.

import { addInto, type Resource, sum } from '../../../model/resource.ts';
import type { HeldContainer } from '../../state/model.ts';

/** So many sizes of requests are tried on a node. */
const sizesTried = 16;

/** Each size once, as many as are tried. */
export function distinctSizes(resources: readonly Resource[]): readonly Resource[] {
  const sizes = new Map<string, Resource>();
  for (const resource of resources) {
    if (sizes.size >= sizesTried) break;
    sizes.set(resource.join(), resource);
  }
  return [...sizes.values()];
}

/**
 * The container and as many others on its node that may be taken as make room for a request of one of the sizes; none where they cannot.
 * A node that is reserved for a request needs no more than the container. `types`: those that count.
 */
export function togetherOnNode(
  container: HeldContainer,
  mayTake: (other: HeldContainer) => boolean,
  sizes: readonly Resource[],
  selected: ReadonlySet<HeldContainer>,
  types: readonly number[],
): HeldContainer[] {
  if (selected.has(container)) return [];
  const { node } = container;
  if (node.reservation) return [container];
  const room = sum(node.available, container.resource);
  for (const other of node.containers) if (selected.has(other)) addInto(room, other.resource);
  const fits = (): boolean => sizes.some((size) => types.every((i) => (size[i] ?? 0) <= (room[i] ?? 0)));
  const together = [container];
  const others = [...node.containers].filter((other) => other !== container && !other.isMaster && !selected.has(other) && mayTake(other));
  for (const other of others.sort((a, b) => b.order - a.order)) {
    if (fits()) break;
    together.push(other);
    addInto(room, other.resource);
  }
  return fits() ? together : [];
}
