// A master that runs inside the storm and keeps account: what it asked for, what it was given and told, and how often.
import { setTimeout as sleep } from 'node:timers/promises';
import { type MasterClient, newRegistrationId } from '../../src/client/master-client.ts';
import type { Random } from '../../src/lib/random.ts';
import type { Account } from './account.ts';

const longPollMs = 2000;

/** An unmanaged master with so much work; each piece is asked for again until one of its containers ended by itself. */
export class StormMaster {
  readonly applicationId: string;
  readonly #client: MasterClient;
  readonly #account: Account;
  readonly #random: Random;
  readonly #script: string;
  readonly #open = new Map<string, { readonly exitCode: number; readonly sleepSeconds: number }>();
  readonly #fresh = new Set<string>();
  /** Notes whose call was not answered yet. */
  readonly #unnoted = new Set<string>();
  #heardEnds: string[] = [];

  constructor(applicationId: string, client: MasterClient, account: Account, random: Random, script: string, pieces: number) {
    this.applicationId = applicationId;
    this.#client = client;
    this.#account = account;
    this.#random = random;
    this.#script = script;
    for (let piece = 0; piece < pieces; piece++) this.#want(`${applicationId.slice(12)}-${piece}.0`);
  }

  #want(askId: string): void {
    this.#open.set(askId, { exitCode: this.#random.int(3) * 3, sleepSeconds: [0, 0, 0.2, 1, 3][this.#random.int(5)]! });
    this.#fresh.add(askId);
  }

  /** What it still waits for. */
  get waitsFor(): string[] {
    return [...this.#open.keys()];
  }

  /** Asks until every piece has ended, then says that it is done. */
  async run(stopped: () => boolean): Promise<void> {
    let { responseId = 0 } = await this.#register();
    while (this.#open.size > 0) {
      const asks = [...this.#fresh].map((askId) => this.#ask(askId));
      this.#fresh.clear();
      const notes = [...this.#unnoted];
      const answer = await this.#client.allocate({ responseId, asks, notes }, longPollMs);
      if (answer.command === 'shutdown') throw new Error(`${this.applicationId} was told to end`);
      if (answer.command === 'resync') {
        responseId = await this.#registerAgain();
        continue;
      }
      ({ responseId } = answer);
      for (const note of notes) this.#noted(note);
      this.#heardEnds = answer.completed.map(({ containerId }) => containerId);
      for (const { containerId, askId } of answer.allocations) this.#account.given(askId, containerId);
      for (const { containerId, askId = '', exitCode } of answer.completed) this.#ended(containerId, askId, exitCode);
      if (stopped() && this.#random.int(4) === 0) await sleep(50);
    }
    await this.#client.finish({ finalStatus: 'SUCCEEDED' });
    this.#account.finished(this.applicationId);
  }

  #register() {
    return this.#client.register({ host: 'localhost', rpcPort: -1, heardEnds: this.#heardEnds, registrationId: newRegistrationId() });
  }

  /** What is listed runs, or its end is told next; the rest is asked for again. Resolves to the number of its next call. */
  async #registerAgain(): Promise<number> {
    const { runningContainers, responseId = 0, notes } = await this.#register();
    this.#account.readNotes(this.applicationId, notes);
    // One whose call was not answered may be kept: then it is not said again.
    for (const note of notes) this.#noted(note);
    const listed = new Set(runningContainers.map(({ askId }) => askId));
    for (const { containerId, askId } of runningContainers) this.#account.given(askId, containerId);
    for (const askId of this.#open.keys()) if (!listed.has(askId) && !this.#account.isGiven(askId)) this.#fresh.add(askId);
    return responseId;
  }

  #noted(note: string): void {
    this.#unnoted.delete(note);
    this.#account.noted(this.applicationId, note);
  }

  #ask(askId: string) {
    const { exitCode, sleepSeconds } = this.#open.get(askId)!;
    const command = `${this.#script} ${askId} ${sleepSeconds} ${exitCode}`;
    const launch = { commands: [command], environment: {}, localResources: {}, serviceData: {} };
    return { askId, count: 1, priority: 1, resource: { memoryMiB: 128, vcores: 1 }, launch };
  }

  #ended(containerId: string, askId: string, exitCode: number): void {
    this.#account.given(askId, containerId);
    this.#account.told(containerId, exitCode);
    const work = this.#open.get(askId);
    if (!work) return;
    this.#open.delete(askId);
    this.#unnoted.add(`${askId} ended`);
    // What ended otherwise than by itself is tried again, as another request.
    if (exitCode === work.exitCode) return;
    const [piece = '', tries = '0'] = askId.split('.');
    this.#want(`${piece}.${Number(tries) + 1}`);
  }
}
