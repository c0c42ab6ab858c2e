// The ports of Hadoop RPC. They listen at once; what they serve is loaded with the first connection.
import type { Socket } from 'node:net';
import type { TokenManager } from '../../auth/delegation/token-manager.ts';
import { configuredNames } from '../../auth/kerberos/configured-names.ts';
import { authenticationRules } from '../../config/authentication-rules.ts';
import type { Configuration } from '../../config/load.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { rpcSettings } from '../../config/settings/rpc.ts';
import { ConfigurationError, type SettingEntry } from '../../config/table.ts';
import { boundAddress } from '../../config/values.ts';
import { localUsersOf } from '../../http/authentication.ts';
import { failure } from '../../model/errors.ts';
import type { RpcAuthentication } from '../../rpc/authentication.ts';
import { listenRpc, type RpcServer, type RpcServerOptions } from '../../rpc/server.ts';
import type { ClientNeeds } from '../rpc/client-protocol.ts';
import { delegationLogin } from '../rpc/delegation-login.ts';
import type { AccessRules } from '../security/access-rules.ts';
import type { Starting } from './starting.ts';

/** What the ports work with. */
export interface RpcNeeds extends Omit<ClientNeeds, 'known'> {
  readonly rules: AccessRules;
  readonly tokens: TokenManager;
}

/** Under one connection no more calls than this are under way at a time. */
const callLimit = 100;

/**
 * Opens the ports; undefined where they are off.
 * @throws ConfigurationError for a protection that is not spoken
 */
export async function openRpc(starting: Starting, { rules, tokens, ...needs }: RpcNeeds): Promise<RpcServer | undefined> {
  const { configuration, random, logger } = starting;
  const settings = configuration.values(rpcSettings);
  if (!settings.enabled) return undefined;
  refuseUnspoken(configuration);
  return listenAt(configuration, resourceManagerSettings.clientAddress, {
    protocols: async () => {
      const [{ clientProtocol }, { knownRpcCallers }] = await Promise.all([
        import('../rpc/client-protocol.ts'),
        import('../rpc/callers.ts'),
      ]);
      return [clientProtocol({ ...needs, known: knownRpcCallers(rules.groupsOf) })];
    },
    authentication: rpcAuthenticationOf(configuration, rules, tokens),
    refused: ({ remoteAddress, reason }) =>
      needs.audit.refusedRequest({
        method: 'login',
        path: 'ApplicationClientProtocol',
        caller: undefined,
        remoteAddress,
        failure: failure('RPC_LOGIN_REFUSED', { reason }),
      }),
    random,
    logger,
    frameLimitBytes: settings.frameLimitBytes,
    callLimit,
    connectionLimit: settings.connectionLimit === 0 ? Number.POSITIVE_INFINITY : settings.connectionLimit,
    idleThreshold: settings.idleThreshold,
    idleMs: settings.idleMs,
  });
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

/**
 * Listens at the address of a protocol. Where nobody has set it and its usual port is in use, at a free port: a second cluster on one
 * machine is told of, not refused.
 */
async function listenAt(configuration: Configuration, entry: SettingEntry, options: Omit<RpcServerOptions, 'address'>): Promise<RpcServer> {
  const { bindHost } = configuration.values(resourceManagerSettings);
  const address = boundAddress(configuration.get(entry.key) ?? '', bindHost);
  try {
    return await listenRpc({ ...options, address });
  } catch (error) {
    const isSet = configuration.origin(entry.key) !== undefined;
    if (isSet || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const server = await listenRpc({ ...options, address: address.replace(/:\d+$/, ':0') });
    options.logger.warn(
      { key: entry.key, inUse: address, port: server.port },
      'the usual port of Hadoop RPC is in use, a free one is served instead; set its address to have a port that clients know',
    );
    return server;
  }
}

function refuseUnspoken(configuration: Configuration): void {
  const { key } = rpcSettings.protection;
  const unspoken = configuration.values(rpcSettings).protection.find((word) => word.trim().toLowerCase() !== 'authentication');
  if (unspoken === undefined) return;
  const source = configuration.origin(key)?.source ?? 'defaults';
  throw new ConfigurationError(
    source,
    key,
    `${unspoken} is not spoken yet`,
    'Use authentication, or turn the ports off with heddle.rpc.enabled=false.',
  );
}
