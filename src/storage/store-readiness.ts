// Whether a role's store still takes changes, as far as its files and their disk tell: one that was removed or replaced takes none any more, until
// the role is started again with the right one, one on a full disk none until there is room, one that another program has locked none until that is gone.
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

/** What is asked of the store. */
type LookedAt = Pick<Database, 'displaced'> & Partial<Pick<Database, 'trouble' | 'write'>>;

/** Ready for as long as the store stands where it was opened, its disk has room, and what was changed last was kept. */
export class StoreReadiness implements ReadinessSource {
  readonly #store: LookedAt;
  readonly #listeners: ((now: Readiness) => void)[] = [];
  readonly #looking: Repetition;
  readonly #noRoom: () => string | undefined;
  #told: string | undefined;
  #isTrying = false;

  constructor(store: LookedAt, { clock, logger, folder, noRoom = fullDisk }: StoreReadinessOptions) {
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
      return this.#store.displaced()?.message ?? this.#noRoom() ?? this.#trouble();
    } catch (error) {
      return `Its store cannot be found: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  /** Whoever asks has it tried again: where nobody is sent here any more, nothing else may be changed. */
  #trouble(): string | undefined {
    const trouble = this.#store.trouble?.();
    if (trouble === undefined) return undefined;
    if (!this.#isTrying) {
      this.#isTrying = true;
      const done = (): void => {
        this.#isTrying = false;
      };
      void this.#store.write?.(() => undefined).then(done, done);
    }
    return trouble.message;
  }

  #look(): void {
    const now = this.current;
    if (now.reason === this.#told) return;
    this.#told = now.reason;
    for (const listener of this.#listeners) listener(now);
  }
}
