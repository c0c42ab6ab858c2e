// Amounts as plain JSON has them.
import type { Resource, ResourceTypes } from '../../model/resource.ts';

const names = ['memoryMiB', 'vcores'];

/** What programs call a type. */
export const nameOfType = (type: number, types: ResourceTypes): string => names[type] ?? types.types[type]?.name ?? String(type);

/** An amount by the names of its types. */
export const amounts = (amount: Resource, types: ResourceTypes): Record<string, number> =>
  Object.fromEntries(amount.map((value, type) => [nameOfType(type, types), value]));
