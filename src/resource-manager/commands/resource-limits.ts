// The size of one container against what the scheduler gives (SchedulerUtils.checkResourceRequestAgainstAvailableResource).
import { type Resource, type ResourceTypes, resourceText } from '../../model/resource.ts';

/** What a size is held against. */
export interface SizeLimits {
  readonly maximum: Resource;
  /** What the settings allow, whatever nodes there are. */
  readonly configuredMaximum: Resource;
}

/** Why a container of the size is never given, in Hadoop's words; undefined: it may be. */
export function refusedSize(asked: Resource, { maximum, configuredMaximum }: SizeLimits, types: ResourceTypes): string | undefined {
  const shown = (amount: Resource) => resourceText(amount, types);
  for (const [index, { name }] of types.types.entries()) {
    const amount = asked[index] ?? 0;
    const facts = `Requested resource type=[${name}], Requested resource=${shown(asked)}`;
    if (amount < 0) return `Invalid resource request! Cannot allocate containers as requested resource is less than 0! ${facts}`;
    if (amount > (maximum[index] ?? Number.POSITIVE_INFINITY))
      return `Invalid resource request! Cannot allocate containers as requested resource is greater than maximum allowed allocation. ${facts}, maximum allowed allocation=${shown(maximum)}, please note that maximum allowed allocation is calculated by scheduler based on maximum resource of registered NodeManagers, which might be less than configured maximum allocation=${shown(configuredMaximum)}`;
  }
  return undefined;
}
