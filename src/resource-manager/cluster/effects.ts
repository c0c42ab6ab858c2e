// What a change of the cluster leaves to be done: writes, messages to nodes, news for observers, and what it wakes. A change only collects
// them here; they are carried out after it, one by one, by the one executor below. Nothing of the cluster writes, sends or tells by itself. What is
// answered waits for its write (docs/protocol.md, P1).
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { Timers } from '../../lib/timers.ts';
import type { NodeResource } from '../../wire/cluster/container-messages.ts';
import type { NodeCommand } from '../../wire/cluster/node-channel.ts';
import type { Application, FinalTarget } from '../applications/application.ts';
import type { Container } from '../applications/container.ts';
import type { TakenKey } from '../applications/submission-keys.ts';
import type { LeavingNode } from '../nodes/membership.ts';
import type { NumberedNote, OpportunisticTotals, ToldIn } from '../store/resource-manager-store.ts';
import { type ClusterObserver, type Publication, tell } from './observer.ts';

/** What is written; its text is made when the effect is carried out, and again for each try. */
export type Write =
  /** A live application as it is; with the key under which it was submitted. */
  | { readonly kind: 'live'; readonly application: Application; readonly key?: Pick<TakenKey, 'kept' | 'dropped'> | undefined }
  /** Submissions that were refused, and may have been written: nothing of them is kept. */
  | { readonly kind: 'refusedSubmissions'; readonly applicationIds: readonly string[] }
  /** An application as it will be shown once it ended with the target. */
  | { readonly kind: 'end'; readonly application: Application; readonly target: FinalTarget }
  /** An ended application as it is; others were told of the end in the same turn, or before. */
  | { readonly kind: 'ended'; readonly application: Application }
  /** What a master wants remembered. */
  | { readonly kind: 'notes'; readonly applicationId: string; readonly notes: readonly NumberedNote[] }
  /** A container that was given to a master. */
  | { readonly kind: 'container'; readonly container: Container }
  /** One of those that is of another size or type now. */
  | { readonly kind: 'containerChanged'; readonly container: Container; readonly application: Application }
  /** Containers whose end an answer is about to tell. */
  | { readonly kind: 'endsTold'; readonly application: Application; readonly containerIds: readonly string[]; readonly toldIn: ToldIn }
  /** Containers whose end their master has heard, or never will: nothing of them is kept any more. `application` undefined: nobody knows it. */
  | {
      readonly kind: 'containersHeard';
      readonly applicationId: string;
      readonly application: Application | undefined;
      readonly containerIds: readonly string[];
    }
  /** A node on its way out. */
  | { readonly kind: 'leavingNode'; readonly node: LeavingNode }
  /** A node that is on its way out no longer. */
  | { readonly kind: 'stayingNode'; readonly nodeId: string }
  /** The size that an administrator gave a node; undefined: none any more. */
  | { readonly kind: 'nodeSize'; readonly nodeId: string; readonly resource: NodeResource | undefined }
  /** How many opportunistic containers were ever given and ended. */
  | { readonly kind: 'opportunisticCounts'; readonly counts: OpportunisticTotals }
  /** Ended applications that retention no longer covers go: those before `beforeMs`, then the oldest beyond `count`. */
  | { readonly kind: 'trim'; readonly beforeMs: number; readonly count: number };

/** What follows a write. Each of the two runs as a change of its own. */
export interface WriteAnswer {
  /** The write is durable. */
  stored?(): void;
  /** It failed; `again`: it is logged and tried again after a second, for as long as that is the answer. */
  failed(error: unknown): 'again' | 'given up';
}

/** The way to one node. */
export type NodeSender = (command: NodeCommand) => void;

/** Something that waits inside this process; `wake` is undefined while nothing waits. */
export interface Sleeper {
  wake: (() => void) | undefined;
}

export type Effect =
  | { readonly kind: 'persist'; readonly write: Write; readonly answer: WriteAnswer }
  | { readonly kind: 'send'; readonly nodeId: string; readonly sender: NodeSender; readonly command: NodeCommand }
  | { readonly kind: 'publish'; readonly publication: Publication }
  | { readonly kind: 'wake'; readonly sleeper: Sleeper };

