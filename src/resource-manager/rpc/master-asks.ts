// What a master of Hadoop has asked for. Its asks are absolute: each says how many containers it wants by now at a host, in a rack or
// anywhere (`*`) for one priority, size, type and number, and replaces the one before. What it was given counts against that at once, also
// while it does not know of it yet: what it was told of it takes away itself, and says the smaller number then
// (AppSchedulingInfo.updateResourceRequests, LocalityAppPlacementAllocator).
import { type PlacedAt, placesOf } from '../../model/place-counts.ts';
import type { ExecutionType } from '../applications/container.ts';

/** Amounts by name. */
export type NamedAmounts = Readonly<Record<string, number>> & { readonly memoryMiB: number; readonly vcores: number };

/** What the containers of some asks have in common. */
export interface AskKey {
  /** Made of what distinguishes the key (`askIdOf`). */
  readonly askId: string;
  readonly priority: number;
  /** -1 where the master does without. */
  readonly allocationRequestId: number;
  readonly executionType: ExecutionType;
  readonly resource: NamedAmounts;
}

/** One ask, decoded. */
export interface Ask extends AskKey {
  /** A host, a rack (`/…`), or `*`. */
  readonly place: string;
  readonly count: number;
  readonly relaxLocality: boolean;
  readonly labelExpression: string | undefined;
}

/** What the scheduler is asked for, for all asks of one key. */
export interface AskedRequest extends AskKey {
  readonly count: number;
  readonly nodes: readonly string[];
  readonly racks: readonly string[];
  readonly placeCounts: ReadonlyMap<string, number>;
  readonly relaxLocality: boolean;
  readonly labelExpression?: string;
}

/** What new asks come to. Nothing is kept of them before `keep`. */
export interface AskPlan {
  readonly requests: readonly AskedRequest[];
  /** Ids of requests that are withdrawn. */
  readonly cancels: readonly string[];
  keep(): void;
}

interface Place {
  /** Containers still wanted. */
  left: number;
  /** Containers that were given and not told of. */
  untold: number;
  readonly relaxLocality: boolean;
  readonly labelExpression: string | undefined;
}

interface Group {
  key: AskKey;
  places: Map<string, Place>;
}

/** Stands for every place. */
export const anywhere = '*';

/** The asks of one master. */
export class AskTable {
  readonly #groups = new Map<string, Group>();
  /** By container: what it was given for, while its master does not know of it. */
  readonly #untold = new Map<string, { readonly group: Group; readonly places: readonly string[] }>();
  #size = 0;

  /** How many asks are kept. */
  get size(): number {
    return this.#size;
  }

  /** Whether something is wanted for the request, or was given and not told of. */
  has(askId: string): boolean {
    return this.#groups.has(askId);
  }

  /** What the asks change. */
  plan(asks: readonly Ask[]): AskPlan {
    const changed = new Map<string, { readonly group: Group; readonly key: AskKey; readonly places: Map<string, Place> }>();
    for (const ask of asks) {
      let change = changed.get(ask.askId);
      if (!change) {
        const key = keyOf(ask);
        const group = this.#groups.get(ask.askId) ?? { key, places: new Map<string, Place>() };
        change = { group, key, places: new Map(group.places) };
        changed.set(ask.askId, change);
      }
      replace(change.places, ask);
    }
    const requests: AskedRequest[] = [];
    const cancels: string[] = [];
    for (const [askId, { key, places }] of changed) {
      const request = requestOf(key, places);
      if (request) requests.push(request);
      else cancels.push(askId);
    }
    return {
      requests,
      cancels,
      keep: () => {
        for (const { group, key, places } of changed.values()) {
          group.key = key;
          this.#put(group, places);
        }
      },
    };
  }

  /** A container was given for a request; its master does not know of it yet. */
  given(askId: string, containerId: string, at: PlacedAt): void {
    const group = this.#groups.get(askId);
    if (!group) return;
    const names = [anywhere, ...placesOf(at, (name) => group.places.get(name)?.left)];
    for (const name of names) {
      const place = group.places.get(name);
      if (!place) continue;
      place.left = Math.max(0, place.left - 1);
      place.untold++;
    }
    this.#untold.set(containerId, { group, places: names });
  }

  /** The master knows of a container now. */
  told(containerId: string): void {
    const told = this.#untold.get(containerId);
    if (!told) return;
    this.#untold.delete(containerId);
    const { group, places } = told;
    for (const name of places) {
      const place = group.places.get(name);
      if (!place) continue;
      place.untold = Math.max(0, place.untold - 1);
      if (place.left === 0 && place.untold === 0) this.#drop(group, name);
    }
  }

  /** The resource manager gave a request up. */
  withdrawn(askId: string): void {
    const group = this.#groups.get(askId);
    if (group) this.#put(group, new Map());
  }

  #drop(group: Group, name: string): void {
    group.places.delete(name);
    this.#size--;
    if (group.places.size === 0) this.#groups.delete(group.key.askId);
  }

  #put(group: Group, places: Map<string, Place>): void {
    this.#size += places.size - group.places.size;
    group.places = places;
    if (places.size > 0) this.#groups.set(group.key.askId, group);
    else this.#groups.delete(group.key.askId);
  }
}

const keyOf = ({ askId, priority, allocationRequestId, executionType, resource }: AskKey): AskKey => ({
  askId,
  priority,
  allocationRequestId,
  executionType,
  resource,
});

/** The name of a request of resource requests: its key, so that asks of one key meet in it. */
export function askIdOf({ priority, allocationRequestId, executionType, resource }: Omit<AskKey, 'askId'>): string {
  const { memoryMiB, vcores, ...others } = resource;
  const further = Object.entries(others).map(([name, amount]) => `,${name}=${amount}`);
  return `${priority}/${allocationRequestId}/${executionType}/${memoryMiB},${vcores}${further.sort().join('')}`;
}

/** An ask takes the place of the one before it; nothing wanted and nothing untold is nothing asked. */
function replace(places: Map<string, Place>, { place, count, relaxLocality, labelExpression }: Ask): void {
  const untold = places.get(place)?.untold ?? 0;
  const left = Math.max(0, count - untold);
  if (left === 0 && untold === 0) places.delete(place);
  else places.set(place, { left, untold, relaxLocality, labelExpression });
}

/** What the places of a group come to; undefined: nothing can be given for them. */
function requestOf(key: AskKey, places: ReadonlyMap<string, Place>): AskedRequest | undefined {
  const all = places.get(anywhere);
  if (!all || all.left === 0) return undefined;
  const nodes: string[] = [];
  const racks: string[] = [];
  const placeCounts = new Map<string, number>();
  for (const [name, { left, relaxLocality }] of places) {
    if (name === anywhere || left === 0) continue;
    const isRack = name.startsWith('/');
    // A rack that is asked for without relaxing only counts what its hosts are given.
    if (isRack && !relaxLocality) continue;
    (isRack ? racks : nodes).push(name);
    placeCounts.set(name, left);
  }
  const { left: count, relaxLocality, labelExpression } = all;
  if (!relaxLocality && nodes.length === 0 && racks.length === 0) return undefined;
  const label = labelExpression === undefined ? {} : { labelExpression };
  return { ...key, ...label, count, nodes, racks, placeCounts, relaxLocality };
}
