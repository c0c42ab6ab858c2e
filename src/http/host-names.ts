// The hosts and ports that the settings give to the servers of the cluster.
import type { Configuration } from '../config/load.ts';
import { allSettings } from '../config/settings/all.ts';
import { httpSettings } from '../config/settings/http.ts';
import { parseAddress } from '../config/values.ts';
import { HostNames } from './own-names.ts';

const addressKey = /[.-](?:address|hostname|bind-host)(?:\.[\w-]+)?$/;
const principalKey = /[.-]principal$/;

/** The hosts that the settings name for any server: in addresses, host names and Kerberos principals. */
export function hostsInSettings(configuration: Configuration): string[] {
  return configuration.properties().flatMap(({ key }) => {
    const value = configuration.get(key)?.trim() ?? '';
    if (addressKey.test(key)) return parseAddress(value, 0)?.host ?? [];
    const host = principalKey.test(key) ? /^[^/@]+\/([^/@]+)/.exec(value)?.[1] : undefined;
    return host === undefined || host === '_HOST' ? [] : host;
  });
}

/** The ports that the settings give to any server. */
export function portsInSettings(configuration: Configuration): ReadonlySet<number> {
  const ports = new Set<number>();
  for (const { key, type, default: standard } of allSettings().values()) {
    const text = (configuration.get(key) ?? configuration.expand(String(standard ?? ''))).trim();
    if (type === 'address') ports.add(parseAddress(text, 0)?.port ?? 0);
    else if (type === 'integer' && key.endsWith('.port')) ports.add(Number(text));
  }
  for (const { key } of configuration.properties())
    if (addressKey.test(key)) ports.add(parseAddress(configuration.get(key)?.trim() ?? '', 0)?.port ?? 0);
  ports.delete(0);
  return ports;
}

/** The names that the settings give to the servers of the cluster. */
export const createHostNames = (configuration: Configuration): HostNames =>
  new HostNames([...hostsInSettings(configuration), ...configuration.values(httpSettings).allowedHosts]);
