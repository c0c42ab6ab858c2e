// `/queues/{queue}/access`: whether somebody may use a queue.

import { ok } from '../../http/answers.ts';
import type { Route } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import type { QueueAcl } from '../../scheduler/policy.ts';
import { queueAccess } from '../../wire/cluster/queue-access.ts';
import type { Parts } from './parts.ts';

/** The routes of this file, below `base`. */
export function queueRoutes({ access, caller: known }: Parts, base: string): Route<never>[] {
  return [
    {
      method: 'GET',
      path: `${base}/queues/:queue/access`,
      about: 'Whether a user may submit to a queue or administer it; asked by an administrator of the queue.',
      handle: ({ params, query, caller }) => {
        const queue = params['queue'] ?? '';
        const asking = known(caller).user;
        if (!access.mayUseQueue(queue, asking, 'ADMINISTER_QUEUE')) throw failure('QUEUE_ACCESS_CHECK_REFUSED', { user: asking, queue });
        const user = query.first('user') ?? '';
        if (user === '') throw failure('QUEUE_ACCESS_USER_MISSING');
        const type = query.first('queue-acl-type') ?? 'SUBMIT_APPLICATIONS';
        if (type !== 'SUBMIT_APPLICATIONS' && type !== 'ADMINISTER_QUEUE') throw failure('QUEUE_ACL_TYPE_UNKNOWN', { type });
        const allowed = access.mayUseQueue(queue, user, type as QueueAcl);
        return ok(queueAccess, {
          allowed,
          user,
          diagnostics: allowed ? '' : `User=${user} doesn't have access to queue=${queue} with acl-type=${type}`,
        });
      },
    },
  ];
}
