// Asks the resource manager for containers and hears of their ends, in a loop of long polls that new requests interrupt.
import { type MasterClient, MasterRefused, newRegistrationId } from '../../client/master-client.ts';
import type { Logger } from '../../lib/log.ts';
import type { AllocateRequest, Allocation, CompletedContainer, RegisterRequest } from '../../wire/cluster/master-protocol.ts';
import { hostOfNode, type NodeAvoidance } from './node-avoidance.ts';
import type { Headroom } from './reduce-preemption.ts';

type Ask = NonNullable<AllocateRequest['asks']>[number];

/** A container and the request that it was given for. */
export type GivenContainer = Pick<Allocation, 'containerId' | 'askId' | 'nodeId' | 'nodeHttpAddress'>;

export interface ContainerRequestsOptions {
  /** The resource manager; calls are repeated inside while it does not answer. */
  readonly client: Pick<MasterClient, 'allocate' | 'register'>;
  /** What it says of itself when it registers again. */
  readonly registration: RegisterRequest;
  readonly logger: Logger;
  readonly avoidance: NodeAvoidance;
  readonly progress: () => number;
  /** A new container; answers false where it is not wanted and to be given back. */
  readonly allocated: (container: GivenContainer) => boolean;
  readonly completed: (container: CompletedContainer) => void;
  /** What was asked for cannot be had, now or later; it is not asked for any more. */
  readonly refused: (reason: string) => void;
  /** The resource manager wants this master to end. */
  readonly shutdown: () => void;
  /** After each answer. */
  readonly changed: () => void;
}

/** Short enough that the progress shown by the resource manager is fresh. */
const longPollMs = 3000;
const badRequest = 400;
/** What one call says of each kind at most: the resource manager takes no more at a time, so that others need not wait for it. */
const mostOfCall = 5000;

/** The open requests of one master; each is for one container. */
export class ContainerRequests {
  readonly #options: ContainerRequestsOptions;
  readonly #open = new Map<string, Ask>();
  /** Containers of this master that are not over. */
  readonly #held = new Set<string>();
  #asks: Ask[] = [];
  #cancels: string[] = [];
  #releases: string[] = [];
  /** Whose ends the last answer told: after a restart of the resource manager they are not told again. */
  #heardEnds: readonly string[] = [];
  #responseId = 0;
  #polling: AbortController | undefined;
  /** What this application could still be given, as last heard. */
  headroom: Headroom = { memoryMiB: Number.MAX_SAFE_INTEGER, vcores: Number.MAX_SAFE_INTEGER };
  #stopped = false;
  #wanted = false;

  constructor(options: ContainerRequestsOptions) {
    this.#options = options;
  }

  /** Whether a container may still be told of by the resource manager or is held already. */
  mayCome(containerId: string): boolean {
    return this.#held.has(containerId) || this.#open.size > 0;
  }

  /** Asks for one container; `askId` names the request in its allocation. */
  ask(ask: Ask): void {
    this.#open.set(ask.askId, ask);
    this.#asks.push(ask);
    this.#interrupt();
  }

