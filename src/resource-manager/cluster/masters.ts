// The masters' side of the cluster: what a registered master asks for, gives back and remembers, and what it is answered. Calls that wait
// are in master-calls.ts.
import { type ContainerTokenContent, containerToken, longestContainerTokenLifeMs } from '../../auth/container-token.ts';
import type { PlacementConstraint } from '../../model/placement-constraint.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import type { RequestName } from '../../scheduler/entries.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { LaunchContext } from '../../wire/cluster/launch-context.ts';
import {
  type AllocateRequest,
  type AllocateResponse,
  type CompletedContainer,
  mostNotesCharacters,
} from '../../wire/cluster/master-protocol.ts';
import type { Application } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import { isSuperseded } from '../applications/registrations.ts';
import type { NumberedNote } from '../store/resource-manager-store.ts';
import type { ApplicationLifecycle } from './applications.ts';
import type { AttemptLifecycle, RegisteredMaster } from './attempts.ts';
import type { ContainerResizes } from './container-resizes.ts';
import type { ContainerLifecycle } from './containers.ts';
import type { Effects } from './effects.ts';
import { type HeldContainers, storedWhileKnown } from './held-containers.ts';
import { mostLaunchCharacters } from './launch-table.ts';
import { type ContainerChange, type MasterSession, type MasterSessions, wasKnown } from './master-sessions.ts';
import { nodeResource, resourceOf } from './node-resource.ts';
import type { OpportunisticScheduler } from './opportunistic.ts';
import type { Promotions } from './promotions.ts';
import type { ClusterSettings } from './settings.ts';
import type { ClusterState } from './state.ts';

/** A checked call: constraints are read. */
export type TakenRequest = Omit<AllocateRequest, 'asks' | 'updates'> & {
  /** Where the master is reached from now on. */
  readonly trackingUrl?: string;
  readonly requests?: readonly (Omit<NonNullable<AllocateRequest['asks']>[number], 'launch' | 'placementConstraint'> & {
    readonly launch?: LaunchContext;
    readonly placementConstraint?: PlacementConstraint | undefined;
    /** How many at most by the name of a place (`ResourceRequest.placeCounts`). */
    readonly placeCounts?: ReadonlyMap<string, number>;
    /** A number that its containers have too; requests of one priority are served in its order. */
    readonly allocationRequestId?: number;
  })[];
  readonly updates?: readonly (NonNullable<AllocateRequest['updates']>[number] & {
    /** The version of the container that the master knows; absent: any. */
    readonly version?: number;
  })[];
};

/** The containers of an answer, of which its form for masters says less. */
export interface ToldContainers {
  readonly allocations: readonly Container[];
  readonly updated: readonly ContainerChange[];
}

/** What is needed. */
export interface MasterPorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'persist' | 'publish' | 'durable' | 'wakeScheduler' | 'wake'>;
  readonly policy: Pick<SchedulingPolicy, 'updateRequests' | 'updateBlacklist' | 'usage' | 'headroom' | 'normalize'>;
  readonly sessions: MasterSessions;
  readonly applications: Pick<ApplicationLifecycle, 'apply'>;
  readonly attempts: Pick<AttemptLifecycle, 'registered'>;
  readonly containers: Pick<ContainerLifecycle, 'acquired' | 'startOrder'>;
  readonly opportunistic: Pick<OpportunisticScheduler, 'update' | 'requestsOf'>;
  readonly resizes: Pick<ContainerResizes, 'request' | 'forget'>;
  readonly promotions: Pick<Promotions, 'promote' | 'demote'>;
  readonly held: HeldContainers;
  /** Nothing is asked for the attempt any more beside the scheduler's requests. */
  readonly forgetRequests: (attemptId: string) => void;
  /** What was kept of the application's masters before. */
  readonly notesOf: (applicationId: string) => readonly string[];
  /** Gives notes the numbers by which they are kept. */
  readonly numberNotes: (notes: readonly string[]) => readonly NumberedNote[];
  readonly containerTokenKey: Buffer;
  readonly settings: ClusterSettings;
  readonly types: ResourceTypes;
}

