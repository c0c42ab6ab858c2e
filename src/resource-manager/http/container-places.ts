// On which node each container is or was, so that its logs and its use are asked for there.

import type { Configuration } from '../../config/load.ts';
import { schemeOf } from '../../config/web-addresses.ts';
import type { Application } from '../applications/application.ts';
import type { ClusterObserver } from '../cluster/observer.ts';

/** Ended containers whose nodes are remembered: of one application, and of all. */
const maximumOfApplication = 10_000;
const maximumPlaces = 100_000;
/** Ended applications that are remembered while their nodes gather the logs. */
const maximumEnded = 1000;

/** Remembers on which node each ended container of an application was; the cluster itself forgets containers that ended. */
export class ContainerPlaces implements ClusterObserver {
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

  /** The node that has the container, or had it, as far as that is known. */
  nodeOf(application: Application, containerId: string): string | undefined {
    const live = application.attempts.find(({ containers }) => containers.has(containerId))?.containers.get(containerId);
    const known = live?.nodeId ?? this.#places.get(application.id)?.get(containerId);
    if (known !== undefined) return known;
    // After a restart: where it can only have been on one node, it was there.
    const master = application.attempts.find(({ masterContainerId }) => masterContainerId === containerId)?.masterNodeId;
    return master ?? (application.logAggregation.size === 1 ? application.logAggregation.keys().next().value : undefined);
  }
}

/** The base URL of a node's web server from the address that it tells. */
export const nodeUrl = (httpAddress: string, configuration: Configuration): string =>
  /^https?:/.test(httpAddress) ? httpAddress : `${schemeOf(configuration)}://${httpAddress}`;
