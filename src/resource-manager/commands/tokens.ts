// Delegation tokens: issuing, renewing and cancelling (ClientRMService.getDelegationToken …). Only callers who proved themselves with a
// Kerberos ticket may; over Hadoop RPC also whoever calls where names are believed (ClientRMService.isAllowedDelegationTokenOp).

import type { Audit } from '../../auth/audit-log.ts';
import type { TokenManager } from '../../auth/delegation/token-manager.ts';
import { TokenRefused } from '../../auth/delegation/token-refused.ts';
import { failure } from '../../model/errors.ts';
import type { Caller } from './caller.ts';

export interface TokenPorts {
  readonly tokens: Pick<TokenManager, 'issue' | 'renew' | 'cancel'>;
  readonly audit: Audit;
  /** How refusals name the proof of a caller without a ticket: `simple`, or `SIMPLE` where Hadoop's own filter is not installed. */
  readonly simpleName: string;
}

/** A token that was issued. Times are ms since the epoch. */
export interface IssuedToken {
  /** Hadoop's url-safe text of the token. */
  readonly token: string;
  readonly owner: string;
  readonly renewer: string | undefined;
  readonly renewBeforeMs: number;
  /** No renewal goes beyond it. */
  readonly lastsUntilMs: number;
}

/** What callers have to show: `anything` where Hadoop asks for no proof. */
export type TokenProof = 'ticket' | 'anything';

/** Only callers with a Kerberos ticket pass. @throws Failure TOKEN_BY_TOKEN, TOKEN_NEEDS_KERBEROS */
function mustHaveTicket({ simpleName }: TokenPorts, { authentication }: Caller, proof: TokenProof): void {
  if (proof === 'anything') return;
  if (authentication === 'token') throw failure('TOKEN_BY_TOKEN');
  if (authentication === 'kerberos') return;
  throw failure('TOKEN_NEEDS_KERBEROS', { type: authentication === undefined ? 'null' : simpleName });
}

/** Issues a token of the caller; resolves when it is durable. @throws Failure TOKEN_BY_TOKEN, TOKEN_NEEDS_KERBEROS */
export async function createToken(
  ports: TokenPorts,
  caller: Caller,
  renewer: string | undefined,
  proof: TokenProof = 'ticket',
): Promise<IssuedToken> {
  mustHaveTicket(ports, caller, proof);
  const owner = caller.realUser === undefined ? caller.principal : caller.user;
  const { token, identifier, renewBeforeMs } = await ports.tokens.issue(owner, renewer ?? '', caller.realUser ?? '');
  ports.audit.changed(caller, { operation: 'create delegation token', target: owner, renewer });
  return { token, owner, renewer, renewBeforeMs, lastsUntilMs: identifier.maxDate };
}

/** Renews a token of which the caller is the renewer; resolves, when that is durable, to when it holds until. @throws Failure TOKEN_… */
export async function renewToken(
  ports: TokenPorts,
  caller: Caller,
  token: string | undefined,
  proof: TokenProof = 'ticket',
): Promise<number> {
  mustHaveTicket(ports, caller, proof);
  return refusable('Renewal request for unknown token', async () => {
    const renewBeforeMs = await ports.tokens.renew(given(token), caller.user);
    ports.audit.changed(caller, { operation: 'renew delegation token', target: caller.user });
    return renewBeforeMs;
  });
}

/** Cancels a token of which the caller is owner or renewer; resolves when that is durable. @throws Failure TOKEN_… */
export async function cancelToken(
  ports: TokenPorts,
  caller: Caller,
  token: string | undefined,
  proof: TokenProof = 'ticket',
): Promise<void> {
  mustHaveTicket(ports, caller, proof);
  await refusable('Token not found', async () => {
    await ports.tokens.cancel(given(token), caller);
    ports.audit.changed(caller, { operation: 'cancel delegation token', target: caller.user });
  });
}

function given(token: string | undefined): string {
  if (token === undefined) throw failure('TOKEN_HEADER_MISSING');
  return token;
}

/** Runs what the token manager may refuse; `unknown` is the text for a token of a proxy user that it does not know. */
async function refusable<T>(unknown: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    if (error.reason === 'undecodable') throw failure('TOKEN_NOT_DECODABLE');
    if (error.reason === 'unknown' || error.reason === 'expired')
      throw failure('TOKEN_UNKNOWN', { reason: error.message.includes('Token for real user') ? unknown : error.message });
    throw failure('TOKEN_OPERATION_REFUSED', { reason: error.message });
  }
}
