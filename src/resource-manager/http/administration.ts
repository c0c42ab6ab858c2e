// What an administrator does to the cluster outside YARN's REST interface (`yarn rmadmin` in Hadoop, which speaks RPC).
import { isAllowed, parseAccessList } from '../../auth/access-lists.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { ConfigurationError } from '../../config/table.ts';
import { json } from '../../http/answers.ts';
import type { Service } from '../../http/service.ts';
import { faultOf, fields, number, optional } from '../../lib/json-shape.ts';
import { failure } from '../../model/errors.ts';
import type { ResourceManagerContext } from '../context.ts';
import { isInactiveNode } from '../nodes/node-states.ts';
import { queueFileName, refusalOf } from '../queue-files.ts';
import { ConfigurationRefused } from '../scheduler/policy.ts';

const refreshRequest = fields({ gracefulSeconds: optional(number({ minimum: 0, maximum: 31_536_000 })) });

/** Adds the administrator's routes. */
export function mountAdministration(service: Service, context: ResourceManagerContext): void {
  const { cluster, configuration, groupsOf, logger, racks } = context;
  const { aclEnabled, adminAcl } = configuration.values(commonSettings);
  const administrators = parseAccessList(adminAcl);
  const checkAdministrator = (user: string | undefined): void => {
    if (aclEnabled && (user === undefined || !isAllowed(administrators, user, groupsOf))) throw failure('ONLY_ADMINISTRATORS');
  };

  service.route<Buffer>({
    method: 'POST',
    path: '/api/v1/nodes/refresh',
    about: 'Reads the include and exclude files again; nodes no longer listed leave, at once or within gracefulSeconds.',
    body: 'raw',
    bodyLimitBytes: 4096,
    produces: ['json'],
    handle({ body, user }) {
      checkAdministrator(user);
      const request = readRequest(body);
      cluster.membership.refresh();
      racks.refresh();
      const changed: { nodeId: string; state: string }[] = [];
      for (const node of cluster.nodes.values()) {
        const before = node.state;
        if (!cluster.membership.admits(node.host, node.id)) {
          if (!isInactiveNode[node.state])
            cluster.nodeLife.decommission(node, request.gracefulSeconds === undefined ? undefined : request.gracefulSeconds * 1000);
        } else if (node.state === 'DECOMMISSIONING') cluster.nodeLife.recommission(node);
        if (node.state !== before) changed.push({ nodeId: node.id, state: node.state });
      }
      logger.info({ user, changed }, 'the lists of nodes were read again');
      return json({ changed });
    },
  });

  service.route({
    method: 'POST',
    path: '/api/v1/queues/refresh',
    about: 'Reads capacity-scheduler.xml or fair-scheduler.xml again and takes it over; refused as a whole, with file, key and remedy.',
    produces: ['json'],
    handle({ user }) {
      checkAdministrator(user);
      const { kind } = context.policy;
      try {
        const from = context.queues.refresh();
        logger.info({ user, from }, 'the queues were read again');
        return json({ scheduler: kind, from, file: queueFileName(kind, configuration) });
      } catch (error) {
        const refused = error instanceof ConfigurationRefused ? refusalOf(error, kind, configuration) : error;
        if (!(refused instanceof ConfigurationError)) throw error;
        throw failure('QUEUES_REFUSED', { reason: refused.message });
      }
    },
  });
}

function readRequest(body: Buffer): { gracefulSeconds?: number } {
  let value: unknown;
  try {
    value = body.length === 0 ? {} : JSON.parse(body.toString('utf8'));
  } catch {
    throw failure('BAD_REQUEST', { reason: 'the body is not JSON' });
  }
  if (faultOf(refreshRequest, value) !== undefined)
    throw failure('BAD_REQUEST', { reason: 'gracefulSeconds is a number of seconds, or absent' });
  return value as { gracefulSeconds?: number };
}
