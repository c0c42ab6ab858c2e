// The ports of Hadoop RPC of a history server: what clients ask (10020), and administration (10033).
import { AuditLog } from '../../auth/audit-log.ts';
import { configuredNames } from '../../auth/kerberos/configured-names.ts';
import type { RoleKey } from '../../auth/kerberos/role-key.ts';
import { serviceAccessOf } from '../../auth/service-access.ts';
import { authenticationRules } from '../../config/authentication-rules.ts';
import type { Configuration } from '../../config/load.ts';
import { type HistoryRpcName, historyRpc, historyRpcNames } from '../../config/rpc-ports.ts';
import { historySettings } from '../../config/settings/history.ts';
import { rpcSettings } from '../../config/settings/rpc.ts';
import { localUsersOf } from '../../http/authentication.ts';
import type { Closer } from '../../lib/closer.ts';
import type { RoleDependencies } from '../../lib/role.ts';
import type { RpcFigures } from '../../lib/rpc-figures.ts';
import { openPort } from '../../rpc/open-port.ts';
import { ticketsOf } from '../../rpc/open-tickets.ts';
import type { RpcProtocol } from '../../rpc/protocol.ts';
import { authorizeBy } from '../../rpc/service-authorization.ts';
import { simpleLogin } from '../../rpc/simple-login.ts';
import type { Administration } from '../administration.ts';
import type { HistoryClientNeeds } from './client-protocol.ts';

/** What the ports work with. */
export interface HistoryPortNeeds extends Omit<HistoryClientNeeds, 'audit'> {
  readonly administration: Administration;
  /** Its own Kerberos key; undefined where it has none. */
  readonly roleKey: RoleKey | undefined;
  /** Where what the ports serve is counted. */
  readonly figures: RpcFigures;
}

/**
 * Opens the ports, one after the other; none where Hadoop RPC is off, or where callers have to prove who they are and there is no key to take
 * tickets with. `closer` is given each at once. The addresses by the names of `historyRpc`. @throws what `openPort` throws
 */
export async function openHistoryPorts(
  configuration: Configuration,
  { random, logger }: RoleDependencies,
  { administration, roleKey, figures, ...needs }: HistoryPortNeeds,
  closer: Closer,
): Promise<Readonly<Record<string, string>>> {
  const { enabled, historyThreads } = configuration.values(rpcSettings);
  if (!enabled) return {};
  const { mayImpersonate } = administration;
  const tickets = ticketsOf({ configuration, roleKey, mayImpersonate, logger });
  if (!tickets && !authenticationRules(configuration, false).believesNames) {
    logger.info('Hadoop RPC of the history server is not served: callers would have to prove who they are, and it takes no tickets');
    return {};
  }
  const audit = new AuditLog(logger);
  const { bindHost } = configuration.values(historySettings);
  const access = serviceAccessOf(configuration, administration.groupsOf);
  const common = {
    authentication: tickets ? { tickets } : { simple: simpleLogin(localUsersOf(configuration), mayImpersonate) },
    authorize: authorizeBy(() => access),
    audit,
    random,
    logger,
  };
  const protocols: Readonly<Record<HistoryRpcName, () => Promise<readonly RpcProtocol[]>>> = {
    rpc: async () => [(await import('./client-protocol.ts')).historyProtocol({ ...needs, audit })],
    rpcAdministration: async () =>
      (await import('./administration-protocol.ts')).administrationProtocols(administration, configuredNames(configuration, false), audit),
  };
  const threads: Readonly<Record<HistoryRpcName, number>> = { rpc: historyThreads, rpcAdministration: 1 };
  const addresses: Record<string, string> = {};
  const names = { rpc: 'HSClientProtocol', rpcAdministration: 'HSAdminProtocol' } as const;
  for (const name of historyRpcNames) {
    const place = { entry: historyRpc[name], bindHost, threads: threads[name] };
    const port = await openPort(configuration, place, {
      ...common,
      name: names[name],
      figures: figures.add(names[name]),
      protocols: protocols[name],
    });
    if (!port) continue;
    closer.add(name, () => port.close());
    addresses[name] = `${port.host}:${port.port}`;
  }
  return addresses;
}
