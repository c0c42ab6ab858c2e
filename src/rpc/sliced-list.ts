// Lists that may be long: made in slices that give the event loop back, so that one caller's list does not hold up what others ask.
import { Slices } from '../lib/pause.ts';
import { bytesAhead } from '../wire/rpc/codec.ts';
import { longBytes } from './long-answers.ts';
import type { RpcCall } from './protocol.ts';

/** The most of one slice of the event loop. */
const sliceMs = 2;

/** How a list is made. */
export interface SlicedList<Item, Made> {
  readonly items: Iterable<Item>;
  /** How many there may be. */
  readonly limit: number;
  /** Undefined for what belongs to no list; what is encoded ahead counts for the length of the list. */
  readonly make: (item: Item) => Made | undefined;
  /** Of the call that is answered. */
  readonly growsLong: RpcCall<unknown>['growsLong'];
}

/** What `make` gives for the items; beyond some length a list has to wait for its turn. */
export async function madeInSlices<Item, Made>({ items, limit, make, growsLong }: SlicedList<Item, Made>): Promise<Made[]> {
  const found: Made[] = [];
  let bytes = 0;
  let isMade: (() => void) | undefined;
  const slices = new Slices(sliceMs);
  await slices.next();
  try {
    for (const item of items) {
      if (found.length >= limit) break;
      const made = make(item);
      if (made !== undefined) {
        found.push(made);
        bytes += bytesAhead(made);
      }
      const isLong = isMade === undefined && bytes > longBytes;
      if (!isLong && !slices.isOver) continue;
      if (isLong) isMade = await growsLong();
      await slices.next();
    }
    return found;
  } finally {
    isMade?.();
  }
}
