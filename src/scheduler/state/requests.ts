// What an attempt still wants, in the order in which it is served.

import type { Resource } from '../../model/resource.ts';
import type { Placement } from '../placement/placement.ts';
import type { InternalPurpose, RequestName } from '../policy.ts';
import type { Reservation } from './nodes.ts';

/** One request with what is left of it. `resource` is already normalised. */
export interface OpenRequest {
  readonly requestId: string;
  /** Set for a request that no master made. */
  readonly purpose: InternalPurpose | undefined;
  readonly priority: number;
  readonly allocationRequestId: number;
  resource: Resource;
  count: number;
  readonly nodes: readonly string[];
  readonly racks: readonly string[];
  readonly relaxLocality: boolean;
  readonly labelExpression: string;
  /** Index of the partition it asks for. */
  partition: number;
  /** How far from the places it names it may go now: locality delays let it wait for these first. */
  reach: 'node' | 'rack' | 'any';
  readonly isMaster: boolean;
  readonly reservations: Reservation[];
  /** Of its containers; empty for most. */
  readonly tags: readonly string[];
  /** Where its containers may stand beside others; undefined: anywhere. */
  readonly placement: Placement | undefined;
  /** When it was first asked; a repetition under the same id changes nothing. */
  sinceMs: number;
}

/** Sorted by priority (smaller first), then request id, then arrival. */
export class RequestTable {
  readonly #requests: OpenRequest[] = [];
  /** Requests of the master by their ids. */
  readonly #byId = new Map<string, OpenRequest>();
  /** The resource manager's own by container. */
  readonly #internal: Readonly<Record<InternalPurpose['kind'], Map<string, OpenRequest>>> = { growth: new Map(), promotion: new Map() };

  get size(): number {
    return this.#requests.length;
  }

  get(name: RequestName): OpenRequest | undefined {
    return typeof name === 'string' ? this.#byId.get(name) : this.#internal[name.kind].get(name.containerId);
  }

  put(request: OpenRequest): void {
    let low = 0;
    let high = this.#requests.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (before(request, this.#requests[middle]!)) high = middle;
      else low = middle + 1;
    }
    this.#requests.splice(low, 0, request);
    if (request.purpose) this.#internal[request.purpose.kind].set(request.purpose.containerId, request);
    else this.#byId.set(request.requestId, request);
  }

  remove(request: OpenRequest): void {
    const { purpose, requestId } = request;
    if (this.get(purpose ?? requestId) !== request) return;
    if (purpose) this.#internal[purpose.kind].delete(purpose.containerId);
    else this.#byId.delete(requestId);
    this.#requests.splice(this.#requests.indexOf(request), 1);
  }

  inOrder(): readonly OpenRequest[] {
    return this.#requests;
  }
}

/** How texts call a request. */
export const shownName = ({ purpose, requestId }: Pick<OpenRequest, 'purpose' | 'requestId'>): string =>
  purpose ? `${purpose.kind} of ${purpose.containerId}` : requestId;

const before = (a: OpenRequest, b: OpenRequest): boolean =>
  a.priority !== b.priority ? a.priority < b.priority : a.allocationRequestId < b.allocationRequestId;
