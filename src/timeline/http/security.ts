// Who calls the timeline servers and what they may: authentication, delegation tokens, administrators, cross-origin rules, from the settings.

import { type GroupsOf, isAllowed, listReader } from '../../auth/access-lists.ts';
import { processUser } from '../../auth/administrators.ts';
import type { Audit } from '../../auth/audit-log.ts';
import type { Authenticator, Caller } from '../../auth/authenticator.ts';
import type { ClaimedGroups } from '../../auth/claimed-groups.ts';
import type { TokenFigures } from '../../auth/delegation/token-figures.ts';
import { TokenManager } from '../../auth/delegation/token-manager.ts';
import { groupMapping } from '../../auth/groups.ts';
import { configuredNames } from '../../auth/kerberos/configured-names.ts';
import { type MayImpersonate, proxyUsers } from '../../auth/proxy-users.ts';
import { askManager } from '../../client/ask-manager.ts';
import { authenticationRules } from '../../config/authentication-rules.ts';
import type { Configuration } from '../../config/load.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { timelineSettings } from '../../config/settings/timeline.ts';
import { createAuthenticator } from '../../http/authentication.ts';
import { crossOriginFilter } from '../../http/cross-origin.ts';
import type { RoleDependencies } from '../../lib/role.ts';
import type { Database } from '../../storage/sqlite.ts';
import { timelineTokenStore } from '../store/token-store.ts';
import type { AccessRules } from '../v1/access.ts';

const cachedLists = 1_000;

/** The groups of users. */
export const groupsRule = (configuration: Configuration, claimedGroups: ClaimedGroups): GroupsOf =>
  groupMapping(configuration.values(commonSettings).staticGroups, claimedGroups);

/** Who may act for whom, by families of settings; one that allows it is enough. */
export function proxyRule(configuration: Configuration, groupsOf: GroupsOf, prefixes: readonly string[]): MayImpersonate {
  const rules = prefixes.map((prefix) =>
    proxyUsers(
      [...configuration.family(prefix)].map(([key, value]) => [prefix + key, value] as const),
      groupsOf,
      prefix,
    ),
  );
  return (realUser, target, remoteAddress) => rules.some((rule) => rule(realUser, target, remoteAddress));
}

/** The access rules of the settings: `yarn.acl.enable`, `yarn.admin.acl`; the user the server runs as is an administrator. */
export function accessRules(configuration: Configuration, claimedGroups: ClaimedGroups): AccessRules & { readonly serverUser: string } {
  const settings = configuration.values(commonSettings);
  const groupsOf = groupsRule(configuration, claimedGroups);
  const serverUser = processUser();
  const parsed = listReader(cachedLists);
  return {
    enabled: settings.aclEnabled,
    serverUser,
    isAdmin: (user) => user === serverUser || isAllowed(parsed(settings.adminAcl), user, groupsOf),
    allows: (list, user) => isAllowed(parsed(list), user, groupsOf),
  };
}

/** Whether a caller may write what the resource manager alone writes: a server of this cluster, and users whom the settings name. */
export type SystemRule = (caller: Caller) => boolean;

/** The rule of the settings (`heddle.timeline.system-writers`). */
export function systemRule(configuration: Configuration): SystemRule {
  const writers = new Set(configuration.values(timelineSettings).systemWriters);
  return ({ user, authentication }) => authentication === 'service' || (user !== undefined && writers.has(user));
}

/** The authenticator of the timeline server, with its delegation tokens. */
export function timelineAuthenticator(
  configuration: Configuration,
  database: Database,
  dependencies: RoleDependencies & { readonly claimedGroups: ClaimedGroups; readonly tokenFigures: TokenFigures },
  audit: Audit,
): Promise<Authenticator> {
  const settings = configuration.values(timelineSettings);
  const mayImpersonate = proxyRule(configuration, groupsRule(configuration, dependencies.claimedGroups), [
    commonSettings.proxyUsers.key,
    timelineSettings.httpProxyUsers.key,
  ]);
  const tokens = new TokenManager({
    kind: 'TIMELINE_DELEGATION_TOKEN',
    mechanism: authenticationRules(configuration, true).mechanism,
    nameOf: configuredNames(configuration, true),
    store: timelineTokenStore(database),
    clock: dependencies.clock,
    random: dependencies.random,
    keyUpdateIntervalMs: settings.delegationKeyUpdateIntervalMs,
    renewIntervalMs: settings.delegationTokenRenewIntervalMs,
    maximumLifetimeMs: settings.delegationTokenMaximumLifetimeMs,
    figures: dependencies.tokenFigures,
  });
  return createAuthenticator('timeline', configuration, {
    ...dependencies,
    askManager: askManager(configuration),
    mayImpersonate,
    tokens: {
      tokens,
      anyHolderCancels: settings.anyHolderCancelsTokens,
      changed: (caller, operation) => audit.changed(caller, { operation, target: 'delegation token' }),
    },
  });
}

/** The cross-origin filter of the timeline server; its own settings lie over the common ones. */
export function timelineCrossOrigin(configuration: Configuration): ReturnType<typeof crossOriginFilter> | undefined {
  const { crossOriginEnabled, crossOrigin: own } = configuration.values(timelineSettings);
  if (!crossOriginEnabled) return undefined;
  const common = configuration.values(commonSettings);
  return crossOriginFilter({
    allowedOrigins: own.get('allowed-origins') ?? common.corsAllowedOrigins,
    allowedMethods: own.get('allowed-methods') ?? common.corsAllowedMethods,
    allowedHeaders: own.get('allowed-headers') ?? common.corsAllowedHeaders,
    maximumAge: own.get('max-age') ?? common.corsMaximumAge,
  });
}
