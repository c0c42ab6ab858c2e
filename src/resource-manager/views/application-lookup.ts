// Finds what a path names, with Hadoop's errors for malformed and unknown identifiers.
import { failure } from '../../model/errors.ts';
import { applicationIdOfAttempt, InvalidId, usualAttemptId, usualContainerId } from '../../model/ids.ts';
import type { Application } from '../applications/application.ts';
import { type ApplicationLookup, applicationIdOf, findApplication } from '../commands/find-application.ts';
import type { Access } from '../security/access.ts';
import type { Parts } from './parts.ts';

function parsed<T>(text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof InvalidId) throw failure('ID_MALFORMED', { reason: error.message });
    throw error;
  }
}

/** What says who may view an application. */
type ViewAccess = Pick<Access, 'mayView'>;

/** Passes callers who may view the application. @throws Failure APPLICATION_VIEW_REFUSED */
export function mustView(access: ViewAccess, application: Application, user: string | undefined): void {
  if (!access.mayView(application, user)) throw failure('APPLICATION_VIEW_REFUSED', { user: user ?? '', id: application.id });
}

/** The application that an id names, which the caller may view. @throws Failure ID_MALFORMED, APPLICATION_NOT_FOUND, APPLICATION_VIEW_REFUSED */
export function findViewable(
  { cluster, access }: { readonly cluster: ApplicationLookup; readonly access: ViewAccess },
  id: string,
  user: string | undefined,
): Application {
  const application = findApplication(cluster, id);
  mustView(access, application, user);
  return application;
}

/** The canonical ids of an application and an attempt, compared with nothing yet. @throws Failure ID_MALFORMED */
export function attemptPathOf(texts: { application: string; attempt: string }): { applicationId: string; attemptId: string } {
  return { applicationId: applicationIdOf(texts.application), attemptId: parsed(texts.attempt, usualAttemptId) };
}

/**
 * The attempt two parts of a path name, which the caller may view.
 * @throws Failure ID_MALFORMED, ATTEMPT_OF_ANOTHER, APPLICATION_UNKNOWN, ATTEMPT_NOT_FOUND, ATTEMPT_VIEW_REFUSED, APPLICATION_VIEW_REFUSED
 */
export function findAttempt(
  parts: Parts,
  texts: { application: string; attempt: string },
  user: string | undefined,
  what: 'attempt' | 'application',
) {
  const { applicationId, attemptId } = attemptPathOf(texts);
  if (applicationIdOfAttempt(attemptId) !== applicationId) throw failure('ATTEMPT_OF_ANOTHER');
  const application = parts.cluster.findAny(applicationId);
  if (!application) throw failure('APPLICATION_UNKNOWN', { id: applicationId });
  if (what === 'application') mustView(parts.access, application, user);
  else if (!parts.access.mayView(application, user)) throw failure('ATTEMPT_VIEW_REFUSED', { user: user ?? '', id: attemptId });
  const attempt = application.attempts.find(({ id }) => id === attemptId);
  if (!attempt) throw failure('ATTEMPT_NOT_FOUND', { id: attemptId });
  return { application, attempt };
}

/** The canonical container id. @throws Failure ID_MALFORMED */
export const containerIdOf = (text: string): string => parsed(text, usualContainerId);
