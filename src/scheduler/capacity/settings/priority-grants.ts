// The priorities that a queue grants: `acl_application_max_priority` (AppPriorityACLConfigurationParser).
import { type AccessList, accessListOf } from '../../../model/access-list.ts';
import { parseInteger } from './capacity-value.ts';

/** One entry of `acl_application_max_priority`. */
export interface PriorityGrant {
  readonly list: AccessList;
  readonly maximum: number;
  readonly preset: number;
}

/** `[user=ada max_priority=8 default_priority=3] [group=staff max_priority=4]`; '*' grants everything. */
export function parsePriorityGrants(text: string | undefined): PriorityGrant[] {
  if (text === undefined) return [];
  const grants: PriorityGrant[] = [];
  for (const before of text.split(']').slice(0, -1)) {
    const open = before.indexOf('[');
    if (open < 0) continue;
    const parts = new Map(
      before
        .slice(open + 1)
        .trim()
        .split(/\s+/)
        .map((part) => part.split('=', 2) as [string, string]),
    );
    grants.push({
      list: accessListOf(parts.get('user') ?? '', parts.get('group') ?? ''),
      maximum: parseInteger(parts.get('max_priority') ?? parts.get('max-priority') ?? '0'),
      preset: parseInteger(parts.get('default_priority') ?? parts.get('default-priority') ?? '0'),
    });
  }
  return grants.sort((a, b) => a.maximum - b.maximum);
}
