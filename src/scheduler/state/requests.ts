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
  /** The resource manager's own, by purpose and container; most attempts have none. */
  #internal: Map<string, Request> | undefined;

  get size(): number {
    return this.#requests.length;
  }

  get(name: RequestName): Request | undefined {
    return typeof name === 'string' ? this.#byId.get(name) : this.#internal?.get(internalKey(name));
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
    if (request.purpose) (this.#internal ??= new Map()).set(internalKey(request.purpose), request);
    else this.#byId.set(request.requestId, request);
  }

  remove(request: Request): void {
    const { purpose, requestId } = request;
    if (this.get(purpose ?? requestId) !== request) return;
    if (purpose) this.#internal?.delete(internalKey(purpose));
    else this.#byId.delete(requestId);
    this.#requests.splice(this.#requests.indexOf(request), 1);
  }

  inOrder(): readonly Request[] {
    return this.#requests;
  }
}

const internalKey = ({ kind, containerId }: InternalPurpose): string => `${kind} of ${containerId}`;

/** How texts call a request. */
export const shownName = ({ purpose, requestId }: Pick<TabledRequest, 'purpose' | 'requestId'>): string =>
  purpose ? internalKey(purpose) : requestId;

const before = (a: TabledRequest, b: TabledRequest): boolean =>
  a.priority !== b.priority ? a.priority < b.priority : a.allocationRequestId < b.allocationRequestId;
