// Who may see and do what on a node (ApplicationACLsManager).
import { type GroupsOf, isAllowed } from '../../auth/access-lists.ts';
import type { Call } from '../../http/service.ts';
import { type AccessList, parseAccessList } from '../../model/access-list.ts';
import type { Application } from '../applications/application.ts';

/** Decides by the access lists of the node's administrators and of applications. */
export class NodeAccess {
  readonly #enabled: boolean;
  readonly #administrators: AccessList;
  readonly #groupsOf: GroupsOf;
  readonly #processUser: string;

  /** `enabled`: access lists count at all (yarn.acl.enable). `administrators`: the text of yarn.admin.acl. `processUser`: an administrator always. */
  constructor(options: { enabled: boolean; administrators: string; groupsOf: GroupsOf; processUser: string }) {
    this.#enabled = options.enabled;
    this.#administrators = parseAccessList(options.administrators);
    this.#groupsOf = options.groupsOf;
    this.#processUser = options.processUser;
  }

  /** Whether the user administers the node, access lists on or off. */
  isAdministrator(user: string): boolean {
    return user === this.#processUser || isAllowed(this.#administrators, user, this.#groupsOf);
  }

  /** Whether the caller may see the application and its logs. A caller without a name sees everything, as on Hadoop's nodes. */
  mayView(caller: Call['caller'], application: Pick<Application, 'user' | 'acls'>): boolean {
    const { user } = caller;
    if (!this.#enabled || user === undefined || caller.anonymous || user === application.user || this.isAdministrator(user)) return true;
    return isAllowed(parseAccessList(application.acls.VIEW_APP ?? ''), user, this.#groupsOf);
  }
}
