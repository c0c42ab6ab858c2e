// Amounts of resources as REST writes them (ResourceInfo), read for commands.
import type { ResourceInfo } from '../../wire/cluster/resource.ts';
import type { NamedAmount } from '../commands/amounts.ts';

/** The amount of a body; what is absent is 0. */
export const namedAmount = ({ memory, vCores, resourceInformations }: ResourceInfo): NamedAmount => ({
  memoryMiB: Number(memory ?? 0),
  vcores: Number(vCores ?? 0),
  others: new Map(
    (resourceInformations ?? []).flatMap(({ name, value }): [string, number][] => (name === undefined ? [] : [[name, Number(value ?? 0)]])),
  ),
});
