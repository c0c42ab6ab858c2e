// What an attempt still wants, in the order in which it is served.

import type { InternalPurpose, RequestName } from '../policy.ts';

/** What a table needs to know of a request. */
interface TabledRequest {
  readonly requestId: string;
  readonly purpose: InternalPurpose | undefined;
  readonly priority: number;
  readonly allocationRequestId: number;
}

/** Sorted by priority (smaller first), then request id, then arrival. */
export class RequestTable<Request extends TabledRequest> {
  readonly #requests: Request[] = [];
  /** Requests of the master by their ids. */
  readonly #byId = new Map<string, Request>();
  /** The resource manager's own by container. */
  readonly #internal: Readonly<Record<InternalPurpose['kind'], Map<string, Request>>> = { growth: new Map(), promotion: new Map() };

  get size(): number {
    return this.#requests.length;
  }

  get(name: RequestName): Request | undefined {
    return typeof name === 'string' ? this.#byId.get(name) : this.#internal[name.kind].get(name.containerId);
  }

  put(request: Request): void {
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

  remove(request: Request): void {
    const { purpose, requestId } = request;
    if (this.get(purpose ?? requestId) !== request) return;
    if (purpose) this.#internal[purpose.kind].delete(purpose.containerId);
    else this.#byId.delete(requestId);
    this.#requests.splice(this.#requests.indexOf(request), 1);
  }

  inOrder(): readonly Request[] {
    return this.#requests;
  }
}

/** How texts call a request. */
export const shownName = ({ purpose, requestId }: Pick<TabledRequest, 'purpose' | 'requestId'>): string =>
  purpose ? `${purpose.kind} of ${purpose.containerId}` : requestId;

const before = (a: TabledRequest, b: TabledRequest): boolean =>
  a.priority !== b.priority ? a.priority < b.priority : a.allocationRequestId < b.allocationRequestId;
