// The copying side of a reduce: learns of finished maps, fetches their outputs with a few fetchers at a time, keeps them in memory or on disk.
import type { Clock } from '../../lib/clock.ts';
import { Agent } from '../../lib/plain-http.ts';
import { shuffleErrorGroup, shuffleErrorNames } from '../counters/names.ts';
import type { BlockCodec } from '../tasks/block-codec.ts';
import type { ProgressPhase } from '../tasks/progress.ts';
import type { KeyComparator } from '../tasks/record-sort.ts';
import { AttemptNotWanted, type Reporter } from '../tasks/reporter.ts';
import type { RecordCursor } from '../tasks/segment.ts';
import { taskIdOfAttempt } from '../tasks/task-ids.ts';
import type { MapEvent } from '../tasks/umbilical.ts';
import type { Umbilical } from '../tasks/umbilical-client.ts';
import type { WritableKind } from '../tasks/writables.ts';
import { CopiedOutputs, type CopyLimits, NotWritten } from './copied-outputs.ts';
import { FetchFailed, fetchMapOutputs, type OutputReceiver } from './fetch.ts';
import { findLocal } from './local-outputs.ts';
import { mapsPerRequest, type ShuffleHeader } from './protocol.ts';

export interface ShuffleOptions {
  readonly jobId: string;
  readonly reduce: number;
  readonly maps: number;
  readonly token: Buffer;
  readonly umbilical: Umbilical;
  readonly reporter: Reporter;
  readonly phase: ProgressPhase;
  readonly clock: Clock;
  readonly folder: string;
  /** Folders of the application on this node: what maps left there is not asked for. */
  readonly localFolders: readonly string[];
  /** The order of keys; undefined: that of their bytes. */
  readonly compare?: KeyComparator | undefined;
  readonly keyKind: WritableKind;
  readonly valueKind: WritableKind;
  /** How map output is compressed; undefined: not at all. */
  readonly codec?: BlockCodec | undefined;
  /** `mapreduce.reduce.shuffle.parallelcopies`. */
  readonly fetchers: number;
  readonly limits: CopyLimits;
  /** `mapreduce.task.io.sort.factor`. */
  readonly factor: number;
  readonly readTimeoutMs: number;
  /** Failures are reported to the master after a map output could not be fetched for this long. */
  readonly reportAfterMs: number;
  readonly signal: AbortSignal;
}

/** Thrown when the copying cannot be completed; the text is Hadoop's. */
export class ShuffleFailed extends Error {
  override readonly name = 'org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError';
}

interface Wanted {
  readonly attemptId: string;
  failures: number;
  firstFailureMs: number;
}
interface Host {
  readonly url: string;
  readonly waiting: Map<string, Wanted>;
  busy: boolean;
  penaltyUntilMs: number;
  failures: number;
  /** One after the node missed one of several outputs: the answer does not say of the others whether they are there. */
  mapsAtOnce: number;
}

const eventsWaitMs = 10_000;
const longestPenaltyMs = 10_000;
const minimumFailureLimit = 30;

/** Copies the outputs of all maps for one reduce. */
export class Shuffle {
  readonly #options: ShuffleOptions;
  readonly #agent: Agent;
  readonly #hosts = new Map<string, Host>();
  /** Map task → the attempt whose output is here. */
  readonly #copied = new Map<string, string>();
  readonly #obsolete = new Set<string>();
  readonly #outputs: CopiedOutputs;
  /** Map tasks that failed for good, where the job tolerates that: nothing of them will come. */
  readonly #missing = new Set<string>();
  #copiedBytes = 0;
  readonly #startMs: number;
  #wake: () => void = () => {};
  #failure: Error | undefined;
  #ended = false;

