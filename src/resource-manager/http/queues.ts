// `/queues/{queue}/access`: whether a user may use a queue.
import { ok } from '../../http/answers.ts';
import type { Route } from '../../http/service.ts';
import { queueAccess } from '../../wire/cluster/queue-access.ts';
import type { Commands } from '../commands/commands.ts';
import type { KnownCaller } from './callers.ts';

/** What these routes work with. */
export interface QueueNeeds {
  readonly caller: KnownCaller;
  readonly commands: Pick<Commands, 'checkQueueAccess'>;
}

/** The routes of this file, below `base`. */
export function queueRoutes({ caller: known, commands }: QueueNeeds, base: string): Route<never>[] {
  return [
    {
      method: 'GET',
      path: `${base}/queues/:queue/access`,
      about: 'Whether a user may submit to a queue or administer it; asked by an administrator of the queue.',
      access: 'modify',
      handle: ({ params, query, caller }) => {
        const queue = params['queue'] ?? '';
        const user = query.first('user') ?? '';
        const type = query.first('queue-acl-type') ?? 'SUBMIT_APPLICATIONS';
        const allowed = commands.checkQueueAccess(known(caller), queue, user, type);
        const diagnostics = allowed ? '' : `User=${user} doesn't have access to queue=${queue} with acl-type=${type}`;
        return ok(queueAccess, { allowed, user, diagnostics });
      },
    },
  ];
}
