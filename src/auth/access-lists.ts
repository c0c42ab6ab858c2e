// Who is in an access list, by the groups that the cluster knows; the lists themselves are in `model/access-list.ts`.
import { BoundedMap } from '../lib/bounded-map.ts';
import { type AccessList, isListed, parseAccessList } from '../model/access-list.ts';

/** The groups of a user; asked only where a list names groups. */
export type GroupsOf = (user: string) => readonly string[];

/** Whether the list names the user or one of the user's groups. */
export function isAllowed(list: AccessList, user: string, groupsOf: GroupsOf): boolean {
  return isListed(list, user, []) || (list.groups.size > 0 && isListed(list, user, groupsOf(user)));
}

/** Reads lists, and remembers as many as that: the same ones are asked for again and again. */
export function listReader(most: number): (text: string) => AccessList {
  const known = new BoundedMap<string, AccessList>(most);
  return (text) => {
    let list = known.get(text);
    if (!list) known.set(text, (list = parseAccessList(text)));
    return list;
  };
}
