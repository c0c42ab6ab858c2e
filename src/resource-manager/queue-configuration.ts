// The queue configuration that runs: the file's keys, or the stored ones with the changes made by REST and how many there were.

import { applyChange, type ConfigurationChange } from '../scheduler/capacity/settings/mutation.ts';
import { ConfigurationRefused, type SchedulingPolicy } from '../scheduler/policy.ts';
import type { QueueFiles } from '../scheduler-settings/queue-files.ts';

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
  /** Queues changed: the scheduler has something to look at. */
  readonly changed: () => void;
}

const key = 'queue-configuration';

/** What changes by REST have made of the queues. */
export interface StoredQueues {
  readonly version: number;
  readonly properties: ReadonlyMap<string, string>;
}

const isMutable = (isEditable: boolean, storeClass: string): boolean => isEditable && storeClass !== 'file';
const isDurable = (storeClass: string): boolean => storeClass !== 'memory' && storeClass !== 'file';

/** What an earlier process has stored; undefined where the file counts. The policy is built with it: the file may name queues that are gone. */
export function storedQueues(isEditable: boolean, storeClass: string, store: QueueConfigurationStore): StoredQueues | undefined {
  const saved = isMutable(isEditable, storeClass) && isDurable(storeClass) ? store.meta(key) : undefined;
  if (saved === undefined || saved === '') return undefined;
  const { version, properties } = JSON.parse(saved) as { version: number; properties: [string, string][] };
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
    const after = applyChange(this.#properties, change);
    this.#options.policy.queueEditing?.check(this.#complete(after));
    return after;
  }

  /** Applies a change to queues and store, or neither. @throws ConfigurationRefused, ChangeRefused */
  async change(change: ConfigurationChange): Promise<void> {
    const after = applyChange(this.#properties, change);
    this.#reconfigure(after);
    this.#properties = after;
    this.#version++;
    this.#options.changed();
    await this.#save();
  }

  /** Back to the file. Queues that cannot follow (a running one the file does not know) stay as they are. */
  async format(): Promise<void> {
    this.#properties = this.#file;
    this.#version = 1;
    try {
      this.#reconfigure(this.#properties);
    } catch (error) {
      if (!(error instanceof ConfigurationRefused)) throw error;
    }
    this.#options.changed();
    await this.#save();
  }

  #complete(properties: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    return this.#options.complete?.(properties) ?? properties;
  }

  #reconfigure(properties: ReadonlyMap<string, string>): void {
    this.#options.policy.queueEditing?.replace(this.#complete(properties));
  }

  get #durable(): QueueConfigurationStore | undefined {
    return isDurable(this.#options.storeClass) ? this.#options.store : undefined;
  }

  async #save(): Promise<void> {
    await this.#durable?.setMeta(key, JSON.stringify({ version: this.#version, properties: [...this.#properties] }));
  }
}
