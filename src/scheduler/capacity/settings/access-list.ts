// Access lists (`user1,user2 group1,group2`, `*`) and the priority lists of queues.

import { parseInteger } from './capacity-value.ts';

/** Hadoop's AccessControlList. */
export class AccessList {
  readonly everyone: boolean;
  readonly users: readonly string[];
  readonly groups: readonly string[];

  constructor(text: string) {
    this.everyone = text.trim() === '*' || /(^|[\s,])\*([\s,]|$)/.test(text);
    const [users = '', groups = ''] = /^\s/.test(text) ? ['', text.trim()] : text.trim().split(/\s+/, 2);
    this.users = words(users);
    this.groups = words(groups);
  }

  allows(user: string, groups: readonly string[]): boolean {
    return this.everyone || this.users.includes(user) || this.groups.some((group) => groups.includes(group));
  }

  /** As Hadoop writes a list back: users, a blank, groups. */
  text(): string {
    return this.everyone ? '*' : `${this.users.join(',')} ${this.groups.join(',')}`;
  }
}

const words = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

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
  for (const [, inside = ''] of text.matchAll(/\[([^\]]*)\]/g)) {
    const parts = new Map(
      inside
        .trim()
        .split(/\s+/)
        .map((part) => part.split('=', 2) as [string, string]),
    );
    const users = parts.get('user') ?? '';
    const groups = parts.get('group') ?? '';
    grants.push({
      list: new AccessList(users === '*' || groups === '*' ? '*' : `${users} ${groups}`),
      maximum: parseInteger(parts.get('max_priority') ?? parts.get('max-priority') ?? '0'),
      preset: parseInteger(parts.get('default_priority') ?? parts.get('default-priority') ?? '0'),
    });
  }
  return grants.sort((a, b) => a.maximum - b.maximum);
}
