// JSON merge patches (RFC 7396).

import { isObject } from './json-shape.ts';

/** A value as a patch changes it: members that are null go, objects are changed within, all else takes the place of what was there. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  // A member may be called as one of every object is.
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}
