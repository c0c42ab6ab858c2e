// One thread that plays histories with one mutation: it ends with the first history that notices.
import { parentPort, workerData } from 'node:worker_threads';
import { seededRandom } from '../../src/lib/random.ts';
import { type Mutation, mutate } from './mutate.ts';
import type { Fault } from './mutated-writes.ts';
import type { World } from './world.ts';

/** What a thread is told. */
export interface MutationAssignment {
  readonly mutation: Mutation;
  /** Histories in which what is mutated happens; played again and again, each time with other deaths. */
  readonly seeds: readonly number[];
  readonly histories: number;
}

/** What it answers: the history that noticed, and how; undefined: none did. */
export interface Noticed {
  readonly seed: number;
  readonly history: string;
  readonly message: string;
}

const chance = seededRandom(1);
let world: World | undefined;
const { mutation, seeds, histories } = workerData as MutationAssignment;

await mutate(mutation, dieSoon);
const { play } = await import('./history.ts');
const { ofSeed } = await import('./replaying.ts');

/** Where a write is missing or late, the resource manager dies more often than elsewhere: at the next commit, or a little later. */
function dieSoon(fault: Fault): void {
  if (chance.int(3) === 0)
    world?.crashes.add(
      'manager',
      fault === 'early' ? 'commit' : undefined,
      fault === 'early' ? 'before' : undefined,
      1 + chance.int(fault === 'early' ? 2 : 40),
    );
}
// A mutated product may also leave a rejection that nobody awaits.
let unheard: unknown;
process.on('unhandledRejection', (error) => {
  unheard = error;
});

let noticed: Noticed | undefined;
for (let played = 0; played < histories && noticed === undefined; played++) {
  const history = ofSeed(seeds[played % seeds.length]!);
  try {
    await play(history.kind, history.seed, {
      ...history,
      began: (its) => {
        world = its;
      },
    });
    if (unheard !== undefined) throw unheard;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    noticed = { seed: history.seed, history: `${history.kind} ${history.seed}, history ${played + 1}`, message: message.split('\n')[0]! };
  }
}
parentPort!.postMessage(noticed);
