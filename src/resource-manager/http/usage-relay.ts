// What containers and nodes used over the last minutes: the nodes themselves know, this server asks them for its callers.
import { type Answer, json } from '../../http/answers.ts';
import type { Call, Service } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import type { ContainerUsage } from '../../wire/node/usage.ts';
import { findNode } from '../commands/update-node.ts';
import { findViewable } from '../views/application-lookup.ts';
import { applicationOf, type RelayNeeds } from './container-logs.ts';
import { nodeUrl } from './container-places.ts';
import { relayedAnswer } from './relay.ts';
import { usageOfApplication } from './usage-of-application.ts';

/** Adds the routes. */
export function mountUsage(service: Service, needs: RelayNeeds): void {
  const { cluster, configuration, access, places, authorizationOf } = needs;
  const { view } = cluster;
  const relay = (call: Call<never>, httpAddress: string, path: string): Promise<Answer> =>
    relayedAnswer(call, new URL(`${nodeUrl(httpAddress, configuration)}${path}`), authorizationOf, 'use');

  const ofContainer = async (call: Call<never>): Promise<Answer> => {
    const id = call.params['containerid'] ?? '';
    const application = findViewable({ cluster, access }, applicationOf(id), call.user);
    const nodeId = places.nodeOf(application, id);
    const node = nodeId === undefined ? undefined : view.node(nodeId);
    // Nodes forget an application when they hear that it has ended.
    if (!node?.httpAddress || application.finishedMs > 0)
      return json({ containerId: id, running: false, samples: [] } satisfies ContainerUsage);
    return relay(call, node.httpAddress, `/api/v1/containers/${encodeURIComponent(id)}/usage`);
  };
  const ofNode = (call: Call<never>, path: string): Promise<Answer> => {
    const node = findNode({ find: (id) => view.node(id) }, call.params['nodeId'] ?? '');
    if (!node.httpAddress) throw failure('NODE_NOT_ACTIVE', { id: node.id });
    return relay(call, node.httpAddress, path);
  };

  service.route<never>({
    method: 'GET',
    path: '/api/v1/containers/:containerid/usage',
    about: 'What a container used over the last ten minutes, beside what it was given; its node tells it.',
    access: 'view',
    produces: ['json'],
    handle: ofContainer,
  });
  service.route<never>({
    method: 'GET',
    path: '/api/v1/nodes/:nodeId/usage',
    about: 'What a machine and, together, its containers used over the last ten minutes; the node tells it.',
    access: 'facts',
    produces: ['json'],
    handle: (call) => ofNode(call, '/api/v1/usage'),
  });
  service.route<never>({
    method: 'GET',
    path: '/api/v1/nodes/:nodeId/usage/containers',
    about:
      'What the containers that run on a node used over the last ten minutes, in brief; those that the caller may view. The node tells it.',
    access: 'facts',
    produces: ['json'],
    handle: (call) => ofNode(call, '/api/v1/usage/containers'),
  });
  service.route<never>({
    method: 'GET',
    path: '/api/v1/applications/:appid/usage',
    about:
      'What the containers of an application that run used over the last ten minutes, in brief; their nodes tell it, 32 of them at most.',
    access: 'view',
    produces: ['json'],
    handle: (call) => usageOfApplication(needs, call),
  });
}
