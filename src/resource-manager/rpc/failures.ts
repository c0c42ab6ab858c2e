// What clients of Hadoop RPC are told of failures: the exception that Hadoop's services throw in the same case. Clients decide by the class.

import type { AuditLog } from '../../auth/audit-log.ts';
import { type ErrorCode, Failure } from '../../model/errors.ts';
import { applicationIdOfContainer, InvalidId } from '../../model/ids.ts';
import { javaClasses, RpcException } from '../../rpc/exceptions.ts';
import type { Translate } from '../../rpc/protocol.ts';
import { formatExpiry } from '../views/times.ts';

/** The class of an exception of YARN. */
export const yarn = (name: string) => `org.apache.hadoop.yarn.exceptions.${name}`;

/** Failures whose REST form says something else than Hadoop's services do. Absent: YarnException with the failure's own sentence. */
const exceptions: Partial<Record<ErrorCode, (parameters: Failure['parameters'], message: string) => RpcException>> = {
  APPLICATION_NOT_FOUND: ({ id }) => unknownApplication(String(id)),
  APPLICATION_UNKNOWN: ({ id }) => unknownApplication(String(id)),
  ATTEMPT_NOT_FOUND: (_, message) => new RpcException(yarn('ApplicationAttemptNotFoundException'), message),
  CONTAINER_NOT_FOUND: (_, message) => new RpcException(yarn('ContainerNotFoundException'), message),
  KILL_REFUSED: ({ id, user }) => mayNotModify(user, id),
  MOVE_REFUSED: ({ id, user, queue }) =>
    queue === undefined
      ? mayNotModify(user, id)
      : accessControl(
          `User ${user} cannot submit applications to target queue or the target queue doesn't exist: ${queue} while moving ${id}`,
        ),
  PRIORITY_REFUSED: ({ id, user }) => mayNotModify(user, id),
  TIMEOUT_REFUSED: ({ id, user }) => mayNotModify(user, id),
  SIGNAL_REFUSED: ({ id, user }) => mayNotModify(user, applicationIdOfContainer(String(id))),
  SUBMISSION_REFUSED: ({ exception }, message) =>
    exception === undefined ? yarnException(message) : new RpcException(yarn(String(exception)), message),
  TIMEOUT_IN_THE_PAST: ({ now, expiry }) =>
    yarnException(
      `Expire time is less than current time, current-time=${formatExpiry(Number(now))} expire-time=${formatExpiry(Number(expiry))}`,
    ),
  // Client libraries cannot make this exception, and throw the RemoteException itself.
  TIMEOUT_NOT_PARSABLE: (_, message) => new RpcException('java.time.format.DateTimeParseException', message),
  // Calls of masters: the REST form of an ask says what it asked for.
  ASK_REFUSED: ({ exception, sentence }) => new RpcException(yarn(String(exception)), String(sentence)),
  BLACKLIST_REFUSED: ({ reason }) => new RpcException(yarn('InvalidResourceBlacklistRequestException'), String(reason)),
  RELEASE_REFUSED: (_, message) => new RpcException(yarn('InvalidContainerReleaseException'), message),
  MASTER_NOT_EXPECTED: (_, message) => new RpcException(yarn('InvalidApplicationMasterRequestException'), message),
  // Clients wait and call again.
  STORE_BUSY: (_, message) => new RpcException(javaClasses.RetriableException, message),
  STORE_DISK_FULL: (_, message) => new RpcException(javaClasses.RetriableException, message),
  STORE_DISK_FAILED: (_, message) => new RpcException(javaClasses.RetriableException, message),
  STORE_GONE: (_, message) => new RpcException(javaClasses.RetriableException, message),
  STORE_DAMAGED: (_, message) => new RpcException(javaClasses.RetriableException, message),
  UNAUTHENTICATED: () => new RpcException(javaClasses.IOException, 'The caller is not known: name a user.'),
};

/** An exception that client libraries read as YarnException. */
export const yarnException = (message: string): RpcException => new RpcException(javaClasses.YarnException, message);

/** The id names no application. Clients that wait for a submission submit again then. */
export const unknownApplication = (id: string): RpcException =>
  new RpcException(
    yarn('ApplicationNotFoundException'),
    `Application with id '${id}' doesn't exist in RM. Please check that the job submission was successful.`,
  );

/** A feature that is off. */
export const notEnabled = (message: string): RpcException => new RpcException(yarn('YARNFeatureNotEnabledException'), message);

/** A YarnException around Java's own AccessControlException, not Hadoop's (ClientRMService). */
const accessControl = (message: string): RpcException => yarnException(`java.security.AccessControlException: ${message}`);

/** ClientRMService.verifyUserAccessForRMApp. */
const mayNotModify = (user: Failure['parameters'][string] | undefined, id: Failure['parameters'][string] | undefined): RpcException =>
  accessControl(`User ${user} cannot perform operation MODIFY_APP on ${id}`);

/** Exceptions of failures of the catalogue, and of ids that are none; refusals for who calls are written into the audit log, unless the command did so. */
export const failureTranslator =
  (protocol: string, audit: Pick<AuditLog, 'refusedRequest'>): Translate =>
  (problem, { method, caller }) => {
    // Numbers of an id beyond what ids can have.
    if (problem instanceof InvalidId) return yarnException(problem.message);
    if (!(problem instanceof Failure)) return undefined;
    const { status } = problem.entry;
    const { user, realUser, remoteAddress } = caller;
    if (status === 401 || status === 403)
      audit.refusedRequest({ method, path: protocol, caller: { user, realUser }, remoteAddress, failure: problem });
    return exceptionOf(problem);
  };

/**
 * As `failureTranslator` for administrators: what is wrong comes as the text of an exception inside a YarnException
 * (AdminService.checkAcls, AdminService.logAndWrapException).
 */
export function administrationTranslator(audit: Pick<AuditLog, 'refusedRequest'>): Translate {
  const translate = failureTranslator('ResourceManagerAdministrationProtocol', audit);
  return (problem, call) => {
    const told = translate(problem, call);
    if (!(problem instanceof Failure)) return told;
    if (problem.code === 'NODE_NOT_FOUND')
      return yarnException(
        `Resource update get failed on all nodes due to change resource on an unrecognized node: ${problem.parameters['id']}`,
      );
    const mayNotCall = `User ${call.caller.user} doesn't have permission to call '${checkedAs[call.method] ?? call.method}'`;
    const text =
      problem.entry.status === 401 || problem.entry.status === 403
        ? `${javaClasses.AccessControlException}: ${mayNotCall}`
        : `${javaClasses.IOException}: ${problem.message.replace(`${javaClasses.IOException}: `, '')}`;
    return yarnException(text);
  };
}

/** Methods whose callers are checked under another name (AdminService.replaceLabelsOnNode). */
const checkedAs: Readonly<Partial<Record<string, string>>> = { replaceLabelsOnNodes: 'replaceLabelsOnNode' };

/** The exception of a failure. */
function exceptionOf(problem: Failure): RpcException {
  return exceptions[problem.code]?.(problem.parameters, problem.message) ?? yarnException(problem.message);
}
