// The application history: system entities read as the server, then judged for the caller (ApplicationHistoryManagerOnTimelineStore).
// A stranger sees applications without what belongs to their owners. In Hadoop a caller who names no user sees everything and every named user
// reads all aggregated logs; here only where the setting says so.
import { failure } from '../../model/errors.ts';
import { applicationIdOfAttempt, attemptIdOfContainer } from '../../model/ids.ts';
import type { TimelineEntity } from '../../wire/timeline/entity.ts';
import { applicationNames, attemptNames, containerNames } from '../../wire/timeline/system-names.ts';
import { type EntityField, entityFields } from '../store/entity-query.ts';
import type { EntityStore } from '../store/entity-store.ts';
import type { AccessRules } from '../v1/access.ts';
import {
  type ApplicationReport,
  type AttemptReport,
  applicationReport,
  attemptReport,
  type ContainerReport,
  containerReport,
} from './reports.ts';

/** An application as a caller may see it, with what its last attempt says. */
export interface SeenApplication {
  readonly report: ApplicationReport;
  /** The last attempt, when the caller may know it. */
  readonly attempt?: AttemptReport;
}

const allFields: ReadonlySet<EntityField> = new Set(entityFields);
const everything = () => true;

export class ApplicationHistory {
  readonly #entities: EntityStore;
  readonly #rules: AccessRules;
  readonly #maximumApplications: number;

  readonly #unchecked: boolean;

  /** `maximumApplications` bounds lists without a limit; `unchecked` lets callers without a name see everything and every caller read logs, as Hadoop does. */
  constructor(entities: EntityStore, rules: AccessRules, options: { maximumApplications: number; unchecked: boolean }) {
    this.#entities = entities;
    this.#rules = rules;
    this.#maximumApplications = options.maximumApplications;
    this.#unchecked = options.unchecked;
  }

