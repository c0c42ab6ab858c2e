// What clients ask about finished jobs (HistoryClientService of Hadoop 3.4.2): decode, look, encode.
import type { AuditLog } from '../../auth/audit-log.ts';
import { Failure } from '../../model/errors.ts';
import { InvalidId } from '../../model/ids.ts';
import { type RpcCaller, shortUserOf } from '../../rpc/authentication.ts';
import { javaClasses, RpcException } from '../../rpc/exceptions.ts';
import { type RpcProtocol, serveProtocol, type Translate } from '../../rpc/protocol.ts';
import type { CompletedAttempt, CompletedJob, CompletedTask } from '../../wire/files/completed-job.ts';
import { jobIdText, taskAttemptIdText, taskIdText } from '../../wire/rpc/job-ids.ts';
import type { Decoded } from '../../wire/rpc/message.ts';
import { historyClientProtocol } from '../../wire/rpc/protocols/history-client.ts';
import type { JobIdProto, TaskAttemptIdProto, TaskIdProto } from '../../wire/rpc/tables/jobs.ts';
import type { JobAccess } from '../http/access.ts';
import { configurationPath, historyPath, type StoredJob } from '../jobs/job-folders.ts';
import type { JobStore } from '../jobs/job-store.ts';
import {
  completionEvents,
  countersMessage,
  type JobPlaces,
  jobReport,
  taskAttemptReport,
  taskReport,
  unreadJobReport,
} from './job-reports.ts';

/** What the protocol works with. */
export interface HistoryClientNeeds {
  readonly store: Pick<JobStore, 'find' | 'load' | 'isTooLarge'>;
  readonly access: Pick<JobAccess, 'checkJob'>;
  readonly audit: Pick<AuditLog, 'refusedRequest'>;
  /** Base URL of the history server's pages. */
  readonly pages: string;
}

/** A job that was found; `job` is undefined where it is too large to be loaded. */
interface Found {
  readonly stored: StoredJob;
  readonly job: CompletedJob | undefined;
}

const ioException = (sentence: string): RpcException => new RpcException(javaClasses.IOException, sentence);
const mostEvents = 0x7fff_ffff;

