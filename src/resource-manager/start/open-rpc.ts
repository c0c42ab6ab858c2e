// The ports of Hadoop RPC. They listen at once; what they serve is loaded with the first connection.
import type { Socket } from 'node:net';
import type { TokenManager } from '../../auth/delegation/token-manager.ts';
import { configuredNames } from '../../auth/kerberos/configured-names.ts';
import { authenticationRules } from '../../config/authentication-rules.ts';
import type { Configuration } from '../../config/load.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { localUsersOf } from '../../http/authentication.ts';
import type { RpcAuthentication } from '../../rpc/authentication.ts';
import { openPort } from '../../rpc/open-port.ts';
import type { RpcServer } from '../../rpc/server.ts';
import type { ClientNeeds } from '../rpc/client-protocol.ts';
import { delegationLogin } from '../rpc/delegation-login.ts';
import type { AccessRules } from '../security/access-rules.ts';
import type { Starting } from './starting.ts';

/** What the ports work with. */
export interface RpcNeeds extends Omit<ClientNeeds, 'known'> {
  readonly rules: AccessRules;
  readonly tokens: TokenManager;
}

/** Opens the ports; undefined where they are off. @throws what `openPort` throws */
export function openRpc(starting: Starting, { rules, tokens, ...needs }: RpcNeeds): Promise<RpcServer | undefined> {
  const { configuration, random, logger } = starting;
  const { bindHost } = configuration.values(resourceManagerSettings);
  return openPort(
    configuration,
    { entry: resourceManagerSettings.clientAddress, bindHost },
    {
      name: 'ApplicationClientProtocol',
      protocols: async () => {
        const [{ clientProtocol }, { knownRpcCallers }] = await Promise.all([
          import('../rpc/client-protocol.ts'),
          import('../rpc/callers.ts'),
        ]);
        return [clientProtocol({ ...needs, known: knownRpcCallers(rules.groupsOf) })];
      },
      authentication: rpcAuthenticationOf(configuration, rules, tokens),
      audit: needs.audit,
      random,
      logger,
    },
  );
}

/** Delegation tokens prove their owners; callers may name themselves where they may over HTTP too. */
export function rpcAuthenticationOf(
  configuration: Configuration,
  { mayImpersonate }: AccessRules,
  tokens: TokenManager,
): RpcAuthentication {
  const login = { tokens: delegationLogin(tokens, configuredNames(configuration, false)) };
  if (!authenticationRules(configuration, false).believesNames) return login;
  const locals = localUsersOf(configuration);
  if (!locals) return { ...login, simple: { mayImpersonate } };
  const simple = {
    mayImpersonate,
    learn: (socket: Socket) => locals.learn({ socket }),
    mayName: (socket: Socket, user: string | undefined) => locals.mayName({ socket }, user),
  };
  return { ...login, simple };
}
