// Which principal and keytab each role has by the settings, and which principals are servers of this cluster.
import type { Configuration } from '../../config/load.ts';
import { historyRpc, resourceManagerRpc, timelineRpc } from '../../config/rpc-ports.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { historySettings } from '../../config/settings/history.ts';
import { nodeManagerSettings } from '../../config/settings/node-manager.ts';
import { proxySettings } from '../../config/settings/proxy.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { timelineSettings } from '../../config/settings/timeline.ts';
import { type TextSetting, textSetting } from '../../config/text-setting.ts';
import { parseAddress } from '../../config/values.ts';
import { serverAddress } from '../../config/web-addresses.ts';
import { withHost } from './principal.ts';
import type { KeySettings } from './server-key.ts';

/** A role that may have a key. */
export type KeyedRole = 'resource-manager' | 'node-manager' | 'timeline' | 'history' | 'proxy';

interface RoleEntry {
  readonly principal: TextSetting;
  readonly keytab: TextSetting;
  /** The address whose host `_HOST` stands for, as in Hadoop; undefined: this machine's name. */
  readonly address: (configuration: Configuration) => string | undefined;
}

const entries: Readonly<Record<KeyedRole, RoleEntry>> = {
  'resource-manager': {
    principal: textSetting(resourceManagerSettings, 'principal'),
    keytab: textSetting(resourceManagerSettings, 'keytab'),
    address: (configuration) => configuration.get(resourceManagerRpc.rpc.key),
  },
  'node-manager': {
    principal: textSetting(nodeManagerSettings, 'principal'),
    keytab: textSetting(nodeManagerSettings, 'keytab'),
    address: () => undefined,
  },
  timeline: {
    principal: textSetting(timelineSettings, 'principal'),
    keytab: textSetting(timelineSettings, 'keytab'),
    // Hadoop's own is that of RPC alone, which a cluster that speaks REST alone may never have set.
    address: (configuration) =>
      configuration.origin(timelineRpc.rpc.key) === undefined
        ? serverAddress(configuration, 'timeline').address
        : configuration.get(timelineRpc.rpc.key),
  },
  history: {
    principal: textSetting(historySettings, 'principal'),
    keytab: textSetting(historySettings, 'keytab'),
    address: (configuration) => configuration.get(historyRpc.rpc.key),
  },
  proxy: {
    principal: textSetting(proxySettings, 'principal'),
    keytab: textSetting(proxySettings, 'keytab'),
    address: (configuration) => configuration.values(commonSettings).webProxyAddress,
  },
};

/** Whether a role may have a key. */
export const hasKey = (role: string): role is KeyedRole => Object.hasOwn(entries, role);

/** The settings of a role's principal and keytab. */
export const roleKeySettings = (role: KeyedRole, configuration: Configuration): KeySettings => ({
  principal: entries[role].principal(configuration),
  keytab: entries[role].keytab(configuration),
});

/** The principal of a role, `_HOST` replaced; undefined where the settings do not name one. */
export function rolePrincipal(role: KeyedRole, configuration: Configuration): string | undefined {
  const { principal, address } = entries[role];
  const { key, value } = principal(configuration);
  if (!value || configuration.origin(key) === undefined) return undefined;
  return withHost(value, parseAddress(address(configuration) ?? '', 0)?.host ?? '');
}

/** Roles that ask others of a cluster by REST; nodes are known by the secret of the cluster. */
const askingRoles = ['resource-manager', 'timeline', 'history', 'proxy'] as const satisfies readonly KeyedRole[];

/** The principals of the servers of this cluster: a ticket of one proves as much as the secret that these servers share. */
export const serverPrincipals = (configuration: Configuration): ReadonlySet<string> =>
  new Set(askingRoles.flatMap((role) => rolePrincipal(role, configuration) ?? []));
