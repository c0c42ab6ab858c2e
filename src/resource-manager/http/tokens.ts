// Delegation tokens over REST: created, renewed and cancelled by callers who proved themselves with Kerberos.

import { TokenRefused } from '../../auth/delegation/token-manager.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { type Answer, ok, rendered } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { type DelegationTokenInfo, delegationToken } from '../../wire/cluster/delegation-token.ts';
import type { Parts } from './parts.ts';

const kind = 'RM_DELEGATION_TOKEN';
const header = 'hadoop-yarn-rm-delegation-token';

/** Only callers with a Kerberos ticket pass. @throws Failure TOKEN_BY_TOKEN, TOKEN_NEEDS_KERBEROS */
function mustHaveTicket({ caller: known, configuration }: Parts, { caller }: Call<never>): string {
  const user = known(caller).user;
  if (caller.authentication === 'token') throw failure('TOKEN_BY_TOKEN');
  if (caller.authentication === 'kerberos') return user;
  const installed = configuration
    .values(commonSettings)
    .filterInitializers.some((name) => name.endsWith('.AuthenticationFilterInitializer'));
  const type = caller.authentication === undefined ? 'null' : installed ? 'simple' : 'SIMPLE';
  throw failure('TOKEN_NEEDS_KERBEROS', { type });
}

/** `POST /delegation-token`. */
export function createToken(parts: Parts, call: Call<DelegationTokenInfo>): Answer {
  const user = mustHaveTicket(parts, call as never);
  const { renewer } = call.body;
  const owner = call.caller.realUser === undefined ? (call.caller.principal ?? user) : user;
  const { token, identifier, renewBeforeMs } = parts.tokens.issue(owner, renewer ?? '', call.caller.realUser ?? '');
  parts.audit.changed(call.caller, { operation: 'create delegation token', target: owner, renewer });
  return ok(delegationToken, { token, renewer, owner, kind, 'expiration-time': renewBeforeMs, 'max-validity': identifier.maxDate });
}

function tokenOf(call: Call): string {
  const value = call.headers[header];
  const text = Array.isArray(value) ? value[0] : value;
  if (text === undefined) throw failure('TOKEN_HEADER_MISSING');
  return text;
}

function refusal(error: unknown, unknown: string): unknown {
  if (!(error instanceof TokenRefused)) return error;
  if (error.reason === 'undecodable') return failure('TOKEN_NOT_DECODABLE');
  if (error.reason === 'unknown' || error.reason === 'expired')
    return failure('TOKEN_UNKNOWN', { reason: error.message.replace(/^.*Token for real user.*$/, unknown) });
  return failure('TOKEN_OPERATION_REFUSED', { reason: error.message });
}

/** `POST /delegation-token/expiration`. */
export function renewToken(parts: Parts, call: Call): Answer {
  const user = mustHaveTicket(parts, call as never);
  try {
    const expiry = parts.tokens.renew(tokenOf(call), user);
    parts.audit.changed(call.caller, { operation: 'renew delegation token', target: user });
    return ok(delegationToken, { 'expiration-time': expiry });
  } catch (error) {
    throw refusal(error, 'Renewal request for unknown token');
  }
}

/** `DELETE /delegation-token`. */
export function cancelToken(parts: Parts, call: Call): Answer {
  const user = mustHaveTicket(parts, call as never);
  try {
    parts.tokens.cancel(tokenOf(call), call.caller.principal ?? user);
    parts.audit.changed(call.caller, { operation: 'cancel delegation token', target: user });
    return rendered('');
  } catch (error) {
    throw refusal(error, 'Token not found');
  }
}
