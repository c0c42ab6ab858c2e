// Counts of containers by the names of places where they are wanted, as Hadoop's masters give them: a host, a rack.

/** Where a container is placed. */
export interface PlacedAt {
  readonly nodeId: string;
  readonly host: string;
  readonly rack: string;
}

/**
 * The names with something left for which a container counts: that of its node and that of its rack
 * (LocalityAppPlacementAllocator.allocateNodeLocal, allocateRackLocal).
 */
export function placesOf({ nodeId, host, rack }: PlacedAt, leftOf: (name: string) => number | undefined): string[] {
  const names: string[] = [];
  const isLeft = (name: string): boolean => (leftOf(name) ?? 0) > 0;
  if (isLeft(nodeId)) names.push(nodeId);
  else if (isLeft(host)) names.push(host);
  if (isLeft(rack)) names.push(rack);
  return names;
}
