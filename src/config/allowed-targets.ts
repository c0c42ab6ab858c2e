// The hosts and networks of a setting that are allowed although others of their kind are not.
import { isIP, isIPv6 } from 'node:net';
import { hostNameOf } from '../lib/host-name.ts';
import type { Configuration } from './load.ts';
import { settingFault } from './setting-fault.ts';
import { heddleSettings } from './settings/heddle.ts';

/** A name or address, with a port or with all (0). */
export interface AllowedHost {
  readonly host: string;
  readonly port: number;
}

/** A network, such as `10.0.0.0/8`. */
export interface AllowedNetwork {
  readonly net: string;
  readonly bits: number;
}

/** An entry that is a name or address, with or without a port; undefined where it is none. */
export function allowedHost(entry: string): AllowedHost | undefined {
  const bare = isIPv6(entry) ? `[${entry}]` : entry;
  const host = hostNameOf(bare);
  if (host === undefined) return undefined;
  const port = /:(\d{1,5})$/.exec(bare)?.[1];
  return { host, port: Number(port ?? 0) };
}

/** An entry that is a network; undefined where it is none. */
export function allowedNetwork(entry: string): AllowedNetwork | undefined {
  const [net = '', bits = '', ...rest] = entry.split('/');
  if (rest.length > 0 || isIP(net) === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (isIPv6(net) ? 128 : 32)) return undefined;
  return { net, bits: Number(bits) };
}

/** Which of the entries are neither host nor network. */
export const unreadableTargets = (entries: readonly string[]): readonly string[] =>
  entries.filter((entry) => allowedNetwork(entry) === undefined && allowedHost(entry) === undefined);

/** Where webhooks may go although it is not public. @throws ConfigurationError for what is neither host nor network */
export function webhookTargets(configuration: Configuration): readonly string[] {
  const { webhookAllowedHosts: allowed } = configuration.values(heddleSettings);
  const [unreadable] = unreadableTargets(allowed);
  if (unreadable === undefined) return allowed;
  throw settingFault(
    configuration,
    heddleSettings.webhookAllowedHosts.key,
    `'${unreadable}' is neither a host nor a network`,
    'Name hosts such as hooks.example.org or 10.0.0.5:8080, and networks such as 10.0.0.0/8.',
  );
}
