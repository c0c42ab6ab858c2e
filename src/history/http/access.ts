// Who may see a finished job, and who may read aggregated logs. Where access lists of jobs are on: the owner, administrators and those
// the users that the list names. Pages of logs follow the access lists of applications instead, as Hadoop's do.
import { type GroupsOf, isAllowed } from '../../auth/access-lists.ts';
import { parseAccessList } from '../../model/access-list.ts';
import { failure } from '../../model/errors.ts';
import type { CompletedJob } from '../jobs/completed-job.ts';

/** The settings that decide. */
export interface JobAccessOptions {
  /** `mapreduce.cluster.acls.enabled`. */
  readonly enabled: boolean;
  /** `mapreduce.cluster.administrators`. */
  readonly administrators: string;
  /** `heddle.history.logs.checked`: the log endpoints check also where access lists of jobs are off. */
  readonly logsChecked: boolean;
  /** `yarn.acl.enable`: pages of logs check. */
  readonly logPagesChecked: boolean;
  /** `yarn.admin.acl`. */
  readonly logAdministrators: string;
  readonly groupsOf: GroupsOf;
}

/** The checks. */
export interface JobAccess {
  /** @throws Failure JOB_VIEW_DENIED */
  checkJob(job: CompletedJob, user: string | undefined): void;
  /** Whether the caller may read logs of an application over the log endpoints. Callers without a name may. */
  mayReadLogs(logs: LogOwnership, user: string | undefined): boolean;
  /** The same for pages. */
  maySeeLogPage(logs: LogOwnership, user: string | undefined): boolean;
}

/** Whose logs they are and who else may see them, as aggregated logs say. */
export interface LogOwnership {
  readonly owner: string;
  readonly acls: Readonly<Record<string, string>>;
}

/** Builds the checks from the settings. */
export function jobAccess(options: JobAccessOptions): JobAccess {
  const administrators = parseAccessList(options.administrators);
  const logAdministrators = parseAccessList(options.logAdministrators);
  const { groupsOf } = options;
  const isNamed = ({ owner, acls }: LogOwnership, user: string | undefined): boolean =>
    user === undefined ||
    user === owner ||
    isAllowed(logAdministrators, user, groupsOf) ||
    isAllowed(administrators, user, groupsOf) ||
    isAllowed(parseAccessList(acls['VIEW_APP'] ?? ' '), user, groupsOf);
  return {
    checkJob(job, user) {
      const list = job.acls.get('mapreduce.job.acl-view-job');
      // A job whose file has no lists is open to every caller, as is every job to callers without a name.
      if (!options.enabled || user === undefined || list === undefined || user === job.user) return;
      if (isAllowed(administrators, user, groupsOf) || isAllowed(parseAccessList(list), user, groupsOf)) return;
      throw failure('JOB_VIEW_DENIED', { user, id: job.id });
    },
    mayReadLogs: (logs, user) => !(options.enabled || options.logsChecked) || isNamed(logs, user),
    maySeeLogPage: (logs, user) => !options.logPagesChecked || isNamed(logs, user),
  };
}
