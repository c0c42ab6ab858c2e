// The queue configuration that runs: the file's keys, or the stored ones with the changes made by REST and how many there were.

import { fields, many, text, tuple, whole } from '../lib/json-shape.ts';
import type { Logger } from '../lib/log.ts';
import { Failure, failure } from '../model/errors.ts';
import { applyChange, type ConfigurationChange } from '../scheduler/capacity/settings/mutation.ts';
import type { SchedulingPolicy } from '../scheduler/policy.ts';
import type { QueueFiles } from '../scheduler-settings/queue-files.ts';
import type { QueueChanges, QueueHistory } from './queue-history.ts';
import { storedJson } from './store/stored-json.ts';

/** Where changes outlive a restart; absent: they live in memory (`yarn.scheduler.configuration.store.class` = memory). */
export interface QueueConfigurationStore {
  meta(key: string): string | undefined;
  setMeta(key: string, value: string): Promise<void>;
}

export interface QueueConfigurationOptions {
  /** Built with what is stored, else with the file. */
  readonly policy: SchedulingPolicy;
  /** Keys of capacity-scheduler.xml. */
  readonly file: ReadonlyMap<string, string>;
  readonly stored?: StoredQueues | undefined;
  /** Reads the files again. @throws ConfigurationError, ConfigurationRefused */
  readonly readFiles?: () => QueueFiles;
  /** `yarn.scheduler.configuration.store.class`: `file` cannot be changed. */
  readonly storeClass: string;
  readonly store?: QueueConfigurationStore;
  /** Adds what properties refer to by name, such as the file of mapping rules. @throws ConfigurationRefused */
  readonly complete?: (properties: ReadonlyMap<string, string>) => ReadonlyMap<string, string>;
  readonly logger: Logger;
  /** Remembers what was changed. */
  readonly history?: QueueHistory;
  /** Queues changed: the scheduler may have decisions to make. */
  readonly changed: () => void;
}

/** Under which name of `meta` the store has it. */
export const queueConfigurationName = 'queue-configuration';

/** The same as it is stored: properties are pairs of key and value. */
export const storedConfiguration = fields({ version: whole(), properties: many(tuple(text(), text())) });

/** Queues that there might be: with a change, with these properties alone, or those of a fair-scheduler.xml. */
export type QueueProposal = ConfigurationChange | { readonly whole: ReadonlyMap<string, string> } | { readonly allocations: string };

/** Another setting of the queues, keys with values. */
export interface ProposedQueues {
  readonly before: ReadonlyMap<string, string>;
  readonly properties: ReadonlyMap<string, string>;
  /** @throws ConfigurationRefused */
  readonly replace: (policy: SchedulingPolicy) => void;
}

/** What changes by REST have made of the queues. */
export interface StoredQueues {
  readonly version: number;
  readonly properties: ReadonlyMap<string, string>;
}

const isMutable = (isEditable: boolean, storeClass: string): boolean => isEditable && storeClass !== 'file';
/** Whether changes outlive the process. */
export const isDurable = (storeClass: string): boolean => storeClass !== 'memory' && storeClass !== 'file';

/** What an earlier process has stored; undefined where the file counts. The policy is built with it: the file may name queues that are gone. */
export function storedQueues(isEditable: boolean, storeClass: string, store: QueueConfigurationStore): StoredQueues | undefined {
  const saved = isMutable(isEditable, storeClass) && isDurable(storeClass) ? store.meta(queueConfigurationName) : undefined;
  if (saved === undefined || saved === '') return undefined;
  const { version, properties } = storedJson(storedConfiguration, saved, 'the configuration of the queues');
  return { version, properties: new Map(properties) };
}

/** One per resource manager; only where the capacity policy runs over a store other than `file` it can be changed. */
export class QueueConfiguration {
  readonly mutable: boolean;
  readonly #options: QueueConfigurationOptions;
  /** As last read; `format` goes back to it. */
  #file: ReadonlyMap<string, string>;
  #properties: ReadonlyMap<string, string>;
  #version: number;
  /** The last change that was called; settles without an error. */
  #last: Promise<void> = Promise.resolve();

  constructor(options: QueueConfigurationOptions) {
    this.#options = options;
    this.mutable = isMutable(options.policy.queueEditing !== undefined, options.storeClass);
    this.#file = options.file;
    this.#properties = options.stored?.properties ?? options.file;
    this.#version = options.stored?.version ?? 1;
  }

  get version(): number {
    return this.#version;
  }

  properties(): ReadonlyMap<string, string> {
    return this.#properties;
  }

  /** What callers changed, the newest first. */
  history(): readonly QueueChanges[] {
    return this.#options.history?.entries() ?? [];
  }

