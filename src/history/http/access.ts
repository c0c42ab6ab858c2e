// Who may see a finished job, and who may read aggregated logs. Where access lists of jobs are on: the owner, administrators and those
// the users that the list names. Pages of logs follow the access lists of applications instead, as Hadoop's do.
import { type GroupsOf, isAllowed } from '../../auth/access-lists.ts';
import { administrators } from '../../auth/administrators.ts';
import { parseAccessList } from '../../model/access-list.ts';
import { failure } from '../../model/errors.ts';
import type { CompletedJob } from '../../wire/files/completed-job.ts';

/** The settings that decide. */
export interface JobAccessOptions {
  /** `mapreduce.cluster.acls.enabled`. */
  readonly enabled: boolean;
  /** `mapreduce.cluster.administrators`. */
  readonly administrators: string;
  /** The log endpoints check also where access lists of jobs are off: `heddle.history.logs.checked`, default `yarn.acl.enable`. */
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
  /** Whether the caller may read logs of an application over the log endpoints. */
  mayReadLogs(logs: LogOwnership, user: string | undefined): boolean;
  /** The same for pages. */
  maySeeLogPage(logs: LogOwnership, user: string | undefined): boolean;
  /** Whether the user administers applications or jobs. */
  isAdministrator(user: string): boolean;
}

/** Whose logs they are and who else may see them, as aggregated logs say. */
export interface LogOwnership {
  readonly owner: string;
  readonly acls: Readonly<Record<string, string>>;
}

/** Builds the checks from the settings. */
export function jobAccess(options: JobAccessOptions): JobAccess {
  const { groupsOf } = options;
  const administersJobs = administrators([options.administrators], groupsOf);
  const administersLogs = administrators([options.logAdministrators, options.administrators], groupsOf);
  const isNamed = ({ owner, acls }: LogOwnership, user: string | undefined): boolean =>
    user !== undefined && (user === owner || administersLogs(user) || isAllowed(parseAccessList(acls['VIEW_APP'] ?? ' '), user, groupsOf));
  return {
    checkJob(job, user) {
      if (!options.enabled || user === job.user) return;
      const list = job.acls.get('mapreduce.job.acl-view-job');
      if (user !== undefined) {
        // A job whose file has no lists is open to every caller with a name.
        if (list === undefined || administersJobs(user) || isAllowed(parseAccessList(list), user, groupsOf)) return;
      }
      throw failure('JOB_VIEW_DENIED', { user: user ?? 'nobody', id: job.id });
    },
    mayReadLogs: (logs, user) => !(options.enabled || options.logsChecked) || isNamed(logs, user),
    maySeeLogPage: (logs, user) => !options.logPagesChecked || isNamed(logs, user),
    isAdministrator: administersLogs,
  };
}
