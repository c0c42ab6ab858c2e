// Long work gives way to what came in meanwhile.
import { Turns } from './turns.ts';

/** Slices that are over before share a turn of the event loop. */
const sharedMs = 1;
const turns = new Turns({ sharedMs });

/**
 * Resolves after what waits in the event loop has had its turn. Of all long work of a thread one goes on in each turn, in the order of asking: so what
 * is short waits for one slice, however many long answers are under way. Short slices share a turn, for a millisecond.
 */
export const pause = (): Promise<void> => turns.next();
