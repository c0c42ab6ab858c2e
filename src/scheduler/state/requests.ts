// What an attempt still wants, in the order in which it is served.

import type { InternalPurpose, RequestName } from '../entries.ts';

/** What a table needs to know of a request. */
interface TabledRequest {
  readonly requestId: string;
  readonly purpose: InternalPurpose | undefined;
  readonly priority: number;
  readonly allocationRequestId: number;
  readonly partition: number;
  readonly nodes: { readonly length: number };
  readonly racks: { readonly length: number };
}

/** From which part of all on changes are made at once, by a look at each request, and not one by one, by moving what stands behind it. */
const manyChanges = 1 / 64;

/**
 * Sorted by priority (smaller first), then request id, then arrival. A master may put tens of thousands at once, and its end removes them: what
 * changed is brought into the order when somebody looks at it, so that nothing is moved for each of them.
 */
export class RequestTable<Request extends TabledRequest> {
  #inOrder: Request[] = [];
  /** Not in the order yet, as they came; and still in it, though they are gone. */
  readonly #coming = new Set<Request>();
  readonly #gone = new Set<Request>();
  /** Requests of the master by their ids. */
  readonly #byId = new Map<string, Request>();
  /** How many there are by partition: asked at each change, when there may be tens of thousands. */
  readonly #partitions: number[] = [];
  /** The resource manager's own, by purpose and container; most attempts have none. */
  #internal: Map<string, Request> | undefined;

  /** The places that all of them name, anywhere included. */
  places = 0;

  get size(): number {
    return this.#inOrder.length + this.#coming.size - this.#gone.size;
  }

  get(name: RequestName): Request | undefined {
    return typeof name === 'string' ? this.#byId.get(name) : this.#internal?.get(internalKey(name));
  }

  put(request: Request): void {
    // One that comes again stands behind those that came meanwhile.
    if (this.#gone.has(request)) this.#settle();
    this.#coming.add(request);
    this.places += placesOf(request);
    this.#partitions[request.partition] = (this.#partitions[request.partition] ?? 0) + 1;
    if (request.purpose) (this.#internal ??= new Map()).set(internalKey(request.purpose), request);
    else this.#byId.set(request.requestId, request);
  }

  remove(request: Request): void {
    const { purpose, requestId } = request;
    if (this.get(purpose ?? requestId) !== request) return;
    if (purpose) this.#internal?.delete(internalKey(purpose));
    else this.#byId.delete(requestId);
    this.#partitions[request.partition]!--;
    this.places -= placesOf(request);
    if (!this.#coming.delete(request)) this.#gone.add(request);
  }

  /** Whether there is one in the partition. */
  hasIn(partition: number): boolean {
    return (this.#partitions[partition] ?? 0) > 0;
  }

  /** All of them; a list that was given before may change with what is put and removed afterwards. */
  inOrder(): readonly Request[] {
    if (this.#coming.size > 0 || this.#gone.size > 0) this.#settle();
    return this.#inOrder;
  }

  #settle(): void {
    const gone = this.#gone;
    if (gone.size > this.#inOrder.length * manyChanges) this.#inOrder = this.#inOrder.filter((request) => !gone.has(request));
    else
      for (const request of gone)
        this.#inOrder.splice(
          this.#inOrder.indexOf(
            request,
            this.#firstBehind((at) => compare(at, request) < 0),
          ),
          1,
        );
    gone.clear();
    if (this.#coming.size > this.#inOrder.length * manyChanges) {
      for (const request of this.#coming) this.#inOrder.push(request);
      // Stable: of equals the earlier ones stay in front.
      this.#inOrder.sort(compare);
    } else
      for (const request of this.#coming)
        this.#inOrder.splice(
          this.#firstBehind((at) => compare(at, request) <= 0),
          0,
          request,
        );
    this.#coming.clear();
  }

  /** The first place at which a request stands that is not in front, by bisection. */
  #firstBehind(isInFront: (at: Request) => boolean): number {
    let low = 0;
    let high = this.#inOrder.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isInFront(this.#inOrder[middle]!)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const placesOf = ({ nodes, racks }: TabledRequest): number => nodes.length + racks.length + 1;
const internalKey = ({ kind, containerId }: InternalPurpose): string => `${kind} of ${containerId}`;

/** How texts call a request. */
export const shownName = ({ purpose, requestId }: Pick<TabledRequest, 'purpose' | 'requestId'>): string =>
  purpose ? internalKey(purpose) : requestId;

const compare = (a: TabledRequest, b: TabledRequest): number =>
  a.priority !== b.priority ? a.priority - b.priority : a.allocationRequestId - b.allocationRequestId;
