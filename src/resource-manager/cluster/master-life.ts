// The master protocol's state: what each registered master has asked for, what it must still be told, and its waiting poll.

import { containerToken } from '../../auth/container-token.ts';
import { exitStatus } from '../../model/exit-status.ts';
import { applicationIdOfContainer } from '../../model/ids.ts';
import type { PlacementConstraint } from '../../model/placement-constraint.ts';
import type { ContainerReport } from '../../wire/cluster/container-messages.ts';
import type { LaunchContext } from '../../wire/cluster/launch-context.ts';
import {
  type AllocateRequest,
  type AllocateResponse,
  type CompletedContainer,
  mostNotesCharacters,
} from '../../wire/cluster/master-protocol.ts';
import { type Application, type Attempt, type Container, currentAttempt } from '../applications/application.ts';
import { isEndedAttempt } from '../applications/attempt-states.ts';
import { releasedByMaster } from '../applications/diagnostics.ts';
import type { Cluster } from '../cluster.ts';
import type { RegisteredMaster } from './attempt-life.ts';
import { nodeResource, resourceOf } from './node-resource.ts';

/** A heartbeat of masters in Hadoop. */
const placementPaceMs = 1000;

/** A checked request: constraints are read. */
export type TakenRequest = Omit<AllocateRequest, 'asks'> & {
  readonly requests?: readonly (Omit<NonNullable<AllocateRequest['asks']>[number], 'launch' | 'placementConstraint'> & {
    readonly launch?: LaunchContext;
    readonly placementConstraint?: PlacementConstraint | undefined;
  })[];
};

/** What is kept for one master between its calls; lost with the process, after which it is told to ask again. */
interface Session {
  readonly launches: Map<string, LaunchContext>;
  /** By allocation tag: what was registered for asks with the tag. */
  constraints: ReadonlyMap<string, PlacementConstraint>;
  allocations: Container[];
  updated: Container[];
  updateErrors: { readonly containerId: string; readonly reason: string }[];
  /** By ask: answers since it was asked in which it had no place. */
  readonly tries: Map<string, number>;
  completed: CompletedContainer[];
  lastResponse: AllocateResponse | undefined;
  /** The master asked again after the last answer: it has it. */
  heard: boolean;
  /** The request whose asks were taken and which is not answered yet: the same one again changes nothing. */
  taken: string | undefined;
  /** Resolves when the notes of that request are durable. */
  kept: Promise<void> | undefined;
  wake: (() => void) | undefined;
}

/** How soon what could not be stored is stored again. */
const storeRetryMs = 1000;
const charactersOf = (notes: readonly string[]): number => notes.reduce((sum, note) => sum + note.length, 0);

