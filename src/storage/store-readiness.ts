// Whether a role's store still takes changes, as far as its files tell: one that was removed or replaced takes none any more, until the role is
// started again with the right one.
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { type Repetition, repeat } from '../lib/repeat.ts';
import type { Readiness, ReadinessSource } from '../lib/role.ts';
import type { Database } from './sqlite.ts';

/** How often is looked for those who are told of changes; who asks has it looked for at once. */
const lookMs = 5000;

/** Ready for as long as the store stands where it was opened. */
export class StoreReadiness implements ReadinessSource {
  readonly #store: Pick<Database, 'displaced'>;
  readonly #listeners: ((now: Readiness) => void)[] = [];
  readonly #looking: Repetition;
  #isGone = false;

  constructor(store: Pick<Database, 'displaced'>, { clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#store = store;
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
      return this.#store.displaced()?.message;
    } catch (error) {
      return `Its store cannot be found: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  #look(): void {
    const now = this.current;
    if (now.ready !== this.#isGone) return;
    this.#isGone = !now.ready;
    for (const listener of this.#listeners) listener(now);
  }
}