  /**
   * Applications started after `startedAfterMs` and not after `startedUntilMs`, newest first, at most `limit` (or the server's maximum).
   * Whoever reads may pause anywhere.
   */
  *applications(
    user: string | undefined,
    range: { startedAfterMs: number; startedUntilMs: number; limit?: number },
  ): Generator<SeenApplication, undefined> {
    const found = this.#entities.search({
      type: applicationNames.type,
      windowStartMs: range.startedAfterMs,
      windowEndMs: range.startedUntilMs,
      limit: range.limit ?? this.#maximumApplications,
      fields: new Set(['EVENTS', 'OTHERINFO']),
      visible: everything,
    });
    for (const entity of found) if (entity) yield this.#seenBy(applicationReport(entity), user);
  }

  /** One application. @throws HISTORY_APPLICATION_UNKNOWN */
  application(id: string, user: string | undefined): SeenApplication {
    return this.#seenBy(this.#report(id), user);
  }

  /** The report of an application as the server itself sees it, or undefined. */
  find(id: string): ApplicationReport | undefined {
    const entity = this.#entities.get(applicationNames.type, id, allFields);
    return entity && applicationReport(entity);
  }

  /** The report of a container as the server itself sees it, or undefined. */
  findContainer(id: string): ContainerReport | undefined {
    const entity = this.#entities.get(containerNames.type, id, allFields);
    return entity && containerReport(entity);
  }

  /** Whether `user` may read the logs of an application; `file` is what the log file itself says, for applications that are forgotten here. */
  mayReadLogs(
    applicationId: string,
    file: { owner?: string | undefined; viewAcl?: string | undefined } | undefined,
    user: string | undefined,
  ): boolean {
    if (this.#unchecked) return true;
    const report = this.find(applicationId);
    if (report) return this.#mayView(report, user);
    return file === undefined || this.#mayView({ user: file.owner, viewAcl: file.viewAcl }, user);
  }

  /** Whether `user` may view an application; of one that is not known only administrators may see what is told of it. */
  mayView(applicationId: string, user: string | undefined): boolean {
    return this.#unchecked || this.#mayView(this.find(applicationId) ?? { user: undefined, viewAcl: undefined }, user);
  }

  /** Attempts of an application, latest first. @throws HISTORY_APPLICATION_UNKNOWN, HISTORY_HIDDEN */
  attempts(applicationId: string, user: string | undefined): AttemptReport[] {
    this.#check(applicationId, user);
    return [...this.#children(attemptNames.type, attemptNames.parent, applicationId, attemptReport)];
  }

  /** One attempt. @throws HISTORY_APPLICATION_UNKNOWN, HISTORY_HIDDEN, HISTORY_ATTEMPT_UNKNOWN */
  attempt(attemptId: string, user: string | undefined): AttemptReport {
    this.#check(applicationIdOfAttempt(attemptId), user);
    return this.#attempt(attemptId) ?? fail('HISTORY_ATTEMPT_UNKNOWN', attemptId);
  }

  /** Containers of an attempt, latest first, and the user they ran for; whoever reads them may pause anywhere. @throws as attempts */
  containers(attemptId: string, user: string | undefined): { containers: Iterable<ContainerReport>; owner: string | undefined } {
    const owner = this.#check(applicationIdOfAttempt(attemptId), user);
    return { containers: this.#children(containerNames.type, containerNames.parent, attemptId, containerReport), owner };
  }

  /** One container and the user it ran for. @throws as attempts, and HISTORY_CONTAINER_UNKNOWN */
  container(containerId: string, user: string | undefined): { container: ContainerReport; owner: string | undefined } {
    const owner = this.#check(applicationIdOfAttempt(attemptIdOfContainer(containerId)), user);
    const entity = this.#entities.get(containerNames.type, containerId, allFields);
    return { container: entity ? containerReport(entity) : fail('HISTORY_CONTAINER_UNKNOWN', containerId), owner };
  }

  *#children<Report>(
    type: string,
    filter: string,
    parent: string,
    report: (entity: TimelineEntity) => Report,
  ): Generator<Report, undefined> {
    const found = this.#entities.search({
      type,
      primaryFilter: { name: filter, value: parent },
      limit: Number.MAX_SAFE_INTEGER,
      fields: new Set(['EVENTS', 'OTHERINFO']),
      visible: everything,
    });
    for (const entity of found) if (entity) yield report(entity);
  }

  #report(id: string): ApplicationReport {
    return this.find(id) ?? fail('HISTORY_APPLICATION_UNKNOWN', id);
  }

  #attempt(id: string): AttemptReport | undefined {
    const entity = this.#entities.get(attemptNames.type, id, allFields);
    return entity && attemptReport(entity);
  }

  /** Refuses strangers; returns the owner. */
  #check(applicationId: string, user: string | undefined): string | undefined {
    const report = this.#report(applicationId);
    if (!this.#mayView(report, user)) throw failure('HISTORY_HIDDEN', { user: user ?? '', id: applicationId });
    return report.user;
  }

  #mayView(report: Pick<ApplicationReport, 'user' | 'viewAcl'>, user: string | undefined): boolean {
    if (user === undefined && this.#unchecked) return true;
    return mayView(this.#rules, report, user);
  }

  #seenBy(report: ApplicationReport, user: string | undefined): SeenApplication {
    const { latestAttemptId } = report;
    if (!this.#mayView(report, user)) return { report: { ...report, latestAttemptId: undefined, diagnostics: undefined } };
    if (latestAttemptId === undefined) return { report };
    const attempt = this.#attempt(latestAttemptId);
    // The application ended before its first attempt was made: Hadoop drops the diagnostics then too.
    if (!attempt) return { report: { ...report, latestAttemptId: undefined, diagnostics: undefined } };
    return { report, attempt };
  }
}

/** Whether a user may view an application of `user` with that access list; with access lists off everybody may. */
export function mayView(
  rules: AccessRules,
  { user: owner, viewAcl }: { readonly user?: string | undefined; readonly viewAcl?: string | undefined },
  user: string | undefined,
): boolean {
  if (!rules.enabled) return true;
  return user !== undefined && (user === owner || rules.isAdmin(user) || rules.allows(viewAcl ?? ' ', user));
}

function fail(code: 'HISTORY_APPLICATION_UNKNOWN' | 'HISTORY_ATTEMPT_UNKNOWN' | 'HISTORY_CONTAINER_UNKNOWN', id: string): never {
  throw failure(code, { id });
}