/** The masters' side of the cluster; created and called by the cluster only. */
export class MasterLife {
  readonly #cluster: Cluster;
  readonly #sessions = new Map<string, Session>();
  /** By application: ended containers that its last master may not have heard of. */
  readonly #unheard = new Map<string, CompletedContainer[]>();
  /** By application: characters of the notes kept for it. */
  readonly #noteSizes = new Map<string, number>();
  /** By application: containers of earlier processes whose end was told. */
  readonly #heardEnds = new Map<string, Set<string>>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Begins (again) to talk with a master: what it asked before is forgotten, it asks anew. */
  open(attempt: Attempt): void {
    const former = this.#sessions.get(attempt.id);
    former?.wake?.();
    // The answer to the registration lists what it holds.
    const application = this.#cluster.applications.get(attempt.applicationId);
    if (application) for (const container of former?.allocations ?? []) this.#cluster.containers.acquired(application, container);
    this.#sessions.set(attempt.id, {
      launches: new Map(),
      constraints: former?.constraints ?? new Map(),
      allocations: [],
      updated: [],
      updateErrors: [],
      tries: new Map(),
      completed: former?.completed ?? [],
      lastResponse: undefined,
      heard: false,
      taken: undefined,
      kept: undefined,
      wake: undefined,
    });
    attempt.responseId = 0;
  }

  /** Ends the talk; a waiting poll is answered. */
  close(attemptId: string): void {
    const session = this.#sessions.get(attemptId);
    this.#cluster.opportunistic.forget(attemptId);
    if (!session) return;
    this.#sessions.delete(attemptId);
    const unheard = [...(session.heard ? [] : (session.lastResponse?.completed ?? [])), ...session.completed];
    const applicationId = this.#cluster.attemptIndex.get(attemptId)?.id;
    if (applicationId !== undefined && unheard.length > 0) this.#unheard.set(applicationId, unheard);
    session.wake?.();
  }

  /** A next attempt takes over what runs: it hears of the ends that the one before may have missed. */
  inherit(applicationId: string, attemptId: string): void {
    const unheard = this.#unheard.get(applicationId);
    this.#unheard.delete(applicationId);
    if (unheard) this.#cluster.earlyReports.set(attemptId, unheard);
  }

  /** The master registered (again after a restart of either side): it hears what it missed and asks anew. Resolves when durable. */
  register(application: Application, attempt: Attempt, at: RegisteredMaster): Promise<void> | undefined {
    const stored = this.#cluster.attempts.register(application, attempt, at);
    if (!stored) return undefined;
    this.open(attempt);
    if (at.constraints) this.#sessions.get(attempt.id)!.constraints = at.constraints;
    this.cancelRequests(application, attempt);
    this.#deliverEarly(attempt);
    return stored;
  }

  /** Nothing more is given for what was asked. */
  cancelRequests(application: Application, attempt: Attempt): void {
    const { policy, opportunistic } = this.#cluster;
    opportunistic.forget(attempt.id);
    policy.updateRequests(
      attempt.id,
      [],
      policy.usage(application.id)?.requests.map(({ requestId, purpose }) => purpose ?? requestId) ?? [],
    );
  }

  /** A container for one of the master's asks: started at once when the ask says what runs. */
  allocated(application: Application, attempt: Attempt, container: Container): void {
    const session = this.#sessions.get(attempt.id);
    if (!session || attempt.state !== 'RUNNING')
      return this.#cluster.containers.kill(container, exitStatus.killedByResourceManager, 'Container killed by the ResourceManager');
    const launch = session.launches.get(container.requestId);
    if (launch) this.#cluster.containers.start(application, container, launch);
    session.allocations.push(container);
    session.wake?.();
  }

  /** A container of the master is of another type or size now. */
  updated(attemptId: string, container: Container): void {
    const session = this.#sessions.get(attemptId);
    session?.updated.push(container);
    session?.wake?.();
  }

  /** A container of the master is over. */
  completed(attemptId: string, container: Container): void {
    const { id, requestId, exitCode, diagnostics, createdMs, startedMs, finishedMs, nodeId, nodeHttpAddress, priority, resource } =
      container;
    this.#tellEnd(attemptId, {
      containerId: id,
      askId: requestId,
      nodeId,
      nodeHttpAddress,
      state: 'COMPLETE',
      exitCode,
      diagnostics,
      createdTime: createdMs,
      startedTime: startedMs,
      finishedTime: finishedMs,
      priority,
      resource: nodeResource(resource, this.#cluster.types),
    });
  }

  /** For the next answer; for the next registration where the master has not come (back) yet. */
  #tellEnd(attemptId: string, report: CompletedContainer): void {
    const session = this.#sessions.get(attemptId);
    if (session) {
      session.completed.push(report);
      session.wake?.();
      return;
    }
    const { earlyReports } = this.#cluster;
    const attempt = this.#cluster.findAttempt(attemptId)?.attempt;
    if (!attempt || isEndedAttempt[attempt.state] || attempt.state === 'FINAL_SAVING' || attempt.state === 'FINISHING') return;
    const waiting = earlyReports.get(attemptId);
    if (waiting) waiting.push(report);
    else earlyReports.set(attemptId, [report]);
  }

  /** A container ended that this process never knew (it ended while no resource manager ran): its master hears of it. */
  completedUnknown(nodeId: string, report: ContainerReport): void {
    const application = this.#cluster.applications.get(applicationIdOfContainer(report.containerId));
    const attempt = application && currentAttempt(application);
    if (!application || !attempt) return;
    if (this.#heardEnds.get(application.id)?.has(report.containerId)) return;
    this.heardEnd(application.id, report.containerId);
    if (attempt.masterContainerId === report.containerId)
      return this.#cluster.attempts.masterContainerEnded(application, attempt, report.exitCode, report.diagnostics);
    const nodeHttpAddress = this.#cluster.nodes.get(nodeId)?.httpAddress ?? '';
    this.#tellEnd(attempt.id, { ...report, state: 'COMPLETE', nodeId, nodeHttpAddress });
  }

  /** Takes a master's asks, releases and progress, waits up to `waitMs` for news, answers. */
  async allocate(
    application: Application,
    attempt: Attempt,
    request: TakenRequest,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<AllocateResponse> {
    this.#cluster.lastContacts.set(attempt.id, this.#cluster.clock.now());
    const session = this.#sessions.get(attempt.id);
    if (!session || attempt.state !== 'RUNNING')
      return this.#answer(attempt, undefined, attempt.state === 'RUNNING' ? 'resync' : 'shutdown');
    if (session.lastResponse && request.responseId === session.lastResponse.responseId - 1) return session.lastResponse;
    if (request.responseId !== attempt.responseId) return this.#answer(attempt, undefined, 'resync');
    const asked = JSON.stringify([request.responseId, request.requests, request.cancels, request.releases, request.notes, request.updates]);
    const isNew = session.taken !== asked;
    session.taken = asked;
    session.heard = true;
    if (isNew) session.kept = this.#take(application, attempt, session, request);
    if (session.kept) await session.kept;
    const isSilent = [session.allocations, session.completed, session.updated, session.updateErrors].every(({ length }) => length === 0);
    if (waitMs > 0 && isSilent) await this.#news(session, this.#patience(application, waitMs), signal);
    if (this.#sessions.get(attempt.id) !== session)
      return this.#answer(attempt, undefined, attempt.state === 'RUNNING' ? 'resync' : 'shutdown');
    if (session.lastResponse && session.lastResponse.responseId > request.responseId) return session.lastResponse;
    this.#cluster.lastContacts.set(attempt.id, this.#cluster.clock.now());
    attempt.responseId = request.responseId + 1;
    session.lastResponse = this.#answer(attempt, session, undefined);
    return session.lastResponse;
  }

  #news(session: Session, waitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((done) => {
      const timer = this.#cluster.clock.setTimer(waitMs, () => finish());
      const finish = () => {
        timer.cancel();
        signal.removeEventListener('abort', finish);
        if (session.wake === finish) session.wake = undefined;
        done();
      };
      session.wake?.();
      session.wake = finish;
      signal.addEventListener('abort', finish, { once: true });
      if (signal.aborted) finish();
    });
  }

  /** Resolves when what must be remembered is durable. */
  #take(application: Application, attempt: Attempt, session: Session, request: TakenRequest): Promise<void> | undefined {
    const { policy, types, containers, opportunistic, settings, resizes } = this.#cluster;
    if (request.progress !== undefined) {
      attempt.progress = Math.min(1, Math.max(0, request.progress));
      application.version++;
    }
    const requests = (request.requests ?? []).map((request) => {
      session.tries.delete(request.askId);
      if (request.launch) session.launches.set(request.askId, request.launch);
      return {
        requestId: request.askId,
        priority: request.priority ?? 1,
        resource: policy.normalize(resourceOf(request.resource, types), application.queue),
        count: request.count,
        nodes: request.nodes ?? [],
        racks: request.racks ?? [],
        relaxLocality: request.relaxLocality ?? true,
        labelExpression: request.labelExpression ?? application.submission.applicationLabelExpression ?? undefined,
        ...boundTo(session, request),
      };
    });
    const cancels = request.cancels ?? [];
    if (requests.length > 0 || cancels.length > 0) {
      for (const requestId of cancels) session.launches.delete(requestId);
      const free = new Set(
        settings.opportunistic
          ? request.requests?.filter((request) => request.executionType === 'OPPORTUNISTIC').map(({ askId: requestId }) => requestId)
          : [],
      );
      // The same id again may ask for the other type.
      policy.updateRequests(
        attempt.id,
        requests.filter(({ requestId }) => !free.has(requestId)),
        [...cancels, ...free],
      );
      opportunistic.update(
        attempt,
        requests.filter(({ requestId }) => free.has(requestId)),
        [...cancels, ...requests.flatMap(({ requestId }) => (free.has(requestId) ? [] : [requestId]))],
      );
      application.version++;
      this.#cluster.scheduleSoon();
    }
    for (const containerId of request.releases ?? []) {
      const container = attempt.containers.get(containerId);
      if (container && !container.isMaster) containers.kill(container, exitStatus.killedByMaster, releasedByMaster);
    }
    for (const { containerId, updateType, resource } of request.updates ?? []) {
      if (updateType === 'INCREASE_RESOURCE' || updateType === 'DECREASE_RESOURCE') {
        const asked = resourceOf((resource ?? {}) as Record<string, unknown>, types);
        const reason = resource ? resizes.request(application, attempt, containerId, asked) : 'RESOURCE_OUTSIDE_ALLOWED_RANGE';
        if (reason) session.updateErrors.push({ containerId, reason });
      } else if (settings.opportunistic)
        opportunistic.change(application, attempt, containerId, updateType === 'PROMOTE_EXECUTION_TYPE' ? 'GUARANTEED' : 'OPPORTUNISTIC');
    }
    const notes = request.notes ?? [];
    if (notes.length === 0) return undefined;
    this.#noteSizes.set(application.id, this.#noteSize(application.id) + charactersOf(notes));
    return this.#keepNotes(application.id, notes);
  }

  /** Tries again for as long as that fails. */
  #keepNotes(applicationId: string, notes: readonly string[]): Promise<void> {
    const { store, logger, clock } = this.#cluster;
    return store.addNotes(applicationId, notes).catch(async (error: unknown) => {
      logger.error({ err: error, applicationId }, 'what a master wants remembered could not be stored');
      await new Promise<void>((resolve) => clock.setTimer(storeRetryMs, resolve));
      if (this.#cluster.applications.has(applicationId)) await this.#keepNotes(applicationId, notes);
    });
  }

  /** Whether the notes of an application stay within what is kept of it. */
  mayKeep(applicationId: string, notes: readonly string[]): boolean {
    return notes.length === 0 || this.#noteSize(applicationId) + charactersOf(notes) <= mostNotesCharacters;
  }

  #noteSize(applicationId: string): number {
    return this.#noteSizes.get(applicationId) ?? charactersOf(this.#cluster.store.notesOf(applicationId));
  }

  #answer(attempt: Attempt, session: Session | undefined, command: AllocateResponse['command']): AllocateResponse {
    const { types, policy, containers, applications } = this.#cluster;
    const allocations = session?.allocations ?? [];
    const completed = session?.completed ?? [];
    const updated = session?.updated ?? [];
    const updateErrors = session?.updateErrors ?? [];
    if (session) {
      session.updated = [];
      session.updateErrors = [];
      session.allocations = [];
      session.completed = [];
      session.heard = false;
    }
    const application = applications.get(attempt.applicationId);
    for (const container of allocations) if (application && container.state === 'ALLOCATED') containers.acquired(application, container);
    const headroom = policy.usage(attempt.applicationId)?.headroom ?? [0, 0];
    const rejected = session && application ? this.#reject(application, attempt, session) : [];
    return {
      responseId: attempt.responseId,
      allocations: allocations.map((container) => ({
        containerId: container.id,
        askId: container.requestId,
        nodeId: container.nodeId,
        nodeHttpAddress: container.nodeHttpAddress,
        resource: nodeResource(container.resource, types),
        priority: container.priority,
        executionType: container.executionType,
        containerToken: application ? this.tokenOf(application, container) : '',
      })),
      completed,
      ...(updated.length > 0 && application
        ? {
            updated: updated.map((container) => ({
              containerId: container.id,
              executionType: container.executionType,
              resource: nodeResource(container.resource, types),
              containerToken: this.tokenOf(application, container),
            })),
          }
        : {}),
      ...(updateErrors.length > 0 ? { updateErrors } : {}),
      ...(rejected.length > 0 ? { rejected } : {}),
      command,
      headroom: nodeResource(headroom, types),
    };
  }

  /** While the placement processor tries, masters are answered as often as they would come. */
  #patience(application: Application, waitMs: number): number {
    const { policy, settings } = this.#cluster;
    if (settings.placementTries === undefined || waitMs <= placementPaceMs) return waitMs;
    return policy.usage(application.id)?.requests.some(({ scheduling, purpose }) => scheduling && !purpose) ? placementPaceMs : waitMs;
  }

  /** Withdraws what the placement processor tried to place often enough. */
  #reject(application: Application, attempt: Attempt, { tries, launches }: Session): NonNullable<AllocateResponse['rejected']> {
    const { policy, settings } = this.#cluster;
    if (settings.placementTries === undefined) return [];
    const rejected: { askId: string; count: number; reason: 'COULD_NOT_PLACE_ON_NODE' }[] = [];
    for (const { requestId, purpose, count, scheduling, resourceName } of policy.usage(application.id)?.requests ?? []) {
      if (!scheduling || purpose || resourceName !== '*') continue;
      const tried = (tries.get(requestId) ?? 0) + 1;
      tries.set(requestId, tried);
      if (tried > settings.placementTries) rejected.push({ askId: requestId, count, reason: 'COULD_NOT_PLACE_ON_NODE' });
    }
    for (const { askId: requestId } of rejected) {
      tries.delete(requestId);
      launches.delete(requestId);
    }
    if (rejected.length > 0) {
      policy.updateRequests(
        attempt.id,
        [],
        rejected.map(({ askId }) => askId),
      );
      application.version++;
    }
    return rejected;
  }

  /** What the master shows to the container's node. */
  tokenOf(application: Application, container: Container): string {
    const { attempts, settings, containerTokenKey } = this.#cluster;
    return containerToken(containerTokenKey, {
      ...attempts.startOrder(application, container),
      nodeId: container.nodeId,
      expiresMs: container.createdMs + settings.containerExpiryMs,
    });
  }

  /** The end of a container that an earlier process gave was heard; nodes may tell of it again. */
  heardEnd(applicationId: string, containerId: string): void {
    const heard = this.#heardEnds.get(applicationId);
    if (heard) heard.add(containerId);
    else this.#heardEnds.set(applicationId, new Set([containerId]));
  }

  /** Drops what is kept for an application that ended. */
  forget(application: Application): void {
    this.#heardEnds.delete(application.id);
    this.#noteSizes.delete(application.id);
    for (const { id } of application.attempts) {
      this.close(id);
      this.#cluster.earlyReports.delete(id);
    }
    this.#unheard.delete(application.id);
  }

  /** How many masters it talks with, and of how many applications it remembers ended containers. */
  get sizes(): { readonly sessions: number; readonly heardEnds: number } {
    return { sessions: this.#sessions.size, heardEnds: this.#heardEnds.size };
  }

  /** Reports that came before the master registered again. */
  #deliverEarly(attempt: Attempt): void {
    const reports = this.#cluster.earlyReports.get(attempt.id);
    if (!reports) return;
    this.#cluster.earlyReports.delete(attempt.id);
    this.#sessions.get(attempt.id)?.completed.push(...reports);
  }
}

/** Tags of an ask and everything that binds it: its own constraint and those registered for its tags. */
function boundTo(
  session: Session,
  { allocationTags = [], placementConstraint }: NonNullable<TakenRequest['requests']>[number],
): { allocationTags?: readonly string[]; placementConstraint?: PlacementConstraint } {
  const all = [placementConstraint, ...allocationTags.map((tag) => session.constraints.get(tag))].filter((one) => one !== undefined);
  return {
    ...(allocationTags.length > 0 ? { allocationTags: [...new Set(allocationTags)] } : {}),
    ...(all.length > 0 ? { placementConstraint: all.length === 1 ? all[0]! : { kind: 'and', of: all } } : {}),
  };
}
