// The master that a call names by its attempt, and what is still to be heard of it.
import { failure } from '../../model/errors.ts';
import { applicationIdOfAttempt, isAttemptId } from '../../model/ids.ts';
import type { Application } from '../applications/application.ts';
import { isFinalState } from '../applications/application-states.ts';
import type { Attempt } from '../applications/attempt.ts';
import { isEndedAttempt } from '../applications/attempt-states.ts';
import type { ApplicationLookup } from './find-application.ts';

/** A master that calls: its attempt, which the door knows by the attempt's token. */
export interface CallingMaster {
  readonly application: Application;
  readonly attempt: Attempt;
}

/** Where masters are found. */
export interface MasterLookup extends ApplicationLookup {
  readonly view: {
    /** The attempt of an application in memory. */
    attempt(attemptId: string): CallingMaster | undefined;
  };
}

/** The master of an attempt of any age; undefined: there is no such attempt. */
export function findMaster(masters: MasterLookup, attemptId: string): CallingMaster | undefined {
  const live = masters.view.attempt(attemptId);
  if (live || !isAttemptId(attemptId)) return live;
  const application = masters.findAny(applicationIdOfAttempt(attemptId));
  const attempt = application?.attempts.find(({ id }) => id === attemptId);
  return application && attempt && { application, attempt };
}

/** The master of an attempt, unless nothing more is to be heard of it. One that finished may not have heard the answer to that. */
export function expectedMaster(masters: MasterLookup, attemptId: string): CallingMaster | undefined {
  const found = findMaster(masters, attemptId);
  if (!found) return undefined;
  const { application, attempt } = found;
  if (!isEndedAttempt[attempt.state]) return found;
  return attempt.registered && attempt.state === 'FINISHED' && isFinalState[application.state] ? found : undefined;
}

/** What the calls of a master find: it has not registered, it works, or its work is over (ApplicationMasterService). */
export function standingOf({ attempt }: CallingMaster): 'unregistered' | 'registered' | 'over' {
  if (!attempt.registered) return 'unregistered';
  return attempt.state === 'RUNNING' ? 'registered' : 'over';
}

/** Where it is known whether an application is about to end. */
export interface ApplicationEnds {
  /** Resolves when the end of an application that is being written is durable; undefined where none is. */
  ending(applicationId: string): Promise<void> | undefined;
}

/**
 * Refuses the call of a master that is not expected, as soon as it is durable that its application ends, if it does: a restart before that
 * would expect the master again.
 * @throws Failure MASTER_NOT_EXPECTED, STORE_…
 */
export async function refuseMaster(masters: ApplicationEnds, { application, attempt }: CallingMaster): Promise<never> {
  await masters.ending(application.id);
  throw failure('MASTER_NOT_EXPECTED', { attemptId: attempt.id, state: attempt.state });
}
