// ApplicationHistoryProtocol: what clients ask about applications that the resource manager no longer knows (ApplicationHistoryClientService of
// Hadoop 3.4.2). Decode, ask the application history, encode: who may see what is decided there.
import type { AuditLog } from '../../auth/audit-log.ts';
import { type ErrorCode, Failure, failure } from '../../model/errors.ts';
import { InvalidId } from '../../model/ids.ts';
import { type RpcCaller, shortUserOf } from '../../rpc/authentication.ts';
import { javaClasses, RpcException } from '../../rpc/exceptions.ts';
import { type RpcCall, type RpcProtocol, serveProtocol, type Translate } from '../../rpc/protocol.ts';
import { madeInSlices } from '../../rpc/sliced-list.ts';
import { bytesAhead, encodeAhead } from '../../wire/rpc/codec.ts';
import { applicationIdText, attemptIdText, containerIdText } from '../../wire/rpc/ids.ts';
import type { Encodable, Message } from '../../wire/rpc/message.ts';
import { applicationHistoryProtocol } from '../../wire/rpc/protocols/application-history.ts';
import { ApplicationAttemptReportProto, ApplicationReportProto } from '../../wire/rpc/tables/applications.ts';
import { ContainerReportProto } from '../../wire/rpc/tables/containers.ts';
import type { ApplicationHistory } from '../application-history/history.ts';
import type { ContainerReport } from '../application-history/reports.ts';
import { applicationMessage, attemptMessage, containerMessage } from './history-reports.ts';

/** What the protocol works with. */
export interface ApplicationHistoryNeeds {
  readonly history: Pick<ApplicationHistory, 'application' | 'applications' | 'attempt' | 'attempts' | 'container' | 'containers'>;
  readonly audit: Pick<AuditLog, 'refusedRequest'>;
  /** Base URL of this server as others reach it. */
  readonly webUrl: () => string;
  /** The longest list, in bytes; default: 64 MiB. */
  readonly longestListBytes?: number;
}

const ioException = (sentence: string): RpcException => new RpcException(javaClasses.IOException, sentence);

/** An answer is one message, which is made whole before it leaves; Hadoop's clients take twice as much. */
const usualLongestBytes = 64 * 1024 * 1024;

/** A list that is being made: of which messages, from what, and how long it may be. */
interface ListParts<Report, M extends Message> {
  readonly description: M;
  readonly reports: Iterable<Report>;
  readonly messageOf: (report: Report) => Encodable<M>;
  readonly longestBytes: number | undefined;
  readonly growsLong: RpcCall<unknown>['growsLong'];
}

/** Messages of a list, made in slices and encoded ahead; what cannot be one, since an id in it is none, is left out, as by Hadoop. */
function listOf<Report, M extends Message>({
  description,
  reports,
  messageOf,
  longestBytes = usualLongestBytes,
  growsLong,
}: ListParts<Report, M>): Promise<Encodable<M>[]> {
  let bytes = 0;
  const make = (report: Report): Encodable<M> | undefined => {
    try {
      const message = encodeAhead(description, messageOf(report));
      bytes += bytesAhead(message);
      if (bytes > longestBytes)
        throw ioException(`The answer has more than ${longestBytes} bytes: ask for less of it, or over REST, which has no such limit.`);
      return message;
    } catch (problem) {
      if (problem instanceof InvalidId) return undefined;
      throw problem;
    }
  };
  return madeInSlices({ items: reports, limit: Number.POSITIVE_INFINITY, make, growsLong });
}

