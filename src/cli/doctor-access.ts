// What `heddle doctor` finds in the settings of who may do what: lists that keep nobody out, who may speak for others, and which websites may.

import { proxyUsers } from '../auth/proxy-users.ts';
import { callersProve } from '../config/exposure.ts';
import type { Configuration } from '../config/load.ts';
import { commonSettings } from '../config/settings/common.ts';
import { historySettings } from '../config/settings/history.ts';
import { httpSettings } from '../config/settings/http.ts';
import { nodeManagerSettings } from '../config/settings/node-manager.ts';
import { proxySettings } from '../config/settings/proxy.ts';
import { resourceManagerSettings } from '../config/settings/resource-manager.ts';
import { timelineSettings } from '../config/settings/timeline.ts';
import { parseAccessList } from '../model/access-list.ts';
import { type Finding, problem } from './finding.ts';

/** All of it, for the given roles. */
export const findAccess = (configuration: Configuration, roles: readonly string[]): Finding[] => [
  ...(roles.includes('resource-manager') ? findLists(configuration) : []),
  ...(roles.some((role) => callersProve(role, configuration)) ? findProxyUsers(configuration) : []),
  ...findWebsites(configuration, roles),
];

/** Access lists that are off, or in which every user administers. */
function findLists(configuration: Configuration): Finding[] {
  const { aclEnabled, adminAcl } = configuration.values(commonSettings);
  const { aclEnabled: lists, adminAcl: administrators } = commonSettings;
  if (aclEnabled && parseAccessList(adminAcl).everyone)
    return [
      problem(
        `access lists are on, and every user is an administrator, whom they keep from nothing: ${administrators.key} is *`,
        `Name those who administer: ${administrators.key}="USERS GROUPS".`,
      ),
    ];
  if (aclEnabled || !callersProve('resource-manager', configuration)) return [];
  const what = `callers prove who they are, but each may end, change and see the applications of all others, and administer: ${lists.key} is not true`;
  return [{ level: 'note', what, remedy: `Set ${lists.key}=true, and name administrators in ${administrators.key}.` }];
}

/** Nobody has this name, nor calls from this address (RFC 5737). */
const somebody = 'somebody else';
const somewhere = '203.0.113.1';

/** Users who may act for everybody, from everywhere. */
function findProxyUsers(configuration: Configuration): Finding[] {
  const properties = configuration.properties().map(({ key, value }) => [key, value] as const);
  const users = new Set(properties.flatMap(([key]) => /^hadoop\.proxyuser\.(.+)\.hosts$/.exec(key)?.slice(1) ?? []));
  let mayAct: ReturnType<typeof proxyUsers>;
  try {
    mayAct = proxyUsers(properties, () => []);
  } catch {
    // Told as a setting that cannot be read.
    return [];
  }
  return [...users]
    .filter((user) => mayAct(user, somebody, somewhere))
    .map((user) =>
      problem(
        `${user} may act for every user, administrators too, from every address: hadoop.proxyuser.${user}.hosts is *`,
        `Name the addresses of its machines there, and in hadoop.proxyuser.${user}.groups or .users for whom it acts.`,
      ),
    );
}

/** Websites that could speak for whoever looks at them. */
function findWebsites(configuration: Configuration, roles: readonly string[]): Finding[] {
  const found: Finding[] = [];
  const { allowedHosts } = httpSettings;
  if (configuration.values(httpSettings).allowedHosts.includes('*'))
    found.push(
      problem(
        `every website can make its name lead to the servers and speak for whoever looks at it: ${allowedHosts.key} is *`,
        `Name the hosts by which the servers are addressed in ${allowedHosts.key}.`,
      ),
    );
  const open = serversOpenToAllOrigins(configuration, roles);
  if (open.length > 0)
    found.push(
      problem(
        `pages of every website may read, and by methods that are allowed change, what those who look at them may: origins are * (${open.join(', ')})`,
        `Name the origins of your own pages in ${commonSettings.corsAllowedOrigins.key} (for the timeline yarn.timeline-service.http-cross-origin.allowed-origins).`,
      ),
    );
  const isProxy = roles.includes('resource-manager') && configuration.values(commonSettings).webProxyAddress === undefined;
  if (isProxy && configuration.values(proxySettings).sandbox === false)
    found.push(
      problem(
        `pages of every application speak for whoever looks at them, on the site of the resource manager: ${proxySettings.sandbox.key} is false`,
        `Take it away; interfaces made of scripts work where ${commonSettings.webProxyAddress.key} names a host of its own.`,
      ),
    );
  return found;
}

/** Keys that turn cross-origin headers on at servers where every origin is allowed. */
function serversOpenToAllOrigins(configuration: Configuration, roles: readonly string[]): string[] {
  const common = configuration.values(commonSettings);
  const timelineOrigins = configuration.get('yarn.timeline-service.http-cross-origin.allowed-origins');
  const isInstalled = common.filterInitializers.some((name) => name.endsWith('HttpCrossOriginFilterInitializer'));
  const allowsAll = (origins: string) => origins.split(',').some((origin) => ['*', 'regex:.*'].includes(origin.trim()));
  const switches = [
    ['resource-manager', resourceManagerSettings.crossOriginEnabled.key, configuration.values(resourceManagerSettings).crossOriginEnabled],
    ['node-manager', nodeManagerSettings.crossOriginEnabled.key, configuration.values(nodeManagerSettings).crossOriginEnabled],
    ['timeline', timelineSettings.crossOriginEnabled.key, configuration.values(timelineSettings).crossOriginEnabled],
    ['history', historySettings.crossOriginEnabled.key, isInstalled && configuration.values(historySettings).crossOriginEnabled],
  ] as const;
  return switches
    .flatMap(([role, key, isOn]) => {
      if (!roles.includes(role) || !allowsAll((role === 'timeline' ? timelineOrigins : undefined) ?? common.corsAllowedOrigins)) return [];
      if (isOn) return [key];
      return isInstalled && common.corsEnabled ? [commonSettings.corsEnabled.key] : [];
    })
    .filter((key, index, all) => all.indexOf(key) === index);
}
