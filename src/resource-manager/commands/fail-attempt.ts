// Failing the attempt of an application on a user's wish (ClientRMService.failApplicationAttempt).
import { failure } from '../../model/errors.ts';
import { applicationIdOfAttempt } from '../../model/ids.ts';
import type { Application } from '../applications/application.ts';
import { isFinalState } from '../applications/application-states.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Caller } from './caller.ts';
import { type ApplicationPorts, findApplication, mustModify } from './find-application.ts';

export interface FailAttemptPorts extends ApplicationPorts {
  /** Fails it, if it has not ended; resolves when it is durable that it has. */
  readonly failAttempt: (application: Application, attempt: Attempt) => Promise<void>;
}

/**
 * Fails an attempt: another one follows, or the application fails with it. One that has ended stays as it is.
 * @throws Failure APPLICATION_NOT_FOUND, KILL_REFUSED, ATTEMPT_NOT_FOUND
 */
export async function failAttempt(ports: FailAttemptPorts, caller: Caller, attemptId: string): Promise<void> {
  const application = findApplication(ports.applications, applicationIdOfAttempt(attemptId));
  mustModify(ports, caller, application, 'fail attempt', 'KILL_REFUSED');
  const attempt = application.attempts.find(({ id }) => id === attemptId);
  if (!attempt) throw failure('ATTEMPT_NOT_FOUND', { id: attemptId });
  if (isFinalState[application.state]) return;
  const isOver = attempt !== application.attempts.at(-1);
  await ports.failAttempt(application, attempt);
  if (!isOver) ports.audit.changed(caller, { operation: 'fail attempt', target: attemptId });
}