/** The protocol. */
export function historyProtocol({ history, audit, webUrl, longestListBytes: longestBytes }: ApplicationHistoryNeeds): RpcProtocol {
  const noTokens =
    (verb: string) =>
    ({ caller }: { readonly caller: RpcCaller }): never => {
      named(caller);
      throw ioException(`Delegation tokens cannot be ${verb} here: those of the timeline are, over REST`);
    };
  return serveProtocol(
    applicationHistoryProtocol,
    {
      getApplicationReport: ({ request, caller }) => ({
        application_report: applicationMessage(history.application(applicationIdText(request.application_id), named(caller))),
      }),
      getApplications: async ({ request, caller, growsLong }) => {
        const limit = request.limit ?? Number.MAX_SAFE_INTEGER;
        const range = {
          startedAfterMs: Math.max(0, request.start_begin ?? 0),
          startedUntilMs: Math.min(Number.MAX_SAFE_INTEGER, request.start_end ?? Number.MAX_SAFE_INTEGER),
          ...(limit < Number.MAX_SAFE_INTEGER ? { limit } : {}),
        };
        const user = named(caller);
        if (limit <= 0) return {};
        const reports = history.applications(user, range);
        return {
          applications: await listOf({
            description: ApplicationReportProto,
            reports,
            messageOf: applicationMessage,
            longestBytes,
            growsLong,
          }),
        };
      },
      getApplicationAttemptReport: ({ request, caller }) => ({
        application_attempt_report: attemptMessage(history.attempt(attemptIdText(request.application_attempt_id), named(caller))),
      }),
      getApplicationAttempts: async ({ request, caller, growsLong }) => {
        const reports = history.attempts(applicationIdText(request.application_id), named(caller));
        const list = { description: ApplicationAttemptReportProto, reports, messageOf: attemptMessage, longestBytes, growsLong };
        return { application_attempts: await listOf(list) };
      },
      getContainerReport: ({ request, caller }) => {
        const { container, owner } = history.container(containerIdText(request.container_id), named(caller));
        return { container_report: containerMessage(container, owner, webUrl()) };
      },
      getContainers: async ({ request, caller, growsLong }) => {
        const { containers: reports, owner } = history.containers(attemptIdText(request.application_attempt_id), named(caller));
        const messageOf = (report: ContainerReport) => containerMessage(report, owner, webUrl());
        return { containers: await listOf({ description: ContainerReportProto, reports, messageOf, longestBytes, growsLong }) };
      },
      getDelegationToken: noTokens('issued'),
      renewDelegationToken: noTokens('renewed'),
      cancelDelegationToken: noTokens('cancelled'),
    },
    failuresAsExceptions(audit),
  );
}

/** The user who calls. @throws UNAUTHENTICATED where the connection names nobody */
function named(caller: RpcCaller): string {
  const user = shortUserOf(caller);
  if (user === undefined || user.trim() === '') throw failure('UNAUTHENTICATED');
  return user;
}

const yarn = (name: string): string => `org.apache.hadoop.yarn.exceptions.${name}`;

/** The classes of exceptions by which clients go on; others are IOException. */
const classes: Partial<Record<ErrorCode, string>> = {
  HISTORY_APPLICATION_UNKNOWN: yarn('ApplicationNotFoundException'),
  HISTORY_ATTEMPT_UNKNOWN: yarn('ApplicationAttemptNotFoundException'),
  HISTORY_CONTAINER_UNKNOWN: yarn('ContainerNotFoundException'),
  HISTORY_HIDDEN: javaClasses.AuthorizationException,
};

/** What Hadoop's service throws where this one fails or refuses; refusals for who calls are written into the audit log. */
const failuresAsExceptions =
  (audit: Pick<AuditLog, 'refusedRequest'>): Translate =>
  (problem, { method, caller: { user, realUser, remoteAddress } }) => {
    if (problem instanceof InvalidId) return ioException(problem.message);
    if (!(problem instanceof Failure)) return undefined;
    if (problem.entry.status === 401 || problem.entry.status === 403)
      audit.refusedRequest({ method, path: 'ApplicationHistoryProtocol', caller: { user, realUser }, remoteAddress, failure: problem });
    return new RpcException(classes[problem.code] ?? javaClasses.IOException, problem.message);
  };
