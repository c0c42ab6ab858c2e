// What an administrator does to the cluster outside YARN's REST interface (`yarn rmadmin` in Hadoop, which speaks RPC).
import type { GroupsOf } from '../../auth/access-lists.ts';
import { json } from '../../http/answers.ts';
import { jsonBody } from '../../http/json-body.ts';
import type { Service } from '../../http/service.ts';
import { closedFields, number, optional, truth } from '../../lib/json-shape.ts';
import { failure } from '../../model/errors.ts';
import type { Commands } from '../commands/commands.ts';
import type { Leaving } from '../commands/update-node.ts';
import type { KnownCaller } from './callers.ts';

/** What these routes work with. */
export interface AdministrationNeeds {
  readonly caller: KnownCaller;
  readonly groupsOf: GroupsOf;
  readonly commands: Pick<
    Commands,
    'refreshNodes' | 'refreshNodeSizes' | 'drainNode' | 'resumeNode' | 'refreshQueues' | 'refreshAccess' | 'readQueueHistory'
  >;
}

const leaveSeconds = optional(number({ minimum: -1, maximum: 31_536_000 }));

/**
 * Body of a refresh or a drain. `graceful`: the time of the settings; `gracefulSeconds`: so long; -1: without end; neither: nodes that a refresh finds unlisted
 * leave at once, a drain takes the time of the settings. `timeoutSeconds` is another name of `gracefulSeconds`: callers sent it while nothing was refused.
 */
export const leaveRequest = closedFields({ graceful: optional(truth()), gracefulSeconds: leaveSeconds, timeoutSeconds: leaveSeconds });

/** Adds the administrator's routes. */
export function mountAdministration(service: Service, { caller: known, commands, groupsOf }: AdministrationNeeds): void {
  const read = { method: 'POST', body: 'raw', consumes: ['json'], bodyLimitBytes: 4096, produces: ['json'] } as const;
  const plain = { method: 'POST', produces: ['json'] } as const;
  service.route<Buffer>({
    ...read,
    path: '/api/v1/nodes/refresh',
    about: 'Reads the include and exclude files again; nodes no longer listed leave, at once or within gracefulSeconds.',
    access: 'admin',
    handle: async ({ body, caller }) => json({ changed: await commands.refreshNodes(known(caller), readLeaving(body)) }),
  });
  service.route({
    ...plain,
    path: '/api/v1/nodes/refresh-resources',
    about: 'Reads dynamic-resources.xml again; nodes it names get the sizes it says.',
    access: 'admin',
    handle: async ({ caller }) => json({ changed: await commands.refreshNodeSizes(known(caller)) }),
  });
  service.route<Buffer>({
    ...read,
    path: '/api/v1/nodes/:nodeId/drain',
    about: 'Lets a node finish its applications within a time and leave; it stays away until it is resumed.',
    access: 'admin',
    handle: async ({ body, caller, params }) =>
      json(await commands.drainNode(known(caller), params['nodeId'] ?? '', readLeaving(body).seconds)),
  });
  service.route({
    ...plain,
    path: '/api/v1/nodes/:nodeId/resume',
    about: 'Undoes a drain: a node that is still there goes on, one that left may come back.',
    access: 'admin',
    handle: async ({ caller, params }) => json(await commands.resumeNode(known(caller), params['nodeId'] ?? '')),
  });
  service.route({
    ...plain,
    path: '/api/v1/queues/refresh',
    about: 'Reads capacity-scheduler.xml or fair-scheduler.xml again and takes it over; refused as a whole, with file, key and remedy.',
    access: 'admin',
    handle: ({ caller }) => json(commands.refreshQueues(known(caller))),
  });
  service.route({
    method: 'GET',
    produces: ['json'],
    path: '/api/v1/queues/history',
    about: 'What callers changed of the queues: who, when, which keys from what to what; the newest first.',
    access: 'admin',
    handle: ({ caller }) => json({ changes: commands.readQueueHistory(known(caller)) }),
  });
  service.route({
    ...plain,
    path: '/api/v1/access/refresh',
    about: 'Reads again who administers (yarn.admin.acl), who may act for whom (proxy users) and who is in which group.',
    access: 'admin',
    handle: ({ caller }) => json({ administrators: commands.refreshAccess(known(caller)) }),
  });
  service.route({
    method: 'GET',
    produces: ['json'],
    path: '/api/v1/users/:user/groups',
    about: 'The groups that a user is in, as this server finds them.',
    access: 'facts',
    // Any caller may ask over Hadoop RPC, too (GetUserMappingsProtocol).
    handle: ({ params: { user = '' } }) => json({ user, groups: [...groupsOf(user)] }),
  });
}

/** How nodes are to leave. @throws Failure BAD_REQUEST */
function readLeaving(body: Buffer): Leaving {
  const { graceful = false, gracefulSeconds, timeoutSeconds = gracefulSeconds } = jsonBody(leaveRequest, body, {});
  if (gracefulSeconds !== undefined && timeoutSeconds !== gracefulSeconds)
    throw failure('BAD_REQUEST', { reason: 'gracefulSeconds and timeoutSeconds name one time, but differ: leave timeoutSeconds out' });
  return { graceful, seconds: timeoutSeconds };
}
