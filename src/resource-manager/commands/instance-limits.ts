// What the master of a command would be refused for its instances: known before it asks, so that nothing is brought or started for it.
import { coresText, longMaximum, type Resource, type ResourceTypes } from '../../model/resource.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { CommandJob } from '../../wire/cluster/command-job.ts';

/** The size of one instance, by the names of its parts. */
type InstanceSize = Pick<CommandJob, 'memoryMiB' | 'vcores' | 'resources'>;

/** In the order of the cluster's types; names that it does not know are left out. */
export function sizeOfInstance({ memoryMiB, vcores, resources }: InstanceSize, types: ResourceTypes): Resource {
  const named: Readonly<Record<string, number>> = { ...resources, 'memory-mb': memoryMiB, vcores };
  return types.types.map(({ name }) => named[name] ?? 0);
}

/** Why no instance would ever be given; undefined: each may be. `queue`: what is known of where they would run. */
export function refusedInstances(
  size: InstanceSize,
  policy: Pick<SchedulingPolicy, 'configuredMaximum'>,
  types: ResourceTypes,
  queue?: string,
): string | undefined {
  const unknown = Object.keys(size.resources ?? {}).filter((name) => types.indexOf(name) === undefined);
  if (unknown.length > 0) {
    const known = types.types.map(({ name }) => name).join(', ');
    return `there is no resource type ${unknown.join(', ')} in this cluster; those there are: ${known}`;
  }
  const [asked, largest] = [sizeOfInstance(size, types), policy.configuredMaximum(queue)];
  const isTooLarge = asked.some((amount, index) => amount > (largest[index] ?? Number.POSITIVE_INFINITY));
  if (!isTooLarge) return undefined;
  // Of further types those that are wanted and have a bound.
  const bounds = largest.map((amount, index) => (index < 2 || (asked[index]! > 0 && amount < longMaximum) ? amount : 0));
  return `a container of ${inWords(asked, types)} is more than the largest allowed (${inWords(bounds, types)})`;
}

/** `1024 MiB, 1 vcore, yarn.io/gpu=2`. */
function inWords([memoryMiB = 0, vcores = 0, ...others]: Resource, types: ResourceTypes): string {
  const further = others.flatMap((amount, index) => (amount > 0 ? [`, ${types.types[index + 2]!.name}=${amount}`] : []));
  return `${memoryMiB} MiB, ${coresText(vcores)}${further.join('')}`;
}
