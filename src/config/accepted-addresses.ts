// The addresses beyond loopback that are accepted although callers need not prove who they are: named one by one, never all at once.
import { lookup } from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import { isLoopbackAddress } from '../lib/loopback.ts';
import type { Configuration } from './load.ts';
import { settingFault } from './setting-fault.ts';
import { heddleSettings } from './settings/heddle.ts';
import { securitySettings } from './settings/security.ts';
import type { ConfigurationError } from './table.ts';
import { parseAddress } from './values.ts';

interface AcceptedAddress {
  readonly host: string;
  /** 0: every port of the host. */
  readonly port: number;
}

const { allowUnauthenticated } = heddleSettings;
const plain = (host: string): string => host.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
const written = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}${port === 0 ? '' : `:${port}`}`;

/** What the settings accept. @throws ConfigurationError for what is no address: `true` accepted every address once */
export function acceptedAddresses(configuration: Configuration): AcceptedAddress[] {
  const given = configuration.values(heddleSettings).allowUnauthenticated;
  return given
    .filter((text) => text !== 'false')
    .map((text) => {
      const address = parseAddress(text.includes(':') && !/[\][]|^[^:]*:\d+$/.test(text) ? `[${text}]` : text, 0);
      if (address === undefined || text === 'true' || text === '*')
        throw settingFault(
          configuration,
          allowUnauthenticated.key,
          `'${text}' is no address`,
          'Name the addresses that may be reached without authentication, such as 10.0.0.5 or 10.0.0.5:8088.',
        );
      return { host: plain(address.host), port: address.port };
    });
}

/** Whether the host, as it stands in the settings or as a socket has it, is accepted with that port. */
export const isAccepted = (accepted: readonly AcceptedAddress[], host: string, port: number): boolean =>
  accepted.some((each) => each.host === plain(host) && (each.port === 0 || each.port === port));

/** The same with the addresses of hosts that are given by name. */
async function resolved(accepted: readonly AcceptedAddress[]): Promise<AcceptedAddress[]> {
  const found = await Promise.all(
    accepted.map(async ({ host, port }) => {
      const addresses = await lookup(host, { all: true }).catch(() => []);
      return addresses.map(({ address }) => ({ host: plain(address), port }));
    }),
  );
  return [...accepted, ...found.flat()];
}

/** The rule for sockets that are really bound: what is wrong with one, or undefined. Names are looked up once, now. */
export async function boundSocketRule(
  configuration: Configuration,
): Promise<(address: Pick<AddressInfo, 'address' | 'port'>) => ConfigurationError | undefined> {
  const accepted = await resolved(acceptedAddresses(configuration));
  return ({ address, port }) =>
    isLoopbackAddress(address) || isAccepted(accepted, address, port)
      ? undefined
      : exposed(configuration, allowUnauthenticated.key, `a server listens on ${written(address, port)}, which`, address);
}

/** The refusal of an address that the setting `key` leads to. */
export function exposed(configuration: Configuration, key: string, which: string, host: string): ConfigurationError {
  return settingFault(
    configuration,
    key,
    `${which} can be reached by others, and no authentication is configured`,
    `Have callers prove who they are (${securitySettings.authentication.key}=bearer), use a loopback address behind a gateway that checks callers, or accept the risk for this address with ${allowUnauthenticated.key}=${host}.`,
  );
}
