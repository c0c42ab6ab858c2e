// Hadoop's access lists: users, a blank, groups, both separated by commas (org.apache.hadoop.security.authorize.AccessControlList).
// Pure; who needs the groups of a user looked up asks `isAllowed` of `auth/access-lists.ts`.

/** A parsed access list. */
export interface AccessList {
  /** The list is `*`: every user is in it. */
  readonly everyone: boolean;
  readonly users: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

const isWildcard = (part: string): boolean => part.trim() === '*';

/** The names between commas or line ends (StringUtils.getTrimmedStringCollection). */
const names = (text: string): Set<string> =>
  new Set(
    text
      .split(/[,\n]/)
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );

/**
 * Parses `users groups`: the first blank ends the users, all after it are groups (`alice staff, admins` has two). A part that is `*`
 * lists everyone; a `*` among other names is a name. An empty or blank text lists no user.
 */
export function parseAccessList(text: string): AccessList {
  const at = text.indexOf(' ');
  return at < 0 ? accessListOf(text, '') : accessListOf(text.slice(0, at), text.slice(at + 1));
}

/** The list of users and groups that are given apart, each separated by commas. */
export function accessListOf(users: string, groups: string): AccessList {
  if (isWildcard(users) || isWildcard(groups)) return { everyone: true, users: new Set(), groups: new Set() };
  return { everyone: false, users: names(users), groups: names(groups) };
}

/** Whether the list has the user or one of the user's groups. */
export function isListed(list: AccessList, user: string, groups: readonly string[]): boolean {
  return list.everyone || list.users.has(user) || (list.groups.size > 0 && groups.some((group) => list.groups.has(group)));
}

/** The list as Hadoop writes it back: `*`, or users, a blank and groups (the blank stays at the end: `root,admin `). */
export function accessListText(list: AccessList): string {
  return list.everyone ? '*' : `${[...list.users].join(',')} ${[...list.groups].join(',')}`;
}
