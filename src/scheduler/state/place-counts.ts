// Requests that say how many containers they want at each place: places that are used up are preferred no longer
// (LocalityAppPlacementAllocator.allocate).
import { type PlacedAt, placesOf } from '../../model/place-counts.ts';
import type { OpenRequest } from './model.ts';

/** Counts a container on the node; false where the request may go nowhere any more. */
export function takePlace(request: OpenRequest, counts: Map<string, number>, node: PlacedAt): boolean {
  for (const name of placesOf(node, (place) => counts.get(place))) {
    const left = counts.get(name)! - 1;
    counts.set(name, left);
    if (left > 0) continue;
    request.nodes = request.nodes.filter((place) => place !== name);
    request.racks = request.racks.filter((place) => place !== name);
  }
  return request.relaxLocality || request.nodes.length > 0 || request.racks.length > 0;
}
