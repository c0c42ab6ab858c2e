// `deSelects`: members that a caller wants left out of applications.
import { failure } from '../../model/errors.ts';

export const deselectable = ['resourceRequests', 'timeouts', 'appNodeLabelExpression', 'amNodeLabelExpression', 'resourceInfo'] as const;

/** What is left out. */
export type Deselected = ReadonlySet<(typeof deselectable)[number]>;
export const nothingDeselected: Deselected = new Set();

/** What is left out of rendered applications. @throws Failure DESELECT_UNKNOWN */
export function parseDeselects(names: readonly string[]): Deselected {
  if (names.length === 0) return nothingDeselected;
  const byLowerCase = new Map(deselectable.map((name) => [name.toLowerCase(), name]));
  return new Set(
    names.map((name) => {
      const known = byLowerCase.get(name.toLowerCase());
      if (!known) throw failure('DESELECT_UNKNOWN', { name: name.trim() });
      return known;
    }),
  );
}
