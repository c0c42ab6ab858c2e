// The application that a command names, and whether the caller may change it.

import type { Audit } from '../../auth/audit-log.ts';
import { failure } from '../../model/errors.ts';
import { InvalidId, usualApplicationId } from '../../model/ids.ts';
import type { Application } from '../applications/application.ts';
import type { Caller } from './caller.ts';
import { mustBeWithinToken } from './token-limits.ts';

/** Where applications are found. */
export interface ApplicationLookup {
  /** An application of any age, by the canonical form of its id. */
  findAny(applicationId: string): Application | undefined;
}

/** What a command that changes one application works with. */
export interface ApplicationPorts {
  readonly applications: ApplicationLookup;
  readonly access: { mayModify(application: Application, user: string): boolean };
  readonly audit: Audit;
}

/** The canonical form of an application id. @throws Failure ID_MALFORMED */
export function applicationIdOf(text: string): string {
  try {
    return usualApplicationId(text);
  } catch (error) {
    if (error instanceof InvalidId) throw failure('ID_MALFORMED', { reason: error.message });
    throw error;
  }
}

/** The application that an id names, however many zeros it is written with. @throws Failure ID_MALFORMED, APPLICATION_NOT_FOUND */
export function findApplication(applications: ApplicationLookup, id: string): Application {
  const application = applications.findAny(applicationIdOf(id));
  if (!application) throw failure('APPLICATION_NOT_FOUND', { id });
  return application;
}

/** The codes with which changes of applications are refused for who calls; each says what the caller wanted. */
export type ModifyRefusal = 'KILL_REFUSED' | 'MOVE_REFUSED' | 'PRIORITY_REFUSED' | 'TIMEOUT_REFUSED' | 'INSTANCES_REFUSED';

/** What differs between the doors. */
export interface ChangeOptions {
  /** Who may say what holds already: anyone (default, as Hadoop's REST interface), or only who may change the application (as its services). */
  readonly unchanged?: 'anyone' | 'modifiers';
}

/** Passes callers who may change the application. @throws Failure of the given code, BEARER_… */
export function mustModify(
  { access, audit }: Pick<ApplicationPorts, 'access' | 'audit'>,
  caller: Caller,
  application: Application,
  operation: string,
  code: ModifyRefusal,
): void {
  mustBeWithinToken(audit, caller, application, operation);
  if (access.mayModify(application, caller.user)) return;
  throw audit.refused(caller, { operation, target: application.id }, failure(code, { id: application.id, user: caller.user }));
}

/** Before the scheduler knows the application nothing about it can be changed. */
export const isYoung = ({ state }: Application): boolean => state === 'NEW' || state === 'NEW_SAVING' || state === 'SUBMITTED';

/**
 * Whether an application is what its caller wants, durably: a change to it that is under way may still fail, or be lost with this process (P1).
 * @throws Failure STORE_… where that cannot be stored
 */
export async function isSettledAt(
  { settled }: { readonly settled: (application: Application) => Promise<void> },
  application: Application,
  isSo: () => boolean,
): Promise<boolean> {
  if (!isSo()) return false;
  await settled(application);
  return isSo();
}
