// Whether a user may use a queue, asked by an administrator of the queue (RMWebServices.checkUserAccessToQueue).
import { failure } from '../../model/errors.ts';
import type { QueueAcl } from '../../scheduler/policy.ts';
import type { Caller } from './caller.ts';

const queueAcls: readonly QueueAcl[] = ['SUBMIT_APPLICATIONS', 'ADMINISTER_QUEUE'];

export interface QueueAccessPorts {
  readonly access: { mayUseQueue(queue: string, user: string, acl: QueueAcl): boolean };
}

/** Whether `user` is in the list `acl` of a queue. @throws Failure QUEUE_ACCESS_CHECK_REFUSED, QUEUE_ACCESS_USER_MISSING, QUEUE_ACL_TYPE_UNKNOWN */
export function checkQueueAccess({ access }: QueueAccessPorts, caller: Caller, queue: string, user: string, acl: string): boolean {
  if (!access.mayUseQueue(queue, caller.user, 'ADMINISTER_QUEUE'))
    throw failure('QUEUE_ACCESS_CHECK_REFUSED', { user: caller.principal, queue });
  if (user === '') throw failure('QUEUE_ACCESS_USER_MISSING');
  const known = queueAcls.find((name) => name === acl);
  if (known === undefined) throw failure('QUEUE_ACL_TYPE_UNKNOWN', { type: acl });
  return access.mayUseQueue(queue, user, known);
}
