// A master that runs inside the storm and keeps account: what it asked for, what it was given and told, and how often.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MasterClient, newRegistrationId } from '../../src/client/master-client.ts';
import type { Random } from '../../src/lib/random.ts';
import type { Account } from './account.ts';

const longPollMs = 2000;

/** An unmanaged master with so much work; each piece is asked for again until one of its containers ended by itself. Its memory are its notes. */
export class StormMaster {
  readonly applicationId: string;
  readonly #client: MasterClient;
  readonly #account: Account;
  readonly #random: Random;
  readonly #script: string;
  readonly #pieces: number;
  /** Requests whose containers have not ended. */
  readonly #open = new Set<string>();
  readonly #fresh = new Set<string>();
  /** Notes whose call was not answered yet. */
  readonly #unnoted = new Set<string>();
  #heardEnds: string[] = [];
  #life = new AbortController();
  #isDone = false;

  constructor(applicationId: string, client: MasterClient, account: Account, random: Random, script: string, pieces: number) {
    this.applicationId = applicationId;
    this.#client = client;
    this.#account = account;
    this.#random = random;
    this.#script = script;
    this.#pieces = pieces;
  }

  /** What it still waits for. */
  get waitsFor(): string[] {
    return [...this.#open];
  }

  /** Has it lose all that it knows, in the midst of whatever it does, and begin anew; false: its work is done. */
  die(): boolean {
    if (this.#isDone) return false;
    this.#life.abort();
    return true;
  }

  /** Asks until every piece has ended, then says that it is done. */
  async run(stopped: () => boolean): Promise<void> {
    while (!this.#isDone) {
      const { signal } = this.#life;
      try {
        await this.#live(stopped, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
        // Whether the call that was under way came, nobody knows: then the ends of the answer before are told again.
        this.#account.forgotten(this.#heardEnds);
        this.#heardEnds = [];
        for (const each of [this.#open, this.#fresh, this.#unnoted]) each.clear();
        this.#life = new AbortController();
      }
    }
    await this.#client.finish({ finalStatus: 'SUCCEEDED' });
    this.#account.finished(this.applicationId);
  }

  async #live(stopped: () => boolean, signal: AbortSignal): Promise<void> {
    const { runningContainers, responseId: first = 0, notes: kept } = await this.#register(signal);
    this.#account.readNotes(this.applicationId, kept);
    for (const askId of this.#unended(kept)) this.#open.add(askId);
    this.#askForRest(runningContainers);
    for (let responseId = first; this.#open.size > 0; ) {
      const asks = [...this.#fresh].map((askId) => this.#ask(askId));
      this.#fresh.clear();
      const notes = [...this.#unnoted];
      const answer = await this.#client.allocate({ responseId, asks, notes }, longPollMs, signal);
      signal.throwIfAborted();
      if (answer.command === 'shutdown') throw new Error(`${this.applicationId} was told to end`);
      if (answer.command === 'resync') {
        responseId = await this.#registerAgain(signal);
        continue;
      }
      ({ responseId } = answer);
      for (const note of notes) this.#noted(note);
      this.#heardEnds = answer.completed.map(({ containerId }) => containerId);
      for (const { containerId, askId } of answer.allocations) this.#account.given(askId, containerId);
      for (const { containerId, askId = '', exitCode } of answer.completed) this.#ended(containerId, askId, exitCode);
      if (stopped() && this.#random.int(4) === 0) await sleep(50);
    }
    this.#isDone = true;
  }

  #register(signal: AbortSignal) {
    return this.#client.register(
      { host: 'localhost', rpcPort: -1, heardEnds: this.#heardEnds, registrationId: newRegistrationId() },
      signal,
    );
  }

  /** Resolves to the number of its next call. */
  async #registerAgain(signal: AbortSignal): Promise<number> {
    const { runningContainers, responseId = 0, notes } = await this.#register(signal);
    this.#account.readNotes(this.applicationId, notes);
    // One whose call was not answered may be kept: then it is not said again.
    for (const note of notes) this.#noted(note);
    this.#askForRest(runningContainers);
    return responseId;
  }

  /** What is listed runs, or its end is told next; the rest is asked for (again). */
  #askForRest(listed: readonly { readonly containerId: string; readonly askId: string }[]): void {
    for (const { containerId, askId } of listed) this.#account.given(askId, containerId);
    const there = new Set(listed.map(({ askId }) => askId));
    for (const askId of this.#open) if (!there.has(askId)) this.#fresh.add(askId);
  }

  /** Of each piece the try that has not ended, as notes say. */
  *#unended(notes: readonly string[]): Generator<string> {
    const ends = new Map(notes.map((note) => note.split(' ended ') as [string, string]));
    for (let piece = 0; piece < this.#pieces; piece++) {
      const name = `${this.applicationId.slice(12)}-${piece}`;
      let tries = 0;
      while (ends.has(`${name}.${tries}`) && !hasSucceeded(`${name}.${tries}`, Number(ends.get(`${name}.${tries}`)))) tries++;
      if (!ends.has(`${name}.${tries}`)) yield `${name}.${tries}`;
    }
  }

  #noted(note: string): void {
    this.#unnoted.delete(note);
    this.#account.noted(this.applicationId, note);
  }

  #ask(askId: string) {
    const { exitCode, sleepSeconds } = workOf(askId);
    const command = `${this.#script} ${askId} ${sleepSeconds} ${exitCode}`;
    const launch = { commands: [command], environment: {}, localResources: {}, serviceData: {} };
    return { askId, count: 1, priority: 1, resource: { memoryMiB: 128, vcores: 1 }, launch };
  }

  #ended(containerId: string, askId: string, exitCode: number): void {
    this.#account.given(askId, containerId);
    this.#account.told(containerId, exitCode);
    if (!this.#open.delete(askId)) return;
    this.#fresh.delete(askId);
    this.#unnoted.add(`${askId} ended ${exitCode}`);
    if (hasSucceeded(askId, exitCode)) return;
    const [piece = '', tries = '0'] = askId.split('.');
    const next = `${piece}.${Number(tries) + 1}`;
    this.#open.add(next);
    this.#fresh.add(next);
  }
}

/** What the container of a request does: the same whoever asks. */
function workOf(askId: string): { readonly exitCode: number; readonly sleepSeconds: number } {
  const chance = createHash('sha256').update(askId).digest();
  return { exitCode: (chance[0]! % 3) * 3, sleepSeconds: [0, 0, 0.2, 1, 3][chance[1]! % 5]! };
}

/** What ended otherwise than by itself is tried again, as another request. */
const hasSucceeded = (askId: string, exitCode: number): boolean => exitCode === workOf(askId).exitCode;
