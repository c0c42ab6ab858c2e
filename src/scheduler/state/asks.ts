// What an attempt still wants, in the order in which it is served.

import type { Resource } from '../../model/resource.ts';
import type { Placement } from '../placement/placement.ts';
import type { Reservation } from './nodes.ts';

/** One request with what is left of it. `resource` is already normalised. */
export interface OpenAsk {
  readonly askId: string;
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
export class AskTable {
  readonly #asks: OpenAsk[] = [];
  readonly #byId = new Map<string, OpenAsk>();

  get size(): number {
    return this.#asks.length;
  }

  get(askId: string): OpenAsk | undefined {
    return this.#byId.get(askId);
  }

  put(ask: OpenAsk): void {
    let low = 0;
    let high = this.#asks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (before(ask, this.#asks[middle]!)) high = middle;
      else low = middle + 1;
    }
    this.#asks.splice(low, 0, ask);
    this.#byId.set(ask.askId, ask);
  }

  remove(ask: OpenAsk): void {
    if (this.#byId.get(ask.askId) !== ask) return;
    this.#byId.delete(ask.askId);
    this.#asks.splice(this.#asks.indexOf(ask), 1);
  }

  inOrder(): readonly OpenAsk[] {
    return this.#asks;
  }
}

const before = (a: OpenAsk, b: OpenAsk): boolean =>
  a.priority !== b.priority ? a.priority < b.priority : a.allocationRequestId < b.allocationRequestId;
