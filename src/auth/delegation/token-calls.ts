// Delegation tokens at the door of a server: `?op=…` on any path, and callers who name themselves by a token
// (DelegationTokenAuthenticationHandler). Asked before anything else about who is calling.
import { Failure, failure } from '../../model/errors.ts';
import { type AuthenticationRequest, type Identity, shortName } from '../authenticator.ts';
import type { TokenProof } from '../composition.ts';
import { clearedCookie } from '../cookie.ts';
import { type TokenManager, TokenRefused } from './token-manager.ts';

const operations: Readonly<Record<string, string>> = {
  GETDELEGATIONTOKEN: 'GET',
  RENEWDELEGATIONTOKEN: 'PUT',
  CANCELDELEGATIONTOKEN: 'PUT',
};
const json = (value: unknown) => ({ answer: { status: 200, contentType: 'application/json', body: `${JSON.stringify(value)}\n` } });

export interface TokenCallsOptions {
  readonly tokens: TokenManager;
  /** Whether every holder of a token may cancel it (Hadoop); else its owner and renewer alone. */
  readonly anyHolderCancels: boolean;
  /** What callers without a name are told; default: that they are not authenticated. */
  readonly nobody?: () => Identity;
  /** Hears of every token that was issued, renewed or cancelled. */
  readonly changed?: (change: { readonly operation: string; readonly user: string | undefined; readonly remoteAddress: string }) => void;
}

/** The tokens of a server as a proof of who calls, with the calls that change them. */
export function tokenCalls(options: TokenCallsOptions): TokenProof {
  const { tokens } = options;
  /** Waits for what the operation changes; one that cannot be kept is refused. */
  const noted = async (
    done: Promise<Identity>,
    request: AuthenticationRequest,
    operation: string,
    user: string | undefined,
  ): Promise<Identity> => {
    const identity = await done.catch((error: unknown): Identity => {
      if (error instanceof Failure) return { refusal: error };
      throw error;
    });
    if ('answer' in identity) options.changed?.({ operation, user, remoteAddress: request.remoteAddress });
    return identity;
  };
  return (request, prove) => {
    const operation = request.query('op')?.toUpperCase();
    const expected = operation !== undefined && Object.hasOwn(operations, operation) ? operations[operation] : undefined;
    if (operation === undefined || expected === undefined) return byToken(tokens, request);
    if (request.method !== expected)
      return { refusal: failure('TOKEN_CALL_WRONG_METHOD', { method: request.method, operation, expected }) };
    if (operation === 'CANCELDELEGATIONTOKEN' && options.anyHolderCancels)
      return noted(cancel(tokens, request, operation, undefined), request, operation, undefined);
    // A token cannot be used to get, renew or cancel one: its bearer counts as a caller without a name.
    const proven = tokenOf(request) === undefined ? prove() : undefined;
    return proven instanceof Promise
      ? proven.then((identity) => carryOut(request, operation, identity))
      : carryOut(request, operation, proven);
  };

  function carryOut(request: AuthenticationRequest, operation: string, identity: Identity | undefined): Identity | Promise<Identity> {
    if (identity && !('caller' in identity)) return withoutNewCookie(identity);
    const user = identity?.caller.user;
    if (user === undefined || user === '')
      return options.nobody?.() ?? { refusal: failure('UNAUTHENTICATED'), headers: { 'www-authenticate': 'PseudoAuth' } };
    if (operation === 'CANCELDELEGATIONTOKEN') return noted(cancel(tokens, request, operation, user), request, operation, user);
    if (operation === 'RENEWDELEGATIONTOKEN') return noted(renew(tokens, request, operation, user), request, operation, user);
    const { principal = user, realUser = '' } = identity!.caller;
    const issued = tokens.issue(principal, request.query('renewer') ?? '', realUser, request.query('service') ?? '');
    return noted(
      issued.then(({ token }) => json({ Token: { urlString: token } })),
      request,
      operation,
      user,
    );
  }
}

/** These calls set no cookie, whatever was proven. */
function withoutNewCookie(identity: Identity): Identity {
  const { 'set-cookie': cookie, ...headers } = identity.headers ?? {};
  return cookie === undefined || cookie === clearedCookie ? identity : { ...identity, headers };
}

const tokenOf = (request: AuthenticationRequest): string | undefined => {
  const header = request.headers['x-hadoop-delegation-token'];
  return (Array.isArray(header) ? header[0] : header) ?? request.query('delegation');
};

function byToken(tokens: TokenManager, request: AuthenticationRequest): Identity | undefined {
  const text = tokenOf(request);
  if (text === undefined) return undefined;
  try {
    const { owner } = tokens.verify(text);
    const caller = {
      user: shortName(owner),
      principal: owner,
      anonymous: false,
      authentication: 'token',
      remoteAddress: request.remoteAddress,
    } as const;
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
    return { refusal: failure('TOKEN_CALL_REFUSED', { reason: error.message }), headers: { 'set-cookie': clearedCookie } };
  }
}

async function cancel(
  tokens: TokenManager,
  request: AuthenticationRequest,
  operation: string,
  user: string | undefined,
): Promise<Identity> {
  const text = request.query('token');
  if (text === undefined) return { refusal: failure('TOKEN_CALL_PARAMETER_MISSING', { operation, parameter: 'token' }) };
  try {
    await tokens.cancel(text, user);
    return { answer: { status: 200, contentType: 'text/plain;charset=utf-8', body: '' } };
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    if (error.reason === 'not-allowed') return { refusal: failure('TOKEN_CALL_REFUSED', { reason: error.message }) };
    return { refusal: failure('TOKEN_CALL_UNKNOWN') };
  }
}
