// What happens to attempts: creation, placement of the master, launch, registration, the end, and whether another one follows.
// Synchronous, as all changes of the cluster.
import { randomBytes } from 'node:crypto';
import { exitStatus, statusesWithoutBlacklisting, uncountedAttemptStatuses } from '../../model/exit-status.ts';
import { formatAttemptId, parseApplicationId } from '../../model/ids.ts';
import type { PlacementConstraint } from '../../model/placement-constraint.ts';
import type { ResourceRequest } from '../../scheduler/policy.ts';
import {
  type Application,
  type Attempt,
  type Container,
  currentAttempt,
  type FinalStatus,
  publicAttemptState,
} from '../applications/application.ts';
import { type AttemptEvent, isEndedAttempt, nextAttemptState } from '../applications/attempt-states.ts';
import {
  masterAssigned,
  masterContainerExited,
  masterExpired,
  masterLaunched,
  outOfAttempts,
  unmanagedFailed,
} from '../applications/diagnostics.ts';
import type { Cluster } from '../cluster.ts';
import { nodeResource } from './node-resource.ts';

/** `yarn.resourcemanager.am-scheduling.node-blacklisting-disable-threshold` where a submission asks for it and the cluster does without. */
const usualBlacklistThreshold = 0.8;
const masterRequestId = 'master';

/** What a master says of itself when it registers. */
export interface RegisteredMaster {
  readonly host: string;
  /** -1 where it has none. */
  readonly rpcPort: number;
  readonly trackingUrl: string | undefined;
  /** By allocation tag: what binds every request with the tag. */
  readonly constraints?: ReadonlyMap<string, PlacementConstraint>;
}

/** What a master says last. */
export interface FinishedMaster {
  readonly finalStatus: FinalStatus;
  readonly diagnostics: string;
  /** Empty or undefined: the one it registered stays. */
  readonly trackingUrl: string | undefined;
}

/** The lives of attempts; created and called by the cluster only. */
export class AttemptLife {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  apply(application: Application, attempt: Attempt, event: AttemptEvent): boolean {
    const next = nextAttemptState(attempt.state, event);
    if (next === undefined) return false;
    if (next === 'FINAL_SAVING') attempt.stateBefore = publicAttemptState(attempt);
    this.#cluster.logger.debug({ attemptId: attempt.id, from: attempt.state, to: next, event }, 'an attempt changed its state');
    attempt.state = next;
    application.version++;
    return true;
  }

  /** Adds the next attempt and asks for its master's container. */
  create(application: Application): void {
    const { clock, policy, attemptIndex } = this.#cluster;
    const before = currentAttempt(application);
    const number = (before?.number ?? 0) + 1;
    const attempt: Attempt = {
      id: formatAttemptId({ ...parseApplicationId(application.id), attempt: number }),
      applicationId: application.id,
      number,
      state: 'NEW',
      stateBefore: 'NEW',
      startedMs: clock.now(),
      finishedMs: 0,
      masterContainerId: undefined,
      masterNodeId: undefined,
      masterNodeHttpAddress: undefined,
      containers: new Map(),
      host: 'N/A',
      rpcPort: -1,
      originalTrackingUrl: undefined,
      progress: 0,
      finalStatus: 'UNDEFINED',
      diagnostics: '',
      launchDiagnostics: '',
      exitCode: exitStatus.invalid,
      registered: false,
      blacklistedNodes: new Set(),
      token: randomBytes(32).toString('base64url'),
      responseId: 0,
      lastContainerNumber: 0,
    };
    application.attempts.push(attempt);
    attemptIndex.set(attempt.id, application);
    this.apply(application, attempt, 'start');
    const keepsContainers = application.submission.keepContainers && before !== undefined && before.containers.size > 0;
    if (keepsContainers) {
      for (const container of before.containers.values()) attempt.containers.set(container.id, container);
      before.containers.clear();
    }
    if (application.submission.keepContainers) this.#cluster.masters.inherit(application.id, attempt.id);
    policy.addAttempt({
      applicationId: application.id,
      attemptId: attempt.id,
      ...(application.submission.unmanaged ? {} : { masterRequest: this.#masterRequest(application) }),
      ...(keepsContainers ? { keepContainersOf: before.id } : {}),
    });
    application.scheduled = true;
    if (!application.submission.unmanaged) {
      policy.updateBlacklist(attempt.id, this.avoidedNodes(application), []);
      this.apply(application, attempt, 'scheduled');
      this.#cluster.waiting.add(application);
      this.#cluster.scheduleSoon();
      return;
    }
    this.apply(application, attempt, 'scheduledUnmanaged');
    this.#cluster.life.keep(application, () => {
      if (!this.apply(application, attempt, 'stored')) return;
      attempt.launchDiagnostics = masterLaunched;
      application.launchedMs = -1;
      this.watch(application, attempt);
    });
  }