/** What a master is told when it registers. */
export interface RegisteredAnew {
  /** Resolves when the registration is durable. */
  readonly durable: Promise<unknown>;
  /** Its containers of an earlier attempt or process, and those that it was given and not told of: they run, or it will be told their end. */
  readonly held: readonly Container[];
  /** Ends that the next answer tells. */
  readonly over: readonly CompletedContainer[];
  /** The number of its next call. */
  readonly responseId: number;
}

/** Places that a master may ask for at a time, so that one look at all of them takes a fraction of a second. */
const mostPlaces = 1_000_000;
/** A note is a row of its own, however short it is. */
const charactersOfRow = 64;
const charactersOf = (notes: readonly string[]): number => notes.reduce((sum, note) => sum + charactersOfRow + note.length, 0);

/** What masters can do. */
export class Masters {
  readonly #ports: MasterPorts;
  /** By application: characters of the notes kept for it. */
  readonly #noteSizes = new Map<string, number>();
  readonly #told = new WeakMap<AllocateResponse, ToldContainers>();

  constructor(ports: MasterPorts) {
    this.#ports = ports;
  }

  /**
   * The master registered (again after a restart of either side): it is told what it has, and asks anew for the rest (P4). What it names of its
   * last answer's ends it is not told again. The same registration again is answered again, and begins no other session: what the session
   * was given since is told by its next answer alone.
   */
  register(application: Application, attempt: Attempt, at: RegisteredMaster): RegisteredAnew | undefined {
    const { attempts, applications, containers, sessions, effects, held } = this.#ports;
    if (!attempts.registered(application, attempt, at)) return undefined;
    const heard = held.acknowledge(application, attempt, at.heardEnds ?? []);
    const { registrationId } = at;
    if (registrationId === undefined || sessions.session(attempt.id)?.registrationId !== registrationId) {
      if (application.state === 'ACCEPTED') applications.apply(application, 'registered');
      effects.publish({ about: 'attemptRegistered', application, attempt });
      const given = sessions.open(attempt, at.constraints, heard, registrationId);
      for (const container of given) containers.acquired(application, container);
      this.cancelRequests(application, attempt);
    }
    // What was being given for what it asked before is given to nobody: it asks again once that cannot come back (P4).
    const dropped = sessions.allKept(attempt.id);
    const durable = Promise.all([effects.durable({ kind: 'live', application }), held.heard(application, [...heard]), dropped]);
    // Of these the next answer tells: that they are its own, and with that their end where they are over by then.
    const toBeGiven = sessions.toBeGiven(attempt.id);
    return {
      durable,
      held: held.of(application, attempt).filter(({ id }) => !toBeGiven.has(id)),
      over: sessions.unheardEnds(attempt.id).filter((end) => wasKnown(end) && !toBeGiven.has(end.containerId)),
      responseId: attempt.responseId,
    };
  }