  cancel(askId: string): void {
    if (!this.#open.delete(askId)) return;
    this.#asks = this.#asks.filter((ask) => ask.askId !== askId);
    this.#cancels.push(askId);
    this.#interrupt();
  }

  release(containerId: string): void {
    this.#releases.push(containerId);
    this.#interrupt();
  }

  /** An attempt failed on a node: after some failures its host is avoided. */
  failedOn(nodeId: string): void {
    const { avoidance, logger } = this.#options;
    if (!avoidance.failedOn(nodeId)) return;
    logger.warn({ host: hostOfNode(nodeId), avoided: avoidance.hosts }, 'too many attempts failed on this host');
    this.#interrupt();
  }

  /** Ends a waiting poll, so that new requests are sent at once: all of this turn of the event loop go together. */
  #interrupt(): void {
    if (this.#wanted) return;
    this.#wanted = true;
    setImmediate(() => {
      this.#wanted = false;
      this.#polling?.abort();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#polling?.abort();
  }

  /** Runs until `stop` or `shutdown`; `responseId`: by which the calls begin, as the registration's answer said. Throws where the resource manager refuses this master. */
  async run(responseId = 0): Promise<void> {
    const { client, progress, completed, refused, changed, shutdown, logger, avoidance } = this.#options;
    this.#responseId = responseId;
    // Repeated unchanged until it is answered: an interrupted poll may have been carried out.
    let pending: AllocateRequest | undefined;
    while (!this.#stopped) {
      if (pending === undefined) {
        pending = {
          responseId: this.#responseId,
          progress: progress(),
          ...this.#nextPart(),
          ...avoidance.takeNews(),
        };
      }
      const more = this.#asks.length + this.#cancels.length + this.#releases.length > 0;
      const polling = new AbortController();
      this.#polling = polling;
      let answer: Awaited<ReturnType<MasterClient['allocate']>>;
      try {
        answer = await client.allocate(pending, more ? 0 : longPollMs, polling.signal);
      } catch (error) {
        if (polling.signal.aborted) continue;
        // The resource manager carries a call out as a whole or not at all.
        const isOfAsks = error instanceof MasterRefused && error.status === badRequest && (pending.asks?.length ?? 0) > 0;
        if (!isOfAsks) throw error;
        for (const { askId } of pending.asks ?? []) this.#open.delete(askId);
        pending = { ...pending, asks: [] };
        refused(error.reason);
        continue;
      } finally {
        this.#polling = undefined;
      }
      if (answer.command === 'resync') {
        pending = await this.#resync(pending);
        continue;
      }
      pending = undefined;
      this.#responseId = answer.responseId;
      // Hosts are what is avoided: several nodes of one machine (`heddle up --nodes`) are one of them.
      const hosts = answer.clusterHosts ?? answer.clusterNodes;
      if (hosts !== undefined) avoidance.clusterHas(hosts);
      this.headroom = answer.headroom ?? this.headroom;
      if (answer.command === 'shutdown') {
        logger.warn('the resource manager wants this master to end');
        shutdown();
        return;
      }
      this.#heardEnds = answer.completed.map(({ containerId }) => containerId);
      for (const allocation of answer.allocations) this.#given(allocation);
      for (const container of answer.completed) {
        this.#held.delete(container.containerId);
        completed(container);
      }
      changed();
    }
  }

  /** What is to be said next, the earliest first. */
  #nextPart(): Required<Pick<AllocateRequest, 'asks' | 'cancels' | 'releases'>> {
    return {
      asks: this.#asks.splice(0, mostOfCall),
      cancels: this.#cancels.splice(0, mostOfCall),
      releases: this.#releases.splice(0, mostOfCall),
    };
  }

  /** What came for a host that is avoided by now is given back, and asked for again. */
  #given(allocation: GivenContainer): void {
    const ask = this.#open.get(allocation.askId);
    if (ask !== undefined && this.#options.avoidance.avoids(allocation.nodeId)) {
      this.#asks.push(ask);
      this.release(allocation.containerId);
    } else if (!this.#take(allocation)) this.release(allocation.containerId);
  }

  /** A container is this master's from now on; false where it is not wanted. */
  #take(container: GivenContainer): boolean {
    this.#open.delete(container.askId);
    this.#held.add(container.containerId);
    return this.#options.allocated(container);
  }

  /**
   * After a restart of the resource manager: registers again, takes over what was given meanwhile, and repeats every request that is still
   * open. What was given for no open request goes back; so does what is held and not listed, whose end is told then.
   */
  async #resync(pending: AllocateRequest): Promise<AllocateRequest> {
    const { client, registration } = this.#options;
    const { runningContainers, responseId = 0 } = await client.register({
      ...registration,
      registrationId: newRegistrationId(),
      heardEnds: [...this.#heardEnds],
    });
    const listed = new Set(runningContainers.map(({ containerId }) => containerId));
    const unlisted = [...this.#held].filter((containerId) => !listed.has(containerId));
    const unwanted = runningContainers
      .filter(({ containerId }) => !this.#held.has(containerId))
      .filter((container) => !this.#open.has(container.askId) || !this.#take(container))
      .map(({ containerId }) => containerId);
    // Every open request is repeated; cancellations of others mean nothing to the restarted manager.
    this.#asks = [...this.#open.values()];
    this.#cancels = [];
    this.#releases = [...(pending.releases ?? []), ...unwanted, ...unlisted, ...this.#releases];
    this.#options.avoidance.tellAgain();
    return {
      ...this.#options.avoidance.takeNews(),
      responseId,
      progress: pending.progress,
      ...this.#nextPart(),
    };
  }
}
