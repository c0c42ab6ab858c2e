// Hadoop's access lists: `users groups`, both separated by commas; `*` is everybody, a blank is nobody (AccessControlList).

/** A parsed access list. */
export interface AccessList {
  readonly everybody: boolean;
  readonly users: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
}

/** The groups of a user; asked only where a list names groups. */
export type GroupsOf = (user: string) => readonly string[];

const names = (text: string | undefined): Set<string> =>
  new Set(
    (text ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );

/** Parses `users groups`. An empty or blank text lists nobody. */
export function parseAccessList(text: string): AccessList {
  const everybody = text.split(/[\s,]+/).includes('*');
  const at = text.search(/\s/);
  const [users, groups] = at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  return { everybody, users: names(users), groups: names(groups) };
}

/** Whether the list names the user or one of its groups. */
export function isAllowed(list: AccessList, user: string, groupsOf: GroupsOf): boolean {
  if (list.everybody || list.users.has(user)) return true;
  return list.groups.size > 0 && groupsOf(user).some((group) => list.groups.has(group));
}

/** The list as Hadoop writes it back: `*`, or users, a blank and groups (the blank stays at the end: `root,admin `). */
export function accessListText(list: AccessList): string {
  return list.everybody ? '*' : `${[...list.users].join(',')} ${[...list.groups].join(',')}`;
}
