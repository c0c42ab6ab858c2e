// Long work gives way to what came in meanwhile.
import { Turns } from './turns.ts';

const turns = new Turns((run) => setImmediate(run));

/**
 * Resolves after what waits in the event loop has had its turn. Of all long work of a thread one goes on in each turn, in the order of asking: so what
 * is short waits for one slice, however many long answers are under way.
 */
export const pause = (): Promise<void> => turns.next();
