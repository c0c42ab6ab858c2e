// Logins of masters: by the token that the resource manager gave to their attempt, and by nothing else (AMRMTokenSecretManager).
import type { MasterTokens } from '../../auth/application-tokens/application-tokens.ts';
import type { TokenLogin } from '../../rpc/authentication.ts';
import { javaClasses, RpcException } from '../../rpc/exceptions.ts';

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
