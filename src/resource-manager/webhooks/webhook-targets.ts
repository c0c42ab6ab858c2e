// Where webhooks may go: to the outside alone. Who may make a hook must not reach through the resource manager what only that reaches.
import { lookup, Resolver } from 'node:dns/promises';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type AllowedHost, allowedHost, allowedNetwork } from '../../config/allowed-targets.ts';
import { hostNameOf, plainAddress } from '../../lib/host-name.ts';

/** The addresses of a host name; rejects where it has none. `isAllowed`: the settings name it. */
export type Resolve = (host: string, isAllowed: boolean) => Promise<readonly string[]>;

/** How long the DNS has for one try, ms. */
const resolving = { timeout: 2000, tries: 2 } as const;

/** The system's own look-up takes one of the few threads that files need, too: it is for names that an administrator knows. Others' are the DNS's. */
const systemResolve: Resolve = async (host, isAllowed) => {
  if (isAllowed) return (await lookup(host, { all: true })).map(({ address }) => address);
  const resolver = new Resolver(resolving);
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
  return [four, six].flatMap((found) => (found.status === 'fulfilled' ? found.value : []));
};

/** A hook leads where it may not. The message says why. */
export class TargetRefused extends Error {}

/** Addresses that belong to no host of the internet: RFC 6890 and its registries. */
const special4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;
/** Within 2000::/3, outside of which no address belongs to a host: tunnels, which hide an IPv4 address, and addresses of documents. */
const special6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const special = new BlockList();
for (const [net, bits] of special4) special.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of special6) special.addSubnet(net, bits, 'ipv6');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');
const isOutside = (address: string): boolean =>
  !special.check(address, familyOf(address)) && (familyOf(address) === 'ipv4' || global6.check(address, 'ipv6'));
const isOwn = (address: string): boolean =>
  Object.values(networkInterfaces()).some((entries) => entries?.some((entry) => entry.address === address));

/** Says where hooks may go. */
export class WebhookTargets {
  readonly #hosts: readonly AllowedHost[];
  readonly #networks = new BlockList();
  readonly #resolve: Resolve;

  /** `allowed`: hosts (`name`, `name:port`) and networks (`10.0.0.0/8`) that hooks may go to although they are not outside. */
  constructor(allowed: readonly string[], resolve: Resolve = systemResolve) {
    this.#hosts = allowed.flatMap((entry) => (allowedNetwork(entry) ? [] : (allowedHost(entry) ?? [])));
    for (const { net, bits } of allowed.flatMap((entry) => allowedNetwork(entry) ?? [])) this.#networks.addSubnet(net, bits, familyOf(net));
    this.#resolve = resolve;
  }

  /**
   * The addresses to connect to, as they are now.
   * @throws TargetRefused where one of them is not outside and not allowed; what the look-up of the name throws
   */
  async addressesOf(url: URL): Promise<readonly string[]> {
    const host = hostNameOf(url.hostname);
    if (host === undefined) throw new TargetRefused('it names no host');
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    const isAllowed = this.#isAllowed(host, port);
    const found = isIP(host) === 0 ? await this.#resolve(host, isAllowed) : [host];
    const addresses = found.map((address) => plainAddress(address));
    if (addresses.length === 0) throw new Error(`${host} has no address`);
    if (isAllowed) return addresses;
    for (const address of addresses) {
      if (isIP(address) === 0) throw new TargetRefused(`${host} has an address that cannot be read`);
      if (this.#isAllowed(address, port) || this.#networks.check(address, familyOf(address))) continue;
      if (!isOutside(address)) throw new TargetRefused(`${host} is of this machine or of a network that is not public`);
      if (isOwn(address)) throw new TargetRefused(`${host} is this machine`);
    }
    return addresses;
  }

  #isAllowed(host: string, port: number): boolean {
    return this.#hosts.some((allowed) => allowed.host === host && (allowed.port === 0 || allowed.port === port));
  }
}
