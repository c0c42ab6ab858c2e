// A change of the queues as people write it, and what it comes to. Pure.

/** Keys of queues relative to their paths, with what is written for each; '' unsets one. */
export type QueueEdits = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Body of `PUT /ws/v1/cluster/scheduler-conf`. */
export interface QueueChangeBody {
  readonly 'add-queue'?: readonly QueueParams[];
  readonly 'remove-queue'?: readonly string[];
  readonly 'update-queue'?: readonly QueueParams[];
}
/** A whole queue file, as `POST /api/v1/queues/what-if` takes one. */
export type QueueFileBody =
  | { readonly allocations: string }
  | { readonly properties: { readonly entry: readonly { readonly key: string; readonly value: string }[] } };
interface QueueParams {
  readonly 'queue-name': string;
  readonly params: { readonly entry: readonly { readonly key: string; readonly value: string }[] };
}

export const prefix = 'yarn.scheduler.capacity.';

/** Keys of one queue, relative to its path, as they are set. */
export function keysOf(properties: Properties, path: string): Readonly<Record<string, string>> {
  const own = `${prefix}${path}.`;
  const found = properties.filter(({ name }) => name.startsWith(own)).map(({ name, value }) => [name.slice(own.length), value] as const);
  return Object.fromEntries(found);
}

/** What `GET /ws/v1/cluster/scheduler-conf` has. */
export type Properties = readonly { readonly name: string; readonly value: string }[];

const paramsOf = (path: string, values: Readonly<Record<string, string>>): QueueParams => ({
  'queue-name': path,
  params: { entry: Object.entries(values).map(([key, value]) => ({ key, value: value.trim() })) },
});

/** What is sent: only keys that differ from how they are set. Queues in `added` are made, those in `removed` go. */
export function changeBody(
  properties: Properties,
  edits: QueueEdits,
  added: readonly string[] = [],
  removed: readonly string[] = [],
): QueueChangeBody {
  const isNew = new Set(added);
  const updates = Object.entries(edits).flatMap(([path, values]) => {
    if (isNew.has(path) || removed.includes(path)) return [];
    const set = keysOf(properties, path);
    const changed = Object.fromEntries(Object.entries(values).filter(([key, value]) => value.trim() !== (set[key] ?? '')));
    return Object.keys(changed).length === 0 ? [] : [paramsOf(path, changed)];
  });
  return {
    ...(removed.length > 0 && { 'remove-queue': removed }),
    ...(added.length > 0 && { 'add-queue': added.map((path) => paramsOf(path, edits[path] ?? {})) }),
    ...(updates.length > 0 && { 'update-queue': updates }),
  };
}

/** Whether anything is changed. */
export const isEmpty = (body: QueueChangeBody): boolean => Object.keys(body).length === 0;

/** A key with what it was and will be. */
export interface KeyDifference {
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What lies between two configurations, in the order of the keys. */
export function differences(before: Properties, after: Properties): readonly KeyDifference[] {
  const [old, fresh] = [before, after].map((list) => new Map(list.map(({ name, value }) => [name, value])));
  return [...new Set([...old!.keys(), ...fresh!.keys()])]
    .filter((key) => old!.get(key) !== fresh!.get(key))
    .sort()
    .map((key) => ({ key, before: old!.get(key), after: fresh!.get(key) }));
}

/** The sum of shares in percent where all of them are plain percentages; undefined where they are weights or amounts. */
export function sumOfShares(values: readonly string[]): number | undefined {
  const numbers = values.map((value) => (/^\d{1,9}(\.\d{1,9})?%?$/.test(value.trim()) ? Number.parseFloat(value) : Number.NaN));
  const sum = numbers.reduce((total, value) => total + value, 0);
  return Number.isNaN(sum) ? undefined : Number(sum.toFixed(4));
}
