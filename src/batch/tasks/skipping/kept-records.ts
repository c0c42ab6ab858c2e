// The records and groups that a program is given in skipping mode: one at a time, each after the master has been told of it.

import { recordInputOf } from '../input/formats.ts';
import { recordOf } from '../input/input-record.ts';
import type { LineConsumer } from '../input/line-reader.ts';
import type { SplitReader } from '../input/split-reader.ts';
import type { JobConfiguration } from '../job-configuration.ts';
import { Groups } from '../merge.ts';
import type { KeyComparator } from '../record-sort.ts';
import type { RecordCursor } from '../segment.ts';
import type { AttemptSkipping } from './attempt-skipping.ts';

const largestKeptBytes = 1 << 20;

/** The records of a chunk, beyond the time for which their reader lends them. */
class Chunk {
  #bytes = Buffer.allocUnsafe(1 << 16);
  #used = 0;
  readonly #ends: number[] = [];
  readonly #positions: number[] = [];

  readonly add: LineConsumer = (buffer, start, end, position) => {
    const size = end - start;
    if (this.#used + size > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#used + size));
      this.#bytes.copy(larger, 0, 0, this.#used);
      this.#bytes = larger;
    }
    this.#used += buffer.copy(this.#bytes, this.#used, start, end);
    this.#ends.push(this.#used);
    this.#positions.push(position);
  };

  *records(): Generator<{ readonly bytes: Buffer; readonly start: number; readonly end: number; readonly position: number }> {
    let start = 0;
    for (const [index, end] of this.#ends.entries()) {
      yield { bytes: this.#bytes, start, end, position: this.#positions[index]! };
      start = end;
    }
  }

  clear(): void {
    if (this.#bytes.length > largestKeptBytes) this.#bytes = Buffer.allocUnsafe(1 << 16);
    this.#used = this.#ends.length = this.#positions.length = 0;
  }
}

/**
 * Hands a map’s records on that are not left out. `settled` is awaited after each: when it is over, the program has done with the record what
 * can be seen of it; `between` between chunks.
 */
export async function forEachKeptRecord(
  input: SplitReader,
  options: {
    readonly skipping: AttemptSkipping;
    readonly configuration: JobConfiguration;
    readonly consume: LineConsumer;
    readonly settled: () => Promise<void>;
    readonly between: () => Promise<void>;
  },
): Promise<void> {
  const { skipping, configuration, consume, settled, between } = options;
  const read = recordOf(configuration, recordInputOf(configuration), false);
  const chunk = new Chunk();
  for (;;) {
    const hasMore = await input.readChunk(chunk.add);
    for (const { bytes, start, end, position } of chunk.records()) {
      if (skipping.isRestLeftOut) return;
      if (skipping.isNextLeftOut()) {
        const { key, keyStart, keyEnd, valueStart } = read(bytes, start, end, position);
        skipping.leaveOut(key.subarray(keyStart, keyEnd), bytes.subarray(valueStart, end));
        continue;
      }
      await skipping.announce();
      consume(bytes, start, end, position);
      await settled();
      skipping.processed();
    }
    chunk.clear();
    await between();
    if (!hasMore) break;
  }
  await skipping.end();
}

/** The groups of a reduce that are not left out; {@link prepare} is awaited before each `nextGroup`. */
export class KeptGroups extends Groups {
  readonly #skipping: AttemptSkipping;
  readonly #plainKey: (key: Buffer) => Buffer;
  #state: 'unknown' | 'ready' | 'over' = 'unknown';

  /** `plainKey` gives a key as the program’s users know it. */
  constructor(
    cursor: RecordCursor,
    compare: KeyComparator | undefined,
    skipping: AttemptSkipping,
    plainKey: (key: Buffer) => Buffer = (key) => key,
  ) {
    super(cursor, compare);
    this.#skipping = skipping;
    this.#plainKey = plainKey;
  }

  /** Steps to the next group that is not left out, and tells the master of it. @throws AttemptNotWanted, MasterUnreachable */
  async prepare(): Promise<void> {
    if (this.#state === 'over') return;
    this.#state = (await this.#step()) ? 'ready' : 'over';
  }

  async #step(): Promise<boolean> {
    const skipping = this.#skipping;
    for (;;) {
      if (skipping.isRestLeftOut) return false;
      if (!super.nextGroup()) {
        await skipping.end();
        return false;
      }
      if (!skipping.isNextLeftOut()) break;
      skipping.leftOutGroups++;
      while (super.nextValue()) {
        const { buffer, keyStart, keyEnd, valueStart, valueEnd } = this.cursor;
        skipping.leaveOut(this.#plainKey(buffer.subarray(keyStart, keyEnd)), buffer.subarray(valueStart, valueEnd));
      }
    }
    await skipping.announce();
    return true;
  }

  override nextGroup(): boolean {
    if (this.#state === 'unknown') throw new Error('the next group was not prepared');
    const isReady = this.#state === 'ready';
    if (isReady) this.#state = 'unknown';
    return isReady;
  }
}
