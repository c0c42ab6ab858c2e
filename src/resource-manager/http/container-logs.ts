// One address for a container's logs, before and after its end: leads to its node while they are there, then to the history server.

import type { Configuration } from '../../config/load.ts';
import { schemeOf, serverAddress } from '../../config/web-addresses.ts';
import { type Answer, redirect } from '../../http/answers.ts';
import type { Call, Service } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { applicationIdOfContainer, InvalidId, parseContainerId } from '../../model/ids.ts';
import type { Application } from '../applications/application.ts';
import type { ClusterObserver } from '../cluster/observer.ts';
import type { Cluster } from '../cluster.ts';

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

/** Adds the routes. */
export function mountContainerLogs(
  service: Service,
  { cluster, configuration }: { readonly cluster: Cluster; readonly configuration: Configuration },
): void {
  const scheme = schemeOf(configuration);
  const { url: historyUrl } = serverAddress(configuration, 'history');
  const places = new ContainerPlaces();
  cluster.observe(places);

  const lead = (call: Call<never>): Answer => {
    const containerId = call.params['containerid'] ?? '';
    const name = call.params['filename'];
    const path = `/api/v1/containers/${encodeURIComponent(containerId)}/logs${name === undefined ? '' : `/${encodeURIComponent(name)}`}${call.query.passedOn}`;
    const body = { text: '', contentType: 'text/plain;charset=utf-8' };
    const node = nodeFor(containerId);
    if (node !== undefined) return redirect(307, `${/^https?:/.test(node) ? '' : `${scheme}://`}${node}${path}`, body);
    return redirect(307, `${historyUrl}${path}`, body);
  };
  const nodeFor = (containerId: string): string | undefined => {
    let applicationId: string;
    try {
      parseContainerId(containerId);
      applicationId = applicationIdOfContainer(containerId);
    } catch (error) {
      if (error instanceof InvalidId) throw failure('ID_MALFORMED', { reason: error.message });
      throw error;
    }
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
}
