// An application master without a process of its own: it registers, asks, hears, gives back, finishes or dies as its habits and its crash
// points say. Its calls go over the network, and are made again until they are answered.
import type { Random } from '../../src/lib/random.ts';
import { formatContainerId, parseAttemptId } from '../../src/model/ids.ts';
import type { TakenRequest } from '../../src/resource-manager/cluster/masters.ts';
import type { AllocateResponse, Allocation } from '../../src/wire/cluster/master-protocol.ts';
import { type CallPorts, Calls, type Carry, Refused } from './calls.ts';
import type { Moment } from './crash-points.ts';
import type { Ledger } from './ledger.ts';
import { MasterAccount } from './master-account.ts';
import { allocate, type Caller, type FinalStatus, finishMaster, registerMaster } from './master-door.ts';
import type { Habits } from './master-kinds.ts';
import { nothingToRun } from './submissions.ts';
import { wantonRequest } from './wanton-requests.ts';

export interface MasterPorts extends Omit<CallPorts, 'isAlive' | 'failed' | 'mayCome'> {
  readonly random: Random;
  readonly ledger: Ledger;
  readonly habits: Habits;
  /** It comes to a point at which it may die; true: it dies there. */
  readonly reached: (effect: string, moment: Moment) => boolean;
  readonly trace: (what: () => string) => void;
  /** Whether its attempt goes on, as far as the resource manager knows that runs now. */
  readonly isWanted: () => boolean;
  /** Its process is over. */
  readonly exited: (exitCode: number) => void;
  /** Starts on its node what the resource manager was not told to start. */
  readonly startOnNode: (allocation: Allocation, master: SimulatedMaster) => void;
  /** The labels that a request of the application may name. */
  readonly mayUse: (label: string) => boolean;
}

/** Who it is; `containerId` undefined: it was not launched. */
export interface MasterIdentity extends Caller {
  readonly applicationId: string;
  readonly containerId: string | undefined;
}

/** Longer than a master may be silent, ms. */
const longestSilenceMs = 60_000;
/** Numbers of containers that nobody ever gives. */
const firstUnheardOf = 900_000;
/** So many of them are released at most: each release is answered, and who hears something asks again soon. */
const mostUnheardOf = 100;

interface Want {
  readonly count: number;
  readonly isLaunched: boolean;
  isAsked: boolean;
  isCancelled: boolean;
}

export class SimulatedMaster {
  readonly attemptId: string;
  readonly applicationId: string;
  readonly containerId: string | undefined;
  readonly account: MasterAccount;
  /** By ask: the labels that it named so far; undefined: none. */
  readonly labels = new Map<string, Set<string | undefined>>();
  state: 'new' | 'registered' | 'finished' | 'dead' = 'new';
  readonly #identity: MasterIdentity;
  readonly #ports: MasterPorts;
  readonly #calls: Calls;
  readonly #wants = new Map<string, Want>();
  #asksLeft: number;
  #callsMade = 0;
  /** Answers in a row that said nothing. */
  #silences = 0;
  #responseId = 0;
  #isCalm = false;
  /** It registered and has not heard since. */
  #listens = false;
  #avoided: string | undefined;
  #registrations = 0;
  /** The life of the resource manager with which it registered last. */
  #knownIn: number | undefined;
  readonly #toRelease = new Set<string>();
  #notes = 0;
  #unheardOf = 0;

