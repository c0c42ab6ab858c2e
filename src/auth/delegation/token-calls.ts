// Delegation tokens at the door of a server: `?op=…` on any path, and callers who name themselves by a token
// (DelegationTokenAuthenticationHandler). Asked before anything else about who is calling.
import { Failure, failure } from '../../model/errors.ts';
import { type AuthenticationRequest, actsFor, type Identity, namesUser, shortName } from '../authenticator.ts';
import { type TokenManager, TokenRefused } from './token-manager.ts';

const operations: Readonly<Record<string, string>> = {
  GETDELEGATIONTOKEN: 'GET',
  RENEWDELEGATIONTOKEN: 'PUT',
  CANCELDELEGATIONTOKEN: 'PUT',
};
const clearedCookie = { 'set-cookie': 'hadoop.auth=; Path=/; HttpOnly' };
const json = (value: unknown) => ({ answer: { status: 200, contentType: 'application/json', body: `${JSON.stringify(value)}\n` } });

export interface TokenCallsOptions {
  readonly tokens: TokenManager;
  readonly mayImpersonate: (realUser: string, target: string, remoteAddress: string) => boolean;
  /** Whether every holder of a token may cancel it (Hadoop); else its owner and renewer alone. */
  readonly anyHolderCancels: boolean;
  /** What callers without a name are told; default: that they are not authenticated. */
  readonly nobody?: () => Identity;
  /** Hears of every token that was issued, renewed or cancelled. */
  readonly changed?: (change: { readonly operation: string; readonly user: string | undefined; readonly remoteAddress: string }) => void;
}

/** The hook of the authenticator. `named` is who the request says it is. */
export function tokenCalls(
  options: TokenCallsOptions,
): (request: AuthenticationRequest, named: string | undefined) => Identity | Promise<Identity> | undefined {
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
  return (request, named) => {
    const operation = request.query('op')?.toUpperCase();
    const expected = operation !== undefined && Object.hasOwn(operations, operation) ? operations[operation] : undefined;
    if (operation === undefined || expected === undefined) return byToken(tokens, request);
    if (request.method !== expected)
      return { refusal: failure('TOKEN_CALL_WRONG_METHOD', { method: request.method, operation, expected }) };
    if (operation === 'CANCELDELEGATIONTOKEN' && options.anyHolderCancels)
      return noted(cancel(tokens, request, operation, undefined), request, operation, named);
    // A token cannot be used to get, renew or cancel one: its bearer counts as a caller without a name.
    if (named === undefined || named === '' || tokenOf(request) !== undefined) {
      return options.nobody?.() ?? { refusal: failure('UNAUTHENTICATED'), headers: { 'www-authenticate': 'PseudoAuth' } };
    }
    const target = actsFor(request);
    if (target !== undefined && !namesUser(target)) return { refusal: failure('ILLEGAL_ARGUMENT', { reason: 'Null user' }) };
    if (target !== undefined && !options.mayImpersonate(named, target, request.remoteAddress)) {
      return { refusal: failure('IMPERSONATION_REFUSED', { user: named, target }) };
    }
    const user = target ?? named;
    if (operation === 'CANCELDELEGATIONTOKEN') return noted(cancel(tokens, request, operation, user), request, operation, user);
    if (operation === 'RENEWDELEGATIONTOKEN') return noted(renew(tokens, request, operation, user), request, operation, user);
    const issued = tokens.issue(user, request.query('renewer') ?? '', target === undefined ? '' : named, request.query('service') ?? '');
    return noted(
      issued.then(({ token }) => json({ Token: { urlString: token } })),
      request,
      operation,
      user,
    );
  };
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
    return { refusal: failure('TOKEN_CALL_REFUSED', { reason: error.message }), headers: clearedCookie };
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
