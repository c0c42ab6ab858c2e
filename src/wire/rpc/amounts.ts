// Amounts of resources between Hadoop's messages and ours.
import type { NodeResource } from '../cluster/container-messages.ts';
import type { Encodable } from './message.ts';
import type { ResourceProto } from './tables/identifiers.ts';

const knownUnits: Readonly<Record<string, string>> = { 'memory-mb': 'Mi', vcores: '' };

/** What a container or node has, with all its types as Hadoop writes each (ResourcePBImpl); `unitsOf` knows those of further types. */
export function nodeResourceMessage(
  { memoryMiB, vcores, ...others }: NodeResource,
  unitsOf: (name: string) => string = () => '',
): Encodable<typeof ResourceProto> {
  const amounts = Object.entries({ 'memory-mb': memoryMiB, vcores, ...others });
  return {
    memory: memoryMiB,
    virtual_cores: vcores,
    resource_value_map: amounts.map(([key, value]) => ({ key, value, units: knownUnits[key] ?? unitsOf(key), type: 'COUNTABLE' as const })),
  };
}
