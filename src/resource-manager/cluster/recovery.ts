// Bringing the cluster back after a restart: applications from the store; their containers follow when the nodes register. States change
// by the tables, with the event `recovered`. What an earlier process may not have told others of, they are told (again).
// Who was accepted goes on, or ends as it was decided (docs/protocol.md, P2).
import type { Logger } from '../../lib/log.ts';
import { exitStatus } from '../../model/exit-status.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import { type Application, currentAttempt } from '../applications/application.ts';
import { isCompletedState, nextApplicationState } from '../applications/application-states.ts';
import type { Attempt } from '../applications/attempt.ts';
import { nextAttemptState } from '../applications/attempt-states.ts';
import type { Container } from '../applications/container.ts';
import type { KeptContainer } from '../store/resource-manager-store.ts';
import type { ApplicationLifecycle } from './applications.ts';
import { type AttemptLifecycle, masterRequestId } from './attempts.ts';
import type { Effects } from './effects.ts';
import type { Ends } from './ends.ts';
import type { EventFigures } from './event-figures.ts';
import { type ExpectedContainers, mayHold } from './expected-containers.ts';
import type { MasterSessions } from './master-sessions.ts';
import type { MasterWatch } from './master-watch.ts';
import type { ClusterState } from './state.ts';

/** What is needed. */
export interface RecoveryPorts {
  readonly state: ClusterState;
  readonly policy: Pick<SchedulingPolicy, 'addAttempt' | 'updateBlacklist'>;
  readonly applications: Pick<ApplicationLifecycle, 'admit'>;
  readonly attempts: Pick<AttemptLifecycle, 'create'>;
  readonly ends: Pick<Ends, 'kill'>;
  readonly watch: Pick<MasterWatch, 'begin'>;
  readonly expected: Pick<ExpectedContainers, 'expect'>;
  readonly sessions: Pick<MasterSessions, 'toldBefore'>;
  readonly effects: Pick<Effects, 'persist' | 'publish'>;
  readonly events: EventFigures;
  readonly logger: Logger;
}

/** What an earlier process kept. */
export interface KeptState {
  readonly applications: readonly Application[];
  /** Ended ones of whose end others may not have been told. */
  readonly unsettled: readonly Application[];
  /** Containers of whose end their masters had not said that they heard. */
  readonly containers: readonly KeptContainer[];
}

/** Takes over applications as an earlier process kept them, the earliest submitted first, then what is known of their containers. */
export function recover(kept: KeptState, ports: RecoveryPorts): void {
  const applications = [...kept.applications].sort((a, b) => a.submittedMs - b.submittedMs || (a.id < b.id ? -1 : 1));
  for (const application of applications) recoverApplication(application, ports);
  for (const container of kept.containers) recoverContainer(container, ports);
  for (const application of kept.unsettled) recoverEnd(application, ports);
  if (applications.length > 0) ports.logger.info({ applications: applications.length }, 'applications were recovered');
}

/** Its end is stored; now others hear of it. */
function recoverEnd(application: Application, { effects }: RecoveryPorts): void {
  effects.publish({ about: 'endRecovered', application });
  effects.persist({ kind: 'ended', application }, { failed: () => 'again' });
}

function recoverApplication(application: Application, { state, applications, attempts, ends, ...ports }: RecoveryPorts): void {
  const { state: before } = application;
  // 1. No scheduler knows it yet, and none of its containers has an id of this process.
  application.admitted = false;
  application.scheduled = false;
  for (const attempt of application.attempts) attempt.lastContainerNumber = 0;
  state.addApplication(application);
  ports.effects.publish({ about: 'applicationRecovered', application });
  // 2. One that was not accepted yet is to be admitted anew; every other one only becomes known to the scheduler again.
  ports.events.ofApplication('recovered', () => state.enterState(application, nextApplicationState(before, 'recovered') ?? before));
  for (let attempt = 0; attempt < application.attempts.length; attempt++) ports.events.add('attempt', 'RECOVER');
  applications.admit(application, true, true);
  application.submittedQueue ||= application.queue;
  if (!application.admitted) return;
  // 3. Once its end was wished for nothing else may happen to it: it ends now.
  if (before === 'KILLING' || before === 'FINAL_SAVING') {
    void ends.kill(application, application.diagnostics);
    return;
  }
  // 4. A new one has its first attempt already; a master that was started is expected to come back; else the next attempt begins.
  if (before === 'NEW' || before === 'NEW_SAVING' || before === 'SUBMITTED') return;
  const attempt = currentAttempt(application);
  if (attempt && isResumed(attempt)) {
    ports.events.timed('scheduler', 'APP_ATTEMPT_ADDED', () =>
      ports.policy.addAttempt({ applicationId: application.id, attemptId: attempt.id }),
    );
    ports.policy.updateBlacklist(attempt.id, [...attempt.blacklistedNodes], []);
    application.scheduled = true;
    ports.watch.begin(application, attempt);
    const master = masterOf(application, attempt);
    if (master) ports.expected.expect({ application, container: master });
    return;
  }
  if (attempt && neverPlaced.has(attempt.state)) state.removeLastAttempt(application);
  attempts.create(application);
}

/** Attempts of which nothing ever ran: the next one takes their number. */
const neverPlaced: ReadonlySet<Attempt['state']> = new Set(['NEW', 'SUBMITTED', 'SCHEDULED']);

/** Whether an attempt goes on after a restart; then its state says so. */
function isResumed(attempt: Attempt): boolean {
  const next = nextAttemptState(attempt.state, 'recovered');
  if (next === undefined) return false;
  attempt.state = next;
  return true;
}

/** The container of a master that was started, or whose start was about to be ordered. */
function masterOf(
  application: Application,
  { id, masterContainerId, masterNodeId, masterNodeHttpAddress }: Attempt,
): Container | undefined {
  if (masterContainerId === undefined || masterNodeId === undefined) return undefined;
  return {
    id: masterContainerId,
    applicationId: application.id,
    attemptId: id,
    nodeId: masterNodeId,
    nodeHttpAddress: masterNodeHttpAddress ?? '',
    resource: application.submission.resource,
    priority: 0,
    isMaster: true,
    requestId: masterRequestId,
    allocationRequestId: -1,
    allocationTags: [],
    executionType: 'GUARANTEED',
    version: 0,
    state: 'NEW',
    kept: true,
    counted: false,
    told: false,
    createdMs: application.submittedMs,
    givenMs: 0,
    startedMs: 0,
    finishedMs: 0,
    exitCode: exitStatus.invalid,
    diagnostics: '',
  };
}

/** Its node tells of it when it comes back. One whose attempt is over is stopped then: nobody knows it. */
function recoverContainer({ container, endTold }: KeptContainer, { state, expected, sessions, effects }: RecoveryPorts): void {
  const application = state.application(container.applicationId);
  const attempt = application && currentAttempt(application);
  if (application && attempt && !isCompletedState[application.state] && mayHold(application, attempt, container)) {
    expected.expect({ application, container });
    if (endTold?.attemptId === attempt.id) sessions.toldBefore(container.id, endTold);
    return;
  }
  const { id, applicationId } = container;
  effects.persist({ kind: 'containersHeard', applicationId, application, containerIds: [id] }, { failed: () => 'given up' });
}
