// What changes of a value, as a JSON merge patch (RFC 7396).

type Members = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value);
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Makes `after` of `before`: what is the same is not named, what is gone is null. Members of both are in the same order. */
export function changesOf(before: Members, after: Members): Record<string, unknown> {
  const changes: [string, unknown][] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [from, to] = [before[name], after[name]];
    if (to === undefined) changes.push([name, null]);
    else if (!isSame(from, to)) changes.push([name, isObject(from) && isObject(to) ? changesOf(from, to) : to]);
  }
  return Object.fromEntries(changes);
}
