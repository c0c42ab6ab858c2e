// Bringing the cluster back after a restart: applications from the store; their containers follow when the nodes register.
import { type Application, currentAttempt } from '../applications/application.ts';
import { isEndedAttempt } from '../applications/attempt-states.ts';
import type { Cluster } from '../cluster.ts';

/** Loads every application that had not ended. Call once, before anything else reaches the cluster. */
export function recover(cluster: Cluster): void {
  const { store, logger } = cluster;
  const applications = store.liveApplications().sort((a, b) => a.submittedMs - b.submittedMs || (a.id < b.id ? -1 : 1));
  for (const application of applications) {
    cluster.applications.set(application.id, application);
    application.admitted = false;
    application.scheduled = false;
    for (const attempt of application.attempts) {
      cluster.attemptIndex.set(attempt.id, application);
      attempt.lastContainerNumber = 0;
    }
    recoverApplication(cluster, application);
  }
  if (applications.length > 0) logger.info({ applications: applications.length }, 'applications were recovered');
}

function recoverApplication(cluster: Cluster, application: Application): void {
  const isNew = application.state === 'NEW' || application.state === 'NEW_SAVING' || application.state === 'SUBMITTED';
  if (isNew) application.state = 'NEW_SAVING';
  // Once its end was wished for nothing else may happen to it: it ends now.
  const ending = application.state === 'KILLING' || application.state === 'FINAL_SAVING';
  if (ending) application.state = 'ACCEPTED';
  cluster.life.admit(application, true, true);
  if (!application.admitted) return;
  if (ending) {
    cluster.life.kill(application, application.diagnostics);
    return;
  }
  if (isNew) return;
  const attempt = currentAttempt(application);
  if (!attempt || isEndedAttempt[attempt.state] || attempt.state === 'FINAL_SAVING') {
    cluster.attempts.create(application);
    return;
  }
  switch (attempt.state) {
    case 'NEW':
    case 'SUBMITTED':
    case 'SCHEDULED':
      application.attempts.pop();
      cluster.attempts.create(application);
      return;
    case 'ALLOCATED_SAVING':
    case 'ALLOCATED':
    case 'LAUNCHED_UNMANAGED_SAVING':
      attempt.state = 'LAUNCHED';
      break;
    default:
  }
  cluster.policy.addAttempt({ applicationId: application.id, attemptId: attempt.id });
  application.scheduled = true;
  cluster.attempts.watch(application, attempt);
}
