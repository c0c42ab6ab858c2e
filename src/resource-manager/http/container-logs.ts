// One address for a container's logs, before and after its end: leads to its node while they are there, then to the history server. Browsers,
// which reach neither from a page of this server, get them passed on.

import type { Authorize } from '../../client/credentials.ts';
import type { Configuration } from '../../config/load.ts';
import { schemeOf, serverAddress } from '../../config/web-addresses.ts';
import { type Answer, redirect } from '../../http/answers.ts';
import type { Call, Service } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { applicationIdOfContainer, InvalidId, parseContainerId } from '../../model/ids.ts';
import type { Application } from '../applications/application.ts';
import type { ClusterObserver } from '../cluster/observer.ts';
import type { Cluster } from '../cluster.ts';
import type { Access } from '../security/access.ts';
import { findViewable } from '../views/application-lookup.ts';
import { relayedLog } from './log-relay.ts';

/** Ended containers whose nodes are remembered: of one application, and of all. */
const maximumOfApplication = 10_000;
const maximumPlaces = 100_000;
/** Ended applications that are remembered while their nodes gather the logs. */
const maximumEnded = 1000;
/** Nodes that have no logs of an application any more; where gathering failed they still do. */
const gathered = new Set(['SUCCEEDED', 'TIME_OUT']);

/** Remembers on which node each ended container of an application was; the cluster itself forgets containers that ended. */
class ContainerPlaces implements ClusterObserver {
  readonly #places = new Map<string, Map<string, string>>();
  readonly #ended = new Set<string>();
  #count = 0;

  containerFinished({ id }: Application, container: { readonly id: string; readonly nodeId: string }): void {
    let places = this.#places.get(id);
    if (!places) this.#places.set(id, (places = new Map()));
    if (places.size >= maximumOfApplication) this.#count -= Number(places.delete(places.keys().next().value!));
    if (!places.has(container.id)) this.#count++;
    places.set(container.id, container.nodeId);
    while (this.#count > maximumPlaces) this.#drop(this.#places.keys().next().value!);
  }

  applicationFinished({ id }: Application): void {
    this.#ended.add(id);
    if (this.#ended.size > maximumEnded) this.#drop(this.#ended.values().next().value!);
  }

  #drop(id: string): void {
    this.#ended.delete(id);
    this.#count -= this.#places.get(id)?.size ?? 0;
    this.#places.delete(id);
  }

  nodeOf(application: Application, containerId: string): string | undefined {
    const live = application.attempts.find(({ containers }) => containers.has(containerId))?.containers.get(containerId);
    const known = live?.nodeId ?? this.#places.get(application.id)?.get(containerId);
    if (known !== undefined) return known;
    // After a restart: where it can only have been on one node, it was there.
    const master = application.attempts.find(({ masterContainerId }) => masterContainerId === containerId)?.masterNodeId;
    return master ?? (application.logAggregation.size === 1 ? application.logAggregation.keys().next().value : undefined);
  }
}

/** What the routes work with. */
export interface ContainerLogNeeds {
  readonly cluster: Cluster;
  readonly configuration: Configuration;
  readonly access: Pick<Access, 'mayView'>;
  /** What this server proves itself with to nodes and the history server, as a user; undefined: a name is enough. */
  readonly authorizationOf: (user: string) => Authorize | undefined;
}

/** Adds the routes. */
export function mountContainerLogs(service: Service, { cluster, configuration, access, authorizationOf }: ContainerLogNeeds): void {
  const scheme = schemeOf(configuration);
  const { url: historyUrl } = serverAddress(configuration, 'history');
  const places = new ContainerPlaces();
  cluster.observe(places);

  const addressOf = (call: Call<never>): string => {
    const containerId = call.params['containerid'] ?? '';
    const name = call.params['filename'];
    const path = `/api/v1/containers/${encodeURIComponent(containerId)}/logs${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
    const node = nodeFor(containerId);
    if (node !== undefined) return `${/^https?:/.test(node) ? '' : `${scheme}://`}${node}${path}`;
    return `${historyUrl}${path}`;
  };
  const lead = (call: Call<never>): Answer =>
    redirect(307, `${addressOf(call)}${call.query.passedOn}`, { text: '', contentType: 'text/plain;charset=utf-8' });
  const relay = (call: Call<never>): Promise<Answer> => {
    findViewable({ cluster, access }, applicationOf(call.params['containerid'] ?? ''), call.user);
    return relayedLog(call, new URL(addressOf(call)), authorizationOf);
  };
  const nodeFor = (containerId: string): string | undefined => {
    const applicationId = applicationOf(containerId);
    const application = cluster.findAny(applicationId);
    if (!application) return undefined;
    const nodeId = places.nodeOf(application, containerId);
    if (nodeId === undefined || gathered.has(application.logAggregation.get(nodeId)?.status ?? '')) return undefined;
    return cluster.view.node(nodeId)?.httpAddress;
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

/** @throws Failure ID_MALFORMED */
function applicationOf(containerId: string): string {
  try {
    parseContainerId(containerId);
    return applicationIdOfContainer(containerId);
  } catch (error) {
    if (error instanceof InvalidId) throw failure('ID_MALFORMED', { reason: error.message });
    throw error;
  }
}
