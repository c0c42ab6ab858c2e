// Amounts of resources as the resource manager's REST interface shows them (ResourceInfo, ResourceInformationsInfo of Hadoop 3.4).
import { longMaximum, type Resource, type ResourceTypes } from '../../model/resource.ts';
import { holder, int, list, long, map, object, record, rooted, type Shape, text } from '../codec/describe.ts';

/** One type of a resource; members in alphabetical order, as on the wire. */
export const resourceInformation = object({
  attributes: map(text()),
  maximumAllocation: long(),
  minimumAllocation: long(),
  name: text(),
  resourceType: text(),
  tags: list(text()),
  units: text(),
  value: long(),
});

/** ResourceInfo inside other records. On input only `memory` and `vCores` count. */
export const resourceInfo = object({
  memory: long(),
  vCores: int(),
  resourceInformations: holder('resourceInformation', resourceInformation),
});
export type ResourceInfo = Shape<typeof resourceInfo>;

/** ResourceInfo as the answer of `POST /nodes/{id}/resource`. */
export const resourceInfoRecord = rooted('resourceInfo', resourceInfo, { json: 'natural' });

/** Body of `POST /nodes/{id}/resource` (ResourceOptionInfo). `overCommitTimeout` in ms: -1 never preempts, 0 at once. */
export const resourceOption = record(
  'resourceOption',
  { resource: resourceInfo, overCommitTimeout: int() },
  { json: 'natural', wrapped: false },
);
export type ResourceOption = Shape<typeof resourceOption>;

/** PartitionInfo: what the active nodes of a label have. */
export const partitionInfo = object({ resourceAvailable: resourceInfo });

/** Names of the registered types besides memory and vcores, for views. */
const standardTypes = [
  { name: 'memory-mb', units: 'Mi', minimumAllocation: 0, maximumAllocation: longMaximum },
  { name: 'vcores', units: '', minimumAllocation: 0, maximumAllocation: longMaximum },
] as const;

/** A vector as ResourceInfo. Types beyond memory and vcores need `types`. */
export function resourceInfoOf(amount: Resource, types?: ResourceTypes): ResourceInfo {
  const known = types?.types ?? standardTypes;
  return {
    memory: amount[0] ?? 0,
    vCores: amount[1] ?? 0,
    resourceInformations: known.map(({ name, units, minimumAllocation, maximumAllocation }, index) => ({
      attributes: {},
      maximumAllocation,
      minimumAllocation,
      name,
      resourceType: 'COUNTABLE',
      units,
      value: amount[index] ?? 0,
    })),
  };
}