  /** Whether the master has registered anew since a registration of that name. */
  isSuperseded(attempt: Attempt, registrationId: string): boolean {
    return isSuperseded(attempt, registrationId, this.#ports.sessions.session(attempt.id));
  }

  /** Nothing more is given for what was asked. */
  cancelRequests(application: Application, attempt: Attempt): void {
    const { policy, forgetRequests } = this.#ports;
    forgetRequests(attempt.id);
    const names = new Set<RequestName>();
    for (const { requestId, purpose, resourceName } of policy.usage(application.id)?.requests() ?? [])
      if (resourceName === '*') names.add(purpose ?? requestId);
    policy.updateRequests(attempt.id, [], [...names]);
  }

  /** Takes what a master asks for and gives back. Resolves when what must be remembered is durable. */
  take(application: Application, attempt: Attempt, session: MasterSession, call: TakenRequest): Promise<unknown> | undefined {
    if (call.progress !== undefined) {
      // What is no number is no progress (DefaultAMSProcessor.handleProgress).
      attempt.progress = Math.min(1, Math.max(0, Number.isNaN(call.progress) ? 0 : call.progress));
      application.version++;
    }
    if (call.trackingUrl !== undefined && call.trackingUrl !== attempt.originalTrackingUrl) {
      attempt.originalTrackingUrl = call.trackingUrl;
      application.version++;
    }
    this.#takeRequests(application, attempt, session, call);
    if (call.releases) this.#ports.held.release(attempt, session, call.releases);
    this.#takeUpdates(application, attempt, session, call.updates ?? []);
    const notes = call.notes ?? [];
    const kept = notes.length === 0 ? undefined : this.#remember(application, notes, session.notYet);
    if (!this.#takeBlacklist(application, attempt, call)) return kept;
    return Promise.all([kept, storedWhileKnown(this.#ports, application.id, { kind: 'live', application }, session.notYet)]);
  }

  /** The places that the master avoids from now on; false where they are as before. Additions come before removals, as in Hadoop. */
  #takeBlacklist(application: Application, attempt: Attempt, call: TakenRequest): boolean {
    const { policy, effects } = this.#ports;
    const { blacklistAdditions: additions = [], blacklistRemovals: removals = [] } = call;
    const before = attempt.blacklistedNodes;
    const after = new Set([...before, ...additions]);
    for (const name of removals) after.delete(name);
    if (after.size === before.size && [...after].every((name) => before.has(name))) return false;
    attempt.blacklistedNodes = after;
    policy.updateBlacklist(attempt.id, additions, removals);
    application.version++;
    effects.wakeScheduler();
    return true;
  }

  #takeRequests(application: Application, attempt: Attempt, session: MasterSession, call: TakenRequest): void {
    const { policy, types, opportunistic, settings, effects } = this.#ports;
    const cancels = call.cancels ?? [];
    const asked = call.requests ?? [];
    if (asked.length === 0 && cancels.length === 0) return;
    const requests = asked.map((request) => {
      session.tries.delete(request.askId);
      session.launches.asked(request.askId, request.count, request.launch);
      return {
        requestId: request.askId,
        priority: request.priority ?? 1,
        resource: policy.normalize(resourceOf(request.resource, types), application.queue),
        count: request.count,
        nodes: request.nodes ?? [],
        racks: request.racks ?? [],
        relaxLocality: request.relaxLocality ?? true,
        ...(request.placeCounts ? { placeCounts: request.placeCounts } : {}),
        ...(request.allocationRequestId === undefined ? {} : { allocationRequestId: request.allocationRequestId }),
        labelExpression: request.labelExpression ?? application.submission.applicationLabelExpression ?? undefined,
        ...boundTo(session, request),
      };
    });
    for (const requestId of cancels) session.launches.delete(requestId);
    const free = new Set(
      settings.opportunistic ? asked.filter(({ executionType }) => executionType === 'OPPORTUNISTIC').map(({ askId }) => askId) : [],
    );
    const [ofQueue, besideQueue] = [
      requests.filter(({ requestId }) => !free.has(requestId)),
      requests.filter(({ requestId }) => free.has(requestId)),
    ];
    // The same id again may ask for the other type.
    policy.updateRequests(attempt.id, ofQueue, [...cancels, ...free]);
    opportunistic.update(attempt, besideQueue, [...cancels, ...ofQueue.map(({ requestId }) => requestId)]);
    application.version++;
    effects.wakeScheduler();
  }

  #takeUpdates(application: Application, attempt: Attempt, session: MasterSession, updates: NonNullable<TakenRequest['updates']>): void {
    const { types, resizes, promotions, settings } = this.#ports;
    const seen = new Set<string>();
    for (const { containerId, updateType, resource, version } of updates) {
      const refuse = (reason: string) => session.updateErrors.push({ containerId, updateType, reason });
      const known = attempt.containers.get(containerId);
      if (version !== undefined && known && known.version !== version) {
        refuse('INCORRECT_CONTAINER_VERSION_ERROR');
        continue;
      }
      // One change of a container at a time (RMServerUtils.validateAndSplitUpdateResourceRequests).
      if (seen.has(containerId)) {
        refuse('UPDATE_OUTSTANDING_ERROR');
        continue;
      }
      seen.add(containerId);
      if (updateType === 'INCREASE_RESOURCE' || updateType === 'DECREASE_RESOURCE') {
        const asked = resourceOf(resource ?? {}, types);
        const reason = resource ? resizes.request(application, attempt, containerId, asked, updateType) : 'RESOURCE_OUTSIDE_ALLOWED_RANGE';
        if (reason) refuse(reason);
        continue;
      }
      const container = settings.opportunistic ? known : undefined;
      const wanted = updateType === 'PROMOTE_EXECUTION_TYPE' ? 'GUARANTEED' : 'OPPORTUNISTIC';
      // Unknown ones and those that are of the type stay as they are.
      if (!container || container.isMaster || container.executionType === wanted) continue;
      if (wanted === 'GUARANTEED') promotions.promote(attempt, container);
      else {
        // It leaves the queue's room, in which it may have waited to grow.
        resizes.forget(container);
        promotions.demote(application, attempt, container);
      }
    }
  }

  #remember({ id: applicationId }: Application, notes: readonly string[], notYet: (error: unknown) => void): Promise<void> {
    this.#noteSizes.set(applicationId, this.#noteSize(applicationId) + charactersOf(notes));
    return storedWhileKnown(this.#ports, applicationId, { kind: 'notes', applicationId, notes: this.#ports.numberNotes(notes) }, notYet);
  }

  /** Why a master may not ask for all this beside what it asks for already; undefined: it may. */
  beyondAsks({ applicationId, id }: Attempt, requests: NonNullable<TakenRequest['requests']>): string | undefined {
    const { policy, opportunistic, sessions } = this.#ports;
    const places = (all: Iterable<{ readonly nodes?: readonly string[]; readonly racks?: readonly string[] }>): number => {
      let sum = 0;
      for (const { nodes = [], racks = [] } of all) sum += 1 + nodes.length + racks.length;
      return sum;
    };
    const before = (policy.usage(applicationId)?.askedPlaces ?? 0) + places(opportunistic.requestsOf(id));
    if (before + places(requests) > mostPlaces) return `a master asks for at most ${mostPlaces} places at a time (hosts, racks, anywhere)`;
    const launches = requests.flatMap(({ launch }) => launch ?? []);
    if (launches.length === 0 || sessions.session(id)?.launches.hasRoomFor(launches) !== false) return undefined;
    return `the launch contexts of its asks together have more than ${mostLaunchCharacters} characters`;
  }

  /** Whether the notes of an application stay within what is kept of it. */
  mayKeep(applicationId: string, notes: readonly string[]): boolean {
    return notes.length === 0 || this.#noteSize(applicationId) + charactersOf(notes) <= mostNotesCharacters;
  }

  #noteSize(applicationId: string): number {
    return this.#noteSizes.get(applicationId) ?? charactersOf(this.#ports.notesOf(applicationId));
  }

  /** The next answer to the master of a run says how many instances there are to be; one that waits is answered. */
  tellInstances({ id, wantedInstances }: Application): void {
    const { state, sessions, effects } = this.#ports;
    const attempt = state.application(id)?.attempts.at(-1);
    const session = attempt && sessions.session(attempt.id);
    if (!session) return;
    session.instances = wantedInstances;
    effects.wake(session);
  }

  /** An answer that says only what the master is to do. */
  command(attempt: Attempt, command: AllocateResponse['command']): AllocateResponse {
    return { responseId: attempt.responseId, allocations: [], completed: [], command, headroom: this.#headroom(attempt) };
  }

  /** The answer with everything that the master has not been told; from now on it counts as told. */
  answer(attempt: Attempt, session: MasterSession): AllocateResponse {
    const { types, containers, state } = this.#ports;
    const { allocations, completed, updated, updateErrors, instances } = session;
    session.instances = undefined;
    session.updated = [];
    session.updateErrors = [];
    session.allocations = [];
    session.completed = [];
    session.heard = false;
    const application = state.application(attempt.applicationId);
    if (!application) return { ...this.command(attempt, undefined), completed };
    for (const container of allocations) if (container.state === 'ALLOCATED') containers.acquired(application, container);
    const rejected = this.#reject(application, attempt, session);
    const answer: AllocateResponse = {
      responseId: attempt.responseId,
      allocations: allocations.map((container) => ({
        containerId: container.id,
        askId: container.requestId,
        nodeId: container.nodeId,
        nodeHttpAddress: container.nodeHttpAddress,
        resource: nodeResource(container.resource, types),
        priority: container.priority,
        executionType: container.executionType,
        containerToken: this.tokenOf(application, container),
      })),
      completed,
      ...(updated.length > 0
        ? {
            updated: updated.map(({ container }) => ({
              containerId: container.id,
              executionType: container.executionType,
              resource: nodeResource(container.resource, types),
              containerToken: this.tokenOf(application, container),
            })),
          }
        : {}),
      ...(updateErrors.length > 0 ? { updateErrors } : {}),
      ...(rejected.length > 0 ? { rejected } : {}),
      ...(instances === undefined ? {} : { instances }),
      command: undefined,
      headroom: this.#headroom(attempt),
      clusterNodes: state.nodeCount,
      clusterHosts: state.hostCount,
    };
    this.#told.set(answer, { allocations, updated });
    return answer;
  }

  /** The containers of an answer that was made here. */
  toldBy(answer: AllocateResponse): ToldContainers {
    return this.#told.get(answer) ?? { allocations: [], updated: [] };
  }

  #headroom(attempt: Attempt): ReturnType<typeof nodeResource> {
    const { policy, types } = this.#ports;
    return nodeResource(policy.headroom(attempt.applicationId) ?? [0, 0], types);
  }

  /** Whether the placement processor tries to place something for the master. */
  isPlacing(application: Application): boolean {
    const { policy, settings } = this.#ports;
    if (settings.placementTries === undefined) return false;
    return (
      policy
        .usage(application.id)
        ?.requests()
        .some(({ scheduling, purpose }) => scheduling && !purpose) ?? false
    );
  }

  /** Withdraws what the placement processor tried to place often enough. */
  #reject(application: Application, attempt: Attempt, { tries, launches }: MasterSession): NonNullable<AllocateResponse['rejected']> {
    const { policy, settings } = this.#ports;
    if (settings.placementTries === undefined) return [];
    const rejected: { askId: string; count: number; reason: 'COULD_NOT_PLACE_ON_NODE' }[] = [];
    for (const { requestId, purpose, count, scheduling, resourceName } of policy.usage(application.id)?.requests() ?? []) {
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
    return containerToken(this.#ports.containerTokenKey, this.tokenContentOf(application, container));
  }

  /** What a token of a container says, whoever writes it. */
  tokenContentOf(application: Application, container: Container): ContainerTokenContent {
    const { containers, settings } = this.#ports;
    const { nodeId, nodeMemory } = container;
    return {
      ...containers.startOrder(application, container),
      nodeId,
      ...(nodeMemory === undefined ? {} : { nodeMemory }),
      expiresMs: container.createdMs + Math.min(settings.containerExpiryMs, longestContainerTokenLifeMs),
    };
  }

  /** Drops what is kept for an application that is forgotten. */
  forget(application: Application): void {
    this.#noteSizes.delete(application.id);
  }
}

/** Tags of a request and everything that binds it: its own constraint and those registered for its tags. */
function boundTo(
  session: MasterSession,
  { allocationTags = [], placementConstraint }: NonNullable<TakenRequest['requests']>[number],
): { allocationTags?: readonly string[]; placementConstraint?: PlacementConstraint } {
  const all = [placementConstraint, ...allocationTags.map((tag) => session.constraints.get(tag))].filter((one) => one !== undefined);
  return {
    ...(allocationTags.length > 0 ? { allocationTags: [...new Set(allocationTags)] } : {}),
    ...(all.length > 0 ? { placementConstraint: all.length === 1 ? all[0]! : { kind: 'and', of: all } } : {}),
  };
}
