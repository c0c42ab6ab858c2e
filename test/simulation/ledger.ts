// What everybody may rely on for ever, kept beside the cluster: what was acknowledged, which containers began where, what masters were told.
// What breaks a promise is noted the moment it happens.
import type { SimulatedContainer } from './simulated-container.ts';

/** What a container was when a master was last told of it; undefined: nobody knows. */
export interface ToldSize {
  readonly executionType: string | undefined;
  readonly memoryMiB: number | undefined;
  /** Wishes to change it that were not answered yet. */
  readonly wishes: number;
}

/** What one application's masters were told of its containers, over all attempts. */
export interface ToldContainers {
  /** By container. */
  readonly sizes: Map<string, ToldSize>;
  /** By container: the attempt whose master was told that it has it. */
  readonly given: Map<string, string>;
  /** By container that ended: as which of all the ends a master acknowledged that it was told; undefined: not yet. */
  readonly ended: Map<string, { acknowledgement: number | undefined }>;
  /** How many ends were acknowledged. */
  acknowledged: number;
}

/** What was acknowledged of an application that may change; undefined while a change is under way: either may hold. */
export interface AcknowledgedApplication {
  priority?: number | undefined;
  queue?: string | undefined;
  expiryMs?: number | undefined;
}

/** Orders about something that are under way: only of one that was alone is it known that it holds once it is acknowledged. */
export class Latest {
  readonly #open = new WeakMap<object, Map<string, { count: number; areMixed: boolean }>>();

  /** An order begins; once it is over the answer says whether it was alone all the time: of orders at once any may be the last. */
  begin(about: object, name: string): () => boolean {
    const byName = this.#open.get(about) ?? new Map<string, { count: number; areMixed: boolean }>();
    this.#open.set(about, byName);
    const own = byName.get(name) ?? { count: 0, areMixed: false };
    byName.set(name, own);
    own.areMixed = own.count > 0;
    own.count++;
    return () => {
      own.count--;
      return !own.areMixed;
    };
  }
}

export class Ledger {
  /** Begins anew with each life of the resource manager: what was under way in the one before is answered by nobody. */
  latest = new Latest();
  readonly submitted = new Set<string>();
  /** Ended for certain; the state once it was seen. */
  readonly ended = new Map<string, string | undefined>();
  /** By application: notes whose call was answered. */
  readonly notes = new Map<string, string[]>();
  /** By application. */
  readonly changed = new Map<string, AcknowledgedApplication>();
  /** By attempt: places that its master avoids; undefined while a change is under way. */
  readonly avoided = new Map<string, readonly string[] | undefined>();
  /** By node: whether it is drained; undefined while a change is under way. */
  readonly drained = new Map<string, boolean | undefined>();
  /** By node: what an administrator gave it, MiB; undefined while a change is under way. */
  readonly sizes = new Map<string, number | undefined>();
  /** Labels, by name: whether they are there; undefined while a change is under way. */
  readonly labels = new Map<string, boolean | undefined>();
  /** By node: its label. */
  readonly nodeLabels = new Map<string, string | undefined>();
  /** By reservation: until when it is there for certain, ms since the epoch; 0: it was deleted. */
  readonly reservations = new Map<string, number | undefined>();
  /** Attempts of which it was acknowledged that they are over. */
  readonly failedAttempts = new Set<string>();
  /** The latest version of the queues that was acknowledged. */
  queueVersion = 0;
  /** By application: containers of masters that began. */
  readonly masterStarts = new Map<string, number>();
  readonly failures: unknown[] = [];
  /** How often things happened: a history in which nothing does proves nothing. */
  readonly seen = new Map<string, number>();
  /** Takes a line for everything that happens, for the one who reads how a history went. */
  trace: ((line: string) => void) | undefined;
  readonly #launched = new Map<string, string>();
  readonly #gone = new Set<string>();
  /** By attempt: the container of its master. */
  readonly #masters = new Map<string, string>();
  /** Attempts whose master was answered that it is registered. */
  readonly registered = new Set<string>();
  readonly #told = new Map<string, ToldContainers>();
  /** By attempt and request: how many containers may begin for it at most. */
  readonly #wanted = new Map<string, number>();
  readonly #begun = new Map<string, number>();

  /** A promise is broken. */
  violated(what: string): void {
    this.failures.push(new Error(what));
  }

  count(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }

  /** The end of an application was told to an observer. */
  acknowledgeEnd(id: string): void {
    if (!this.ended.has(id)) this.ended.set(id, undefined);
  }

  told(applicationId: string): ToldContainers {
    let told = this.#told.get(applicationId);
    if (!told) this.#told.set(applicationId, (told = { sizes: new Map(), given: new Map(), ended: new Map(), acknowledged: 0 }));
    return told;
  }

  /** What masters were told, by application. */
  get toldContainers(): Iterable<ToldContainers> {
    return this.#told.values();
  }

  /** The master of an attempt wants so many containers for a request, never more. */
  wants(attemptId: string, askId: string, count: number): void {
    this.#wanted.set(`${attemptId} ${askId}`, count);
  }

  /** How many its master wants at most; undefined: nobody knows. */
  wanted(attemptId: string, askId: string): number | undefined {
    return this.#wanted.get(`${attemptId} ${askId}`);
  }

  /** Processes of a container begin on a node. */
  launched({ id, applicationId, order }: SimulatedContainer, nodeId: string): void {
    this.trace?.(`${nodeId} launches ${id}`);
    const before = this.#launched.get(id);
    if (before !== undefined) this.violated(`${id} began on ${before} and again on ${nodeId} (P5)`);
    this.#launched.set(id, nodeId);
    if (order.isMaster) this.#masterBegan(applicationId, order.attemptId, id);
    const request = `${order.attemptId} ${order.askId}`;
    const most = this.#wanted.get(request);
    const begun = (this.#begun.get(request) ?? 0) + 1;
    this.#begun.set(request, begun);
    if (most !== undefined && begun > most)
      this.violated(`${id} is one more for ask ${order.askId} of ${order.attemptId}, which wanted ${most} (P4)`);
  }

  /** An attempt has one master, whatever died (P3). */
  #masterBegan(applicationId: string, attemptId: string, id: string): void {
    const before = this.#masters.get(attemptId);
    if (before !== undefined) this.violated(`${id} is a second master of ${attemptId}, after ${before} (P3)`);
    this.#masters.set(attemptId, id);
    this.masterStarts.set(applicationId, (this.masterStarts.get(applicationId) ?? 0) + 1);
  }

  gone(containerId: string): void {
    this.trace?.(`${containerId} is gone`);
    this.#gone.add(containerId);
  }

  /** Whether processes of the container run now. */
  isRunning(containerId: string): boolean {
    return this.#launched.has(containerId) && !this.#gone.has(containerId);
  }
}
