// Holds a module to what its functions promise: they emit while they are called or waited for, and what they start is waited for. Whatever
// happens later would be lost without a word, or end the process without a reason.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isOwnFault } from '../describe-error.ts';
import { StartedWork } from './started-work.ts';

/** So long a task waits at its end for what its functions have started and not waited for: it may be going to emit. */
const defaultStragglersMs = 5000;
const lookAgainMs = 10;

/** Thrown out of an emit that comes too late. */
class LateEmit extends Error {
  override readonly name = 'Error';
}

/** The runs that are under way: one, but for tests. */
const runs = new Set<ModuleRun>();
/** A module has failed its run: why is being reported, and whatever else it throws is not to end the process before. */
let hasFailed = false;
let isListening = false;

/** What nobody catches ends the run that is under way, not the process: so it is told, and a master that runs tasks itself outlives it. */
function listen(): void {
  if (isListening) return;
  isListening = true;
  process.on('uncaughtException', (error) => {
    // It has ended its run already, where that was still under way.
    if (error instanceof LateEmit && runs.size > 0) return;
    if (runs.size > 0 && !isOwnFault(error)) {
      const message = 'the module threw where nothing waits for it: in a timer, an event, or a promise that is not awaited';
      for (const run of runs) run.fail(new Error(message, { cause: error }));
      return;
    }
    process.stderr.write(`${(error as Error | undefined)?.stack ?? String(error)}\n`);
    if (!(error instanceof LateEmit) && (!hasFailed || isOwnFault(error))) process.exit(1);
  });
}

/** Frees what nothing refers to any more, at once. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** One attempt at a task, as far as it is the module's. */
export class ModuleRun {
  readonly #failed = Promise.withResolvers<never>();
  readonly #started = new StartedWork();
  /** What `setup` has started: it serves the whole run, and nobody waits for it. */
  readonly #ofSetup = new StartedWork();
  /** What the module has started as it was loaded; that may go on, too. */
  readonly #ofLoading: Pick<StartedWork, 'left'>;
  /** What the module was given to emit by: where it keeps one that still runs something, records may come yet. */
  readonly #emits: WeakRef<object>[] = [];
  readonly #stragglersMs: number;
  #fault: Error | undefined;

  constructor(ofLoading: Pick<StartedWork, 'left'>, stragglersMs = defaultStragglersMs) {
    this.#ofLoading = ofLoading;
    this.#stragglersMs = stragglersMs;
    this.#failed.promise.catch(() => {});
  }

  /** Ends the run. */
  fail(fault: Error): void {
    hasFailed = true;
    this.#fault ??= fault;
    this.#failed.reject(fault);
  }

  /** @throws what went wrong outside of the calls */
  check(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }

  /** Remembers what the module is given to emit by. */
  given<Emit extends object>(emit: Emit): Emit {
    this.#emits.push(new WeakRef(emit));
    return emit;
  }

  /** Runs what calls functions of the module: what they start is waited for at the end of the run. */
  calling<Value>(work: () => Value): Value {
    return this.#started.run(work);
  }

  /** Runs `setup`: what it starts may go on to the end of the run, if it cannot emit then. */
  settingUp<Value>(work: () => Value): Value {
    return this.#ofSetup.run(work);
  }

  /**
   * Runs the attempt, and waits for a while for what the module has left at work. @throws what `work` throws, what the module throws outside
   * of it, where it may emit even later, and where the task is to end early
   */
  async whole(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    listen();
    runs.add(this);
    this.#started.follow();
    this.#ofSetup.follow();
    const aborted = () => this.fail(signal.reason as Error);
    signal.addEventListener('abort', aborted);
    const all = work().then(() => this.#stragglers());
    all.catch(() => {});
    try {
      await Promise.race([all, this.#failed.promise]);
      this.check();
    } finally {
      this.#started.close();
      this.#ofSetup.close();
      signal.removeEventListener('abort', aborted);
      runs.delete(this);
    }
  }

  /** Waits for what functions have started, and for what `setup` or loading has where it could emit: for a while. @throws Error where it could emit yet */
  async #stragglers(): Promise<void> {
    const ofFunctions = () => this.#started.left;
    const ofOthers = () => [...this.#ofSetup.left, ...this.#ofLoading.left];
    const ofAll = () => [...ofFunctions(), ...ofOthers()];
    if (ofFunctions().length === 0 && (ofOthers().length === 0 || !(await this.#mayEmit()))) return;
    for (let waitedMs = 0; waitedMs < this.#stragglersMs; waitedMs += lookAgainMs) {
      if (this.#fault !== undefined || ofAll().length === 0) return;
      await new Promise((wake) => setTimeout(wake, lookAgainMs));
    }
    const kinds = Map.groupBy(ofAll(), (kind) => kind);
    const running = `what the module has started still runs (${[...kinds].map(([kind, { length }]) => `${length} ${kind}`).join(', ')})`;
    if (await this.#mayEmit())
      throw new Error(
        `${running} ${this.#stragglersMs / 1000} s after the last record, and could emit more: let functions await what they start, or end it in cleanup`,
      );
    process.stderr.write(`W${running.slice(1)} and is not waited for any longer; cleanup is the place to end it\n`);
  }

  async #mayEmit(): Promise<boolean> {
    // What was made in this turn is kept until its end.
    await new Promise(setImmediate);
    collectGarbage();
    return this.#emits.some((emit) => emit.deref() !== undefined);
  }
}

/** The calls of one function of the module. */
export class ModuleCalls {
  readonly #name: string;
  readonly #run: ModuleRun;
  /** Calls that are at work or waited for. */
  open = 0;

  constructor(name: 'map' | 'combine' | 'reduce', run: ModuleRun) {
    this.#name = name;
    this.#run = run;
  }

  /** For an emit outside of all calls, which ends the run, whether the module catches this or not. @throws LateEmit */
  refuse(): never {
    const remedy =
      this.#name === 'combine' ? 'it is not waited for, and has to emit at once' : 'let it await what it starts, or answer its promise';
    const fault = new LateEmit(`emit was called after ${this.#name} had returned, where its record would be lost: ${remedy}`);
    this.#run.fail(fault);
    throw fault;
  }
}