  constructor(options: ShuffleOptions) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.fetchers });
    this.#startMs = options.clock.steadyMs();
    for (const name of shuffleErrorNames) options.reporter.counters.increment(shuffleErrorGroup, name, 0);
    for (const name of ['REDUCE_SHUFFLE_BYTES', 'SHUFFLED_MAPS', 'FAILED_SHUFFLE', 'MERGED_MAP_OUTPUTS']) options.reporter.count(name, 0);
    const { folder, compare, keyKind, valueKind, codec, factor, maps, limits } = options;
    const onFailed = (error: Error) => this.#fail(error);
    this.#outputs = new CopiedOutputs({ ...limits, folder, compare, keyKind, valueKind, codec, factor, maps, onFailed });
  }

  /** Bytes of local files, written and read so far. */
  get fileBytes(): { readonly written: number; readonly read: number } {
    return { written: this.#outputs.writtenBytes, read: this.#outputs.readBytes };
  }

  get #complete(): boolean {
    return this.#copied.size + this.#missing.size >= this.#options.maps;
  }

  /** Copies everything, then answers the sorted stream of all records. @throws ShuffleFailed */
  async run(): Promise<RecordCursor> {
    const { signal, reporter } = this.#options;
    if (signal.aborted) this.#fail(signal.reason as Error);
    signal.addEventListener('abort', () => this.#fail(signal.reason as Error));
    const events = this.#followEvents();
    const fetchers = Array.from({ length: this.#options.fetchers }, (_, i) => this.#fetcher(i + 1));
    try {
      await Promise.all(fetchers);
    } finally {
      this.#ended = true;
      this.#agent.destroy();
      events.catch(() => {});
    }
    try {
      if (this.#failure !== undefined) throw this.#failure;
      reporter.count('MERGED_MAP_OUTPUTS', this.#copied.size);
      const merged = await this.#outputs.merged();
      if (this.#failure !== undefined) throw this.#failure;
      return merged;
    } catch (error) {
      this.#outputs.discard();
      throw error;
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#agent.destroy(); // what is under way is of no use any more
    this.#wakeAll();
  }

  async #followEvents(): Promise<void> {
    const { umbilical, reporter } = this.#options;
    let from = 0;
    try {
      while (!this.#complete && this.#failure === undefined && !this.#ended) {
        const answer = await umbilical.events({ attemptId: reporter.attemptId, from, waitMs: eventsWaitMs });
        if (!answer.known) return this.#fail(new AttemptNotWanted(`${reporter.attemptId} is not wanted any more`));
        from += answer.events.length;
        for (const event of answer.events) this.#take(event);
        if (answer.events.length > 0) this.#wakeAll();
      }
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #wakeAll(): void {
    const wake = this.#wake;
    this.#wake = () => {};
    wake();
  }

  #take(event: MapEvent): void {
    const task = taskIdOfAttempt(event.attemptId);
    if (event.status === 'TIPFAILED') {
      if (!this.#copied.has(task)) this.#missing.add(task);
    } else if (event.status === 'OBSOLETE') {
      this.#obsolete.add(event.attemptId);
      for (const host of this.#hosts.values()) host.waiting.delete(event.attemptId);
    } else if (!this.#copied.has(task) && !this.#obsolete.has(event.attemptId)) {
      const host = this.#hosts.get(event.shuffleUrl) ?? {
        url: event.shuffleUrl,
        waiting: new Map(),
        busy: false,
        penaltyUntilMs: 0,
        failures: 0,
        mapsAtOnce: mapsPerRequest,
      };
      this.#hosts.set(host.url, host);
      host.waiting.set(event.attemptId, { attemptId: event.attemptId, failures: 0, firstFailureMs: 0 });
    }
  }

  async #fetcher(number: number): Promise<void> {
    while (!this.#complete && this.#failure === undefined) {
      const now = this.#options.clock.steadyMs();
      const host = [...this.#hosts.values()].find((one) => !one.busy && one.waiting.size > 0 && one.penaltyUntilMs <= now);
      if (host === undefined) {
        await this.#sleep(now);
        continue;
      }
      host.busy = true;
      await this.#copyFrom(host, number);
      host.busy = false;
      this.#wakeAll();
    }
    this.#wakeAll();
  }

  /** Waits for news or for the end of the next penalty. */
  #sleep(now: number): Promise<void> {
    const penalties = [...this.#hosts.values()]
      .filter((host) => !host.busy && host.waiting.size > 0)
      .map((host) => host.penaltyUntilMs - now);
    return new Promise((resolve) => {
      const others = this.#wake;
      const timer = penalties.length === 0 ? undefined : this.#options.clock.setTimer(Math.max(1, Math.min(...penalties)), resolve);
      this.#wake = () => {
        timer?.cancel();
        resolve();
        others();
      };
    });
  }

  async #copyFrom(host: Host, fetcher: number): Promise<void> {
    const { jobId, reduce, token, readTimeoutMs, clock } = this.#options;
    const startMs = clock.steadyMs();
    const next = [...host.waiting.values()].slice(0, host.mapsAtOnce);
    const wanted: Wanted[] = [];
    for (const one of next) if (!(await this.#takeLocal(one.attemptId, host))) wanted.push(one);
    if (wanted.length === 0 || this.#failure !== undefined) return;
    try {
      await fetchMapOutputs(
        { agent: this.#agent, url: host.url, jobId, reduce, maps: wanted.map((one) => one.attemptId), token, timeoutMs: readTimeoutMs },
        (header) => this.#receive(header, host, startMs),
      );
      host.failures = 0;
    } catch (error) {
      if (this.#failure !== undefined) return;
      const { cause } = error as Error;
      if (cause instanceof NotWritten) return this.#fail(new ShuffleFailed(`error in shuffle in fetcher#${fetcher}`, { cause }));
      this.#failed(
        host,
        wanted.filter((one) => host.waiting.has(one.attemptId)),
        error as Error,
        fetcher,
      );
    }
  }

  /** Takes what a map left on this node; false where it did not, or what it left cannot be read: then the node is asked, which knows better. */
  async #takeLocal(attemptId: string, host: Host): Promise<boolean> {
    const { localFolders, reduce, clock } = this.#options;
    const startMs = clock.steadyMs();
    try {
      const output = findLocal(localFolders, attemptId, reduce);
      if (output === undefined) return false;
      const task = taskIdOfAttempt(attemptId);
      if (!this.#copied.has(task) && !this.#missing.has(task)) {
        await this.#outputs.takeLocal(output);
        this.#countCopy(attemptId, output.place.partLength, clock.steadyMs() - startMs);
      }
    } catch {
      return false;
    }
    host.waiting.delete(attemptId);
    return true;
  }

  #failed(host: Host, wanted: readonly Wanted[], error: Error, fetcher: number): void {
    const { reporter, clock, maps, reportAfterMs } = this.#options;
    const now = clock.steadyMs();
    const lost = error instanceof FetchFailed && error.lost;
    if (lost && wanted.length > 1) {
      host.mapsAtOnce = 1;
      return;
    }
    host.failures++;
    host.penaltyUntilMs = now + Math.min(longestPenaltyMs, 250 * 1.3 ** host.failures);
    if (error instanceof FetchFailed) reporter.counters.increment(shuffleErrorGroup, error.kind);
    reporter.count('FAILED_SHUFFLE', wanted.length);
    for (const one of wanted) {
      if (one.failures++ === 0) one.firstFailureMs = now;
      // The others of this node come first now.
      host.waiting.delete(one.attemptId);
      host.waiting.set(one.attemptId, one);
      if (lost || now - one.firstFailureMs >= reportAfterMs) reporter.fetchFailed(one.attemptId);
      if (one.failures >= Math.max(minimumFailureLimit, maps / 10))
        this.#fail(
          new ShuffleFailed(`error in shuffle in fetcher#${fetcher}`, {
            cause: new Error(`${one.failures} failures downloading ${one.attemptId}`),
          }),
        );
    }
  }

  async #receive({ mapId, partLength, rawLength }: ShuffleHeader, host: Host, startMs: number): Promise<OutputReceiver> {
    const copy = await this.#outputs.begin(partLength, rawLength);
    return {
      write: (bytes) => copy.write(bytes),
      end: () => {
        copy.check();
        const task = taskIdOfAttempt(mapId);
        if (this.#copied.has(task) || this.#missing.has(task)) copy.drop();
        else {
          copy.keep();
          this.#countCopy(mapId, partLength, this.#options.clock.steadyMs() - startMs);
        }
        host.waiting.delete(mapId);
      },
      drop: () => copy.drop(),
    };
  }

  #countCopy(attemptId: string, bytes: number, milliseconds: number): void {
    const { reporter, maps, phase, clock } = this.#options;
    this.#copied.set(taskIdOfAttempt(attemptId), attemptId);
    this.#copiedBytes += bytes;
    reporter.count('SHUFFLED_MAPS');
    reporter.count('REDUCE_SHUFFLE_BYTES', bytes);
    const rate = (size: number, ms: number) => (size / 1048576 / (Math.max(1, ms) / 1000)).toFixed(2);
    phase.value = Math.fround(this.#copied.size / maps);
    phase.status = `copy task(${attemptId} succeeded at ${rate(bytes, milliseconds)} MB/s) Aggregated copy rate(${this.#copied.size} of ${maps} at ${rate(this.#copiedBytes, clock.steadyMs() - this.#startMs)} MB/s)`;
  }
}
