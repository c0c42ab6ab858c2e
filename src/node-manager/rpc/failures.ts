// What masters are told of failures: the exception that Hadoop's node manager throws in the same case (ContainerManagerImpl).
import type { AuditLog } from '../../auth/audit-log.ts';
import { type ErrorCode, Failure } from '../../model/errors.ts';
import { InvalidId } from '../../model/ids.ts';
import { javaClasses, RpcException } from '../../rpc/exceptions.ts';
import type { Translate } from '../../rpc/protocol.ts';
import { serviceMissing } from '../auxiliary/services.ts';

const yarn = (message: string): RpcException => new RpcException(javaClasses.YarnException, message);
const invalidContainer = (message: string): RpcException =>
  new RpcException('org.apache.hadoop.yarn.exceptions.InvalidContainerException', message);
const unauthorized = 'Unauthorized request to start container.';

/** Failures whose REST form says something else. Absent: YarnException with the failure's own sentence. */
const sentences: Partial<Record<ErrorCode, (parameters: Failure['parameters']) => string>> = {
  NODE_CONTAINER_STARTED: ({ id }) => `${unauthorized}\n Attempt to relaunch the same container with id ${id}.`,
  NODE_TOKEN_EXPIRED: ({ nowMs, expiresMs }) =>
    `${unauthorized}\nThis token is expired. current time is ${nowMs} found ${expiresMs}\nNote: System times on machines may be out of sync. Check system time and time zones.`,
};

/** The exception of a failure of the catalogue, or of an id that is none; undefined for what is a fault of the node. */
export function exceptionOf(problem: unknown): RpcException | undefined {
  if (problem instanceof InvalidId) return yarn(problem.message);
  if (!(problem instanceof Failure)) return undefined;
  const sentence = sentences[problem.code]?.(problem.parameters) ?? problem.message;
  return problem.code === 'NODE_MEMORY_LOST' ? invalidContainer(sentence) : yarn(sentence);
}

/** A container of a former life of the resource manager. */
export const ofPreviousManager = (id: string): RpcException =>
  invalidContainer(`\nContainer ${id} rejected as it is allocated by a previous RM`);

/** A container that this node does not have (any more). */
export const notHandled = (id: string, hasEnded: boolean): RpcException =>
  yarn(hasEnded ? `Container ${id} was recently stopped on node manager.` : `Container ${id} is not handled by this NodeManager`);

/** A service that a launch context names and that this node does not have. */
export const unknownService = (name: string): RpcException =>
  new RpcException('org.apache.hadoop.yarn.exceptions.InvalidAuxServiceException', serviceMissing(name));

export { yarn as yarnException };

/** Exceptions of failures; refusals for who calls are written into the audit log. */
export const nodeFailures =
  (audit: Pick<AuditLog, 'refusedRequest'>): Translate =>
  (problem, { method, caller: { user, remoteAddress } }) => {
    const status = problem instanceof Failure ? problem.entry.status : 0;
    if (problem instanceof Failure && (status === 401 || status === 403))
      audit.refusedRequest({ method, path: 'ContainerManagementProtocol', caller: { user }, remoteAddress, failure: problem });
    return exceptionOf(problem);
  };
