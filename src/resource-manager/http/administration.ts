// What an administrator does to the cluster outside YARN's REST interface (`yarn rmadmin` in Hadoop, which speaks RPC).
import type { Caller } from '../../auth/authenticator.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { ConfigurationError } from '../../config/table.ts';
import { json } from '../../http/answers.ts';
import { jsonBody } from '../../http/json-body.ts';
import type { Service } from '../../http/service.ts';
import { fields, number, optional, truth } from '../../lib/json-shape.ts';
import { failure } from '../../model/errors.ts';
import { ConfigurationRefused } from '../../scheduler/policy.ts';
import { queueFileName, refusalOf } from '../../scheduler-settings/queue-files.ts';
import type { ResourceManagerContext } from '../context.ts';
import { readDynamicResources } from '../nodes/dynamic-resources.ts';
import type { Node } from '../nodes/node.ts';

/** `graceful`: the time of the settings; `gracefulSeconds`: so long; -1: without end; neither: at once. */
const refreshRequest = fields({ graceful: optional(truth()), gracefulSeconds: optional(number({ minimum: -1, maximum: 31_536_000 })) });

/** Adds the administrator's routes. */
export function mountAdministration(service: Service, context: ResourceManagerContext): void {
  const { cluster, configuration, racks, types } = context;
  const { access, audit } = context;
  const own = configuration.values(resourceManagerSettings);
  const leaveSeconds = (body: Buffer) => readSeconds(body, own.decommissionTimeoutSeconds);
  const mayAdminister = (caller: Caller, operation: string) => access.administrator(context.caller(caller), operation);
  const note = (caller: Caller, operation: string, target: string, details: Record<string, string | number | undefined> = {}) =>
    audit.changed(caller, { operation, target, ...details });

  service.route<Buffer>({
    method: 'POST',
    path: '/api/v1/nodes/refresh',
    about: 'Reads the include and exclude files again; nodes no longer listed leave, at once or within gracefulSeconds.',
    body: 'raw',
    bodyLimitBytes: 4096,
    produces: ['json'],
    handle({ body, caller }) {
      mayAdminister(caller, 'refresh nodes');
      const seconds = leaveSeconds(body);
      const changed = cluster.refreshMembership(seconds);
      racks.refresh();
      note(caller, 'refresh nodes', changed.join(','), { seconds });
      return json({ changed });
    },
  });

  service.route({
    method: 'POST',
    path: '/api/v1/nodes/refresh-resources',
    about: 'Reads dynamic-resources.xml again; nodes it names get the sizes it says.',
    produces: ['json'],
    handle({ caller }) {
      mayAdminister(caller, 'refresh sizes of nodes');
      try {
        const changed = cluster.useDynamicResources(readDynamicResources(configuration.confDir, types));
        note(caller, 'refresh sizes of nodes', changed.join(','));
        return json({ changed });
      } catch (error) {
        if (error instanceof ConfigurationError) throw failure('NODE_RESOURCES_REFUSED', { reason: error.message });
        throw error;
      }
    },
  });

  const nodeOf = (id: string): Node => {
    const node = cluster.view.node(id);
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
    handle({ body, caller, params }) {
      mayAdminister(caller, 'drain a node');
      const node = nodeOf(params['nodeId'] ?? '');
      const seconds = leaveSeconds(body) ?? own.decommissionTimeoutSeconds;
      cluster.drainNode(node, seconds);
      note(caller, 'drain a node', node.id, { seconds });
      return json({ nodeId: node.id, state: node.state });
    },
  });
  service.route({
    method: 'POST',
    path: '/api/v1/nodes/:nodeId/resume',
    about: 'Undoes a drain: a node that is still there goes on, one that left may come back.',
    produces: ['json'],
    handle({ caller, params }) {
      mayAdminister(caller, 'resume a node');
      const node = nodeOf(params['nodeId'] ?? '');
      if (!cluster.resumeNode(node)) throw failure('NODE_EXCLUDED', { id: node.id });
      note(caller, 'resume a node', node.id);
      return json({ nodeId: node.id, state: node.state });
    },
  });

  service.route({
    method: 'POST',
    path: '/api/v1/queues/refresh',
    about: 'Reads capacity-scheduler.xml or fair-scheduler.xml again and takes it over; refused as a whole, with file, key and remedy.',
    produces: ['json'],
    handle({ caller }) {
      mayAdminister(caller, 'refresh queues');
      const kind = context.policy.names.short;
      try {
        const from = context.queues.refresh();
        note(caller, 'refresh queues', 'queues', { from });
        return json({ scheduler: kind, from, file: queueFileName(kind, configuration) });
      } catch (error) {
        const refused = error instanceof ConfigurationRefused ? refusalOf(error, kind, configuration) : error;
        if (!(refused instanceof ConfigurationError)) throw error;
        throw failure('QUEUES_REFUSED', { reason: refused.message });
      }
    },
  });

  service.route({
    method: 'POST',
    path: '/api/v1/access/refresh',
    about: 'Reads again who administers (yarn.admin.acl), who may act for whom (proxy users) and who is in which group.',
    produces: ['json'],
    handle({ caller }) {
      mayAdminister(caller, 'refresh access');
      try {
        const { adminAcl } = context.refreshAccess();
        access.useAdministrators(adminAcl);
        note(caller, 'refresh access', 'cluster', { administrators: adminAcl });
        return json({ administrators: adminAcl });
      } catch (error) {
        if (error instanceof ConfigurationError) throw failure('ACCESS_REFUSED', { reason: error.message });
        throw error;
      }
    },
  });
}

function readSeconds(body: Buffer, whenSilent: number): number | undefined {
  const { graceful, gracefulSeconds } = jsonBody(refreshRequest, body, {});
  return gracefulSeconds ?? (graceful ? whenSilent : undefined);
}
