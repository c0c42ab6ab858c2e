// The priorities that a queue grants: `acl_application_max_priority` (AppPriorityACLConfigurationParser).
import { type AccessList, accessListOf } from '../../../model/access-list.ts';
import { ConfigurationRefused } from '../../policy.ts';
import { parseInteger } from './capacity-value.ts';

const parserClass = 'org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.AppPriorityACLConfigurationParser';

/** One entry of `acl_application_max_priority`. */
export interface PriorityGrant {
  readonly list: AccessList;
  readonly maximum: number;
  readonly preset: number;
}

const keys = new Set(['USER', 'GROUP', 'MAX_PRIORITY', 'DEFAULT_PRIORITY']);

/** `[user=ada max_priority=8 default_priority=3] [group=staff max_priority=4]`; '*' grants everything. @throws ConfigurationRefused */
export function parsePriorityGrants(text: string | undefined): PriorityGrant[] {
  const grants: PriorityGrant[] = [];
  for (const [, inside = ''] of (text ?? '').matchAll(/\[([^\]]+)/g)) if (inside.trim() !== '') grants.push(parseGrant(inside));
  return grants.sort((a, b) => a.maximum - b.maximum);
}

function parseGrant(text: string): PriorityGrant {
  const parts = new Map<string, string>();
  for (const part of text.trim().split(/ +/)) {
    const [name = '', value] = part.split('=');
    if (value === undefined) continue;
    const key = name.trim().toUpperCase();
    if (!keys.has(key)) throw new ConfigurationRefused(`No enum constant ${parserClass}.AppPriorityACLKeyType.${key}`);
    parts.set(key, value);
  }
  const user = parts.get('USER');
  const group = parts.get('GROUP');
  if (user === undefined && group === undefined) throw new ConfigurationRefused('Index 0 out of bounds for length 0');
  const maximum = parts.get('MAX_PRIORITY');
  if (maximum === undefined) throw new ConfigurationRefused(`A grant of priorities names its max_priority: [${text.trim()}] does not`);
  return {
    list: accessListOf(user ?? '', group ?? ''),
    maximum: parseInteger(maximum),
    preset: parseInteger(parts.get('DEFAULT_PRIORITY') ?? '0'),
  };
}