  constructor(identity: MasterIdentity, ports: MasterPorts) {
    this.#identity = identity;
    ({ attemptId: this.attemptId, applicationId: this.applicationId, containerId: this.containerId } = identity);
    this.#ports = ports;
    this.#asksLeft = ports.habits.asks;
    this.account = new MasterAccount(ports.ledger, identity.applicationId, identity.attemptId);
    this.#calls = new Calls({
      ...ports,
      mayCome: ports.habits.isPlain ? 'once' : 'late',
      isAlive: () => this.alive,
      failed: (error) => ports.ledger.failures.push(error),
    });
  }

  get alive(): boolean {
    return this.state === 'new' || this.state === 'registered';
  }

  /** Its processes are gone. */
  killed(): void {
    if (!this.alive && this.state !== 'finished') return;
    this.state = 'dead';
    this.#calls.abandon();
  }

  /** Nothing new is wanted any more. */
  calm(): void {
    this.#isCalm = true;
  }

  /** What it still waits for, for the one who reads why it does not end. */
  waitsFor(): string {
    const open = [...this.#wants].filter(([askId, want]) => this.#missing(askId, want) > 0).map(([askId]) => askId);
    return `${this.attemptId} (${this.#ports.habits.name}, ${this.state}) waits for asks [${open}] and the ends of [${[...this.account.held.keys(), ...this.account.unheardOf]}]`;
  }

  /** From its first word to its last. */
  async live(): Promise<void> {
    const { habits, random } = this.#ports;
    try {
      await this.register();
      while (this.state === 'registered') {
        await this.#sleep(1 + Math.min(5000, random.int(habits.thinkMs) * 2 ** this.#silences));
        if (this.#callsMade > (habits.failsAfter ?? Number.POSITIVE_INFINITY) && !this.#isCalm) return this.#exit(1 + random.int(200));
        if (this.#oneIn(habits.oversleeps)) {
          await this.#sleep(longestSilenceMs + random.int(longestSilenceMs));
          await this.finish(habits.finalStatus);
          return this.#exit(0);
        }
        if (this.#isDone()) {
          await this.finish(habits.finalStatus);
          return this.#exit(0);
        }
        if (!(await this.#isAnswered(this.poll()))) {
          this.#calls.giveUp();
          await this.finish(habits.finalStatus);
          return this.#exit(0);
        }
      }
      this.#exit(1);
    } catch (error) {
      if (!(error instanceof Refused)) this.#ports.ledger.failures.push(error);
      else if (this.#ports.isWanted())
        this.#ports.ledger.violated(`${this.attemptId} goes on, and its master is refused: ${error.message} (P2)`);
      this.#exit(1);
    }
  }

  /** Whether a call is answered before it is given up. */
  #isAnswered(call: Promise<void>): Promise<boolean> {
    const answered = call.then(() => true);
    const { givesUpAfterMs } = this.#ports.habits;
    return givesUpAfterMs === undefined ? answered : Promise.race([answered, this.#sleep(givesUpAfterMs).then(() => false)]);
  }

  #exit(exitCode: number): void {
    if (this.state === 'dead') return;
    this.#ports.trace(() => `ends with ${exitCode}`);
    this.state = this.state === 'finished' ? 'finished' : 'dead';
    this.#calls.abandon();
    this.#ports.exited(exitCode);
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((done) => this.#ports.clock.setTimer(ms, () => this.alive && done()));
  }

  /** Makes a call, and dies around it where a crash point says so. */
  #call<T>(what: string, carry: Carry<T>, copies = 1): Promise<T> {
    this.#callsMade++;
    if (!this.#reach(`call ${what}`, 'before')) return new Promise(() => undefined);
    const called = this.#calls.make(what, carry, copies);
    this.#reach(`call ${what}`, 'after');
    return called;
  }

  #reach(effect: string, moment: Moment): boolean {
    if (this.alive && this.#ports.reached(effect, moment)) this.#exit(137);
    return this.alive;
  }

  // ---- registering

  /** Registers, again where it did before. */
  async register(): Promise<void> {
    const said = this.#ports.habits.isPlain
      ? { heardEnds: [], registrationId: undefined }
      : { heardEnds: this.account.heardEnds, registrationId: `registration ${++this.#registrations}` };
    const { answer, acknowledged } = await this.#call('register', async (manager) =>
      this.#made(await registerMaster(manager, this.#identity, said)),
    );
    this.#knownIn = answer.epoch;
    this.#ports.trace(() => `registered: ${JSON.stringify(answer)}`);
    if (!this.#reach('answer register', 'before')) return;
    this.state = 'registered';
    this.#ports.ledger.registered.add(this.attemptId);
    this.#responseId = answer.responseId;
    this.#listens = this.#ports.habits.listensFirst;
    for (const want of this.#wants.values()) want.isAsked = false;
    const news = this.account.registered(answer, acknowledged);
    if (this.#ports.habits.releasesUnknown) for (const id of news) this.#toRelease.add(id);
    for (const id of this.account.unheardOf) this.#toRelease.add(id);
    this.#notes = answer.notes.filter((note) => note.startsWith(`${this.attemptId} `)).length;
    this.#reach('answer register', 'after');
  }

  // ---- asking and hearing

  /** One call with all that it has to say, and its answer. */
  async poll(): Promise<void> {
    const { habits, random } = this.#ports;
    if (this.#oneIn(habits.registersAnew)) return this.#registerAnew();
    const request = habits.isWanton ? this.#wantonCall() : this.#plannedCall();
    const waitMs = this.#isCalm ? Math.min(1000, habits.waitMs) : random.int(habits.waitMs + 1);
    await this.#exchange(request, waitMs);
  }

  /** Gives a call up that waits for its answer: whatever became of it, the answer to the registration tells. */
  async #registerAnew(): Promise<void> {
    const { habits, random } = this.#ports;
    const request = habits.isWanton ? {} : { requests: this.#openRequests(), releases: [...this.#toRelease] };
    const call = { responseId: this.#responseId, ...request };
    const carry: Carry<unknown> = (manager, signal) => allocate(manager, this.#identity, call, habits.waitMs, signal);
    this.#call('allocate', carry).catch((error: unknown) => {
      if (!(error instanceof Refused)) this.#ports.ledger.failures.push(error);
    });
    await this.#sleep(random.int(2000));
    if (this.state === 'registered') await this.register();
  }

  /** Hears what there is, asking for nothing; registers before where it has to. */
  async listen(): Promise<void> {
    if (this.state === 'new') await this.register();
    if (this.state === 'registered') await this.#exchange({ responseId: this.#responseId }, 0);
  }

  async #exchange(request: TakenRequest, waitMs: number): Promise<void> {
    let epoch = -1;
    this.account.wishes(request.updates ?? []);
    const { answer, acknowledged } = await this.#call('allocate', async (manager, signal) => {
      epoch = manager.epoch;
      return this.#made(await allocate(manager, this.#identity, request, waitMs, signal));
    });
    if (answer.command === 'resync' && epoch === this.#knownIn)
      this.#ports.ledger.violated(`${this.attemptId} is to register again with whom it registered (P6)`);
    this.#ports.trace(() => `asked ${JSON.stringify(request)} and hears ${JSON.stringify(answer)}`);
    if (!this.#reach('answer allocate', 'before')) return;
    this.#take(request, answer, acknowledged);
    this.#reach('answer allocate', 'after');
    if (this.state === 'new') await this.register();
  }

  /** An answer on its way, with how many ends were acknowledged when it was made: another master may be there when it comes. */
  #made<T>(answer: T): { readonly answer: T; readonly acknowledged: number } {
    return { answer, acknowledged: this.account.acknowledged };
  }

  #take(request: TakenRequest, answer: AllocateResponse, acknowledged: number): void {
    const { ledger, habits } = this.#ports;
    if (answer.command !== undefined) {
      this.state = answer.command === 'shutdown' ? 'dead' : 'new';
      if (answer.command === 'shutdown') this.#ports.exited(1);
      return;
    }
    if (answer.responseId !== request.responseId + 1)
      ledger.violated(`${this.attemptId}: ${request.responseId} was answered with ${answer.responseId}`);
    this.#responseId = answer.responseId;
    this.#listens = false;
    for (const id of request.releases ?? []) this.#toRelease.delete(id);
    if (request.notes?.length) {
      this.#notes += request.notes.length;
      ledger.notes.set(this.applicationId, [...(ledger.notes.get(this.applicationId) ?? []), ...request.notes]);
    }
    if (request.blacklistAdditions || request.blacklistRemovals)
      ledger.avoided.set(this.attemptId, this.#avoided === undefined ? [] : [this.#avoided]);
    const isSilent = answer.allocations.length + answer.completed.length === 0;
    this.#silences = isSilent ? Math.min(8, this.#silences + 1) : 0;
    this.account.answered(answer, acknowledged);
    for (const { containerId } of answer.completed) this.#toRelease.delete(containerId);
    for (const allocation of answer.allocations) {
      const want = this.#wants.get(allocation.askId);
      if (habits.releasesUnknown && !want) this.#toRelease.add(allocation.containerId);
      const asked = want ? !want.isLaunched : request.requests?.some(({ askId, launch }) => askId === allocation.askId && !launch);
      if (asked) this.#ports.startOnNode(allocation, this);
    }
  }

  #wantonCall(): TakenRequest {
    const held = [...this.account.held.keys()];
    if (this.#isCalm) return { responseId: this.#responseId, requests: [], releases: held, cancels: [...this.labels.keys()] };
    const { random, mayUse } = this.#ports;
    const mayChange = (id: string): boolean => !this.account.isWishing(id) || random.int(4) === 0;
    return wantonRequest(random, this.#responseId, held, mayChange, mayUse, this.labels);
  }

  #plannedCall(): TakenRequest {
    const { habits, random } = this.#ports;
    if (this.#listens) return { responseId: this.#responseId };
    const requests = this.#openRequests();
    for (const id of this.account.held.keys()) if (this.#oneIn(habits.releases)) this.#toRelease.add(id);
    if (this.#unheardOf < mostUnheardOf && this.#oneIn(habits.releasesUnheardOf)) this.#releaseUnheardOf();
    return {
      responseId: this.#responseId,
      progress: random.next(),
      requests,
      releases: [...this.#toRelease],
      ...(this.#oneIn(habits.notes) ? { notes: [`${this.attemptId} ${this.#notes}`] } : {}),
      ...this.#avoid(this.#oneIn(habits.avoids)),
    };
  }

  /** Whether it does now what it does once in so many times; 0: never. */
  #oneIn(many: number): boolean {
    return many > 0 && !this.#isCalm && this.#ports.random.int(many) === 0;
  }

  /** What it wants and has not asked for, or asks for again. */
  #openRequests(): NonNullable<TakenRequest['requests']> {
    while (this.#asksLeft > 0 && (this.#wants.size === 0 || this.#isCalm || this.#ports.random.int(3) === 0)) this.#want();
    return [...this.#wants]
      .filter(([askId, want]) => !want.isAsked && this.#missing(askId, want) > 0)
      .map(([askId, want]) => {
        want.isAsked = true;
        const launch = want.isLaunched ? { launch: nothingToRun } : {};
        return { askId, priority: 1, resource: { memoryMiB: 256, vcores: 1 }, count: this.#missing(askId, want), ...launch };
      });
  }

  #releaseUnheardOf(): void {
    const id = formatContainerId({ ...parseAttemptId(this.attemptId), number: firstUnheardOf + ++this.#unheardOf });
    this.account.unheardOf.add(id);
    this.#toRelease.add(id);
  }

  #want(): void {
    const { habits, random, ledger } = this.#ports;
    this.#asksLeft--;
    const askId = `w${this.#wants.size}`;
    const count = 1 + random.int(3);
    const isLaunched = habits.startsItself === 0 || random.int(habits.startsItself) > 0;
    this.#wants.set(askId, { count, isLaunched, isAsked: false, isCancelled: false });
    ledger.wants(this.attemptId, askId, count);
  }

  #missing(askId: string, { count, isCancelled }: Want): number {
    return isCancelled ? 0 : Math.max(0, count - this.account.given(askId));
  }

  /** Avoids a node for a while; in the end none, also of those that the attempt before avoided. */
  #avoid(begins: boolean): Pick<TakenRequest, 'blacklistAdditions' | 'blacklistRemovals'> {
    const { ledger, random } = this.#ports;
    if (this.#isCalm && this.#avoided === undefined) return { blacklistRemovals: ['n0', 'n1', 'n2', 'n3'] };
    if (this.#avoided !== undefined && (this.#isCalm || random.int(3) === 0)) {
      const blacklistRemovals = [this.#avoided];
      this.#avoided = undefined;
      ledger.avoided.set(this.attemptId, undefined);
      return { blacklistRemovals };
    }
    if (!begins || this.#avoided !== undefined) return {};
    this.#avoided = `n${random.int(4)}`;
    ledger.avoided.set(this.attemptId, undefined);
    return { blacklistAdditions: [this.#avoided] };
  }

  // ---- finishing

  #isDone(): boolean {
    if (this.#ports.habits.isWanton) return this.#callsMade > 12 && (this.account.held.size === 0 || this.#ports.random.int(8) === 0);
    if (this.account.held.size > 0 || this.account.unheardOf.size > 0) return false;
    return (
      this.#asksLeft === 0 && [...this.#wants].every(([askId, want]) => this.#missing(askId, want) === 0) && this.#avoided === undefined
    );
  }

  /** Resolves to whether the end was acknowledged. */
  async finish(finalStatus: FinalStatus): Promise<boolean> {
    try {
      const copies = this.#ports.habits.finishesTwice ? 2 : 1;
      await this.#call('finish', (manager) => finishMaster(manager, this.#identity, finalStatus), copies);
    } catch (error) {
      if (error instanceof Refused) return false;
      throw error;
    }
    if (!this.#reach('answer finish', 'before')) return false;
    this.#ports.trace(() => `finished ${finalStatus}`);
    this.state = 'finished';
    this.#ports.ledger.acknowledgeEnd(this.applicationId);
    this.#reach('answer finish', 'after');
    return true;
  }
}
