// What happens to attempts on their way up: creation, the wait for the master's container, its launch, registration. How they end, and
// whether another one follows, is in ends.ts.
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { statusesWithoutBlacklisting, uncountedAttemptStatuses } from '../../model/exit-status.ts';
import { formatAttemptId, parseApplicationId } from '../../model/ids.ts';
import type { PlacementConstraint } from '../../model/placement-constraint.ts';
import type { ResourceRequest } from '../../scheduler/entries.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { LaunchContext } from '../../wire/cluster/launch-context.ts';
import { type Application, currentAttempt } from '../applications/application.ts';
import { type Attempt, type FinalStatus, newAttempt, publicAttemptState } from '../applications/attempt.ts';
import { type AttemptEvent, nextAttemptState } from '../applications/attempt-states.ts';
import type { Container } from '../applications/container.ts';
import { masterAssigned, masterLaunched } from '../applications/diagnostics.ts';
import type { Effects } from './effects.ts';
import type { EventFigures } from './event-figures.ts';
import type { MasterSessions } from './master-sessions.ts';
import type { MasterWatch } from './master-watch.ts';
import type { ClusterSettings } from './settings.ts';
import type { ClusterState } from './state.ts';

/** What a master says of itself when it registers. */
export interface RegisteredMaster {
  readonly host: string;
  /** -1 where it has none. */
  readonly rpcPort: number;
  readonly trackingUrl: string | undefined;
  /** By allocation tag: what binds every request with the tag. */
  readonly constraints?: ReadonlyMap<string, PlacementConstraint>;
  /** Containers of whose end it has heard in the last answer that it got. */
  readonly heardEnds?: readonly string[];
  /** By which a repetition is known. */
  readonly registrationId?: string | undefined;
}

/** What a master says last. */
export interface FinishedMaster {
  readonly finalStatus: FinalStatus;
  readonly diagnostics: string;
  /** Empty or undefined: the one it registered stays. */
  readonly trackingUrl: string | undefined;
}

/** What of the scheduler attempts need. */
export type AttemptScheduling = Pick<SchedulingPolicy, 'addAttempt' | 'updateBlacklist' | 'normalize'>;

/** What is needed. */
export interface AttemptPorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'persist' | 'publish' | 'wakeScheduler'>;
  readonly policy: AttemptScheduling;
  readonly sessions: Pick<MasterSessions, 'inherit' | 'close'>;
  readonly watch: MasterWatch;
  /** Nothing is asked for the attempt any more beside the scheduler's requests. */
  readonly forgetRequests: (attemptId: string) => void;
  readonly settings: ClusterSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: Pick<EventFigures, 'ofAttempt'>;
  /** A new secret for a master. */
  readonly newToken: () => string;
  /** See ClusterDependencies. */
  readonly masterCredentials: (attemptId: string, given: string | undefined) => string | undefined;
}

/** `yarn.resourcemanager.am-scheduling.node-blacklisting-disable-threshold` where a submission asks for it and the cluster does without. */
const usualBlacklistThreshold = 0.8;
/** The id of the request for a master's container. */
export const masterRequestId = 'master';

/** The lifecycle of attempts. */
export class AttemptLifecycle {
  readonly #ports: AttemptPorts;

  constructor(ports: AttemptPorts) {
    this.#ports = ports;
  }

