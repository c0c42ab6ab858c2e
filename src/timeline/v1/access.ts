// Who may read and write what lies in a domain (TimelineACLsManager). Without ACLs every caller may.
import type { StoredDomain } from '../store/domain-store.ts';

/** What decides about a user: administrators and lists of users and groups (`user1,user2 group1`). */
export interface AccessRules {
  /** `yarn.acl.enable`. */
  readonly enabled: boolean;
  isAdmin(user: string): boolean;
  /** Whether an access list names the user or one of its groups. */
  allows(list: string, user: string): boolean;
}

/** Reading or writing entities of a domain; a caller without a name (undefined) never may while ACLs are on. */
export function mayAccess(rules: AccessRules, domain: StoredDomain, kind: 'read' | 'write', user: string | undefined): boolean {
  if (!rules.enabled) return true;
  if (user === undefined) return false;
  const list = kind === 'read' ? domain.readers : domain.writers;
  return rules.isAdmin(user) || user === domain.owner || (list !== undefined && rules.allows(list, user));
}

/** Reading or changing the domain itself: owner and administrators. */
export function mayManage(rules: AccessRules, domain: StoredDomain, user: string | undefined): boolean {
  if (!rules.enabled) return true;
  return user !== undefined && (rules.isAdmin(user) || user === domain.owner);
}
