// The audit log: every refusal for who calls and every change, with who, from where, and for which user (RMAuditLogger).
import type { Logger } from '../lib/log.ts';
import type { Failure } from '../model/errors.ts';

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
    /** Undefined where the credentials were refused. */
    readonly caller: Omit<AuditedCaller, 'remoteAddress'> | undefined;
    readonly remoteAddress: string;
    readonly requestId?: string;
    readonly failure: Failure;
  }): void {
    const { method, path, caller, remoteAddress, requestId, failure } = request;
    if (this.#written.has(failure)) return;
    this.#logger.warn(
      {
        ...whoOf({ user: caller?.user, realUser: caller?.realUser, remoteAddress, requestId }),
        operation: method,
        target: path,
        reason: failure.message,
      },
      'an operation was refused',
    );
  }
}

const whoOf = ({ user, realUser, remoteAddress, requestId }: AuditedCaller) => ({
  ...{ audit: true, user, realUser, address: remoteAddress },
  ...(requestId === undefined ? {} : { request: requestId }),
});
