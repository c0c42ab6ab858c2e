// The form of the tables of capacity-scheduler.xml: one row says key, scope, type, default, bounds and a sentence. The typed reader
// (properties.ts), the checks of single values (value-checks.ts), the warnings (useless-keys.ts) and docs/reference/queue-options.md derive from it.

/**
 * What the text of an option is read as. `capacity`: a percentage, a weight or a vector; `amounts`: amounts by resource; `accessList`: users and
 * groups; `priorityGrants`: `[user=… max_priority=…]`; `family`: all keys that begin with the row's key, each an option of the queues it makes.
 */
export type OptionType =
  | 'boolean'
  | 'integer'
  | 'float'
  | 'text'
  | 'list'
  | 'capacity'
  | 'amounts'
  | 'accessList'
  | 'priorityGrants'
  | 'family';

/** Which queues have the option: `cluster` none (its key names no queue); `plan` those that hold reservations. */
export type OptionScope = 'cluster' | 'queue' | 'leaf' | 'parent' | 'plan';

/** One option of Hadoop 3.4's capacity scheduler (CapacitySchedulerConfiguration, its policies and ReservationSchedulerConfiguration). */
export interface QueueOption {
  /** What follows `yarn.scheduler.capacity.` or the path of the queue; `<label>`, `<user>` and `<name>` stand for one name each. */
  readonly key: string;
  /** What the key begins with where that is not `yarn.scheduler.capacity.`; of cluster options alone. */
  readonly prefix?: string;
  readonly scope: OptionScope;
  readonly type: OptionType;
  /** What counts without the key; numbers and booleans have one. */
  readonly default?: string | number | boolean;
  /** Bounds of its number, inclusive. Files and changes with something else are refused. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** Besides, -1 says that it is not set, or sets no limit. */
  readonly orMinusOne?: true;
  /** The texts that are allowed. */
  readonly oneOf?: readonly string[];
  readonly unit?: 'percent' | 'part' | 'seconds' | 'ms' | 'MiB';
  /** Where a queue looks that does not have the key: at the queue above it, or at the same key without a queue. */
  readonly inherits?: 'parent' | 'cluster';
  /** Takes effect with the next start alone. */
  readonly needsRestart?: boolean;
  /** One sentence for the reference page. */
  readonly about: string;
  /** Why it changes nothing here; absent where it counts. */
  readonly inert?: string;
}

/** Options by the name that code uses. */
export type OptionTable = Readonly<Record<string, QueueOption>>;

/** The type of an option's value. */
export type OptionValue<Option extends QueueOption> = Option['type'] extends 'boolean'
  ? boolean
  : Option['type'] extends 'integer' | 'float'
    ? number
    : Option extends { readonly default: string }
      ? string
      : string | undefined;

/** The typed values of a table. */
export type OptionValues<Table extends OptionTable> = { readonly [Name in keyof Table]: OptionValue<Table[Name]> };

/** Declares a table; the identity, so that keys and defaults keep their literal types. */
export function defineOptions<const Table extends OptionTable>(table: Table): Table {
  return table;
}

export const prefix = 'yarn.scheduler.capacity.';

/** The names that a key has to be completed with. */
export interface KeyNames {
  readonly queue?: string;
  readonly label?: string;
  readonly user?: string;
}

/** The full key of an option: of the named queue, or of the cluster where no queue is named. */
export function keyOf(option: QueueOption, { queue, label, user }: KeyNames = {}): string {
  const own = option.key.includes('<') ? option.key.replace('<label>', label ?? '').replace('<user>', user ?? '') : option.key;
  return queue === undefined ? (option.prefix ?? prefix) + own : `${prefix}${queue}.${own}`;
}

/** A regular expression for what a key may be after the queue's path (or after the prefix, for cluster options). */
export function patternOf({ key, type }: QueueOption): string {
  const parts = key.split(/(<\w+>)/).map((part) => {
    if (part === '<label>') return '[^.]+';
    return part.startsWith('<') ? '.+' : part.replaceAll('.', '\\.');
  });
  return parts.join('') + (type === 'family' ? '.+' : '');
}
