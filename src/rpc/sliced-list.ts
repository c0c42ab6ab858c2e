// Lists that may be long: made in slices that give the event loop back, so that one caller's list does not hold up what others ask.
import { pause } from '../lib/pause.ts';

/** The most of one slice of the event loop. */
const sliceMs = 2;

/** What `make` gives for the items, until there are `limit` of it; undefined belongs to no list. */
export async function madeInSlices<Item, Made>(
  items: Iterable<Item>,
  limit: number,
  make: (item: Item) => Made | undefined,
): Promise<Made[]> {
  const found: Made[] = [];
  await pause();
  let sinceMs = performance.now();
  for (const item of items) {
    if (found.length >= limit) break;
    const made = make(item);
    if (made !== undefined) found.push(made);
    if (performance.now() - sinceMs < sliceMs) continue;
    await pause();
    sinceMs = performance.now();
  }
  return found;
}