  /** Nodes the next master should not go to; none once too much of the cluster would be avoided (SimpleBlacklistManager). */
  avoidedNodes(application: Application): readonly string[] {
    const { settings, nodes } = this.#cluster;
    const { blacklistedBySystem, submission } = application;
    const own = submission.masterBlacklisting;
    const usual = own?.threshold ?? settings.masterBlacklistThreshold;
    const threshold = own === undefined ? settings.masterBlacklistThreshold : own.enabled ? (usual ?? usualBlacklistThreshold) : undefined;
    return threshold !== undefined && blacklistedBySystem.length < threshold * nodes.size ? blacklistedBySystem : [];
  }

  #masterRequest(application: Application): ResourceRequest {
    const { policy } = this.#cluster;
    const { resource, masterLabelExpression, applicationLabelExpression, masterPlaces } = application.submission;
    const labelExpression = masterLabelExpression || applicationLabelExpression || undefined;
    const places = masterPlaces && { nodes: masterPlaces.nodes, racks: masterPlaces.racks, relaxLocality: masterPlaces.relaxed };
    return {
      requestId: masterRequestId,
      priority: 0,
      resource: policy.normalize(resource, application.queue),
      count: 1,
      labelExpression,
      ...places,
    };
  }

  /** The scheduler gave the master's container: stored before it starts, so that a restart knows it. */
  masterAllocated(application: Application, attempt: Attempt, container: Container): void {
    if (!this.apply(application, attempt, 'allocated')) {
      this.#cluster.containers.kill(container, exitStatus.killedByResourceManager, 'Container killed by the ResourceManager');
      return;
    }
    this.#cluster.waiting.delete(application);
    this.#cluster.policy.updateBlacklist(attempt.id, [], application.blacklistedBySystem);
    attempt.masterContainerId = container.id;
    attempt.masterNodeId = container.nodeId;
    attempt.masterNodeHttpAddress = container.nodeHttpAddress;
    attempt.launchDiagnostics = masterAssigned;
    this.#cluster.life.keep(application, () => {
      if (this.apply(application, attempt, 'stored')) this.#launch(application, attempt, container);
    });
  }

  #launch(application: Application, attempt: Attempt, container: Container): void {
    const { clock, settings } = this.#cluster;
    const timeline = settings.timelineUrl();
    const { launch } = application.submission;
    this.#cluster.containers.start(application, container, {
      ...launch,
      environment: {
        ...settings.masterEnvironment,
        HEDDLE_RESOURCE_MANAGER: settings.masterUrl(),
        HEDDLE_ATTEMPT_ID: attempt.id,
        ...(timeline ? { HEDDLE_TIMELINE: timeline } : {}),
        APPLICATION_WEB_PROXY_BASE: `/proxy/${application.id}`,
        ...launch.environment,
      },
      secretEnvironment: { ...launch.secretEnvironment, HEDDLE_ATTEMPT_TOKEN: attempt.token },
    });
    // Its node may have been gone: then the attempt is over already.
    if (!this.apply(application, attempt, 'launched')) return;
    if (application.launchedMs === 0) application.launchedMs = clock.now();
    attempt.launchDiagnostics = masterLaunched;
    this.watch(application, attempt);
  }

  /** Gives a silent master up after the expiry time; each contact starts it anew. */
  watch(application: Application, attempt: Attempt): void {
    const { clock, settings, timers, lastContacts } = this.#cluster;
    const key = `master ${attempt.id}`;
    lastContacts.set(attempt.id, clock.now());
    const check = () => {
      if (isEndedAttempt[attempt.state]) return;
      const silentMs = clock.now() - (lastContacts.get(attempt.id) ?? 0);
      if (silentMs < settings.masterExpiryMs) return timers.set(key, settings.masterExpiryMs - silentMs, check);
      if (attempt.state === 'FINISHING') this.masterContainerEnded(application, attempt, exitStatus.invalid, '');
      else this.fail(application, attempt, 'fail', masterExpired(attempt.id), exitStatus.invalid);
    };
    timers.set(key, settings.masterExpiryMs, check);
  }

  /** The master registered (again after a restart). Resolves when durable. */
  register(application: Application, attempt: Attempt, at: RegisteredMaster): Promise<void> | undefined {
    if (!this.apply(application, attempt, 'registered')) return undefined;
    attempt.host = at.host;
    attempt.rpcPort = at.rpcPort;
    attempt.originalTrackingUrl = at.trackingUrl;
    attempt.registered = true;
    attempt.launchDiagnostics = '';
    if (application.state === 'ACCEPTED') this.#cluster.life.apply(application, 'registered');
    this.#cluster.tell.attemptRegistered(application, attempt);
    return this.#cluster.store.putLive(application);
  }

  /** The master says it is done. Resolves when durable; undefined where the attempt's state does not take it. */
  unregister(application: Application, attempt: Attempt, last: FinishedMaster): Promise<void> | undefined {
    if (!this.apply(application, attempt, 'unregistered')) return undefined;
    attempt.finalStatus = last.finalStatus;
    attempt.diagnostics = last.diagnostics;
    attempt.originalTrackingUrl = last.trackingUrl || attempt.originalTrackingUrl;
    attempt.progress = 1;
    attempt.finishedMs = this.#cluster.clock.now();
    this.#cluster.masters.cancelRequests(application, attempt);
    return this.#cluster.life.end(
      application,
      application.submission.unmanaged ? 'FINISHED' : 'FINISHING',
      'unregistered',
      last.diagnostics,
    );
  }

  /** The master's container is gone. `started` false: its node never had it, so another attempt does no harm. */
  masterContainerEnded(application: Application, attempt: Attempt, exitCode: number, diagnostics: string, started = true): void {
    if (attempt.state === 'FINISHING') {
      attempt.exitCode = exitCode;
      this.#finished(application, attempt);
      this.#cluster.life.attemptFinished(application);
      return;
    }
    if (isEndedAttempt[attempt.state]) return;
    const page = this.#cluster.settings.applicationPage(application.id);
    this.fail(application, attempt, 'containerEnded', masterContainerExited(attempt.id, exitCode, diagnostics, page), exitCode, started);
  }

  /** Ends an attempt as FAILED and decides what becomes of its application. */
  fail(
    application: Application,
    attempt: Attempt,
    event: 'fail' | 'containerEnded',
    diagnostics: string,
    exitCode: number,
    started = true,
  ): void {
    if (attempt.state === 'FINAL_SAVING') {
      // A container that is stopped because its attempt ended says nothing new.
      if (application.target === 'FINISHING') attempt.exitCode = exitCode;
      return;
    }
    const wasLive = attempt.registered;
    if (!this.apply(application, attempt, event)) return;
    attempt.exitCode = exitCode;
    const { clock, settings, life, policy, store } = this.#cluster;
    this.#closed(application, attempt, 'FAILED');
    attempt.diagnostics = diagnostics;
    if (!wasLive) attempt.progress = 0;
    if (!uncountedAttemptStatuses.has(exitCode)) application.failures.push(clock.now());
    const { masterNodeId } = attempt;
    if (
      masterNodeId !== undefined &&
      event === 'containerEnded' &&
      !statusesWithoutBlacklisting.has(exitCode) &&
      !application.blacklistedBySystem.includes(masterNodeId)
    ) {
      application.blacklistedBySystem.push(masterNodeId);
    }
    const interval = application.submission.failuresValidityIntervalMs;
    const counted = interval > 0 ? application.failures.filter((ms) => ms > clock.now() - interval).length : application.failures.length;
    const { maximumAttempts, submission } = application;
    const another =
      !submission.unmanaged &&
      counted < maximumAttempts &&
      (maximumAttempts > 1 || !started) &&
      (application.state === 'ACCEPTED' || application.state === 'RUNNING');
    const keep = another && submission.keepContainers;
    const master = attempt.masterContainerId && this.#cluster.live.get(attempt.masterContainerId);
    if (master) this.#cluster.containers.kill(master, exitStatus.killedByResourceManager, 'Container killed by the ResourceManager');
    policy.removeAttempt(attempt.id, keep);
    application.scheduled = false;
    this.#cluster.waiting.delete(application);
    if (!keep) this.#cluster.containers.killAll(application, exitStatus.killedByResourceManager, 'Container killed by the ResourceManager');
    if (another) {
      this.apply(application, attempt, 'finalStoredFailed');
      this.#cluster.tell.attemptFinished(application, attempt);
      life.apply(application, 'attemptRetried');
      this.create(application);
      void store.putLive(application).catch(() => undefined);
      return;
    }
    const shownFailures = Math.max(counted, 1);
    const text = submission.unmanaged
      ? unmanagedFailed(application.id, diagnostics)
      : outOfAttempts(
          application.id,
          shownFailures,
          { own: maximumAttempts, global: settings.maximumAttempts, intervalMs: interval },
          diagnostics,
        );
    void life.end(application, 'FAILED', 'attemptFailed', text);
  }

  /** Ends an attempt because its application is killed. */
  kill(application: Application, attempt: Attempt): void {
    const before = attempt.state;
    if (!this.apply(application, attempt, 'kill')) return;
    this.#cluster.waiting.delete(application);
    if (before === 'FINISHING') return;
    if (before === 'LAUNCHED' || before === 'RUNNING') attempt.progress = 1;
    this.#closed(application, attempt, 'KILLED');
  }

  #closed(application: Application, attempt: Attempt, status: FinalStatus): void {
    const { clock, settings } = this.#cluster;
    attempt.finishedMs = clock.now();
    attempt.finalStatus = status;
    attempt.host = 'N/A';
    attempt.rpcPort = -1;
    attempt.originalTrackingUrl = settings.applicationPage(application.id);
    this.#silence(attempt);
  }

  /** The application's end is stored, and with it the attempt's. */
  finalStored(application: Application, attempt: Attempt): void {
    if (attempt.state !== 'FINAL_SAVING') return;
    const finished = application.target === 'FINISHING';
    if (finished) this.apply(application, attempt, 'finalStoredFinishing');
    else if (application.target === 'FINISHED') this.apply(application, attempt, 'finalStoredFinished');
    else if (application.target === 'KILLED') this.apply(application, attempt, 'finalStoredKilled');
    else this.apply(application, attempt, 'finalStoredFailed');
    // Its container may be gone already; for ever, if it was lost while this was stored.
    if (!finished) {
      this.#silence(attempt);
      this.#cluster.tell.attemptFinished(application, attempt);
    } else if (!this.#cluster.live.has(attempt.masterContainerId ?? '')) this.#finished(application, attempt);
  }

  #finished(application: Application, attempt: Attempt): void {
    this.apply(application, attempt, 'containerEnded');
    this.#silence(attempt);
    this.#cluster.tell.attemptFinished(application, attempt);
  }

  /** Nothing is expected of the master any more. */
  #silence(attempt: Attempt): void {
    const { timers, masters, lastContacts } = this.#cluster;
    timers.cancel(`master ${attempt.id}`);
    lastContacts.delete(attempt.id);
    masters.close(attempt.id);
  }

  /** What a node is told to start for a container, apart from the launch context. */
  startOrder(application: Application, container: Container) {
    const attempt = application.attempts.find(({ id }) => id === container.attemptId) ?? currentAttempt(application)!;
    const { submission } = application;
    return {
      containerId: container.id,
      askId: container.requestId,
      applicationId: application.id,
      attemptId: attempt.id,
      user: application.user,
      resource: nodeResource(container.resource, this.#cluster.types),
      priority: container.priority,
      queue: application.queue,
      isMaster: container.isMaster,
      executionType: container.executionType,
      ...(container.allocationTags.length > 0 ? { allocationTags: container.allocationTags } : {}),
      applicationAcls: { VIEW_APP: submission.viewAcl, MODIFY_APP: submission.modifyAcl },
      logAggregation: submission.logAggregation,
      submitTimeMs: application.submittedMs,
      maxAttempts: application.maximumAttempts,
    };
  }
}
