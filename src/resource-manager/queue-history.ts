// What callers changed of the queues: who, when, which keys from what to what. The newest are kept, beside the configuration itself.

import type { Clock } from '../lib/clock.ts';
import { differences } from '../lib/differences.ts';
import type { Logger } from '../lib/log.ts';
import { type QueueChanges, storedQueueHistory } from '../wire/cluster/own-answers.ts';
import { storedJson } from './store/stored-json.ts';

export type { QueueChanges };

/** Under which name of `meta` the store has it. */
export const queueHistoryName = 'queue-history';

/** Where it outlives a restart. */
export interface QueueHistoryStore {
  meta(key: string): string | undefined;
  setMeta(key: string, value: string): Promise<void>;
}

const mostEntries = 100;
const mostKeys = 100;
const longestText = 400;
/** The whole record stays below so many characters: older entries go first. */
const mostCharacters = 262_144;

const short = (value: string): string => (value.length > longestText ? `${value.slice(0, longestText)}…` : value);

/** Keeps the newest changes; without a store as long as the process lives. */
export class QueueHistory {
  readonly #store: QueueHistoryStore | undefined;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #entries: readonly QueueChanges[];

  constructor(store: QueueHistoryStore | undefined, clock: Clock, logger: Logger) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    const saved = store?.meta(queueHistoryName);
    this.#entries = saved ? storedJson(storedQueueHistory, saved, 'the history of the queues') : [];
  }

  /** The newest first. */
  entries(): readonly QueueChanges[] {
    return this.#entries;
  }

  /** Adds what lies between two configurations; resolves when it is durable, or was told to the log because it could not be. */
  async remember(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>, version: number, user: string): Promise<void> {
    const changed = differences(before, after);
    const keys = changed.slice(0, mostKeys).map(({ key, from, to }) => ({
      key: short(key),
      ...(from !== undefined && { before: short(from) }),
      ...(to !== undefined && { after: short(to) }),
    }));
    const entry = { version, atMs: this.#clock.now(), user: short(user), keys, left: changed.length - keys.length };
    let characters = 0;
    this.#entries = [entry, ...this.#entries]
      .slice(0, mostEntries)
      .filter((each) => (characters += JSON.stringify(each).length) <= mostCharacters);
    try {
      await this.#store?.setMeta(queueHistoryName, JSON.stringify(this.#entries));
    } catch (error) {
      // The change itself is durable; that it is missing here is not worth refusing it.
      this.#logger.warn({ err: error }, 'a change of the queues is missing in their history after a restart');
    }
  }
}
