// Logins of masters: by the token that the resource manager gave to their attempt, and by nothing else (AMRMTokenSecretManager).
import type { MasterTokens } from '../../auth/application-tokens/application-tokens.ts';
import { applicationIdOfAttempt, isAttemptId } from '../../model/ids.ts';
import type { TokenLogin } from '../../rpc/authentication.ts';
import { javaClasses, RpcException } from '../../rpc/exceptions.ts';
import { isFinalState } from '../applications/application-states.ts';
import { isEndedAttempt } from '../applications/attempt-states.ts';
import type { Cluster } from '../cluster.ts';
import type { CallingMaster } from '../commands/register.ts';

/** A token logs its attempt in; `isExpected`: whether something is still to be heard of the attempt's master. */
export const masterLogin = (tokens: MasterTokens, isExpected: (attemptId: string) => boolean): TokenLogin => ({
  passwordOf: (identifier) => {
    const attemptId = tokens.read(identifier)?.attemptId;
    if (attemptId === undefined || !isExpected(attemptId))
      throw new RpcException(javaClasses.InvalidToken, `${attemptId ?? 'null'} not found in AMRMTokenSecretManager.`);
    const password = tokens.passwordOf(identifier);
    if (!password) throw new RpcException(javaClasses.InvalidToken, `Invalid AMRMToken from ${attemptId}`);
    return password;
  },
  userOf: (identifier) => ({ user: tokens.read(identifier)?.attemptId ?? '' }),
});

/** The attempt, unless nothing more is to be heard of its master. One that finished may not have heard the answer to that. */
export function expectedMaster(cluster: Pick<Cluster, 'view' | 'findAny'>, attemptId: string): CallingMaster | undefined {
  const found = cluster.view.attempt(attemptId) ?? endedAttempt(cluster, attemptId);
  if (!found) return undefined;
  const { application, attempt } = found;
  if (!isEndedAttempt[attempt.state]) return found;
  return attempt.registered && attempt.state === 'FINISHED' && isFinalState[application.state] ? found : undefined;
}

function endedAttempt(cluster: Pick<Cluster, 'findAny'>, attemptId: string): CallingMaster | undefined {
  if (!isAttemptId(attemptId)) return undefined;
  const application = cluster.findAny(applicationIdOfAttempt(attemptId));
  const attempt = application?.attempts.find(({ id }) => id === attemptId);
  return application && attempt && { application, attempt };
}
