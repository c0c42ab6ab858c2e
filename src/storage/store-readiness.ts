// Whether a role's store still takes changes, as far as its files and their disk tell: one that was removed or replaced takes none any more, until
// the role is started again with the right one, one on a full disk none until there is room.
import type { Clock } from '../lib/clock.ts';
import { fullDisk } from '../lib/full-disk.ts';
import type { Logger } from '../lib/log.ts';
import { type Repetition, repeat } from '../lib/repeat.ts';
import type { Readiness, ReadinessSource } from '../lib/role.ts';
import type { Database } from './sqlite.ts';

/** How often is looked for those who are told of changes; who asks has it looked for at once. */
const lookMs = 5000;

/** What is looked at. */
export interface StoreReadinessOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where the store lies. */
  readonly folder: string;
  /** Why nothing can be written to a folder, in a sentence. Default: where its disk is full. */
  readonly noRoom?: (folder: string) => string | undefined;
}

/** Ready for as long as the store stands where it was opened, and its disk has room. */
export class StoreReadiness implements ReadinessSource {
  readonly #store: Pick<Database, 'displaced'>;
  readonly #listeners: ((now: Readiness) => void)[] = [];
  readonly #looking: Repetition;
  readonly #noRoom: () => string | undefined;
  #told: string | undefined;

  constructor(store: Pick<Database, 'displaced'>, { clock, logger, folder, noRoom = fullDisk }: StoreReadinessOptions) {
    this.#store = store;
    this.#noRoom = () => noRoom(folder);
    const failed = (error: unknown) => logger.error({ err: error }, 'a change of readiness could not be told');
    this.#looking = repeat({ clock, intervalMs: lookMs, run: () => this.#look(), failed });
  }

  get current(): Readiness {
    const reason = this.#fault();
    return reason === undefined ? { ready: true } : { ready: false, reason };
  }

  onChange(listener: (now: Readiness) => void): void {
    this.#listeners.push(listener);
  }

  /** Nobody is told of changes any more. */
  close(): Promise<void> {
    return this.#looking.close();
  }

  #fault(): string | undefined {
    try {
      return this.#store.displaced()?.message ?? this.#noRoom();
    } catch (error) {
      return `Its store cannot be found: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  #look(): void {
    const now = this.current;
    if (now.reason === this.#told) return;
    this.#told = now.reason;
    for (const listener of this.#listeners) listener(now);
  }
}
