// Bringing the cluster back after a restart: applications from the store; their containers follow when the nodes register.
import { currentAttempt } from '../applications/application.ts';
import type { Cluster } from '../cluster.ts';

/** Loads every application that had not ended. Call once, before anything else reaches the cluster. */
export function recover(cluster: Cluster): void {
  const { store, logger } = cluster;
  const applications = store.liveApplications().sort((a, b) => a.submittedMs - b.submittedMs || (a.id < b.id ? -1 : 1));
  for (const application of applications) {
    cluster.applications.set(application.id, application);
    for (const attempt of application.attempts) {
      cluster.attemptIndex.set(attempt.id, application);
      attempt.lastContainerNumber = 0;
    }
    if (application.state === 'NEW_SAVING' || application.state === 'SUBMITTED' || application.state === 'NEW') {
      application.state = 'NEW_SAVING';
      cluster.life.admit(application, true, false);
      continue;
    }
    cluster.life.admit(application, true, true);
    if (!application.admitted) continue;
    const attempt = currentAttempt(application);
    if (application.state === 'KILLING' || application.state === 'FINAL_SAVING') {
      // The wish to end was durable, the end was not: end it now.
      application.state = 'ACCEPTED';
      void cluster.life.killByUser(application, application.user, application.diagnostics);
      continue;
    }
    if (!attempt) {
      cluster.attempts.create(application);
      continue;
    }
    switch (attempt.state) {
      case 'ALLOCATED_SAVING':
      case 'ALLOCATED':
        attempt.state = 'LAUNCHED';
        break;
      case 'LAUNCHED_UNMANAGED_SAVING':
        attempt.state = 'LAUNCHED';
        break;
      case 'NEW':
      case 'SUBMITTED':
      case 'SCHEDULED':
        application.attempts.pop();
        cluster.attempts.create(application);
        continue;
      default:
    }
    cluster.policy.addAttempt({ applicationId: application.id, attemptId: attempt.id });
    application.scheduled = true;
    cluster.attempts.watch(application, attempt);
  }
  if (applications.length > 0) logger.info({ applications: applications.length }, 'applications were recovered');
}
