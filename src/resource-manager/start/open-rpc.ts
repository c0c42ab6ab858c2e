// The ports of Hadoop RPC. They listen at once; what they serve is loaded with the first connection.
import type { TokenManager } from '../../auth/delegation/token-manager.ts';
import { configuredNames } from '../../auth/kerberos/configured-names.ts';
import { authenticationRules } from '../../config/authentication-rules.ts';
import type { Configuration } from '../../config/load.ts';
import { type RpcName, resourceManagerRpc, rpcNames } from '../../config/rpc-ports.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { rpcSettings } from '../../config/settings/rpc.ts';
import { collectorAddress } from '../../config/timeline-versions.ts';
import { localUsersOf } from '../../http/authentication.ts';
import type { RpcAuthentication } from '../../rpc/authentication.ts';
import type { TicketLogin } from '../../rpc/gssapi.ts';
import { openPort, type PortOptions } from '../../rpc/open-port.ts';
import { ticketsOf } from '../../rpc/open-tickets.ts';
import { authorizeBy } from '../../rpc/service-authorization.ts';
import { simpleLogin } from '../../rpc/simple-login.ts';
import { expectedMaster } from '../commands/calling-master.ts';
import type { ClientNeeds } from '../rpc/client-handlers.ts';
import { delegationLogin } from '../rpc/delegation-login.ts';
import { masterLogin } from '../rpc/master-login.ts';
import type { AccessRules } from '../security/access-rules.ts';
import type { Starting } from './starting.ts';

/** What the ports work with. */
export interface RpcNeeds extends Omit<ClientNeeds, 'known' | 'tokenProof'> {
  readonly rules: AccessRules;
  /** Delegation tokens. */
  readonly tokens: TokenManager;
}

/** Opens the ports; their addresses by the names of `resourceManagerRpc`, none where they are off. @throws what `openPort` throws */
export async function openRpc(starting: Starting, needs: RpcNeeds): Promise<Readonly<Record<string, string>>> {
  const { configuration, random, logger, closer } = starting;
  const { bindHost } = configuration.values(resourceManagerSettings);
  const { mayImpersonate } = needs.rules;
  const tickets = ticketsOf({ ...starting, mayImpersonate });
  const doors = doorsOf(configuration, needs, tickets);
  const authorize = authorizeBy(needs.rules.serviceAccess);
  const { clientThreads, masterThreads, administratorThreads } = configuration.values(rpcSettings);
  const threads: Readonly<Record<RpcName, number>> = {
    rpc: clientThreads,
    rpcMasters: masterThreads,
    rpcAdministration: administratorThreads,
  };
  const addresses: Record<string, string> = {};
  for (const name of rpcNames) {
    const place = { entry: resourceManagerRpc[name], bindHost, threads: threads[name] };
    const figures = needs.parts.rpc.add(doors[name].name);
    const server = await openPort(configuration, place, { ...doors[name], authorize, figures, audit: needs.audit, random, logger });
    if (!server) continue;
    closer.add(name, () => server.close());
    addresses[name] = `${server.host}:${server.port}`;
  }
  return addresses;
}

function doorsOf(
  configuration: Configuration,
  { rules, tokens, ...needs }: RpcNeeds,
  tickets: TicketLogin | undefined,
): Record<RpcName, Pick<PortOptions, 'name' | 'authentication' | 'protocols'>> {
  const authentication = rpcAuthenticationOf(configuration, rules, tokens, tickets);
  const nameOf = configuredNames(configuration, false);
  const known = async () => (await import('../rpc/callers.ts')).knownRpcCallers(rules.groupsOf);
  return {
    rpc: {
      name: 'ApplicationClientProtocol',
      authentication,
      protocols: async () => [
        (await import('../rpc/client-protocol.ts')).clientProtocol({
          ...needs,
          known: await known(),
          tokenProof: authentication.simple ? 'anything' : 'ticket',
        }),
      ],
    },
    rpcMasters: {
      name: 'ApplicationMasterProtocol',
      authentication: {
        tokens: masterLogin(needs.applicationTokens.masters, (attemptId) => expectedMaster(needs.parts.cluster, attemptId) !== undefined),
      },
      protocols: async () => [
        (await import('../rpc/master-protocol.ts')).masterProtocol({
          ...needs,
          tokens: needs.applicationTokens,
          collectorAddress: collectorAddress(configuration),
        }),
      ],
    },
    rpcAdministration: {
      name: 'ResourceManagerAdministrationProtocol',
      // Where there is another proof Hadoop takes no token there.
      authentication: authentication.simple ? { simple: authentication.simple } : tickets ? { tickets } : authentication,
      protocols: async () => {
        const { administration } = await import('../rpc/administration-protocol.ts');
        return [
          administration({
            ...needs,
            // A client names itself by its principal.
            groupsOf: (name) => rules.groupsOf(nameOf(name) ?? name),
            known: await known(),
            authorizesServices: () => rules.serviceAccess() !== undefined,
          }),
        ];
      },
    },
  };
}

/** Delegation tokens prove their owners, tickets their principals; callers may name themselves where they may over HTTP too. */
export function rpcAuthenticationOf(
  configuration: Configuration,
  { mayImpersonate }: AccessRules,
  tokens: TokenManager,
  tickets?: TicketLogin,
): RpcAuthentication {
  const login = { tokens: delegationLogin(tokens, configuredNames(configuration, false)), tickets };
  if (!authenticationRules(configuration, false).believesNames) return login;
  return { ...login, simple: simpleLogin(localUsersOf(configuration), mayImpersonate) };
}
