// One address for a container's logs, before and after its end: leads to its node while they are there, then to the history server. Browsers,
// which reach neither from a page of this server, get them passed on.

import type { Authorize } from '../../client/credentials.ts';
import type { Configuration } from '../../config/load.ts';
import { serverAddress } from '../../config/web-addresses.ts';
import { type Answer, redirect } from '../../http/answers.ts';
import type { Call, Service } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { applicationIdOfContainer, InvalidId, parseContainerId } from '../../model/ids.ts';
import type { Cluster } from '../cluster.ts';
import type { Access } from '../security/access.ts';
import { findViewable } from '../views/application-lookup.ts';
import { type ContainerPlaces, nodeUrl } from './container-places.ts';
import { relayedAnswer } from './relay.ts';

/** What the routes work with. */
export interface RelayNeeds {
  readonly cluster: Cluster;
  readonly configuration: Configuration;
  readonly access: Pick<Access, 'mayView'>;
  readonly places: ContainerPlaces;
  /** What this server proves itself with to nodes and the history server, as a user; undefined: a name is enough. */
  readonly authorizationOf: (user: string) => Authorize | undefined;
}

/** Adds the routes. */
export function mountContainerLogs(service: Service, { cluster, configuration, access, places, authorizationOf }: RelayNeeds): void {
  const { url: historyUrl } = serverAddress(configuration, 'history');
  const addressOf = (call: Call<never>): string => {
    const containerId = call.params['containerid'] ?? '';
    const name = call.params['filename'];
    const path = `/api/v1/containers/${encodeURIComponent(containerId)}/logs${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
    const node = nodeFor(containerId);
    if (node !== undefined) return `${nodeUrl(node, configuration)}${path}`;
    return `${historyUrl}${path}`;
  };
  const lead = (call: Call<never>): Answer =>
    redirect(307, `${addressOf(call)}${call.query.passedOn}`, { text: '', contentType: 'text/plain;charset=utf-8' });
  const relay = (call: Call<never>): Promise<Answer> => {
    findViewable({ cluster, access }, applicationOf(call.params['containerid'] ?? ''), call.user);
    return relayedAnswer(call, new URL(addressOf(call)), authorizationOf, 'logs');
  };
  const nodeFor = (containerId: string): string | undefined => {
    const applicationId = applicationOf(containerId);
    const application = cluster.findAny(applicationId);
    if (!application) return undefined;
    const nodeId = places.nodeOf(application, containerId);
    if (nodeId === undefined) return undefined;
    const status = application.logAggregation.get(nodeId)?.status;
    const node = cluster.view.node(nodeId);
    // Where gathering failed they are still on the node, where it takes too long they may be, as long as there is one.
    return status === 'SUCCEEDED' || (status === 'TIME_OUT' && node?.connected === false) ? undefined : node?.httpAddress;
  };

  const path = '/api/v1/containers/:containerid/logs';
  service.route<never>({
    method: 'GET',
    path,
    about: 'Leads to the list of a container’s log files: on its node, or where logs are gathered.',
    access: 'facts',
    produces: 'any',
    handle: lead,
  });
  service.route<never>({
    method: 'GET',
    path: `${path}/:filename`,
    about: 'Leads to a log file: on its node (`follow=true`, ranges, server-sent events), or where logs are gathered.',
    access: 'facts',
    produces: 'any',
    handle: lead,
  });
  const relayed = '/api/v1/logs/:containerid';
  service.route<never>({
    method: 'GET',
    path: relayed,
    about: 'The list of a container’s log files, from wherever they are: for pages, which cannot follow to another server.',
    access: 'view',
    produces: ['json'],
    handle: relay,
  });
  service.route<never>({
    method: 'GET',
    path: `${relayed}/:filename`,
    about: 'A log file from wherever it is: a range of it, or with `follow=true` until the container ends.',
    access: 'view',
    produces: 'any',
    gzip: false,
    handle: relay,
  });
}

/** The id of the application of a container's id. @throws Failure ID_MALFORMED */
export function applicationOf(containerId: string): string {
  try {
    parseContainerId(containerId);
    return applicationIdOfContainer(containerId);
  } catch (error) {
    if (error instanceof InvalidId) throw failure('ID_MALFORMED', { reason: error.message });
    throw error;
  }
}
