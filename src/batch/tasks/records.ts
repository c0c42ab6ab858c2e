// Where map and reduce functions send what they emit.

/** Takes emitted records. `collect…` never waits; after a batch, `drain` is awaited where `full` is true. */
export interface RecordSink {
  /** Takes one record by its raw bytes; they are copied. */
  collect(key: Buffer, keyStart: number, keyEnd: number, value: Buffer, valueStart: number, valueEnd: number): void;
  /** Takes one record with an integer value; `hash` is the key's Java hash where the caller has it at hand. */
  collectInteger(key: Buffer, keyStart: number, keyEnd: number, value: number, hash?: number): void;
  readonly full: boolean;
  drain(): Promise<void>;
}

/** Emits a whole key and value. */
export function emit(sink: RecordSink, key: Buffer, value: Buffer): void {
  sink.collect(key, 0, key.length, value, 0, value.length);
}
