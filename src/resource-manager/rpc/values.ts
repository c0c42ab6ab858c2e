// Amounts between Hadoop's messages and ours.
import type { Resource, ResourceTypes } from '../../model/resource.ts';
import type { Decoded, Encodable } from '../../wire/rpc/message.ts';
import type { ResourceProto } from '../../wire/rpc/tables/identifiers.ts';
import type { NamedAmount } from '../commands/amounts.ts';

/** An amount with all its types, as Hadoop writes each (ResourcePBImpl). */
export const resourceMessage = (amount: Resource, { types }: ResourceTypes): Encodable<typeof ResourceProto> => ({
  memory: amount[0] ?? 0,
  virtual_cores: amount[1] ?? 0,
  resource_value_map: types.map(({ name, units }, index) => ({ key: name, value: amount[index] ?? 0, units, type: 'COUNTABLE' as const })),
});

/** An amount by name; undefined where the message has none. */
export function namedAmount(message: Decoded<typeof ResourceProto> | undefined): NamedAmount | undefined {
  if (message === undefined) return undefined;
  const named = new Map(message.resource_value_map.map(({ key, value }) => [key, value ?? 0]));
  return {
    memoryMiB: message.memory ?? named.get('memory-mb') ?? 0,
    vcores: message.virtual_cores ?? named.get('vcores') ?? 0,
    others: named,
  };
}

/** The pairs of amounts by type. */
export const amountsByType = (amounts: readonly number[], { types }: ResourceTypes) =>
  types.map(({ name }, index) => ({ key: name, value: amounts[index] ?? 0 }));

/** The number of an answer as masters hear it: after the largest of 31 bits comes 0 (ApplicationMasterService.getNextResponseId). */
export const responseNumber = (count: number): number => count % 2 ** 31;
