// Who is in an access list, by the groups that the cluster knows; the lists themselves are in `model/access-list.ts`.
import { type AccessList, isListed } from '../model/access-list.ts';

/** The groups of a user; asked only where a list names groups. */
export type GroupsOf = (user: string) => readonly string[];

/** Whether the list names the user or one of the user's groups. */
export function isAllowed(list: AccessList, user: string, groupsOf: GroupsOf): boolean {
  return isListed(list, user, []) || (list.groups.size > 0 && isListed(list, user, groupsOf(user)));
}
