// The ports of Hadoop RPC of a history server: what clients ask (10020), and administration (10033).
import { AuditLog } from '../../auth/audit-log.ts';
import { serviceAccessOf } from '../../auth/service-access.ts';
import { authenticationRules } from '../../config/authentication-rules.ts';
import type { Configuration } from '../../config/load.ts';
import { type HistoryRpcName, historyRpc, historyRpcNames } from '../../config/rpc-ports.ts';
import { historySettings } from '../../config/settings/history.ts';
import { rpcSettings } from '../../config/settings/rpc.ts';
import { localUsersOf } from '../../http/authentication.ts';
import type { RoleDependencies } from '../../lib/role.ts';
import { openPort } from '../../rpc/open-port.ts';
import type { RpcProtocol } from '../../rpc/protocol.ts';
import type { RpcServer } from '../../rpc/server.ts';
import { authorizeBy } from '../../rpc/service-authorization.ts';
import { simpleLogin } from '../../rpc/simple-login.ts';
import type { Administration } from '../administration.ts';
import type { HistoryClientNeeds } from './client-protocol.ts';

/** What the ports work with. */
export interface HistoryPortNeeds extends Omit<HistoryClientNeeds, 'audit'> {
  readonly administration: Administration;
}

/**
 * Opens the ports, one after the other; none where Hadoop RPC is off, or where callers have to prove who they are: by what they prove it
 * over HTTP they cannot here. `opened` hears of each at once. @throws what `openPort` throws
 */
export async function openHistoryPorts(
  configuration: Configuration,
  { random, logger }: RoleDependencies,
  { administration, ...needs }: HistoryPortNeeds,
  opened: (name: HistoryRpcName, port: RpcServer) => void,
): Promise<void> {
  if (!configuration.values(rpcSettings).enabled) return;
  if (!authenticationRules(configuration, false).believesNames) {
    logger.info('Hadoop RPC of the history server is not served: callers would have to prove who they are, which it does not take');
    return;
  }
  const audit = new AuditLog(logger);
  const { bindHost } = configuration.values(historySettings);
  const access = serviceAccessOf(configuration, administration.groupsOf);
  const common = {
    authentication: { simple: simpleLogin(localUsersOf(configuration), administration.mayImpersonate) },
    authorize: authorizeBy(() => access),
    audit,
    random,
    logger,
  };
  const protocols: Readonly<Record<HistoryRpcName, () => Promise<readonly RpcProtocol[]>>> = {
    rpc: async () => [(await import('./client-protocol.ts')).historyProtocol({ ...needs, audit })],
    rpcAdministration: async () => (await import('./administration-protocol.ts')).administrationProtocols(administration, audit),
  };
  const names = { rpc: 'HSClientProtocol', rpcAdministration: 'HSAdminProtocol' } as const;
  for (const name of historyRpcNames) {
    const place = { entry: historyRpc[name], bindHost };
    const port = await openPort(configuration, place, { ...common, name: names[name], protocols: protocols[name] });
    if (port) opened(name, port);
  }
}
