// What is still wanted, as clients see it: requests that differ in nothing but their names in the master's protocol are one row with the sum of
// their containers, as YARN keeps one request for a priority and a place (AppSchedulingInfo, LocalityAppPlacementAllocator).

import type { Resource } from '../../model/resource.ts';
import type { PendingRequest } from '../../scheduler/policy.ts';
import { inConcurrentOrder } from '../../scheduler/state/java-order.ts';

/** One row of `resourceRequests` before it is written. */
export type RequestRow = Omit<PendingRequest, 'requestId' | 'purpose'>;

const isSameResource = (one: Resource, other: Resource): boolean =>
  one === other || (one.length === other.length && one.every((amount, type) => amount === other[type]));

const isSame = (one: RequestRow, other: RequestRow): boolean =>
  one.relaxLocality === other.relaxLocality &&
  one.labelExpression === other.labelExpression &&
  isSameResource(one.resource, other.resource);

/** Rows of one priority and id. */
class RowGroup {
  readonly #rows: RequestRow[] = [];
  /** A place has one row in nearly all cases: only a master that asks for several sizes by one priority has more. */
  readonly #byPlace = new Map<string, RequestRow[]>();

  get size(): number {
    return this.#rows.length;
  }

  add(request: RequestRow, mayGrow: boolean): void {
    const ofPlace = request.scheduling === undefined ? this.#byPlace.get(request.resourceName) : undefined;
    const row = ofPlace?.find((one) => isSame(one, request));
    if (row !== undefined) row.count += request.count;
    else if (mayGrow) {
      const own = { ...request };
      this.#rows.push(own);
      if (ofPlace !== undefined) ofPlace.push(own);
      else if (request.scheduling === undefined) this.#byPlace.set(request.resourceName, [own]);
    }
  }

  /** As the hash map of YARN lists places. */
  inOrder(): RequestRow[] {
    return inConcurrentOrder(this.#rows, ({ resourceName }) => resourceName, this.#byPlace.size);
  }
}

/** Rows of requests that come in the order of their priorities, place by place: at most `mostRows`, of at most `mostRead`, as there may be very many. */
export function requestRows(requests: Iterable<RequestRow>, { mostRows, mostRead }: { mostRows: number; mostRead: number }): RequestRow[] {
  const rows: RequestRow[] = [];
  let group = new RowGroup();
  let present: RequestRow | undefined;
  let read = 0;
  for (const request of requests) {
    if (++read > mostRead) break;
    if (present?.priority !== request.priority || present.allocationRequestId !== request.allocationRequestId) {
      rows.push(...group.inOrder());
      group = new RowGroup();
    }
    present = request;
    group.add(request, rows.length + group.size < mostRows);
  }
  rows.push(...group.inOrder());
  return rows;
}
