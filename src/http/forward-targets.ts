// Where the web proxy goes and where it sends visitors: a master's word is that of its user, so it leads to where the master runs
// and to no server of the cluster.

import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { BoundedMap } from '../lib/bounded-map.ts';
import { hostNameOf, plainAddress } from '../lib/host-name.ts';
import { failure } from '../model/errors.ts';
import type { HostNames } from './own-names.ts';
import type { ProxiedApplication } from './proxied-application.ts';

/** What the proxy may reach besides the hosts of an application. */
export interface TargetRules {
  /** Hosts that masters may name although they do not run there (`heddle.proxy.allowed-hosts`). */
  readonly allowedHosts: readonly string[];
  /** Ports on which the cluster's own servers listen. */
  readonly ownPorts: () => Iterable<number>;
  /** Names of the cluster's own servers: visitors may be sent there. */
  readonly ownHosts: HostNames;
}

const mostRemembered = 1000;

/** Whether an address is this machine's own. */
export function isOwnAddress(address: string): boolean {
  const plain = plainAddress(address);
  if (plain === '::1' || plain.startsWith('127.')) return true;
  return Object.values(networkInterfaces()).some((entries) => entries?.some((entry) => entry.address === plain));
}

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');
const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80);

async function addressesOf(host: string): Promise<string[]> {
  const plain = host.replace(/^\[|\]$/g, '');
  if (isIP(plain) !== 0) return [plainAddress(hostNameOf(plain.includes(':') ? `[${plain}]` : plain) ?? plain)];
  const found = await lookup(plain, { all: true }).catch(() => []);
  return found.map(({ address }) => plainAddress(address));
}

/** Checks where the proxy is to go, and holds what it found until the connection is there: a name may point elsewhere a moment later. */
export class ProxyTargets {
  readonly #rules: TargetRules;
  /** Addresses by name, as they were when they were checked. */
  readonly #checked = new BoundedMap<string, readonly string[]>(mostRemembered);

  constructor(rules: TargetRules) {
    this.#rules = rules;
  }

  /**
   * Looks at where a master is to be asked.
   * @throws Failure PROXY_TARGET_REFUSED
   */
  async check(target: URL, { hosts, nodePorts = [] }: Pick<ProxiedApplication, 'hosts' | 'nodePorts'>): Promise<void> {
    const refuse = (reason: string) => failure('PROXY_TARGET_REFUSED', { target: target.host, reason });
    if ([...this.#rules.ownPorts(), ...nodePorts].includes(portOf(target))) throw refuse('a server of the cluster listens on that port');
    const allowed = [...hosts, ...this.#rules.allowedHosts];
    const wanted = await addressesOf(hostOf(target));
    if (wanted.length === 0) throw failure('PROXY_TARGET_UNREACHABLE', { target: target.host, reason: 'its host has no address' });
    const known = new Set((await Promise.all(allowed.map(addressesOf))).flat());
    const isHere = [...known].some(isOwnAddress);
    if (!wanted.every((address) => known.has(address) || (isHere && isOwnAddress(address)))) throw refuse('its master does not run there');
    this.#checked.set(hostOf(target), wanted);
  }

  /** For connections: the addresses that were checked, and no others. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    const addresses = this.#checked.get(hostname) ?? [];
    const wanted = addresses
      .map((address) => ({ address, family: isIP(address) }))
      .filter(({ family }) => !options.family || family === Number(options.family));
    const [first] = wanted;
    if (!first) callback(Object.assign(new Error(`${hostname} was not looked up`), { code: 'ENOTFOUND' }), '', 0);
    else if (options.all) callback(null, wanted);
    else callback(null, first.address, first.family);
  };

  /** Whether a visitor may be sent to an address that a master named. */
  mayLeadTo(url: URL, hosts: readonly string[]): boolean {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return false;
    if (url.username !== '' || url.password !== '') return false;
    const host = hostOf(url).toLowerCase();
    return (
      [...hosts, ...this.#rules.allowedHosts].some((known) => known.replace(/^\[|\]$/g, '').toLowerCase() === host) ||
      this.#rules.ownHosts.allows(url.host, undefined)
    );
  }
}
