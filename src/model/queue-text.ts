// Paths of queues as people read them.

const suffix = '-default';

/**
 * The path, or, of the child in which a reservable queue of the capacity scheduler runs what has no reservation, words: Hadoop puts the whole
 * path of the parent into that child's name (`root.night.root.night-default`, CapacitySchedulerPlanFollower).
 */
export function queueText(path: string): string {
  if (!path.endsWith(suffix)) return path;
  const parent = path.slice(0, (path.length - suffix.length - 1) / 2);
  return parent !== '' && path === `${parent}.${parent}${suffix}` ? `${parent} (without a reservation)` : path;
}
