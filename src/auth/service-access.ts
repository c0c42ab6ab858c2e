// Who may call which protocol of Hadoop RPC, by lists of users and of addresses (ServiceAuthorizationManager, hadoop-policy.xml).
import type { Configuration } from '../config/load.ts';
import { settingFault } from '../config/setting-fault.ts';
import { commonSettings } from '../config/settings/common.ts';
import { serviceAccessSettings } from '../config/settings/service-access.ts';
import type { SettingsOf } from '../config/table.ts';
import { type AccessList, parseAccessList } from '../model/access-list.ts';
import { type GroupsOf, isAllowed } from './access-lists.ts';
import { addressMatches, rangeRemedy, unreadableRange } from './proxy-users.ts';

/** Why a caller may not call: the wrong user, or the right one from the wrong place. */
export type ServiceRefusal = 'unknown' | 'user' | 'host';

/** The rule: undefined where the user may call the protocol from that address. */
export type ServiceAccess = (protocol: string, user: string, remoteAddress: string) => ServiceRefusal | undefined;

type Family = ReadonlyMap<string, string>;

/** Java interfaces of protocols and the settings that are about each (RMPolicyProvider, NMPolicyProvider, ClientHSPolicyProvider, TimelinePolicyProvider). */
const familiesOf = (settings: SettingsOf<typeof serviceAccessSettings>): Readonly<Record<string, Family>> => ({
  'org.apache.hadoop.yarn.api.ApplicationClientProtocolPB': settings.clients,
  'org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB': settings.masters,
  'org.apache.hadoop.yarn.server.api.ResourceManagerAdministrationProtocolPB': settings.administrators,
  'org.apache.hadoop.yarn.api.ContainerManagementProtocolPB': settings.containers,
  'org.apache.hadoop.mapreduce.v2.api.HSClientProtocolPB': settings.history,
  'org.apache.hadoop.mapreduce.v2.api.HSAdminRefreshProtocol': settings.historyAdministration,
  'org.apache.hadoop.yarn.api.ApplicationHistoryProtocolPB': settings.applicationHistory,
  'org.apache.hadoop.tools.GetUserMappingsProtocol': settings.groups,
  'org.apache.hadoop.security.RefreshUserMappingsProtocol': settings.refreshGroups,
});

interface Lists {
  readonly users: AccessList;
  readonly blockedUsers: AccessList;
  readonly hosts: readonly string[];
  readonly blockedHosts: readonly string[];
}

const listed = (text: string): string[] =>
  text
    .split(',')
    .map((host) => host.trim())
    .filter((host) => host !== '');

/** A range that is none matches no address: who is blocked by it would be let in (MachineList). */
function refuseUnreadable(configuration: Configuration, settings: SettingsOf<typeof serviceAccessSettings>): void {
  for (const [name, family] of Object.entries(settings))
    for (const key of ['hosts', 'hosts.blocked']) {
      const wrong = unreadableRange(listed(family.get(key) ?? ''));
      if (wrong === undefined) continue;
      const { key: prefix } = serviceAccessSettings[name as keyof typeof settings];
      throw settingFault(configuration, `${prefix}${key}`, `'${wrong}' is no range of addresses`, rangeRemedy);
    }
}

/** The lists of a configuration; undefined where `hadoop.security.authorization` is off. @throws ConfigurationError for a range of addresses that is none */
export function serviceAccessOf(configuration: Configuration, groupsOf: GroupsOf): ServiceAccess | undefined {
  if (!configuration.values(commonSettings).securityAuthorization) return undefined;
  const settings = configuration.values(serviceAccessSettings);
  refuseUnreadable(configuration, settings);
  const listsOf = (family: Family): Lists => {
    const text = (key: string, otherwise: string) => family.get(key) ?? settings.defaults.get(key) ?? otherwise;
    return {
      users: parseAccessList(text('acl', '*')),
      blockedUsers: parseAccessList(text('acl.blocked', '')),
      hosts: listed(text('hosts', '*')),
      blockedHosts: listed(text('hosts.blocked', '')),
    };
  };
  const lists = new Map(Object.entries(familiesOf(settings)).map(([protocol, family]) => [protocol, listsOf(family)]));
  return (protocol, user, remoteAddress) => {
    const found = lists.get(protocol);
    if (!found) return 'unknown';
    if (!isAllowed(found.users, user, groupsOf) || isAllowed(found.blockedUsers, user, groupsOf)) return 'user';
    const isAmong = (hosts: readonly string[]) => hosts.some((host) => addressMatches(remoteAddress, host));
    return isAmong(found.hosts) && !isAmong(found.blockedHosts) ? undefined : 'host';
  };
}
