// Amounts of resources as callers name them.
import type { Resource, ResourceTypes } from '../../model/resource.ts';

/** An amount by the names of its parts. */
export interface NamedAmount {
  readonly memoryMiB: number;
  readonly vcores: number;
  /** Amounts of further types by name; unknown names are left out, as in Hadoop's records. */
  readonly others: ReadonlyMap<string, number>;
}

/** The amount in the order of the cluster's types; types that are not named have the amount of `base`, 0 without it. */
export function amountOf({ memoryMiB, vcores, others }: NamedAmount, types: ResourceTypes, base: Resource = []): Resource {
  const amount = types.types.map((_, index) => base[index] ?? 0);
  amount[0] = memoryMiB;
  amount[1] = vcores;
  for (const [name, value] of others) {
    const index = types.indexOf(name);
    if (index !== undefined && index > 1) amount[index] = value;
  }
  return amount;
}
