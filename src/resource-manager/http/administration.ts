// What an administrator does to the cluster outside YARN's REST interface (`yarn rmadmin` in Hadoop, which speaks RPC).
import { isAllowed, parseAccessList } from '../../auth/access-lists.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { ConfigurationError } from '../../config/table.ts';
import { json } from '../../http/answers.ts';
import type { Service } from '../../http/service.ts';
import { faultOf, fields, type JsonOf, number, optional, truth } from '../../lib/json-shape.ts';
import { failure } from '../../model/errors.ts';
import type { ResourceManagerContext } from '../context.ts';
import { readDynamicResources } from '../nodes/dynamic-resources.ts';
import type { Node } from '../nodes/node.ts';
import { queueFileName, refusalOf } from '../queue-files.ts';
import { ConfigurationRefused } from '../scheduler/policy.ts';

/** `graceful`: the time of the settings; `gracefulSeconds`: so long; -1: without end; neither: at once. */
const refreshRequest = fields({ graceful: optional(truth()), gracefulSeconds: optional(number({ minimum: -1, maximum: 31_536_000 })) });

/** Adds the administrator's routes. */
export function mountAdministration(service: Service, context: ResourceManagerContext): void {
  const { cluster, configuration, groupsOf, logger, racks, types } = context;
  const { aclEnabled, adminAcl } = configuration.values(commonSettings);
  const own = configuration.values(resourceManagerSettings);
  const administrators = parseAccessList(adminAcl);
  const leaveSeconds = (body: Buffer) => readSeconds(body, own.decommissionTimeoutSeconds);
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
      const seconds = leaveSeconds(body);
      const changed = cluster.removal.refresh(seconds);
      racks.refresh();
      logger.info({ user, changed }, 'the lists of nodes were read again');
      return json({ changed });
    },
  });

  service.route({
    method: 'POST',
    path: '/api/v1/nodes/refresh-resources',
    about: 'Reads dynamic-resources.xml again; nodes it names get the sizes it says.',
    produces: ['json'],
    handle({ user }) {
      checkAdministrator(user);
      try {
        const changed = cluster.nodeLife.useDynamicResources(readDynamicResources(configuration.confDir, types));
        logger.info({ user, changed }, 'the sizes of nodes were read again');
        return json({ changed });
      } catch (error) {
        if (error instanceof ConfigurationError) throw failure('NODE_RESOURCES_REFUSED', { reason: error.message });
        throw error;
      }
    },
  });

  const nodeOf = (id: string): Node => {
    const node = cluster.nodes.get(id);
    if (!node) throw failure('NODE_NOT_FOUND', { id });
    return node;
  };
  service.route<Buffer>({
    method: 'POST',
    path: '/api/v1/nodes/:nodeId/drain',
    about: 'Lets a node finish its applications within a time and leave; it stays away until it is resumed.',
    body: 'raw',
    bodyLimitBytes: 4096,
    produces: ['json'],
    handle({ body, user, params }) {
      checkAdministrator(user);
      const node = nodeOf(params['nodeId'] ?? '');
      const seconds = leaveSeconds(body) ?? own.decommissionTimeoutSeconds;
      cluster.removal.drain(node, seconds);
      logger.info({ user, nodeId: node.id, seconds }, 'a node is drained');
      return json({ nodeId: node.id, state: node.state });
    },
  });
  service.route({
    method: 'POST',
    path: '/api/v1/nodes/:nodeId/resume',
    about: 'Undoes a drain: a node that is still there goes on, one that left may come back.',
    produces: ['json'],
    handle({ user, params }) {
      checkAdministrator(user);
      const node = nodeOf(params['nodeId'] ?? '');
      if (!cluster.removal.resume(node)) throw failure('NODE_EXCLUDED', { id: node.id });
      logger.info({ user, nodeId: node.id }, 'a node is resumed');
      return json({ nodeId: node.id, state: node.state });
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

function readSeconds(body: Buffer, whenSilent: number): number | undefined {
  let value: unknown;
  try {
    value = body.length === 0 ? {} : JSON.parse(body.toString('utf8'));
  } catch {
    throw failure('BAD_REQUEST', { reason: 'the body is not JSON' });
  }
  if (faultOf(refreshRequest, value) !== undefined)
    throw failure('BAD_REQUEST', { reason: 'graceful is true or false, gracefulSeconds a number of seconds; both may be absent' });
  const { graceful, gracefulSeconds } = value as JsonOf<typeof refreshRequest>;
  return gracefulSeconds ?? (graceful ? whenSilent : undefined);
}