/** What the executor works with. */
export interface EffectPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Begins a write; resolves when it is durable. */
  readonly write: (write: Write) => Promise<void>;
  readonly observers: readonly ClusterObserver[];
  /** Runs around each effect. Absent: it is just carried out. */
  readonly around?: ((effect: Effect, carryOut: () => void) => void) | undefined;
  /** Hears of each command that goes to a node. */
  readonly sent?: (command: NodeCommand) => void;
}

/** How soon what could not be stored is stored again. */
const writeRetryMs = 1000;

/**
 * Collects the effects of one change and carries them out after it: first the writes (begun in their order; what depends on one being
 * durable continues from its answer, as a change of its own), then what nodes are sent, then what observers hear, then what is woken, each
 * in the order in which the change left them. So a node hears commands in the order of the changes, and observers hear each change once.
 */
export class Effects {
  /** The scheduler: woken like a waiting poll. */
  readonly scheduler: Sleeper = { wake: undefined };
  readonly #ports: EffectPorts;
  readonly #observers: ClusterObserver[];
  readonly #timers: Timers;
  readonly #senders = new Map<string, NodeSender>();
  #writes: Effect[] = [];
  #sends: Effect[] = [];
  #publications: Effect[] = [];
  #wakes: Effect[] = [];
  #wakesScheduler = false;
  readonly #schedulerWake: Effect = { kind: 'wake', sleeper: this.scheduler };
  #faults: unknown[] = [];
  #changing = false;
  #carryingOut = false;
  #changes = 0;
  #retries = 0;
  #closed = false;

  constructor(ports: EffectPorts) {
    this.#ports = ports;
    this.#observers = [...ports.observers];
    this.#timers = new Timers(ports.clock);
  }

