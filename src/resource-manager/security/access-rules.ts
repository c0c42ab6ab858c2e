// Who is in which group, who may act for which users and who may speak which protocol: read at start and again while running (`heddle admin refresh-access`).
import type { GroupsOf } from '../../auth/access-lists.ts';
import { ClaimedGroups } from '../../auth/claimed-groups.ts';
import { groupMapping } from '../../auth/groups.ts';
import { type MayImpersonate, proxyUsers } from '../../auth/proxy-users.ts';
import { type ServiceAccess, serviceAccessOf } from '../../auth/service-access.ts';
import { type Configuration, readAgain } from '../../config/load.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import type { Clock } from '../../lib/clock.ts';

/** The rules as they are now, under functions that stay. */
export interface AccessRules {
  readonly groupsOf: GroupsOf;
  readonly mayImpersonate: MayImpersonate;
  /** Who may speak which protocol of Hadoop RPC; undefined: everyone. */
  readonly serviceAccess: () => ServiceAccess | undefined;
  /** Where is told what an issuer says of groups. */
  readonly claimedGroups: ClaimedGroups;
  /** Reads files and groups again and says who administers. Where that fails the rules stay. @throws ConfigurationError */
  readonly refresh: () => { readonly adminAcl: string };
}

/** The rules of a configuration. */
export function accessRulesOf(configuration: Configuration, clock: Clock): AccessRules {
  const claimedGroups = new ClaimedGroups(clock);
  let { groupsOf, mayImpersonate, serviceAccess } = read(configuration, claimedGroups);
  return {
    claimedGroups,
    groupsOf: (user) => groupsOf(user),
    mayImpersonate: (user, target, address) => mayImpersonate(user, target, address),
    serviceAccess: () => serviceAccess,
    refresh() {
      const fresh = readAgain(configuration);
      ({ groupsOf, mayImpersonate, serviceAccess } = read(fresh, claimedGroups));
      return { adminAcl: fresh.values(commonSettings).adminAcl };
    },
  };
}

const ownProxyUsers = resourceManagerSettings.proxyUserPrivileges.key;

/** Those of the resource manager lie over those of all servers (RMServerUtils.processRMProxyUsersConf). */
function read(configuration: Configuration, claimedGroups: ClaimedGroups) {
  const groupsOf = groupMapping(configuration.values(commonSettings).staticGroups, claimedGroups);
  const own = configuration.family(ownProxyUsers);
  // Faults are told with the key that has them.
  proxyUsers(own, groupsOf, ownProxyUsers);
  const proxies = new Map([...configuration.family(commonSettings.proxyUsers.key), ...own]);
  return { groupsOf, mayImpersonate: proxyUsers(proxies, groupsOf), serviceAccess: serviceAccessOf(configuration, groupsOf) };
}
