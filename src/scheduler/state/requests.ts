// What an attempt still wants, in the order in which it is served.

import type { Resource } from '../../model/resource.ts';
import type { Placement } from '../placement/placement.ts';
import type { Reservation } from './nodes.ts';

/** One request with what is left of it. `resource` is already normalised. */
export interface OpenRequest {
  readonly requestId: string;
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
  readonly #byId = new Map<string, OpenRequest>();

  get size(): number {
    return this.#requests.length;
  }

  get(requestId: string): OpenRequest | undefined {
    return this.#byId.get(requestId);
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
    this.#byId.set(request.requestId, request);
  }

  remove(request: OpenRequest): void {
    if (this.#byId.get(request.requestId) !== request) return;
    this.#byId.delete(request.requestId);
    this.#requests.splice(this.#requests.indexOf(request), 1);
  }

  inOrder(): readonly OpenRequest[] {
    return this.#requests;
  }
}

const before = (a: OpenRequest, b: OpenRequest): boolean =>
  a.priority !== b.priority ? a.priority < b.priority : a.allocationRequestId < b.allocationRequestId;