  /**
   * Reads the files again and takes them over, all or nothing. Queues that are kept in a store are built from it again; their file only
   * counts for `format`. Returns what the queues come from.
   * @throws ConfigurationError, ConfigurationRefused; the running queues stay
   */
  refresh(): 'file' | 'store' | 'none' {
    const { policy, readFiles, changed } = this.#options;
    if (!readFiles || !policy.reload) return 'none';
    const files = readFiles();
    const properties = this.mutable ? this.#properties : files.properties;
    policy.reload({ properties: this.#complete(properties), allocations: files.allocations });
    this.#file = files.properties;
    this.#properties = properties;
    changed();
    return this.mutable ? 'store' : 'file';
  }

  /** The properties after a change that is only tried. @throws ConfigurationRefused, ChangeRefused */
  validate(change: ConfigurationChange): ReadonlyMap<string, string> {
    return this.propose(change).properties;
  }

  /**
   * What the queues are set to now, and what another setting would be, by a change or as a whole; and how a policy takes it. A file as a whole may be
   * refused by `replace` yet. @throws ConfigurationRefused, ChangeRefused; Failure BAD_REQUEST, QUEUES_NOT_CHANGEABLE
   */
  propose(proposal: QueueProposal): ProposedQueues {
    const { allocationFile, queueEditing, names } = this.#options.policy;
    if ('allocations' in proposal) {
      const reason = `allocations: the ${names.title} of this cluster reads no fair-scheduler.xml`;
      if (!allocationFile) throw failure('BAD_REQUEST', { reason });
      const { allocations } = proposal;
      const before = allocationFile.keys(allocationFile.text());
      return { before, properties: allocationFile.keys(allocations), replace: (policy) => policy.allocationFile?.replace(allocations) };
    }
    if (!queueEditing && 'whole' in proposal)
      throw failure('BAD_REQUEST', { reason: `properties: the ${names.title} of this cluster reads no capacity-scheduler.xml` });
    if (!queueEditing) throw failure('QUEUES_NOT_CHANGEABLE');
    const before = this.#properties;
    const properties = 'whole' in proposal ? proposal.whole : applyChange(this.#properties, proposal);
    const complete = this.#complete(properties);
    queueEditing.check(complete);
    return { before, properties, replace: (policy) => policy.queueEditing?.replace(complete) };
  }

  /**
   * Applies a change to store and queues, or to neither; resolves when it is durable. Changes are made one after the other, in the order of
   * the calls; `user` is who made it, for the history. Where the queues refuse what was stored a moment ago and the store fails then, it keeps the change for the next start.
   * @throws ConfigurationRefused, ChangeRefused; Failure UNAVAILABLE where it cannot be stored
   */
  change(change: ConfigurationChange, user = ''): Promise<void> {
    return this.#inTurn(() => this.#replace({ version: this.#version + 1, properties: this.validate(change) }, user));
  }

  /**
   * Back to the file, in store and queues or in neither; resolves when that is durable. Queues that cannot follow (a running one the file does
   * not know) refuse it. @throws ConfigurationRefused; Failure UNAVAILABLE where it cannot be stored
   */
  format(user = ''): Promise<void> {
    return this.#inTurn(() => {
      this.#options.policy.queueEditing?.check(this.#complete(this.#file));
      return this.#replace({ version: 1, properties: this.#file }, user);
    });
  }

  /** Stores and takes over what the queues were asked about. */
  async #replace(after: StoredQueues, user: string): Promise<void> {
    const before = { version: this.#version, properties: this.#properties };
    await this.#save(after);
    try {
      this.#options.policy.queueEditing?.replace(this.#complete(after.properties));
    } catch (error) {
      // The queues took the change when it was checked, and refuse it now: applications came while it was stored.
      await this.#save(before);
      throw error;
    }
    this.#take(after);
    await this.#options.history?.remember(before.properties, after.properties, after.version, user);
  }

  /** Runs after all that was called before has ended, well or not. */
  #inTurn(run: () => Promise<void>): Promise<void> {
    const done = this.#last.then(run);
    this.#last = done.catch(() => undefined);
    return done;
  }

  #take({ version, properties }: StoredQueues): void {
    this.#version = version;
    this.#properties = properties;
    this.#options.changed();
  }

  #complete(properties: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    return this.#options.complete?.(properties) ?? properties;
  }

  get #durable(): QueueConfigurationStore | undefined {
    return isDurable(this.#options.storeClass) ? this.#options.store : undefined;
  }

  async #save({ version, properties }: StoredQueues): Promise<void> {
    try {
      await this.#durable?.setMeta(queueConfigurationName, JSON.stringify({ version, properties: [...properties] }));
    } catch (error) {
      this.#options.logger.error({ err: error }, 'the queue configuration could not be stored');
      throw error instanceof Failure ? error : failure('UNAVAILABLE', { what: 'The store of the queue configuration' });
    }
  }
}
