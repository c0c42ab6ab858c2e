// Who calls as a task of a job and does not prove it, in the audit log of the server that was called.
import type { IncomingMessage } from 'node:http';
import type { AuditLog } from '../auth/audit-log.ts';
import { failure } from '../model/errors.ts';

/** Writes that a request was not proven by the token of its job. */
export function auditUnprovenTask(
  audit: Pick<AuditLog, 'refusedRequest'>,
  { method = 'GET', socket }: Pick<IncomingMessage, 'method' | 'socket'>,
  { path, reason }: { readonly path: string; readonly reason: string },
): void {
  const remoteAddress = socket.remoteAddress ?? '';
  const auditedReason = `The request is not proven by the token of its job: ${reason}.`;
  const refusal = failure('BEARER_REFUSED', { mechanism: 'job-token', auditedReason });
  audit.refusedRequest({ method, path, caller: undefined, remoteAddress, failure: refusal });
}

/** The end of a connection that speaks TLS, as `tlsClientError` gives it. */
interface RefusedTls {
  readonly remoteAddress?: string | undefined;
  readonly authorizationError?: Error | string | null;
  /** The connection below, which knows its peer also when this end is closed (it was asked when connections were counted). */
  readonly _parent?: { readonly remoteAddress?: string | undefined } | null;
}

/** Writes that a client of a TLS port that asks for certificates showed none that counts; other failures of TLS are no refusal. */
export function auditCertificate(
  audit: Pick<AuditLog, 'refusedRequest'>,
  error: Error & { readonly code?: string | undefined },
  { remoteAddress, authorizationError, _parent: below }: RefusedTls,
): void {
  const isMissing = error.code === 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE';
  if (!isMissing && !authorizationError) return;
  const auditedReason = isMissing ? 'no certificate was shown' : String(authorizationError);
  audit.refusedRequest({
    ...{ method: 'connect', path: 'TLS', caller: undefined, remoteAddress: remoteAddress ?? below?.remoteAddress ?? '' },
    failure: failure('CERTIFICATE_REFUSED', { auditedReason }),
  });
}
