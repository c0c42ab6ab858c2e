// What was put together of an entity, as one text: a small view of an entity (migrations.ts) is stored as one row. A large one has a row for
// each part, so that a put costs what it brings.
import { compareTexts } from '../../lib/text-order.ts';
import type { JsonValue, TimelineEvent } from '../../wire/timeline/entity.ts';
import { valueKey } from '../../wire/timeline/exact-json.ts';

/** Longest text that is stored as one, in characters. */
export const longestDocument = 16 * 1024;

/** A primary filter's value; `key` is equal for equal values. */
export interface FilterValue {
  readonly name: string;
  readonly key: string;
  readonly value: JsonValue;
}

/** The parts of a view: events latest first, then by type; others by name, filters of one name by key. Texts go by their bytes. */
export interface ViewParts {
  readonly events: readonly TimelineEvent[];
  readonly info: readonly (readonly [name: string, value: JsonValue])[];
  readonly filters: readonly FilterValue[];
}

/** What a put brings; `cleared`: the names of other info that it takes back. */
export interface PutParts extends ViewParts {
  readonly cleared: ReadonlySet<string>;
}

/** How a document is written: `e` events, `i` other info, `f` primary filters; lists of lists, so that any text may be a name. */
interface Written {
  readonly e?: readonly (readonly [timestamp: number, type: string, info: Record<string, JsonValue>])[];
  readonly i?: ViewParts['info'];
  readonly f?: readonly (readonly [name: string, value: JsonValue])[];
}

export const noParts: ViewParts = { events: [], info: [], filters: [] };

const joined = <Part>(first: readonly Part[], then: readonly Part[]): readonly Part[] =>
  first.length === 0 ? then : then.length === 0 ? first : [...first, ...then];

/** The parts of a view after a put: events of the same time and type and info of the same name are replaced, cleared info is gone, filters are added. */
export function merged(before: ViewParts, put: PutParts): ViewParts {
  const byPlace = <Part>(
    parts: readonly Part[],
    place: (part: Part) => string,
    order: (left: Part, right: Part) => number,
  ): readonly Part[] => {
    // Most often they are in their order, each once.
    let at = 1;
    while (at < parts.length && order(parts[at - 1]!, parts[at]!) < 0) at++;
    if (at >= parts.length) return parts;
    return [...new Map(parts.map((part) => [place(part), part])).values()].sort(order);
  };
  return {
    events: byPlace(
      joined(before.events, put.events),
      ({ timestamp, eventtype }) => `${timestamp} ${eventtype}`,
      (left, right) => right.timestamp - left.timestamp || compareTexts(left.eventtype, right.eventtype),
    ),
    info: byPlace(
      joined(put.cleared.size === 0 ? before.info : before.info.filter(([name]) => !put.cleared.has(name)), put.info),
      ([name]) => name,
      ([left], [right]) => compareTexts(left, right),
    ),
    filters: byPlace(
      // Of equal values the first stays.
      joined(put.filters, before.filters),
      ({ name, key }) => `${key} ${name}`,
      (left, right) => compareTexts(left.name, right.name) || compareTexts(left.key, right.key),
    ),
  };
}

/** The text of a view's parts; null where it is longer than `longest` and not stored as one. */
export function documentOf({ events, info, filters }: ViewParts, longest: number): string | null {
  const written: Written = {
    ...(events.length > 0
      ? { e: events.map(({ timestamp, eventtype, eventinfo }) => [timestamp, eventtype, eventinfo ?? {}] as const) }
      : {}),
    ...(info.length > 0 ? { i: info } : {}),
    ...(filters.length > 0 ? { f: filters.map(({ name, value }) => [name, value] as const) } : {}),
  };
  const text = JSON.stringify(written);
  return text.length <= longest ? text : null;
}

/** The parts that a document's value holds. */
export function partsOf(value: Record<string, JsonValue>): ViewParts {
  const { e = [], i = [], f = [] } = value as unknown as Written;
  return {
    events: e.map(([timestamp, eventtype, eventinfo]) => ({ timestamp, eventtype, eventinfo })),
    info: i,
    filters: f.map(([name, filter]) => ({ name, key: valueKey(filter), value: filter })),
  };
}
