// Who may see a finished job: where access lists of jobs are on, its owner, administrators and those whom its list names.
import { type GroupsOf, isAllowed, parseAccessList } from '../../auth/access-lists.ts';
import { failure } from '../../model/errors.ts';
import type { CompletedJob } from '../jobs/completed-job.ts';

/** The settings that decide. */
export interface JobAccessOptions {
  /** `mapreduce.cluster.acls.enabled`. */
  readonly enabled: boolean;
  /** `mapreduce.cluster.administrators`. */
  readonly administrators: string;
  /** `yarn.acl.enable` and `yarn.admin.acl`, for logs of applications. */
  readonly logsChecked: boolean;
  readonly logAdministrators: string;
  readonly groupsOf: GroupsOf;
}

/** The checks. */
export interface JobAccess {
  /** @throws Failure JOB_VIEW_DENIED */
  checkJob(job: CompletedJob, user: string | undefined): void;
  /** Whether the caller may read logs of an application with this owner and these lists. Nobody known may. */
  mayReadLogs(logs: { readonly owner: string; readonly acls: Readonly<Record<string, string>> }, user: string | undefined): boolean;
}

/** Builds the checks from the settings. */
export function jobAccess(options: JobAccessOptions): JobAccess {
  const administrators = parseAccessList(options.administrators);
  const logAdministrators = parseAccessList(options.logAdministrators);
  const { groupsOf } = options;
  return {
    checkJob(job, user) {
      const list = job.acls.get('mapreduce.job.acl-view-job');
      // A job whose file has no lists is open to everybody, as is every job to callers without a name.
      if (!options.enabled || user === undefined || list === undefined || user === job.user) return;
      if (isAllowed(administrators, user, groupsOf) || isAllowed(parseAccessList(list), user, groupsOf)) return;
      throw failure('JOB_VIEW_DENIED', { user, id: job.id });
    },
    mayReadLogs({ owner, acls }, user) {
      if (!options.logsChecked || user === undefined || user === owner) return true;
      return isAllowed(logAdministrators, user, groupsOf) || isAllowed(parseAccessList(acls['VIEW_APP'] ?? ' '), user, groupsOf);
    },
  };
}
