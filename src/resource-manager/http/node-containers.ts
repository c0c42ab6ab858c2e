// `/api/v1/nodes/{id}/containers`: what the cluster has on a node, with whose work it is.
import { json } from '../../http/answers.ts';
import type { Call, Route } from '../../http/service.ts';
import { findNode } from '../commands/update-node.ts';
import type { Parts } from '../views/parts.ts';

function answerContainers({ cluster, access }: Parts, { params, user }: Call) {
  const { view } = cluster;
  const node = findNode({ find: (id) => view.node(id) }, params['nodeId'] ?? '');
  const found = [...node.containers].flatMap((id) => {
    const container = view.container(id);
    const application = container && view.application(container.applicationId);
    return container && application ? [{ container, application }] : [];
  });
  const visible = found.filter(({ application }) => access.mayView(application, user));
  return json({
    containers: visible.map(({ container, application }) => ({
      id: container.id,
      applicationId: application.id,
      applicationName: application.submission.name,
      user: application.user,
      queue: application.queue,
      state: container.state,
      isMaster: container.isMaster,
      executionType: container.executionType,
      memoryMiB: container.resource[0] ?? 0,
      vcores: container.resource[1] ?? 0,
      createdTime: container.createdMs,
    })),
    hidden: found.length - visible.length,
    connected: node.connected,
  });
}

/** The routes of this file. */
export function nodeContainerRoutes(parts: Parts): Route<never>[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/nodes/:nodeId/containers',
      produces: ['json'],
      about:
        'Containers on a node with the applications that have them; how many the caller may not view is said, and whether the connection to the node is up.',
      access: 'overview',
      handle: (call) => answerContainers(parts, call),
    },
  ];
}
