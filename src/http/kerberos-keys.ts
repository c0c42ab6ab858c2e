// Which principal and keytab a server's web interface has, by the settings.

import type { KeySettings } from '../auth/kerberos/server-key.ts';
import type { Configuration } from '../config/load.ts';
import { historySettings } from '../config/settings/history.ts';
import { nodeManagerSettings } from '../config/settings/node-manager.ts';
import { resourceManagerSettings } from '../config/settings/resource-manager.ts';
import { timelineSettings } from '../config/settings/timeline.ts';
import { type TextSetting, textSetting } from '../config/text-setting.ts';
import { parseAddress } from '../config/values.ts';
import { serverAddress, type WebServerName } from '../config/web-addresses.ts';
import type { ServerKind } from './server-kind.ts';

/** The keys of a server, and the host that `_HOST` stands for. `own` is absent where it has none but those that all share. */
interface WebKeys {
  readonly own: KeySettings | undefined;
  readonly host: string;
}

/** Principal and keytab of each kind of server that has its own; timeline servers share theirs. */
const settings: Readonly<Partial<Record<WebServerName, { readonly principal: TextSetting; readonly keytab: TextSetting }>>> = {
  'resource-manager': {
    principal: textSetting(resourceManagerSettings, 'spnegoPrincipal'),
    keytab: textSetting(resourceManagerSettings, 'spnegoKeytab'),
  },
  'node-manager': {
    principal: textSetting(nodeManagerSettings, 'spnegoPrincipal'),
    keytab: textSetting(nodeManagerSettings, 'spnegoKeytab'),
  },
  history: {
    principal: textSetting(historySettings, 'spnegoPrincipal'),
    keytab: textSetting(historySettings, 'spnegoKeytab'),
  },
  timeline: {
    principal: textSetting(timelineSettings, 'httpKerberosPrincipal'),
    keytab: textSetting(timelineSettings, 'httpKerberosKeytab'),
  },
};

const servers: Readonly<Record<ServerKind, WebServerName>> = {
  resourceManager: 'resource-manager',
  nodeManager: 'node-manager',
  history: 'history',
  proxy: 'proxy',
  timeline: 'timeline',
  reader: 'timeline',
  collector: 'timeline',
};

/** The keys of a server's web interface. */
export function webKeys(kind: ServerKind, configuration: Configuration): WebKeys {
  const server = servers[kind];
  const own = settings[server];
  return {
    own: own && { principal: own.principal(configuration), keytab: own.keytab(configuration) },
    host: parseAddress(serverAddress(configuration, server).address, 0)?.host ?? '',
  };
}
