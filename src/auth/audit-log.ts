// The audit log: every refusal for who calls and every change, with who, from where, and for which user (RMAuditLogger).
import type { Logger } from '../lib/log.ts';
import type { ErrorCode, Failure } from '../model/errors.ts';

/** By what a caller tried to prove who it is who is told so, where the failure itself does not say it more exactly (its parameter `mechanism`). */
const mechanisms: Readonly<Partial<Record<ErrorCode, string>>> = {
  KERBEROS_TICKET_REFUSED: 'kerberos',
  LOCAL_USER_UNTRUSTED: 'local-user',
  CONNECTION_UNPROVEN: 'connection-key',
  CERTIFICATE_REFUSED: 'certificate',
  BEARER_REFUSED: 'bearer-token',
  BEARER_INVALID: 'bearer-token',
  BEARER_IN_ADDRESS: 'bearer-token',
  NODE_TOKEN_EXPIRED: 'container-token',
  TOKEN_REFUSED: 'delegation-token',
  TOKEN_CALL_REFUSED: 'delegation-token',
  TOKEN_CALL_UNKNOWN: 'delegation-token',
};

/** By what the caller tried to prove who it is, where that was refused; undefined: it was refused for something else. */
const mechanismOf = ({ parameters, code }: Failure): string | undefined =>
  Object.hasOwn(parameters, 'mechanism') ? String(parameters['mechanism']) : mechanisms[code];

/**
 * Whether a request that ended so stands in the log: it was refused for who calls, or for what the caller showed of that. Those who showed
 * nothing where a proof is asked for do not, for clients ask so for the challenge.
 */
export function isAuditedRefusal(problem: Failure): boolean {
  if (mechanismOf(problem) !== undefined) return true;
  const { status } = problem.entry;
  return (status === 401 || status === 403) && problem.code !== 'AUTHENTICATION_REQUIRED' && problem.code !== 'BEARER_REQUIRED';
}

/** Who is written into the log; a caller of a command is one. */
export interface AuditedCaller {
  readonly user: string | undefined;
  /** The proxy user who acts for `user`. */
  readonly realUser?: string | undefined;
  readonly remoteAddress: string;
  /** Names the request in all logs. */
  readonly requestId?: string | undefined;
}

/** What happened to what. */
export interface AuditedOperation {
  readonly operation: string;
  readonly target: string;
  readonly [detail: string]: string | number | boolean | undefined;
}

/** What commands write into the log. */
export interface Audit {
  /** Writes that the caller was refused. Returns the failure, to be thrown; it is not written a second time. */
  refused(caller: AuditedCaller, operation: AuditedOperation, failure: Failure): Failure;
  /** Writes that a part of the operation was refused and left out. */
  leftOut(caller: AuditedCaller, operation: AuditedOperation): void;
  /** Writes that the operation was carried out. */
  changed(caller: AuditedCaller, operation: AuditedOperation): void;
}

/** The audit log of one server: lines of its log with `audit: true`. */
export class AuditLog implements Audit {
  readonly #logger: Logger;
  readonly #written = new WeakSet<Failure>();

  constructor(logger: Logger) {
    // The audit is complete whatever else the log leaves out.
    this.#logger = logger.level === 'silent' ? logger : logger.child({}, { level: 'info' });
  }

  refused(caller: AuditedCaller, operation: AuditedOperation, failure: Failure): Failure {
    this.#written.add(failure);
    this.leftOut(caller, operation);
    return failure;
  }

  leftOut(caller: AuditedCaller, operation: AuditedOperation): void {
    this.#logger.warn({ ...whoOf(caller), ...operation }, 'an operation was refused');
  }

  changed(caller: AuditedCaller, operation: AuditedOperation): void {
    this.#logger.info({ ...whoOf(caller), ...operation }, 'an operation was carried out');
  }

  /** Writes that a request was refused for who calls, unless the command that refused it wrote so itself. */
  refusedRequest(request: {
    readonly method: string;
    readonly path: string;
    /** Undefined where the credentials were refused, or what the caller, who stands in the failure (`auditedUser`), asked for with them. */
    readonly caller: Omit<AuditedCaller, 'remoteAddress'> | undefined;
    readonly remoteAddress: string;
    readonly requestId?: string;
    readonly failure: Failure;
  }): void {
    const { method, path, caller, remoteAddress, requestId, failure } = request;
    if (this.#written.has(failure)) return;
    const mechanism = mechanismOf(failure);
    const proven = failure.parameters['auditedUser'];
    this.#logger.warn(
      {
        ...whoOf({
          user: caller?.user ?? (proven === undefined ? undefined : String(proven)),
          realUser: caller?.realUser,
          remoteAddress,
          requestId,
        }),
        operation: method,
        target: path,
        ...(mechanism === undefined ? {} : { mechanism }),
        // A sentence for the caller may repeat what the caller showed.
        reason: String(failure.parameters['auditedReason'] ?? failure.message),
      },
      'an operation was refused',
    );
  }
}

const whoOf = ({ user, realUser, remoteAddress, requestId }: AuditedCaller) => ({
  ...{ audit: true, user, realUser, address: remoteAddress },
  ...(requestId === undefined ? {} : { request: requestId }),
});
