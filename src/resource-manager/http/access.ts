// Who may read, change and administer: the gates of RMWebServices and the ACL rules of ApplicationACLsManager and QueueACLsManager.
// Every refusal and every change is written to the audit log.
import { type GroupsOf, isAllowed } from '../../auth/access-lists.ts';
import type { Caller } from '../../auth/authenticator.ts';
import type { Refusal } from '../../http/service.ts';
import type { Logger } from '../../lib/log.ts';
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
  /** Who runs this process: always an administrator. */
  readonly processUser: string;
  /** Whether the caller must prove who it is (`hadoop.security.authentication` is not simple). */
  readonly security: boolean;
  /** `hadoop.http.staticuser.user`. */
  readonly staticUser: string;
  readonly groupsOf: GroupsOf;
  readonly policy: SchedulingPolicy;
  readonly logger: Logger;
}

/** What happened to what, for the audit log. */
export interface AuditedChange {
  readonly operation: string;
  readonly target: string;
  readonly [detail: string]: string | number | boolean | undefined;
}

/** The rules of one resource manager. */
export class Access {
  readonly #options: AccessOptions;
  readonly #audit: Logger;
  readonly #noted = new WeakSet<Caller>();
  #administrators: AccessList;
  readonly #lists = new Map<string, AccessList>();

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#administrators = parseAccessList(options.adminAcl);
    const { logger } = options;
    // The audit is complete whatever else the log leaves out.
    this.#audit = logger.level === 'silent' ? logger : logger.child({}, { level: 'info' });
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

  /** Gate W: whoever changes something must be known. Returns the user. @throws Failure UNAUTHENTICATED, BAD_REQUEST */
  writer(caller: Caller): string {
    const { security, staticUser } = this.#options;
    if (caller.user === undefined) throw failure('UNAUTHENTICATED');
    if (security && caller.anonymous && caller.user === staticUser) throw failure('STATIC_USER_REFUSED');
    return caller.user;
  }

  /** Gate A: with ACLs on only administrators pass. Returns the user. @throws Failure UNAUTHENTICATED, ONLY_ADMINISTRATORS */
  administrator(caller: Caller, operation: string): string {
    const user = this.writer(caller);
    if (this.#options.aclEnabled && !this.isAdministrator(user)) {
      this.refused(caller, { operation, target: 'cluster' });
      throw failure('ONLY_ADMINISTRATORS');
    }
    return user;
  }

  /** Gate L: label writes. @throws Failure UNAUTHENTICATED, LABEL_WRITE_REFUSED */
  labelWriter(caller: Caller, path: string): string {
    const user = this.writer(caller);
    if (!this.isAdministrator(user)) {
      this.refused(caller, { operation: 'change node labels', target: path.trim() });
      throw failure('LABEL_WRITE_REFUSED', { user, path });
    }
    return user;
  }

  /** Whether somebody sees everything of an application. Unknown callers do: they are the servlet's own user. */
  mayView(application: Pick<Application, 'user' | 'queue' | 'submission' | 'admitted'>, user: string | undefined): boolean {
    if (user === undefined || this.#may(application, user, application.submission.viewAcl)) return true;
    // Nobody guards an application that was refused because its queue does not exist.
    return (
      !application.admitted &&
      this.#options.policy.kind === 'capacity' &&
      this.#options.policy.resolveQueue(application.queue) === 'unknown'
    );
  }

  mayModify(application: Pick<Application, 'user' | 'queue' | 'submission'>, user: string): boolean {
    return this.#may(application, user, application.submission.modifyAcl);
  }

  #may({ user: owner, queue }: Pick<Application, 'user' | 'queue'>, user: string, acl: string | undefined): boolean {
    if (!this.#options.aclEnabled || user === owner || this.isAdministrator(user)) return true;
    if (acl !== undefined && isAllowed(this.#parsed(acl), user, this.#options.groupsOf)) return true;
    return this.mayUseQueue(queue, user, 'ADMINISTER_QUEUE');
  }

  /** Whether the user is in a queue's list. Always with ACLs off. */
  mayUseQueue(queue: string, user: string, acl: QueueAcl): boolean {
    return !this.#options.aclEnabled || this.#options.policy.checkAccess(queue, user, this.#options.groupsOf(user), acl);
  }

  #parsed(acl: string): AccessList {
    const known = this.#lists.get(acl);
    if (known) return known;
    if (this.#lists.size > 10_000) this.#lists.clear();
    const parsed = parseAccessList(acl);
    this.#lists.set(acl, parsed);
    return parsed;
  }

  /** Notes what was refused on the way to a handler or by it, unless the handler noted it itself. */
  refusedRequest({ method, path, caller, remoteAddress, failure: { message } }: Refusal): void {
    if (caller && this.#noted.has(caller)) return;
    const { user, realUser } = caller ?? {};
    this.#audit.warn(
      { audit: true, user, realUser, address: remoteAddress, operation: method, target: path, reason: message },
      'an operation was refused',
    );
  }

  /** Notes that somebody was refused. */
  refused(caller: Caller, change: AuditedChange): void {
    this.#noted.add(caller);
    this.#audit.warn(
      { audit: true, user: caller.user, realUser: caller.realUser, address: caller.remoteAddress, ...change },
      'an operation was refused',
    );
  }

  /** Notes that somebody changed something. */
  changed(caller: Caller, change: AuditedChange): void {
    this.#audit.info(
      { audit: true, user: caller.user, realUser: caller.realUser, address: caller.remoteAddress, ...change },
      'an operation was carried out',
    );
  }
}
