// Checks of shapes by samples: whatever member of a message is left out or of another type, the shape says so and where.
import assert from 'node:assert/strict';
import { checked, isObject, type JsonShape } from '../../src/lib/json-shape.ts';

type Path = readonly (string | number)[];

/** Every place below a value, places of objects and lists among them. */
function placesIn(value: unknown, path: Path = []): Path[] {
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : [];
  return entries.flatMap(([name, one]) => [[...path, name], ...placesIn(one, [...path, name])]);
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((one, name) => (Array.isArray(one) ? one[Number(name)] : isObject(one) ? one[name] : undefined), value);
}

/** A copy with another value at a place; without the place where `replacement` is undefined. */
function changed(value: unknown, path: Path, replacement: unknown): unknown {
  // Through JSON: what a sample names twice must not change twice.
  const copy: unknown = JSON.parse(JSON.stringify(value));
  const holder = at(copy, path.slice(0, -1));
  const name = path.at(-1);
  if (Array.isArray(holder)) holder[Number(name)] = replacement;
  else if (isObject(holder) && replacement === undefined) delete holder[String(name)];
  else if (isObject(holder)) holder[String(name)] = replacement;
  return copy;
}

/** Values of every type of JSON but that of the given one. */
function othersThan(value: unknown): unknown[] {
  const typeOf = (one: unknown): string => (one === null ? 'null' : Array.isArray(one) ? 'list' : typeof one);
  return ['text that is none', -0.5, true, null, [], {}].filter((other) => typeOf(other) !== typeOf(value));
}

/**
 * Asserts that the shape takes both samples unchanged and refuses every member of another type and every missing one, naming its path.
 * `full` has every member, `minimal` those that must be there (its maps are empty). `free` are paths below which anything goes.
 */
export function assertEveryFaultIsFound<T>(shape: JsonShape<T>, full: T, minimal: T, free: readonly string[] = []): void {
  for (const sample of [full, minimal]) {
    const travelled: unknown = JSON.parse(JSON.stringify(sample));
    assert.deepEqual(checked(shape, travelled), { value: travelled });
    assert.deepEqual(checked(shape, { ...(travelled as object), 'a member of another version': 1 }).fault, undefined);
  }
  for (const path of placesIn(full)) {
    const place = `/${path.join('/')}`;
    if (free.some((one) => place === one || place.startsWith(`${one}/`))) continue;
    for (const other of othersThan(at(full, path))) {
      const { fault } = checked(shape, changed(full, path, other));
      assert.ok(fault?.startsWith(`${place} `), `${JSON.stringify(other)} at ${place} gives: ${fault}`);
    }
  }
  for (const path of placesIn(minimal)) {
    if (typeof path.at(-1) === 'number') continue;
    const place = `/${path.join('/')}`;
    assert.equal(checked(shape, changed(minimal, path, undefined)).fault, `${place} is missing`);
  }
}