/** The protocol. */
export function historyProtocol({ store, access, audit, pages }: HistoryClientNeeds): RpcProtocol {
  /** A job that the caller may see. */
  const find = async (id: string, caller: RpcCaller): Promise<Found | undefined> => {
    const stored = await store.find(id);
    if (!stored) return undefined;
    if (store.isTooLarge(stored)) return { stored, job: undefined };
    const job = await store.load(stored);
    access.checkJob(job, shortUserOf(caller));
    return { stored, job };
  };
  const mustFind = async (id: string, caller: RpcCaller): Promise<Found> => {
    const found = await find(id, caller);
    if (!found) throw ioException(`Unknown Job ${id}`);
    return found;
  };
  const jobOf = (id: Decoded<typeof JobIdProto> | undefined, caller: RpcCaller) => mustFind(jobIdText(id), caller);
  const taskOf = async (id: Decoded<typeof TaskIdProto> | undefined, caller: RpcCaller): Promise<CompletedTask> => {
    const { job } = await jobOf(id?.job_id, caller);
    const task = job?.task(taskIdText(id));
    if (!task) throw ioException(`Unknown Task ${taskIdText(id)}`);
    return task;
  };
  const attemptOf = async (id: Decoded<typeof TaskAttemptIdProto> | undefined, caller: RpcCaller): Promise<CompletedAttempt> => {
    const task = await taskOf(id?.task_id, caller);
    const attempt = task.attempts.find((candidate) => candidate.id === taskAttemptIdText(id));
    if (!attempt) throw ioException(`Unknown TaskAttempt ${taskAttemptIdText(id)}`);
    return attempt;
  };
  const placesOf = (stored: StoredJob): JobPlaces => ({
    historyPath: historyPath(stored),
    configurationPath: configurationPath(stored),
    trackingUrl: `${pages}/jobhistory/job/${stored.index.jobId}`,
  });
  const isOver = () => {
    throw ioException('Invalid operation on completed job');
  };
  const noTokens =
    (verb: string) =>
    ({ caller }: { readonly caller: RpcCaller }): never => {
      if (caller.authentication === 'kerberos')
        throw ioException(`Delegation tokens of this history server cannot be ${verb}: it has none`);
      throw ioException(`Delegation Token can be ${verb} only with kerberos authentication`);
    };
  return serveProtocol(
    historyClientProtocol,
    {
      getJobReport: async ({ request: { job_id: id }, caller }) => {
        const found = await find(jobIdText(id), caller);
        if (!found) return {};
        const places = placesOf(found.stored);
        return { job_report: found.job ? jobReport(found.job, places) : unreadJobReport(found.stored.index, places) };
      },
      getTaskReport: async ({ request, caller }) => ({ task_report: taskReport(await taskOf(request.task_id, caller)) }),
      getTaskAttemptReport: async ({ request, caller }) => ({
        task_attempt_report: taskAttemptReport(await attemptOf(request.task_attempt_id, caller)),
      }),
      getCounters: async ({ request, caller }) => {
        const { job } = await jobOf(request.job_id, caller);
        // Jobs that did not succeed have no totals of their own; REST sums them, this protocol does not.
        if (job && job.state !== 'SUCCEEDED') return {};
        return { counters: job ? countersMessage((await job.counters()).total) : {} };
      },
      getTaskAttemptCompletionEvents: async ({ request, caller }) => {
        const { job } = await jobOf(request.job_id, caller);
        const from = request.from_event_id ?? 0;
        const most = request.max_events ?? mostEvents;
        if (from < 0) throw new RpcException('java.lang.IndexOutOfBoundsException', `fromIndex = ${from}`);
        if (most < 0) throw new RpcException('java.lang.IllegalArgumentException', `fromIndex(${from}) > toIndex(${from + most})`);
        return { completion_events: job ? completionEvents(job).slice(from, from + most) : [] };
      },
      getTaskReports: async ({ request, caller }) => {
        const { job } = await jobOf(request.job_id, caller);
        const kind = request.task_type === 'MAP' ? 'MAP' : 'REDUCE';
        return { task_reports: (job?.tasks ?? []).filter((task) => task.kind === kind).map(taskReport) };
      },
      getDiagnostics: async ({ request, caller }) => ({ diagnostics: (await attemptOf(request.task_attempt_id, caller)).diagnostics }),
      killJob: isOver,
      killTask: isOver,
      killTaskAttempt: isOver,
      failTaskAttempt: isOver,
      getDelegationToken: noTokens('issued'),
      renewDelegationToken: noTokens('renewed'),
      cancelDelegationToken: noTokens('cancelled'),
    },
    failuresAsExceptions('HSClientProtocol', audit),
  );
}

/** What Hadoop's history server throws where this one fails or refuses; refusals for who calls are written into the audit log. */
export const failuresAsExceptions =
  (protocol: string, audit: Pick<AuditLog, 'refusedRequest'>): Translate =>
  (problem, { method, caller: { user, realUser, remoteAddress } }) => {
    if (problem instanceof InvalidId) return ioException(problem.message);
    if (!(problem instanceof Failure)) return undefined;
    if (problem.entry.status === 401 || problem.entry.status === 403)
      audit.refusedRequest({ method, path: protocol, caller: { user, realUser }, remoteAddress, failure: problem });
    if (problem.code === 'JOB_VIEW_DENIED') return ioException(`java.security.AccessControlException: ${problem.message}`);
    if (problem.code === 'HISTORY_ADMINISTRATION_REFUSED') return new RpcException(javaClasses.AccessControlException, problem.message);
    return ioException(problem.message);
  };
