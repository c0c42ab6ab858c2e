// The stored queue configuration: the file's keys with the changes made by REST, and how many there were.

import { applyChange, type ConfigurationChange } from './scheduler/capacity/mutation.ts';
import { ConfigurationRefused, type SchedulingPolicy } from './scheduler/policy.ts';

/** Where changes outlive a restart; absent: they live in memory (`yarn.scheduler.configuration.store.class` = memory). */
export interface QueueConfigurationStore {
  meta(key: string): string | undefined;
  setMeta(key: string, value: string): Promise<void>;
}

export interface QueueConfigurationOptions {
  readonly policy: SchedulingPolicy;
  /** Keys of capacity-scheduler.xml. */
  readonly file: ReadonlyMap<string, string>;
  /** `yarn.scheduler.configuration.store.class`: `file` cannot be changed. */
  readonly storeClass: string;
  readonly store?: QueueConfigurationStore;
  /** Queues changed: the scheduler has something to look at. */
  readonly changed: () => void;
}

const key = 'queue-configuration';

/** One per resource manager; only where the capacity policy runs over a store other than `file` it can be changed. */
export class QueueConfiguration {
  readonly mutable: boolean;
  readonly #options: QueueConfigurationOptions;
  #properties: ReadonlyMap<string, string>;
  #version = 1;

  constructor(options: QueueConfigurationOptions) {
    this.#options = options;
    this.mutable = options.policy.kind === 'capacity' && options.storeClass !== 'file';
    this.#properties = options.file;
    const saved = this.#durable?.meta(key);
    if (!this.mutable || saved === undefined || saved === '') return;
    const { version, properties } = JSON.parse(saved) as { version: number; properties: [string, string][] };
    this.#properties = new Map(properties);
    this.#version = version;
    options.policy.reconfigure?.(this.#properties);
  }

  get version(): number {
    return this.#version;
  }

  properties(): ReadonlyMap<string, string> {
    return this.#properties;
  }

  /** The properties after a change that is only tried. @throws ConfigurationRefused, ChangeRefused */
  validate(change: ConfigurationChange): ReadonlyMap<string, string> {
    const after = applyChange(this.#properties, change);
    this.#options.policy.checkConfiguration?.(after);
    return after;
  }

  /** Applies a change to queues and store, or neither. @throws ConfigurationRefused, ChangeRefused */
  async change(change: ConfigurationChange): Promise<void> {
    const after = applyChange(this.#properties, change);
    this.#options.policy.reconfigure?.(after);
    this.#properties = after;
    this.#version++;
    this.#options.changed();
    await this.#save();
  }

  /** Back to the file. Queues that cannot follow (a running one the file does not know) stay as they are. */
  async format(): Promise<void> {
    this.#properties = this.#options.file;
    this.#version = 1;
    try {
      this.#options.policy.reconfigure?.(this.#properties);
    } catch (error) {
      if (!(error instanceof ConfigurationRefused)) throw error;
    }
    this.#options.changed();
    await this.#save();
  }

  get #durable(): QueueConfigurationStore | undefined {
    return this.#options.storeClass === 'memory' || this.#options.storeClass === 'file' ? undefined : this.#options.store;
  }

  async #save(): Promise<void> {
    await this.#durable?.setMeta(key, JSON.stringify({ version: this.#version, properties: [...this.#properties] }));
  }
}
