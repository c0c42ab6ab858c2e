// Resource vectors as the node channel and the master protocol write them: members by name.
import { longMaximum, type Resource, type ResourceTypes } from '../../model/resource.ts';
import type { NodeResource } from '../../wire/cluster/container-messages.ts';

/** The named form of a vector. */
export function nodeResource(resource: Resource, types: ResourceTypes): NodeResource {
  const named: Record<string, number> = { memoryMiB: resource[0] ?? 0, vcores: resource[1] ?? 0 };
  for (let i = 2; i < types.count; i++) named[types.types[i]!.name] = resource[i] ?? 0;
  return named as NodeResource;
}

/** The vector of a named form; unknown names are ignored, amounts are whole and not negative. */
export function resourceOf(named: Readonly<Record<string, unknown>>, types: ResourceTypes): number[] {
  const amount = (value: unknown) =>
    typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.min(Math.floor(value), longMaximum) : 0;
  return types.types.map((type, index) => amount(index === 0 ? named['memoryMiB'] : index === 1 ? named['vcores'] : named[type.name]));
}
