// Who administers a server: the access lists that its settings name, and the user who runs it.
import { ownUserName } from '../lib/own-user.ts';
import { parseAccessList } from '../model/access-list.ts';
import { type GroupsOf, isAllowed } from './access-lists.ts';

/** The user who runs this process. */
export const processUser = ownUserName;

/** Whether a user is in one of the lists (`yarn.admin.acl`, `mapreduce.cluster.administrators`) or runs the process. */
export function administrators(lists: readonly string[], groupsOf: GroupsOf): (user: string) => boolean {
  const parsed = lists.map(parseAccessList);
  const own = processUser();
  return (user) => user === own || parsed.some((list) => isAllowed(list, user, groupsOf));
}
