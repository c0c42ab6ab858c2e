// The instances of a command: which wait, run, are tried again or are done. Pure; the master carries out what it decides.
import { checked, type JsonOf, text, tuple, whole } from '../../lib/json-shape.ts';
import { uncountedInstanceStatuses } from '../../model/exit-status.ts';
import {
  askIdOf,
  type CommandJob,
  type CommandView,
  endlessRetries,
  type InstanceState,
  placeOfAsk,
  type TryView,
} from '../../wire/cluster/command-job.ts';

/** Tries that may be lost in a row before the instance is given up. */
const maximumLost = 10;
/** A try that ran so long begins a new row of failed and of lost ones. */
const steadyRunMs = 600_000;
const longestPauseMs = 60_000;
/** Tries of an instance that are known one by one: of one that is tried for ever there is no end of them. */
const keptTries = 100;
/** What of a container's last words is kept for the masters that may follow. */
const keptDiagnostics = 2000;

/** The instance of a request; NaN for a name of another form. */
export const indexOfAsk = (askId: string | undefined): number => placeOfAsk(askId)?.instance ?? Number.NaN;

/** Instance, container, node, exit code, last words. */
const note = tuple(whole(), text(), text(), whole(), text());

/** A note of an earlier master. @throws Error where it cannot be read: to go on without it could run an instance twice */
function readNote(written: string): JsonOf<typeof note> {
  const { value, fault } = checked(note, JSON.parse(written));
  if (fault !== undefined) throw new Error(`a note of an earlier master cannot be read: ${fault}`);
  return value;
}

interface Instance {
  readonly index: number;
  state: InstanceState;
  /** The latest ones. */
  readonly tries: { containerId: string; nodeHttpAddress: string; exitCode: number | undefined; diagnostics: string }[];
  /** All there were. */
  tryCount: number;
  failures: number;
  /** Those in a row. */
  failuresInRow: number;
  lost: number;
  pauseMs: number;
  /** The container that was given back because the instance was not wanted. */
  released: string | undefined;
}

/** The pause before an instance is tried again: none after the first failure in a row, then a second, and each time twice as long. */
const pauseAfter = (failuresInRow: number): number =>
  failuresInRow < 2 ? 0 : Math.min(longestPauseMs, 1000 * 2 ** Math.min(failuresInRow - 2, 16));

/** What became of a container. */
export type Outcome =
  | { readonly kind: 'succeeded' | 'unknown' }
  | { readonly kind: 'failed'; readonly index: number; readonly exitCode: number; readonly triesLeft: number; readonly pauseMs: number }
  | { readonly kind: 'lost'; readonly index: number; readonly exitCode: number };

/** All instances of one job: as many as are wanted now, and those that were wanted before. */
export class Instances {
  readonly #retries: number;
  #wanted: number;
  readonly #instances: Instance[];
  readonly #byContainer = new Map<string, Instance>();
  #version = 1;

  constructor(job: Pick<CommandJob, 'instances' | 'retries'>) {
    this.#retries = job.retries;
    this.#wanted = job.instances;
    this.#instances = [];
    this.#extendTo(job.instances);
  }

  #extendTo(length: number): void {
    const fresh = { state: 'WAITING', tryCount: 0, failures: 0, failuresInRow: 0, lost: 0, pauseMs: 0, released: undefined } as const;
    for (let index = this.#instances.length; index < length; index++) this.#instances.push({ ...fresh, index, tries: [] });
  }

  /** How many there are to be. */
  get wanted(): number {
    return this.#wanted;
  }

  /**
   * So many are wanted from now on: those of the highest numbers go first, and come back last. What of them succeeded stays done. Returns the
   * containers that are to be given back.
   */
  resize(wanted: number): readonly string[] {
    this.#wanted = wanted;
    this.#extendTo(wanted);
    const surplus: string[] = [];
    for (const instance of this.#instances) {
      const isWanted = instance.index < wanted;
      if (isWanted && instance.state === 'STOPPED') instance.state = 'WAITING';
      if (isWanted) continue;
      if (instance.state === 'WAITING') instance.state = 'STOPPED';
      const current = instance.state === 'RUNNING' ? instance.tries.at(-1)?.containerId : undefined;
      if (current === undefined || current === instance.released) continue;
      instance.released = current;
      surplus.push(current);
    }
    this.#version++;
    return surplus;
  }

  /** Instances that need a container. */
  get waiting(): readonly number[] {
    return this.#instances.filter(({ state }) => state === 'WAITING').map(({ index }) => index);
  }

