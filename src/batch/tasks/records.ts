// Where map and reduce functions send what they emit.

/** Takes records by their raw bytes. `collect` never waits; after a batch, `drain` is awaited where `full` is true. */
export interface RawRecordSink {
  /** Takes one record; its bytes are copied. */
  collect(key: Buffer, keyStart: number, keyEnd: number, value: Buffer, valueStart: number, valueEnd: number): void;
  readonly full: boolean;
  drain(): Promise<void>;
}

/** A sink that knows how its job writes integers: four bytes big-endian towards a reduce, decimal text in an output file. */
export interface RecordSink extends RawRecordSink {
  /** Takes one record with an integer value of 32 bits. */
  collectInteger(key: Buffer, keyStart: number, keyEnd: number, value: number): void;
}

/** Emits a whole key and value. */
export function emit(sink: RawRecordSink, key: Buffer, value: Buffer): void {
  sink.collect(key, 0, key.length, value, 0, value.length);
}
