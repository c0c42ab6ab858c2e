// What modules of batch jobs are written against, exported as `heddle/batch`: types alone, keys and values are strings.

/** Passes on one record. */
export type EmitText = (key: string, value: string | number) => void;

/** What functions of a module are told of the task they run in. */
export interface JobModuleContext {
  readonly kind: 'MAP' | 'REDUCE';
  /** `attempt_…` of the running attempt. */
  readonly attemptId: string;
  /** Number of this map or reduce, from 0. */
  readonly index: number;
  readonly maps: number;
  readonly reduces: number;
  /** Path of the file whose line a map has; undefined in reduces. */
  readonly inputFile: string | undefined;
  /** A setting of the job (`-D`), with `${…}` replaced. */
  setting(name: string): string | undefined;
  /** Adds to a counter of the job, 1 where no amount is given; whole numbers. */
  count(group: string, name: string, amount?: number): void;
  /** Sets the status text of the task. */
  setStatus(text: string): void;
}

/** What a job module exports, by name or as one object (`export default { map, … }`). `map`, `reduce`, `setup` and `cleanup` may be asynchronous. */
export interface JobModule {
  /** Gets each line of the input, without its end, and its position in the file in bytes. */
  map(line: string, emit: EmitText, position: number, context: JobModuleContext): void | Promise<void>;
  /** Makes fewer records of those of one key before they travel; may run any number of times, so its output must be fit for it again. */
  combine?(key: string, values: Iterable<string>, emit: EmitText): void;
  /** Gets each key with its values, which can be walked once; without it records are passed on as they are. */
  reduce?(key: string, values: Iterable<string>, emit: EmitText, context: JobModuleContext): void | Promise<void>;
  /** The number of the reduce, from 0, that gets the key; without it the key's hash decides. */
  partition?(key: string, reduces: number): number;
  /** The order in which a reduce gets its keys: negative, 0 or positive; without it that of their UTF-8 bytes. Keys of order 0 count as equal. */
  compare?(left: string, right: string): number;
  /** Whether neighbours in that order go to one call of `reduce`, with the first of their keys; needs `partition` where there are several reduces. */
  group?(left: string, right: string): boolean;
  /** Runs in each task before its first record. */
  setup?(context: JobModuleContext): void | Promise<void>;
  /** Runs in each task after its last record, and may emit more. */
  cleanup?(emit: EmitText, context: JobModuleContext): void | Promise<void>;
}
