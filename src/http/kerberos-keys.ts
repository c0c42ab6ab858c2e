// Which principal and keytab a server's web interface has, by the settings.

import type { Configuration } from '../config/load.ts';
import { commonSettings } from '../config/settings/common.ts';
import { historySettings } from '../config/settings/history.ts';
import { nodeManagerSettings } from '../config/settings/node-manager.ts';
import { resourceManagerSettings } from '../config/settings/resource-manager.ts';
import { timelineSettings } from '../config/settings/timeline.ts';
import { parseAddress } from '../config/values.ts';
import { serverAddress } from '../config/web-addresses.ts';
import type { ServerKind } from './authentication.ts';
import type { KeySettings } from './kerberos.ts';

/** The keys of a server, and the host that `_HOST` stands for. `own` is absent where it has none but those that all share. */
interface WebKeys {
  readonly own: KeySettings | undefined;
  readonly host: string;
}

type KeyTable = Readonly<Record<'principal' | 'keytab', { readonly key: string }>>;
const keysOf = (table: KeyTable, principal: string | undefined, keytab: string | undefined): KeySettings => ({
  principal: { key: table.principal.key, value: principal },
  keytab: { key: table.keytab.key, value: keytab },
});

const hostOf = (address: string | undefined): string => (address === undefined ? '' : (parseAddress(address, 0)?.host ?? ''));

/** The keys of a server's web interface. */
export function webKeys(kind: ServerKind, configuration: Configuration): WebKeys {
  const common = configuration.values(commonSettings);
  switch (kind) {
    case 'resourceManager': {
      const manager = configuration.values(resourceManagerSettings);
      return {
        own: keysOf(
          { principal: resourceManagerSettings.spnegoPrincipal, keytab: resourceManagerSettings.spnegoKeytab },
          manager.spnegoPrincipal,
          manager.spnegoKeytab,
        ),
        host: hostOf(serverAddress(configuration, 'resource-manager').address),
      };
    }
    case 'nodeManager': {
      const own = configuration.values(nodeManagerSettings);
      const { spnegoPrincipal: principal, spnegoKeytab: keytab } = nodeManagerSettings;
      return {
        own: keysOf({ principal, keytab }, own.spnegoPrincipal, own.spnegoKeytab),
        host: hostOf(serverAddress(configuration, 'node-manager').address),
      };
    }
    case 'history': {
      const own = configuration.values(historySettings);
      const { spnegoPrincipal: principal, spnegoKeytab: keytab } = historySettings;
      return {
        own: keysOf({ principal, keytab }, own.spnegoPrincipal, own.spnegoKeytab),
        host: hostOf(serverAddress(configuration, 'history').address),
      };
    }
    case 'proxy':
      return { own: undefined, host: hostOf(common.webProxyAddress) };
    default: {
      const { httpKerberosPrincipal: principal, httpKerberosKeytab: keytab } = timelineSettings;
      const values = configuration.values(timelineSettings);
      return {
        own: keysOf({ principal, keytab }, values.httpKerberosPrincipal, values.httpKerberosKeytab),
        host: hostOf(serverAddress(configuration, 'timeline').address),
      };
    }
  }
}
