// Whether two plain values are the same: what JSON holds, by its content.

/** True where both are the same primitive, or arrays or plain objects with the same members in the same order. Anything else (a Map, a class) is only itself. */
export function isSameValue(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null)
    return Number.isNaN(left) && Number.isNaN(right);
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    for (let i = 0; i < left.length; i++) if (!isSameValue(left[i], right[i])) return false;
    return true;
  }
  return isPlain(left) && isPlain(right) && haveSameMembers(left, right);
}

const isPlain = (value: object): value is Record<string, unknown> => Object.getPrototypeOf(value) === Object.prototype;

function haveSameMembers(left: Readonly<Record<string, unknown>>, right: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(left);
  const others = Object.keys(right);
  if (names.length !== others.length) return false;
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    if (name !== others[i] || !isSameValue(left[name], right[name])) return false;
  }
  return true;
}
