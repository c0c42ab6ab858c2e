// Who may read, change and administer: the rules of ApplicationACLsManager, QueueACLsManager and of the administrators' list.

import { type GroupsOf, isAllowed, listReader } from '../../auth/access-lists.ts';
import type { Audit, AuditedCaller } from '../../auth/audit-log.ts';
import { type AccessList, parseAccessList } from '../../model/access-list.ts';
import { failure } from '../../model/errors.ts';
import type { QueueAcl, SchedulingPolicy } from '../../scheduler/policy.ts';
import type { Application } from '../applications/application.ts';

/** What access depends on. */
export interface AccessOptions {
  /** `yarn.acl.enable`. */
  readonly aclEnabled: boolean;
  /** `yarn.admin.acl`. */
  readonly adminAcl: string;
  /** The user of this process: always an administrator. */
  readonly processUser: string;
  readonly groupsOf: GroupsOf;
  readonly policy: Pick<SchedulingPolicy, 'checkAccess' | 'isUnguarded'>;
  /** Hears of refusals. */
  readonly audit: Audit;
}

/** A known user who calls. */
type KnownCaller = AuditedCaller & { readonly user: string };

/** Parsed lists that are kept; they are as many as applications have different lists. */
const mostLists = 10_000;

/** What of an application says who may view it. */
export type ViewedApplication = Pick<Application, 'user' | 'queue' | 'admitted'> & {
  readonly submission: Pick<Application['submission'], 'viewAcl'>;
};

/** The rules of one resource manager. */
export class Access {
  readonly #options: AccessOptions;
  #administrators: AccessList;
  readonly #parsed = listReader(mostLists);

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#administrators = parseAccessList(options.adminAcl);
  }

  /** Who administers from now on: `yarn.admin.acl`, read again. */
  useAdministrators(adminAcl: string): void {
    this.#administrators = parseAccessList(adminAcl);
  }

  get aclEnabled(): boolean {
    return this.#options.aclEnabled;
  }

  groupsOf(user: string): readonly string[] {
    return this.#options.groupsOf(user);
  }

  isAdministrator(user: string): boolean {
    return user === this.#options.processUser || isAllowed(this.#administrators, user, this.#options.groupsOf);
  }

  /** With access lists on only administrators pass. @throws Failure ONLY_ADMINISTRATORS */
  administrator(caller: KnownCaller, operation: string): void {
    if (!this.#options.aclEnabled || this.isAdministrator(caller.user)) return;
    throw this.#options.audit.refused(caller, { operation, target: 'cluster' }, failure('ONLY_ADMINISTRATORS'));
  }

  /** Labels are written by administrators alone, with access lists on or off. `path` stands in the text. @throws Failure LABEL_WRITE_REFUSED */
  labelWriter(caller: KnownCaller, path: string): void {
    if (this.isAdministrator(caller.user)) return;
    const refusal = failure('LABEL_WRITE_REFUSED', { user: caller.user, path });
    throw this.#options.audit.refused(caller, { operation: 'change node labels', target: path.trim() }, refusal);
  }

  /** Whether a user sees everything of an application. With access lists on a caller without a name does not. */
  mayView(application: ViewedApplication, user: string | undefined): boolean {
    if (!this.#options.aclEnabled || (user !== undefined && this.#may(application, user, application.submission.viewAcl))) return true;
    // No queue guards an application that was refused because its queue does not exist.
    return !application.admitted && this.#options.policy.isUnguarded(application.queue);
  }

  /** Whether a user may change an application: its owner, administrators, its list MODIFY_APP, administrators of its queue. */
  mayModify(application: Pick<Application, 'user' | 'queue' | 'submission'>, user: string): boolean {
    return this.#may(application, user, application.submission.modifyAcl);
  }

  #may({ user: owner, queue }: Pick<Application, 'user' | 'queue'>, user: string, acl: string | undefined): boolean {
    if (!this.#options.aclEnabled || user === owner || this.isAdministrator(user)) return true;
    if (acl !== undefined && isAllowed(this.#parsed(acl), user, this.#options.groupsOf)) return true;
    return this.mayUseQueue(queue, user, 'ADMINISTER_QUEUE');
  }

  /** Whether the user is in a queue's list. Always with access lists off. */
  mayUseQueue(queue: string, user: string, acl: QueueAcl): boolean {
    return !this.#options.aclEnabled || this.#options.policy.checkAccess(queue, user, this.#options.groupsOf(user), acl);
  }
}
