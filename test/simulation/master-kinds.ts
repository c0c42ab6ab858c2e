// Kinds of masters: how they ask, what they do with what they do not know, and whether they come to a good end.
import type { Random } from '../../src/lib/random.ts';
import type { FinalStatus } from './master-door.ts';

/** Times in ms. */
export interface Habits {
  readonly name: string;
  /** After registering it hears what there is before it asks for what is missing. */
  readonly listensFirst: boolean;
  /** It gives back what it was given and did not ask for in this life. */
  readonly releasesUnknown: boolean;
  /** It names neither its registrations nor the ends that it heard: the number of its calls alone says what it knows. */
  readonly isPlain: boolean;
  /** It has no plan: asks, releases, changes and cancels at random. */
  readonly isWanton: boolean;
  /** Asks that it makes in its life. */
  readonly asks: number;
  /** One ask in so many says nothing of what runs: it starts the container on the node by itself. 0: none. */
  readonly startsItself: number;
  /** One call in so many gives a container back, takes a note, or avoids a node. 0: none. */
  readonly releases: number;
  readonly notes: number;
  readonly avoids: number;
  /** One call in so many is given up while it waits for its answer, and the master registers anew. 0: none. */
  readonly registersAnew: number;
  /** One call in so many gives back a container that nobody ever gave, and whose end is waited for all the same. 0: none. */
  readonly releasesUnheardOf: number;
  /** One pause in so many is longer than its silence is borne; then it says at once that it is done. 0: none. */
  readonly oversleeps: number;
  /** How long it waits for an answer before it says that it is done instead, ms; undefined: for ever. */
  readonly givesUpAfterMs: number | undefined;
  /** It says twice at once that it is done. */
  readonly finishesTwice: boolean;
  /** Its process fails after so many calls; undefined: it does not. */
  readonly failsAfter: number | undefined;
  readonly finalStatus: FinalStatus;
  readonly thinkMs: number;
  readonly waitMs: number;
}

const kinds = ['exact', 'exact', 'impatient', 'impatient', 'batch', 'wanton', 'wanton'] as const;
const statuses: readonly FinalStatus[] = ['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'FAILED', 'KILLED', 'ENDED', 'UNDEFINED'];

/** Some master. `withWanton`: those without a plan too. */
export function someHabits(random: Random, withWanton: boolean): Habits {
  const name = kinds[random.int(withWanton ? kinds.length : kinds.length - 2)]!;
  const sometimes = (in_: number, most: number) => (random.int(in_) === 0 ? 1 + random.int(most) : 0);
  const isPlain = random.int(3) === 0;
  return {
    name,
    listensFirst: name === 'exact',
    releasesUnknown: name === 'batch',
    isPlain,
    isWanton: name === 'wanton',
    asks: random.int(4),
    startsItself: sometimes(3, 4),
    releases: sometimes(2, 10),
    notes: sometimes(2, 4),
    avoids: sometimes(3, 4),
    // A copy of a call that it gave up could be taken for one of the next session.
    registersAnew: isPlain ? 0 : sometimes(4, 8),
    releasesUnheardOf: sometimes(4, 6),
    oversleeps: sometimes(5, 4),
    givesUpAfterMs: random.int(3) === 0 ? 6000 + random.int(30_000) : undefined,
    finishesTwice: random.int(4) === 0,
    failsAfter: random.int(5) === 0 ? random.int(8) : undefined,
    finalStatus: statuses[random.int(statuses.length)]!,
    thinkMs: [10, 100, 1000][random.int(3)]!,
    waitMs: [0, 1000, 5000, 5000][random.int(4)]!,
  };
}

/** Does nothing by itself. */
export const quiet: Habits = {
  name: 'quiet',
  listensFirst: true,
  releasesUnknown: false,
  isPlain: false,
  isWanton: false,
  asks: 0,
  startsItself: 0,
  releases: 0,
  notes: 0,
  avoids: 0,
  registersAnew: 0,
  releasesUnheardOf: 0,
  oversleeps: 0,
  givesUpAfterMs: undefined,
  finishesTwice: false,
  failsAfter: undefined,
  finalStatus: 'SUCCEEDED',
  thinkMs: 1,
  waitMs: 0,
};