  /** Takes an event through the table; false where the state does not take it. */
  apply(application: Application, attempt: Attempt, event: AttemptEvent): boolean {
    const next = nextAttemptState(attempt.state, event);
    if (next === undefined) return false;
    if (next === 'FINAL_SAVING') attempt.stateBefore = publicAttemptState(attempt);
    this.#ports.logger.debug({ attemptId: attempt.id, from: attempt.state, to: next, event }, 'an attempt changed its state');
    this.#ports.events.ofAttempt(event, () => {
      attempt.state = next;
      application.version++;
    });
    return true;
  }

  /** Adds the next attempt: the scheduler is asked for its master's container, or its master, which runs outside the cluster, may register. */
  create(application: Application): void {
    const { state, policy, sessions, effects } = this.#ports;
    const { unmanaged, keepContainers } = application.submission;
    const before = currentAttempt(application);
    const attempt = this.#newAttempt(application, (before?.number ?? 0) + 1);
    state.addAttempt(application, attempt);
    this.apply(application, attempt, 'start');
    const inherited = keepContainers && before !== undefined && before.containers.size > 0 ? before : undefined;
    if (inherited) state.passContainers(inherited, attempt);
    if (keepContainers) {
      sessions.inherit(application.id, attempt.id);
      // What the master before avoided its containers still avoid (SchedulerApplicationAttempt.transferStateFromPreviousAttempt).
      attempt.blacklistedNodes = new Set(before?.blacklistedNodes);
    }
    policy.addAttempt({
      applicationId: application.id,
      attemptId: attempt.id,
      ...(unmanaged ? {} : { masterRequest: this.#masterRequest(application) }),
      ...(inherited ? { keepContainersOf: inherited.id } : {}),
    });
    application.scheduled = true;
    if (unmanaged) {
      policy.updateBlacklist(attempt.id, [...attempt.blacklistedNodes], []);
      this.#awaitUnmanaged(application, attempt);
      return;
    }
    policy.updateBlacklist(attempt.id, this.avoidedNodes(application), []);
    this.apply(application, attempt, 'scheduled');
    state.setWaiting(application, true);
    effects.wakeScheduler();
  }

  #newAttempt(application: Application, number: number): Attempt {
    return newAttempt({
      id: formatAttemptId({ ...parseApplicationId(application.id), attempt: number }),
      applicationId: application.id,
      number,
      startedMs: this.#ports.clock.now(),
      token: this.#ports.newToken(),
    });
  }

  #masterRequest(application: Application): ResourceRequest {
    const { resource, masterLabelExpression, applicationLabelExpression, masterPlaces } = application.submission;
    const labelExpression = masterLabelExpression || applicationLabelExpression;
    const places = masterPlaces && { nodes: masterPlaces.nodes, racks: masterPlaces.racks, relaxLocality: masterPlaces.relaxed };
    return {
      requestId: masterRequestId,
      priority: 0,
      resource: this.#ports.policy.normalize(resource, application.queue),
      count: 1,
      labelExpression,
      ...places,
    };
  }

  #awaitUnmanaged(application: Application, attempt: Attempt): void {
    this.apply(application, attempt, 'scheduledUnmanaged');
    this.keep(application, () => {
      if (!this.apply(application, attempt, 'stored')) return;
      attempt.launchDiagnostics = masterLaunched;
      application.launchedMs = -1;
      this.#ports.watch.begin(application, attempt);
    });
  }

  /** Keeps the application as it is, then goes on; tried until it is durable. */
  keep(application: Application, stored: () => void): void {
    this.#ports.effects.persist({ kind: 'live', application }, { stored, failed: () => 'again' });
  }

  /** Nodes the next master should not go to; none once too much of the cluster would be avoided (SimpleBlacklistManager). */
  avoidedNodes(application: Application): readonly string[] {
    const { settings, state } = this.#ports;
    const { blacklistedBySystem, submission } = application;
    const own = submission.masterBlacklisting;
    const usual = own?.threshold ?? settings.masterBlacklistThreshold;
    const threshold = own === undefined ? settings.masterBlacklistThreshold : own.enabled ? (usual ?? usualBlacklistThreshold) : undefined;
    return threshold !== undefined && blacklistedBySystem.length < threshold * state.nodeCount ? blacklistedBySystem : [];
  }

  /** The scheduler gave the master's container. False where the attempt does not wait for it any more. */
  placed(application: Application, attempt: Attempt, container: Container): boolean {
    if (!this.apply(application, attempt, 'allocated')) return false;
    this.#ports.state.setWaiting(application, false);
    // What was avoided for the master gives way to what the master avoids.
    this.#ports.policy.updateBlacklist(attempt.id, [], application.blacklistedBySystem);
    this.#ports.policy.updateBlacklist(attempt.id, [...attempt.blacklistedNodes], []);
    attempt.masterContainerId = container.id;
    attempt.masterNodeId = container.nodeId;
    attempt.masterNodeHttpAddress = container.nodeHttpAddress;
    attempt.launchDiagnostics = masterAssigned;
    return true;
  }

  /** What the master's container runs. */
  launchContext({ id, submission }: Application, attempt: Attempt): LaunchContext {
    const { settings, masterCredentials } = this.#ports;
    const timeline = settings.timelineUrl();
    const { launch } = submission;
    const tokens = masterCredentials(attempt.id, launch.tokens);
    return {
      ...launch,
      ...(tokens === undefined ? {} : { tokens }),
      environment: {
        ...settings.masterEnvironment,
        HEDDLE_RESOURCE_MANAGER: settings.masterUrl(),
        HEDDLE_ATTEMPT_ID: attempt.id,
        ...(timeline ? { HEDDLE_TIMELINE: timeline } : {}),
        ...(settings.timelineCollectorUrl ? { HEDDLE_TIMELINE_COLLECTOR: settings.timelineCollectorUrl } : {}),
        APPLICATION_WEB_PROXY_BASE: `/proxy/${id}`,
        ...launch.environment,
      },
      secretEnvironment: { ...launch.secretEnvironment, HEDDLE_ATTEMPT_TOKEN: attempt.token },
    };
  }

  /** The start of the master's container was sent: it is expected to register. False where the state does not take it. */
  launched(application: Application, attempt: Attempt): boolean {
    if (!this.apply(application, attempt, 'launched')) return false;
    if (application.launchedMs === 0) application.launchedMs = this.#ports.clock.now();
    attempt.launchDiagnostics = masterLaunched;
    this.#ports.watch.begin(application, attempt);
    return true;
  }

  /** The master registered (again after a restart). False where the state does not take it. */
  registered(application: Application, attempt: Attempt, at: RegisteredMaster): boolean {
    if (!this.apply(application, attempt, 'registered')) return false;
    attempt.host = at.host;
    attempt.rpcPort = at.rpcPort;
    attempt.originalTrackingUrl = at.trackingUrl;
    attempt.registered = true;
    attempt.launchDiagnostics = '';
    this.#ports.watch.begin(application, attempt);
    return true;
  }

  /** The master says it is done. False where the state does not take it. */
  unregistered(application: Application, attempt: Attempt, last: FinishedMaster): boolean {
    if (!this.apply(application, attempt, 'unregistered')) return false;
    attempt.finalStatus = last.finalStatus;
    attempt.diagnostics = last.diagnostics;
    // What it registered is gone with it: without a last address the page of the application stands for it.
    attempt.originalTrackingUrl = last.trackingUrl;
    attempt.progress = 1;
    attempt.finishedMs = this.#ports.clock.now();
    return true;
  }

  /** It is durable that the master is done: it is given as long to be gone as it is given to speak. */
  finishing(application: Application, attempt: Attempt): void {
    this.#ports.watch.begin(application, attempt);
  }

  /** The attempt is over otherwise than by its master's word: what it had registered counts no longer. */
  closed(application: Application, attempt: Attempt, status: FinalStatus): void {
    attempt.finishedMs = this.#ports.clock.now();
    attempt.finalStatus = status;
    attempt.host = 'N/A';
    attempt.rpcPort = -1;
    attempt.originalTrackingUrl = this.#ports.settings.applicationPage(application.id);
    this.silence(attempt);
  }

  /** Nothing is expected of the master any more, and nothing asked for it. */
  silence(attempt: Attempt): void {
    const { watch, sessions, forgetRequests } = this.#ports;
    watch.end(attempt);
    forgetRequests(attempt.id);
    sessions.close(attempt.id);
  }

  /** Counts a failure: against the attempts that the application has, and against the node where the exit speaks against that. */
  countFailure(application: Application, attempt: Attempt, event: AttemptEvent, exitCode: number): void {
    if (!uncountedAttemptStatuses.has(exitCode)) application.failures.push(this.#ports.clock.now());
    const { masterNodeId } = attempt;
    if (
      masterNodeId !== undefined &&
      event === 'containerEnded' &&
      !statusesWithoutBlacklisting.has(exitCode) &&
      !application.blacklistedBySystem.includes(masterNodeId)
    ) {
      application.blacklistedBySystem.push(masterNodeId);
    }
  }

  /** Failures that count now: within the validity interval, where there is one. */
  countedFailures({ failures, submission }: Application): number {
    const { failuresValidityIntervalMs: intervalMs } = submission;
    if (intervalMs <= 0) return failures.length;
    const fromMs = this.#ports.clock.now() - intervalMs;
    return failures.filter((ms) => ms > fromMs).length;
  }
}
