// Delegation tokens over REST: created, renewed and cancelled.
import { type Answer, ok, rendered } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { type DelegationTokenInfo, delegationToken } from '../../wire/cluster/delegation-token.ts';
import type { Commands } from '../commands/commands.ts';
import type { KnownCaller } from './callers.ts';

/** What these handlers work with. */
export interface TokenNeeds {
  readonly caller: KnownCaller;
  readonly commands: Pick<Commands, 'createToken' | 'renewToken' | 'cancelToken'>;
}

const kind = 'RM_DELEGATION_TOKEN';
const header = 'hadoop-yarn-rm-delegation-token';

/** `POST /delegation-token`. */
export async function createToken({ caller, commands }: TokenNeeds, call: Call<DelegationTokenInfo>): Promise<Answer> {
  const { token, owner, renewer, renewBeforeMs, lastsUntilMs } = await commands.createToken(caller(call.caller), call.body.renewer);
  return ok(delegationToken, { token, renewer, owner, kind, 'expiration-time': renewBeforeMs, 'max-validity': lastsUntilMs });
}

function tokenOf({ headers }: Call): string | undefined {
  const value = headers[header];
  return Array.isArray(value) ? value[0] : value;
}

/** `POST /delegation-token/expiration`. */
export async function renewToken({ caller, commands }: TokenNeeds, call: Call): Promise<Answer> {
  return ok(delegationToken, { 'expiration-time': await commands.renewToken(caller(call.caller), tokenOf(call)) });
}

/** `DELETE /delegation-token`. */
export async function cancelToken({ caller, commands }: TokenNeeds, call: Call): Promise<Answer> {
  await commands.cancelToken(caller(call.caller), tokenOf(call));
  return rendered('');
}
