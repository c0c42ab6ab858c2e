// Bringing the cluster back after a restart: applications from the store; their containers follow when the nodes register. States change
// by the tables, with the event `recovered`.
import type { Logger } from '../../lib/log.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import { type Application, currentAttempt } from '../applications/application.ts';
import { nextApplicationState } from '../applications/application-states.ts';
import type { Attempt } from '../applications/attempt.ts';
import { nextAttemptState } from '../applications/attempt-states.ts';
import type { ApplicationLifecycle } from './applications.ts';
import type { AttemptLifecycle } from './attempts.ts';
import type { Ends } from './ends.ts';
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
  readonly logger: Logger;
}

/** Takes over applications as an earlier process kept them, the earliest submitted first. */
export function recover(stored: readonly Application[], ports: RecoveryPorts): void {
  const applications = [...stored].sort((a, b) => a.submittedMs - b.submittedMs || (a.id < b.id ? -1 : 1));
  for (const application of applications) recoverApplication(application, ports);
  if (applications.length > 0) ports.logger.info({ applications: applications.length }, 'applications were recovered');
}

function recoverApplication(application: Application, { state, applications, attempts, ends, ...ports }: RecoveryPorts): void {
  const { state: before } = application;
  // 1. No scheduler knows it yet, and none of its containers has an id of this process.
  application.admitted = false;
  application.scheduled = false;
  for (const attempt of application.attempts) attempt.lastContainerNumber = 0;
  state.addApplication(application);
  // 2. One that was not accepted yet is to be admitted anew; every other one only becomes known to the scheduler again.
  application.state = nextApplicationState(before, 'recovered') ?? before;
  applications.admit(application, true, true);
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
    ports.policy.addAttempt({ applicationId: application.id, attemptId: attempt.id });
    ports.policy.updateBlacklist(attempt.id, [...attempt.blacklistedNodes], []);
    application.scheduled = true;
    ports.watch.begin(application, attempt);
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
