// What of a queue file is read and has no effect: told at the start, after a reload and by `heddle config check`.
import type { ResourceTypes } from '../model/resource.ts';
import { uselessKeys } from './capacity/settings/useless-keys.ts';
import { parseAllocations } from './fair/allocations.ts';
import type { PolicyKind } from './policy.ts';

/** Sentences; none for a file of which everything counts. @throws ConfigurationRefused */
export function queueWarnings(
  kind: PolicyKind,
  properties: ReadonlyMap<string, string>,
  allocations: string | undefined,
  types: ResourceTypes,
): readonly string[] {
  if (kind === 'fair') return parseAllocations(allocations, types).warnings;
  return kind === 'capacity' ? uselessKeys(properties) : [];
}
