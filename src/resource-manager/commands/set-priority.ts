// Changing an application's priority (ClientRMService.updateApplicationPriority).
import { failure } from '../../model/errors.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { Application } from '../applications/application.ts';
import { isCompletedState } from '../applications/application-states.ts';
import type { Caller } from './caller.ts';
import { type ApplicationPorts, type ChangeOptions, findApplication, isSettledAt, isYoung, mustModify } from './find-application.ts';

export interface SetPriorityPorts extends ApplicationPorts {
  readonly policy: Pick<SchedulingPolicy, 'priorities'>;
  /** Resolves when what holds now is durable. */
  readonly settled: (application: Application) => Promise<void>;
  /** Sets it; resolves when that is durable, to the priority that holds then. */
  readonly setPriority: (application: Application, priority: number) => Promise<number>;
}

/**
 * Sets the priority of an application; returns the one that holds then. An application that has ended keeps its own.
 * @throws Failure ID_MALFORMED, APPLICATION_NOT_FOUND, PRIORITY_REFUSED, APPLICATION_TOO_YOUNG, PRIORITY_IMPOSSIBLE
 */
export async function setPriority(
  ports: SetPriorityPorts,
  caller: Caller,
  id: string,
  priority: number,
  { unchanged = 'anyone' }: ChangeOptions = {},
): Promise<number> {
  const application = findApplication(ports.applications, id);
  const mustBeAllowed = () => mustModify(ports, caller, application, 'change priority', 'PRIORITY_REFUSED');
  if (unchanged === 'modifiers') mustBeAllowed();
  if (await isSettledAt(ports, application, () => application.priority === priority)) return priority;
  mustBeAllowed();
  if (isCompletedState[application.state]) return application.priority;
  if (isYoung(application)) throw failure('APPLICATION_TOO_YOUNG', { state: application.state, what: 'priority' });
  const { policy } = ports;
  const { user } = caller;
  const wanted = { applicationId: application.id, user, groups: caller.groups(), queue: application.queue, priority };
  const checked = policy.priorities.checkChange(wanted);
  if ('refused' in checked) throw failure('PRIORITY_IMPOSSIBLE', { reason: checked.refused });
  const effective = await ports.setPriority(application, checked.priority);
  ports.audit.changed(caller, { operation: 'change priority', target: application.id, priority: effective });
  return effective;
}
