// Logins with delegation tokens of the resource manager (RMDelegationTokenSecretManager.retrievePassword).

import type { NameOf } from '../../auth/authenticator.ts';
import { decodeIdentifier } from '../../auth/delegation/token-identifier.ts';
import type { TokenManager } from '../../auth/delegation/token-manager.ts';
import { TokenRefused } from '../../auth/delegation/token-refused.ts';
import type { TokenLogin } from '../../rpc/authentication.ts';
import { javaClasses, RpcException } from '../../rpc/exceptions.ts';

/** A token that is valid logs its owner in, as the user whom `nameOf` gives for it. */
export const delegationLogin = (tokens: TokenManager, nameOf: NameOf): TokenLogin => ({
  passwordOf: (identifier) => {
    try {
      return tokens.passwordOf(identifier);
    } catch (error) {
      if (error instanceof TokenRefused) throw new RpcException(javaClasses.InvalidToken, error.message);
      throw error;
    }
  },
  userOf: (identifier) => {
    const { owner = '', realUser = '' } = decodeIdentifier(identifier) ?? {};
    const user = nameOf(owner);
    if (user === undefined) throw new RpcException(javaClasses.InvalidToken, `no user here has the name ${owner}`);
    return { user, realUser: realUser === '' ? undefined : nameOf(realUser) };
  },
});
