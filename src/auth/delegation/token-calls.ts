// Delegation tokens at the door of a server: `?op=…` on any path, and callers who name themselves by a token
// (DelegationTokenAuthenticationHandler). Asked before anything else about who is calling.
import { Failure, failure } from '../../model/errors.ts';
import type { AuditedCaller } from '../audit-log.ts';
import { type AuthenticationRequest, type Caller, type Identity, type NameOf, shortName } from '../authenticator.ts';
import type { TokenProof } from '../composition.ts';
import { clearedCookie } from '../cookie.ts';
import type { TokenManager } from './token-manager.ts';
import { TokenRefused } from './token-refused.ts';

const operations: Readonly<Record<string, string>> = {
  GETDELEGATIONTOKEN: 'GET',
  RENEWDELEGATIONTOKEN: 'PUT',
  CANCELDELEGATIONTOKEN: 'PUT',
};
const json = (value: unknown) => ({ answer: { status: 200, contentType: 'application/json', body: `${JSON.stringify(value)}\n` } });

export interface TokenCallsOptions {
  readonly tokens: TokenManager;
  /** The user of an owner; default: what stands before `/` and `@`. */
  readonly nameOf?: NameOf;
  /** Headers that carry a token besides X-Hadoop-Delegation-Token, in small letters. */
  readonly furtherHeaders?: readonly string[];
  /** Whether every holder of a token may cancel it (Hadoop); else its owner and renewer alone. */
  readonly anyHolderCancels: boolean;
  /** What callers without a name are told; default: that they are not authenticated. */
  readonly nobody?: (request: AuthenticationRequest) => Identity;
  /** Hears of every token that was issued, renewed or cancelled. */
  readonly changed?: (caller: AuditedCaller, operation: string) => void;
}

/** The tokens of a server as a proof of who calls, with the calls that change them. */
export function tokenCalls(options: TokenCallsOptions): TokenProof {
  const { tokens, nameOf = shortName, furtherHeaders = [] } = options;
  /** Waits for what the operation changes; one that cannot be kept is refused. */
  const noted = async (
    done: Promise<Identity>,
    request: AuthenticationRequest,
    operation: string,
    who: Pick<AuditedCaller, 'user' | 'realUser'>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Identity> => {
    const identity = await done.catch((error: unknown): Identity => {
      if (error instanceof Failure) return { refusal: error };
      throw error;
    });
    const { remoteAddress, requestId } = request;
    if ('answer' in identity) options.changed?.({ ...who, remoteAddress, requestId }, operation);
    return Object.keys(headers).length === 0 ? identity : { ...identity, headers: { ...headers, ...identity.headers } };
  };
  return (request, prove, session) => {
    // Who asks what may be done does none of it.
    const operation = request.method === 'OPTIONS' ? undefined : request.query('op')?.toUpperCase();
    const expected = operation !== undefined && Object.hasOwn(operations, operation) ? operations[operation] : undefined;
    if (operation === undefined || expected === undefined) {
      const text = tokenIn(request, furtherHeaders);
      // AuthenticationFilter reads a cookie before it asks its handler, which reads tokens.
      return text === undefined ? undefined : (session() ?? byToken(tokens, text, request.remoteAddress, nameOf));
    }
    if (request.method !== expected)
      return { refusal: failure('TOKEN_CALL_WRONG_METHOD', { method: request.method, operation, expected }) };
    if (operation === 'CANCELDELEGATIONTOKEN' && options.anyHolderCancels)
      return noted(cancel(tokens, request, operation, undefined), request, operation, { user: undefined });
    // A token cannot be used to get, renew or cancel one: who has no other proof counts as a caller without a name.
    const proven = prove();
    return proven instanceof Promise
      ? proven.then((identity) => carryOut(request, operation, identity))
      : carryOut(request, operation, proven);
  };

  function carryOut(request: AuthenticationRequest, operation: string, identity: Identity | undefined): Identity | Promise<Identity> {
    if (identity && !('caller' in identity)) return withoutNewCookie(identity);
    const user = identity?.caller.user;
    if (user === undefined || user === '' || identity?.caller.restriction)
      return options.nobody?.(request) ?? { refusal: failure('UNAUTHENTICATED'), headers: { 'www-authenticate': 'PseudoAuth' } };
    const { principal = user, realUser } = identity!.caller;
    const who = { user, realUser };
    const kept = identity?.headers?.['www-authenticate'];
    const headers: Record<string, string> = kept === undefined ? {} : { 'www-authenticate': kept };
    const carried = (done: Promise<Identity>) => noted(done, request, operation, who, headers);
    // Hadoop asks nobody for a proof here, and its answer has none either.
    if (operation === 'CANCELDELEGATIONTOKEN')
      return noted(cancel(tokens, request, operation, { user, principal }), request, operation, who);
    if (operation === 'RENEWDELEGATIONTOKEN') return carried(renew(tokens, request, operation, user));
    const issued = tokens.issue(principal, request.query('renewer') ?? '', realUser ?? '', request.query('service') ?? '');
    return carried(issued.then(({ token }) => json({ Token: { urlString: token } })));
  }
}

/** These calls set no cookie, whatever was proven. */
function withoutNewCookie(identity: Identity): Identity {
  const { 'set-cookie': cookie, ...headers } = identity.headers ?? {};
  return cookie === undefined || cookie === clearedCookie ? identity : { ...identity, headers };
}

function tokenIn(request: AuthenticationRequest, furtherHeaders: readonly string[]): string | undefined {
  for (const name of ['x-hadoop-delegation-token', ...furtherHeaders]) {
    const header = request.headers[name];
    const text = Array.isArray(header) ? header[0] : header;
    if (text !== undefined) return text;
  }
  return request.query('delegation');
}

function byToken(tokens: TokenManager, text: string, remoteAddress: string, nameOf: NameOf): Identity {
  try {
    const { owner } = tokens.verify(text);
    const user = nameOf(owner);
    if (user === undefined) return { refusal: failure('TOKEN_REFUSED', { reason: `No user here has the name ${owner}` }) };
    const caller: Caller = {
      user,
      principal: owner,
      anonymous: false,
      authentication: 'token',
      remoteAddress,
    };
    return { caller };
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    return { refusal: failure('TOKEN_REFUSED', { reason: error.message }) };
  }
}

async function renew(tokens: TokenManager, request: AuthenticationRequest, operation: string, user: string): Promise<Identity> {
  const text = request.query('token');
  if (text === undefined) return { refusal: failure('TOKEN_CALL_PARAMETER_MISSING', { operation, parameter: 'token' }) };
  try {
    return json({ long: await tokens.renew(text, user) });
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    const refusal = failure('TOKEN_CALL_REFUSED', { reason: error.message, auditedUser: user });
    return { refusal, headers: { 'set-cookie': clearedCookie } };
  }
}

async function cancel(
  tokens: TokenManager,
  request: AuthenticationRequest,
  operation: string,
  canceller: { readonly user: string; readonly principal: string } | undefined,
): Promise<Identity> {
  const text = request.query('token');
  if (text === undefined) return { refusal: failure('TOKEN_CALL_PARAMETER_MISSING', { operation, parameter: 'token' }) };
  try {
    await tokens.cancel(text, canceller);
    return { answer: { status: 200, contentType: 'text/plain;charset=utf-8', body: '' } };
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    const who: Record<string, string> = canceller ? { auditedUser: canceller.user } : {};
    if (error.reason === 'not-allowed') return { refusal: failure('TOKEN_CALL_REFUSED', { reason: error.message, ...who }) };
    return { refusal: failure('TOKEN_CALL_UNKNOWN', who) };
  }
}
