// Killing an application on a user's wish (ClientRMService.forceKillApplication).
import type { Application } from '../applications/application.ts';
import { type ApplicationState, isFinalState } from '../applications/application-states.ts';
import type { Caller } from './caller.ts';
import { type ApplicationPorts, findApplication, mustModify } from './find-application.ts';

export interface KillPorts extends ApplicationPorts {
  /** Kills; resolves when the end is durable. `done`: there is nothing left to come. */
  readonly kill: (application: Application, user: string, reason: string | undefined, address?: string) => Promise<'done' | 'begun'>;
}

/** What was reached. */
export interface KillResult {
  /** The state inside the resource manager: at the end of the kill where it is done, else at its beginning. */
  readonly state: ApplicationState;
  readonly isDone: boolean;
}

/** Kills an application; one that has ended stays as it is. `address`: what its diagnostics say of where the caller is. @throws Failure ID_MALFORMED, APPLICATION_NOT_FOUND, KILL_REFUSED */
export async function kill(ports: KillPorts, caller: Caller, id: string, reason?: string, address?: string): Promise<KillResult> {
  const application = findApplication(ports.applications, id);
  mustModify(ports, caller, application, 'kill application', 'KILL_REFUSED');
  if (isFinalState[application.state]) return { state: application.state, isDone: true };
  const killed = ports.kill(application, caller.user, reason, address);
  const stateBegun = application.state;
  const isDone = (await killed) === 'done';
  ports.audit.changed(caller, { operation: 'kill application', target: application.id });
  return { state: isDone ? application.state : stateBegun, isDone };
}
