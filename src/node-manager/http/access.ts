// Who may see and do what on a node (ApplicationACLsManager).
import { type GroupsOf, isAllowed } from '../../auth/access-lists.ts';
import { administrators } from '../../auth/administrators.ts';
import { reachesQueue } from '../../auth/bearer/restriction.ts';
import type { Call } from '../../http/service.ts';
import { parseAccessList } from '../../model/access-list.ts';
import type { ContainerStart } from '../../wire/cluster/container-messages.ts';
import type { Application } from '../applications/application.ts';

/** Decides by the access lists of the node's administrators and of applications. */
export class NodeAccess {
  readonly #enabled: boolean;
  readonly #isAdministrator: (user: string) => boolean;
  readonly #groupsOf: GroupsOf;
  readonly #unnamedUnchecked: boolean;

  /**
   * `enabled`: access lists count at all (yarn.acl.enable). `administrators`: the text of yarn.admin.acl. `unnamedUnchecked`: callers without a
   * name see everything, as on Hadoop's nodes.
   */
  constructor(options: { enabled: boolean; administrators: string; groupsOf: GroupsOf; unnamedUnchecked: boolean }) {
    this.#enabled = options.enabled;
    this.#isAdministrator = administrators([options.administrators], options.groupsOf);
    this.#groupsOf = options.groupsOf;
    this.#unnamedUnchecked = options.unnamedUnchecked;
  }

  /** Whether the user administers the node, access lists on or off. */
  isAdministrator(user: string): boolean {
    return this.#isAdministrator(user);
  }

  /**
   * Whether the caller may act as the owner of what runs in a queue, on whose processes no list lets others work (ContainerShellWebSocket). A
   * bearer token lets nobody do so that may not change the application.
   */
  mayActFor({ user, anonymous, restriction }: Call['caller'], { user: owner, queue }: Pick<ContainerStart, 'user' | 'queue'>): boolean {
    if (user === undefined || (this.#enabled && anonymous)) return false;
    if (restriction && !reachesQueue(restriction, queue)) return false;
    if (user === owner) return true;
    return this.#enabled && this.isAdministrator(user) && (restriction === undefined || restriction.scope === 'admin');
  }

  /** Whether the caller may see the application and its logs. */
  mayView(caller: Call['caller'], application: Pick<Application, 'user' | 'acls'>): boolean {
    const { user, anonymous } = caller;
    if (!this.#enabled || (anonymous && this.#unnamedUnchecked)) return true;
    if (user === undefined) return false;
    if (user === application.user || this.isAdministrator(user)) return true;
    return isAllowed(parseAccessList(application.acls.VIEW_APP ?? ''), user, this.#groupsOf);
  }
}