  /** Runs one change of the cluster, without a pause, and carries out what it left. Inside another change it is part of that. */
  change<T>(run: () => T): T {
    if (this.#changing) return run();
    this.#changing = true;
    this.#changes++;
    try {
      return run();
    } finally {
      this.#changing = false;
      this.#carryOut();
    }
  }

  /** How many changes there were. While it is the same, nothing of the cluster changed. */
  get changes(): number {
    return this.#changes;
  }

  /** A timer whose run is a change. */
  timers(): Timers {
    const { clock } = this.#ports;
    return new Timers({ setTimer: (delayMs, run) => clock.setTimer(delayMs, () => this.change(run)) });
  }

  // ---- what a change leaves

  persist(write: Write, answer: WriteAnswer): void {
    this.#mustBeChanging();
    this.#writes.push({ kind: 'persist', write, answer });
  }

  /** Persists once; resolves when durable, rejects when the write fails. */
  durable(write: Write): Promise<void> {
    return this.follow(write, () => undefined);
  }

  /**
   * Persists once, and does `stored` when it is durable, as a change of its own: resolves to what that gives. Rejects when the write fails;
   * then nothing is done.
   */
  follow<T>(write: Write, stored: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.persist(write, {
        stored: () => resolve(stored()),
        failed(error) {
          reject(error as Error);
          return 'given up';
        },
      });
    });
  }

  /** To the node, if it has a channel now; false where it has none. It arrives when its connection is up, unless the session is given up before. */
  send(nodeId: string, command: NodeCommand): boolean {
    const sender = this.#senders.get(nodeId);
    if (!sender) return false;
    this.sendBy(sender, nodeId, command);
    return true;
  }

  /** By a channel of which the node may not be part of the cluster (yet). */
  sendBy(sender: NodeSender, nodeId: string, command: NodeCommand): void {
    this.#mustBeChanging();
    this.#sends.push({ kind: 'send', nodeId, sender, command });
  }

  publish(publication: Publication): void {
    this.#mustBeChanging();
    this.#publications.push({ kind: 'publish', publication });
  }

  wake(sleeper: Sleeper): void {
    this.#mustBeChanging();
    this.#wakes.push({ kind: 'wake', sleeper });
  }

  /** Something changed that may let the scheduler decide. */
  wakeScheduler(): void {
    this.#mustBeChanging();
    this.#wakesScheduler = true;
  }

  // ---- channels and observers

  /** The channel over which the node is reached from now on; undefined: none. */
  connect(nodeId: string, sender: NodeSender | undefined): void {
    if (sender) this.#senders.set(nodeId, sender);
    else this.#senders.delete(nodeId);
  }

  /** The channel of the node; undefined: it has none. */
  sender(nodeId: string): NodeSender | undefined {
    return this.#senders.get(nodeId);
  }

  /** Whether the node has a channel now. */
  isConnected(nodeId: string): boolean {
    return this.#senders.has(nodeId);
  }

  /** Whether that is the node's channel. */
  isConnectedBy(nodeId: string, sender: NodeSender): boolean {
    return this.#senders.get(nodeId) === sender;
  }

  /** Hears of changes from now on, after those who do already. */
  observe(observer: ClusterObserver): void {
    this.#observers.push(observer);
  }

  /** Carries out nothing any more that a timer would begin. */
  close(): void {
    this.#closed = true;
    this.#timers.close();
  }

  // ---- the executor

  #mustBeChanging(): void {
    if (!this.#changing) throw new Error('an effect was left outside of a change');
  }

  #carryOut(): void {
    // An observer that changes something itself: what that leaves comes after what is being carried out.
    if (this.#carryingOut) return;
    this.#carryingOut = true;
    try {
      while (this.#isLeft()) this.#carryOutOnce();
    } finally {
      this.#carryingOut = false;
    }
    if (this.#faults.length > 0) throw this.#faults.splice(0)[0];
  }

  #isLeft(): boolean {
    return (
      this.#writes.length > 0 || this.#sends.length > 0 || this.#publications.length > 0 || this.#wakes.length > 0 || this.#wakesScheduler
    );
  }

  #carryOutOnce(): void {
    const writes = this.#writes;
    const sends = this.#sends;
    const publications = this.#publications;
    const wakes = this.#wakes;
    const wakesScheduler = this.#wakesScheduler;
    if (writes.length > 0) this.#writes = [];
    if (sends.length > 0) this.#sends = [];
    if (publications.length > 0) this.#publications = [];
    if (wakes.length > 0) this.#wakes = [];
    this.#wakesScheduler = false;
    for (const effect of writes) this.#perform(effect);
    for (const effect of sends) this.#perform(effect);
    for (const effect of publications) this.#perform(effect);
    for (const effect of wakes) this.#perform(effect);
    if (wakesScheduler) this.#perform(this.#schedulerWake);
  }

  /** What fails keeps nothing else from being done. */
  #perform(effect: Effect): void {
    const { around } = this.#ports;
    try {
      if (around) around(effect, () => this.#performNow(effect));
      else this.#performNow(effect);
    } catch (error) {
      this.#faults.push(error);
    }
  }

  #performNow(effect: Effect): void {
    switch (effect.kind) {
      case 'persist':
        this.#write(effect);
        return;
      case 'send':
        effect.sender(effect.command);
        this.#ports.sent?.(effect.command);
        return;
      case 'publish':
        for (const observer of this.#observers) tell(observer, effect.publication);
        return;
      case 'wake':
        effect.sleeper.wake?.();
    }
  }

  #write(effect: Extract<Effect, { kind: 'persist' }>): void {
    const { write, logger } = this.#ports;
    const { answer } = effect;
    write(effect.write).then(
      () => this.change(() => answer.stored?.()),
      (error: unknown) =>
        this.change(() => {
          if (answer.failed(error) === 'given up' || this.#closed) return;
          logger.error(
            { err: error, write: effect.write.kind, ...subjectOf(effect.write) },
            'a change could not be stored; it is tried again',
          );
          this.#timers.set(`write ${++this.#retries}`, writeRetryMs, () => this.change(() => this.#writes.push(effect)));
        }),
    );
  }
}

function subjectOf(write: Write): { applicationId?: string } {
  if ('application' in write && write.application) return { applicationId: write.application.id };
  if ('container' in write) return { applicationId: write.container.applicationId };
  return 'applicationId' in write ? { applicationId: write.applicationId } : {};
}
