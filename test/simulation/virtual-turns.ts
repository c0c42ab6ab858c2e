// The event loop of a history: what the product leaves for a later turn (`setImmediate`) runs when the history takes its next turn. So it needs
// no turn of the real loop, each of which asks the operating system for news.

const realImmediate = globalThis.setImmediate;
let isHeld = false;
let queued: (() => void)[] = [];

const leave = (run: () => void): void => {
  queued.push(run);
};

/** A history begins: what is left for a later turn of this thread waits for `turns`. */
export function holdTurns(): void {
  isHeld = true;
  globalThis.setImmediate = leave as unknown as typeof setImmediate;
}

/** It is over; what was left and never ran goes with it. Resolves a turn later: the thread hears of rejections that nobody awaits, and of others. */
export function releaseTurns(): Promise<void> {
  isHeld = false;
  globalThis.setImmediate = realImmediate;
  queued = [];
  return realTurn();
}

const realTurn = (): Promise<void> => new Promise((done) => realImmediate(done));

/** Resolves when every promise that can be settled has been, and whoever waited for one has gone on. */
const drained = (): Promise<void> => new Promise((done) => process.nextTick(done));

/** Lets so many turns of the loop pass; what is left in one of them runs in the next. In a history fewer, where nothing is left. */
export async function turns(count: number): Promise<void> {
  if (!isHeld) {
    for (let i = 0; i < count; i++) await realTurn();
    return;
  }
  await drained();
  for (let i = 0; i < count && queued.length > 0; i++) {
    const now = queued;
    queued = [];
    for (const run of now) {
      run();
      await drained();
    }
  }
}
