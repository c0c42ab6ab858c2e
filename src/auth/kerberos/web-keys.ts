// Which principal and keytab a server's web interface has, by the settings.

import type { Configuration } from '../../config/load.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { historySettings } from '../../config/settings/history.ts';
import { nodeManagerSettings } from '../../config/settings/node-manager.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { timelineSettings } from '../../config/settings/timeline.ts';
import { type TextSetting, textSetting } from '../../config/text-setting.ts';
import { parseAddress } from '../../config/values.ts';
import { serverAddress, type WebServerName } from '../../config/web-addresses.ts';
import { withHost } from './principal.ts';
import { type KeySettings, serverKeytab } from './server-key.ts';

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

/** The keys of a server's web interface. */
export function webKeys(server: WebServerName, configuration: Configuration): WebKeys {
  const own = settings[server];
  return {
    own: own && { principal: own.principal(configuration), keytab: own.keytab(configuration) },
    host: parseAddress(serverAddress(configuration, server).address, 0)?.host ?? '',
  };
}

/** The principal and the keytab that the web interfaces share. */
function commonKeys(configuration: Configuration): KeySettings {
  const { httpKerberosPrincipal, httpKerberosKeytab } = commonSettings;
  const values = configuration.values(commonSettings);
  const isSaid = configuration.origin(httpKerberosPrincipal.key) !== undefined;
  return {
    principal: { key: httpKerberosPrincipal.key, value: isSaid ? values.httpKerberosPrincipal : undefined },
    keytab: { key: httpKerberosKeytab.key, value: values.httpKerberosKeytab },
  };
}

/** What a web interface takes tickets with. */
export interface WebKeytab {
  readonly keytab: string;
  /** Its own, with its host, or `*`. */
  readonly principal: string;
  /** The setting that names the keytab. */
  readonly key: string;
}

/** The keytab of a web interface, looked at: its own, else the common one. @throws ConfigurationError saying what is missing */
export function webKeytab(server: WebServerName, configuration: Configuration): WebKeytab {
  const { own, host } = webKeys(server, configuration);
  const common = commonKeys(configuration);
  const keys = own?.keytab.value === undefined ? common : own;
  const principal = withHost(keys.principal.value || common.principal.value || '*', host);
  return { keytab: serverKeytab(configuration, keys, principal, 'HTTP/'), principal, key: keys.keytab.key };
}