  /** Which try the next container of an instance is, from 1. */
  nextTry(index: number): number {
    return (this.#instances[index]?.tryCount ?? 0) + 1;
  }

  /** The name of the request for that container. */
  nextAsk(index: number): string {
    return askIdOf({ instance: index, tryNumber: this.nextTry(index) });
  }

  /** A container was given to an instance. Returns false when the instance needs none (any more). */
  started(index: number, containerId: string, nodeHttpAddress: string): boolean {
    const instance = this.#instances[index];
    if (instance?.state !== 'WAITING') return false;
    instance.state = 'RUNNING';
    instance.tries.push({ containerId, nodeHttpAddress, exitCode: undefined, diagnostics: '' });
    instance.tryCount++;
    instance.pauseMs = 0;
    for (const { containerId: forgotten } of instance.tries.splice(0, instance.tries.length - keptTries))
      this.#byContainer.delete(forgotten);
    this.#byContainer.set(containerId, instance);
    this.#version++;
    return true;
  }

  /** Whether a container was given to one of the instances. */
  knows(containerId: string): boolean {
    return this.#byContainer.has(containerId);
  }

  /** A container ended after `ranMs`. The instance then waits again where it may be tried again. */
  ended(containerId: string, exitCode: number, diagnostics: string, ranMs = 0): Outcome {
    const instance = this.#byContainer.get(containerId);
    const last = instance?.tries.find((item) => item.containerId === containerId);
    if (!instance || !last || last.exitCode !== undefined) return { kind: 'unknown' };
    last.exitCode = exitCode;
    last.diagnostics = diagnostics;
    this.#version++;
    // However it ended: it was told to.
    if (instance.released === containerId) {
      instance.state = this.#isWanted(instance) && !this.#hasFailed ? 'WAITING' : 'STOPPED';
      return instance.state === 'WAITING' ? { kind: 'lost', index: instance.index, exitCode } : { kind: 'unknown' };
    }
    if (exitCode === 0) {
      instance.state = 'SUCCEEDED';
      return { kind: 'succeeded' };
    }
    if (this.#hasFailed || !this.#isWanted(instance)) {
      instance.state = 'STOPPED';
      return { kind: 'unknown' };
    }
    if (ranMs >= steadyRunMs) {
      instance.failuresInRow = 0;
      instance.lost = 0;
    }
    if (uncountedInstanceStatuses.has(exitCode) && instance.lost < maximumLost) {
      instance.lost++;
      instance.state = 'WAITING';
      return { kind: 'lost', index: instance.index, exitCode };
    }
    instance.failures++;
    instance.failuresInRow++;
    const triesLeft = this.#retries === endlessRetries ? Number.POSITIVE_INFINITY : Math.max(0, this.#retries + 1 - instance.failures);
    instance.state = triesLeft > 0 ? 'WAITING' : 'FAILED';
    instance.pauseMs = triesLeft > 0 ? pauseAfter(instance.failuresInRow) : 0;
    return { kind: 'failed', index: instance.index, exitCode, triesLeft, pauseMs: instance.pauseMs };
  }

  /** What the masters that may follow must know of a container that ended, as text. */
  noteOf(containerId: string): string | undefined {
    const instance = this.#byContainer.get(containerId);
    const found = instance?.tries.find((item) => item.containerId === containerId);
    if (!instance || found?.exitCode === undefined || instance.released === containerId) return undefined;
    // Of one that is tried for ever failures need not be counted, and notes are kept until the application is over.
    if (this.#retries === endlessRetries && found.exitCode !== 0 && instance.tryCount > keptTries) return undefined;
    const written: JsonOf<typeof note> = [
      instance.index,
      containerId,
      found.nodeHttpAddress,
      found.exitCode,
      found.diagnostics.slice(0, keptDiagnostics),
    ];
    return JSON.stringify(written);
  }

  /** Takes over what a former master noted, also of instances that came later. How many are wanted is said anew after it (`resize`). */
  replay(notes: readonly string[]): void {
    for (const written of notes) {
      const [index, containerId, nodeHttpAddress, exitCode, diagnostics] = readNote(written);
      // It was wanted then: whether it still is comes after.
      if (index >= this.#wanted) this.resize(index + 1);
      if (this.started(index, containerId, nodeHttpAddress)) this.ended(containerId, exitCode, diagnostics);
    }
  }

  /** Whether nothing is left to do: all succeeded, or one failed for good. */
  get isOver(): boolean {
    return this.#hasFailed || this.#instances.slice(0, this.#wanted).every(({ state }) => state === 'SUCCEEDED');
  }

  get #hasFailed(): boolean {
    return this.#instances.some(({ state }) => state === 'FAILED');
  }

  #isWanted({ index }: Instance): boolean {
    return index < this.#wanted;
  }

  /** Containers that still run. */
  get running(): readonly string[] {
    return [...this.#byContainer]
      .filter(([containerId, { tries }]) => tries.some((item) => item.containerId === containerId && item.exitCode === undefined))
      .map(([containerId]) => containerId);
  }

  /** 0 to 1: the part of the wanted instances that succeeded. */
  get progress(): number {
    const done = this.#instances.filter((instance) => instance.state === 'SUCCEEDED' && this.#isWanted(instance));
    return done.length / Math.max(1, this.#wanted);
  }

  /** What a client may see. */
  view(): CommandView {
    const failed = this.#instances.find(({ state }) => state === 'FAILED');
    const state = failed ? 'FAILED' : this.isOver ? 'SUCCEEDED' : 'RUNNING';
    const exitCode = failed ? (failed.tries.at(-1)?.exitCode ?? 1) : state === 'SUCCEEDED' ? 0 : undefined;
    const instances = this.#instances.map(({ index, state, tries, tryCount, pauseMs }) => ({
      index,
      state,
      tries: tries.map((item): TryView => ({ ...item })),
      ...(tryCount > tries.length ? { earlierTries: tryCount - tries.length } : {}),
      ...(pauseMs > 0 ? { pauseMs } : {}),
    }));
    return { version: this.#version, state, exitCode, instances };
  }
}
