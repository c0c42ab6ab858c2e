// The text of a JSON value in pieces, where a list or object in it is long.

/** From so many items on a list, an object or a map is long. */
export const longList = 256;
/** Long ones are looked for so deep, in short ones. */
const deepest = 4;

/** Whether a map, a list or an object is long. */
export function hasMany(value: object): boolean {
  if (value instanceof Map) return value.size > longList;
  if (Array.isArray(value)) return value.length > longList;
  let count = 0;
  for (const _ in value) if (++count > longList) return true;
  return false;
}

function isLong(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (hasMany(value)) return true;
  return depth < deepest && Object.values(value).some((item) => isLong(item, depth + 1));
}

/** The pieces of `JSON.stringify`, for values of plain lists and objects whose members are all to be written; one where nothing is long. */
export function* jsonPiecesOf(value: unknown, depth = 0): Generator<string, undefined> {
  if (!isLong(value, depth)) return yield JSON.stringify(value);
  let before = '';
  if (Array.isArray(value)) {
    yield '[';
    for (const item of value) {
      yield before;
      yield* jsonPiecesOf(item, depth + 1);
      before = ',';
    }
    return yield ']';
  }
  yield '{';
  for (const [name, item] of Object.entries(value as object)) {
    yield `${before}${JSON.stringify(name)}:`;
    yield* jsonPiecesOf(item, depth + 1);
    before = ',';
  }
  yield '}';
}
