// How long something is in JSON: what of it is kept in memory is bounded by that.

const known = new WeakMap<object, number>();

/** Characters of an object that stays as it is, written as JSON; counted once. */
export function jsonLength(value: object): number {
  let length = known.get(value);
  if (length === undefined) {
    length = JSON.stringify(value).length;
    known.set(value, length);
  }
  return length;
}
