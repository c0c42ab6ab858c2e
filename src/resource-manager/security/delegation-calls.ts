// Delegation tokens at the door of the resource manager: callers who name themselves by one, and `op=GETDELEGATIONTOKEN` on any path
// (DelegationTokenAuthenticationHandler in simple mode). Renewal and cancelling have endpoints of their own.
import { type AuthenticationRequest, type Identity, shortName } from '../../auth/authenticator.ts';
import { type TokenManager, TokenRefused } from '../../auth/delegation/token-manager.ts';
import { failure } from '../../model/errors.ts';

/** The hook of the authenticator. `named` is who the request says it is. */
export function delegationCalls(tokens: TokenManager): (request: AuthenticationRequest, named: string | undefined) => Identity | undefined {
  return (request, named) => {
    const header = request.headers['x-hadoop-delegation-token'];
    const text = (Array.isArray(header) ? header[0] : header) ?? request.query('delegation');
    if (text !== undefined) return byToken(tokens, text, request.remoteAddress);
    if (request.query('op')?.toUpperCase() !== 'GETDELEGATIONTOKEN') return undefined;
    if (named === undefined || named === '') return { refusal: failure('ILLEGAL_ARGUMENT', { reason: 'Null user' }) };
    const { token } = tokens.issue(named, request.query('renewer') ?? '');
    return { answer: { status: 200, contentType: 'application/json', body: JSON.stringify({ Token: { urlString: token } }) } };
  };
}

function byToken(tokens: TokenManager, text: string, remoteAddress: string): Identity {
  try {
    const { owner } = tokens.verify(text);
    return { caller: { user: shortName(owner), principal: owner, anonymous: false, authentication: 'token', remoteAddress } };
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    return { refusal: failure('TOKEN_REFUSED', { reason: error.message }) };
  }
}
