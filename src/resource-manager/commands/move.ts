// Moving an application to another queue (ClientRMService.moveApplicationAcrossQueues).
import { failure } from '../../model/errors.ts';
import type { QueueAcl, SchedulingPolicy } from '../../scheduler/policy.ts';
import type { Application } from '../applications/application.ts';
import type { Caller } from './caller.ts';
import { type ApplicationPorts, type ChangeOptions, findApplication, isSettledAt, mustModify } from './find-application.ts';
import { mustReachQueue } from './token-limits.ts';

export interface MovePorts extends ApplicationPorts {
  readonly access: ApplicationPorts['access'] & {
    readonly aclEnabled: boolean;
    mayUseQueue(queue: string, user: string, acl: QueueAcl): boolean;
  };
  readonly policy: Pick<SchedulingPolicy, 'resolveQueue' | 'moveApplication'>;
  /** Resolves when what holds now is durable. */
  readonly settled: (application: Application) => Promise<void>;
  /** Moves; resolves when that is durable, to the queue's shown name, or to the refusal's text. */
  readonly move: (application: Application, queue: string) => Promise<{ readonly moved: string } | { readonly refused: string }>;
}

/**
 * Moves an application with everything it holds; returns the queue it is in then. The queue it is in already is no move.
 * @throws Failure ID_MALFORMED, APPLICATION_NOT_FOUND, MOVE_REFUSED, APPLICATION_NOT_MOVABLE, MOVE_IMPOSSIBLE
 */
export async function move(
  ports: MovePorts,
  caller: Caller,
  id: string,
  queue: string | undefined,
  { unchanged = 'anyone' }: ChangeOptions = {},
): Promise<string> {
  const application = findApplication(ports.applications, id);
  const mustBeAllowed = () => mustModify(ports, caller, application, 'move application', 'MOVE_REFUSED');
  if (unchanged === 'modifiers') mustBeAllowed();
  const isIn = (path: string | undefined) => isSettledAt(ports, application, () => application.queue === path);
  if (queue !== undefined && (await isIn(queue))) return queue;
  mustBeAllowed();
  const target = queue === undefined || queue === '' ? 'unknown' : ports.policy.resolveQueue(queue);
  if (typeof target === 'object')
    mustReachQueue(ports.audit, caller, target.queue, { operation: 'move application', target: application.id });
  mustEnter(ports, caller, application, queue, typeof target === 'object' ? target.queue : undefined);
  if (application.state !== 'ACCEPTED' && application.state !== 'RUNNING')
    throw failure('APPLICATION_NOT_MOVABLE', { state: application.state });
  // Where nothing can be moved, only the very name of its queue is no move.
  if (ports.policy.moveApplication && typeof target === 'object' && (await isIn(target.queue))) return target.queue;
  const result = await ports.move(application, queue ?? '');
  if ('refused' in result) throw failure('MOVE_IMPOSSIBLE', { reason: result.refused });
  ports.audit.changed(caller, { operation: 'move application', target: application.id, queue: result.moved });
  return result.moved;
}

/** With access lists on, the caller submits to or administers the queue; a queue that is unknown is open to no caller. */
function mustEnter(
  { access, policy, audit }: MovePorts,
  caller: Caller,
  { id }: Application,
  named: string | undefined,
  target: string | undefined,
): void {
  if (!access.aclEnabled || !policy.moveApplication) return;
  const { user } = caller;
  if (
    target !== undefined &&
    (access.mayUseQueue(target, user, 'SUBMIT_APPLICATIONS') || access.mayUseQueue(target, user, 'ADMINISTER_QUEUE'))
  )
    return;
  throw audit.refused(
    caller,
    { operation: 'move application', target: id, queue: named },
    failure('MOVE_REFUSED', { id, user, queue: named ?? '' }),
  );
}
