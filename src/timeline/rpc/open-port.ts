// The port of Hadoop RPC of a timeline server: the application history (10200).
import type { AuditLog } from '../../auth/audit-log.ts';
import type { ClaimedGroups } from '../../auth/claimed-groups.ts';
import type { RoleKey } from '../../auth/kerberos/role-key.ts';
import { serviceAccessOf } from '../../auth/service-access.ts';
import { authenticationRules } from '../../config/authentication-rules.ts';
import type { Configuration } from '../../config/load.ts';
import { timelineRpc } from '../../config/rpc-ports.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { rpcSettings } from '../../config/settings/rpc.ts';
import { timelineSettings } from '../../config/settings/timeline.ts';
import { localUsersOf } from '../../http/authentication.ts';
import type { Closer } from '../../lib/closer.ts';
import type { RoleDependencies } from '../../lib/role.ts';
import type { RpcFigures } from '../../lib/rpc-figures.ts';
import { openPort } from '../../rpc/open-port.ts';
import { ticketsOf } from '../../rpc/open-tickets.ts';
import { authorizeBy } from '../../rpc/service-authorization.ts';
import { simpleLogin } from '../../rpc/simple-login.ts';
import { groupsRule, proxyRule } from '../http/security.ts';
import type { ApplicationHistoryNeeds } from './history-protocol.ts';

/** What the port works with. */
export interface HistoryPortNeeds extends ApplicationHistoryNeeds {
  readonly audit: AuditLog;
  readonly claimedGroups: ClaimedGroups;
  /** Its own Kerberos key; undefined where it has none. */
  readonly roleKey: RoleKey | undefined;
  /** Where what the port serves is counted. */
  readonly figures: RpcFigures;
}

/**
 * Opens the port; its address by its name in `timelineRpc`, none where Hadoop RPC or the application history is off, or where callers have to prove who they are and there is no
 * key to take tickets with. Callers prove here what they prove to the timeline over REST. @throws what `openPort` throws
 */
export async function openHistoryPort(
  configuration: Configuration,
  { random, logger }: RoleDependencies,
  { roleKey, claimedGroups, figures, ...needs }: HistoryPortNeeds,
  closer: Closer,
): Promise<Readonly<Record<string, string>>> {
  const { enabled, applicationHistoryThreads: threads } = configuration.values(rpcSettings);
  if (!enabled || !configuration.values(commonSettings).applicationHistoryEnabled) return {};
  const groupsOf = groupsRule(configuration, claimedGroups);
  const mayImpersonate = proxyRule(configuration, groupsOf, [commonSettings.proxyUsers.key]);
  const tickets = ticketsOf({ configuration, roleKey, isTimeline: true, mayImpersonate, logger });
  if (!tickets && !authenticationRules(configuration, true).believesNames) {
    logger.info('Hadoop RPC of the timeline is not served: callers would have to prove who they are, and it takes no tickets');
    return {};
  }
  const access = serviceAccessOf(configuration, groupsOf);
  const { bindHost } = configuration.values(timelineSettings);
  const port = await openPort(
    configuration,
    { entry: timelineRpc.rpc, bindHost, threads },
    {
      name: 'ApplicationHistoryProtocol',
      figures: figures.add('ApplicationHistoryProtocol'),
      authentication: tickets ? { tickets } : { simple: simpleLogin(localUsersOf(configuration), mayImpersonate) },
      authorize: authorizeBy(() => access),
      protocols: async () => [(await import('./history-protocol.ts')).historyProtocol(needs)],
      audit: needs.audit,
      random,
      logger,
    },
  );
  if (!port) return {};
  closer.add('rpc', () => port.close());
  return { rpc: `${port.host}:${port.port}` };
}
