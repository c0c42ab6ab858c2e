// Which users may act for which others: `hadoop.proxyuser.USER.{hosts,users,groups}` (DefaultImpersonationProvider).
import { ConfigurationError } from '../config/table.ts';
import { type AccessList, accessListOf } from '../model/access-list.ts';
import { type GroupsOf, isAllowed } from './access-lists.ts';

/** One proxy user's rights. */
interface Rights {
  readonly hosts: readonly string[];
  readonly targets: AccessList;
}

/** Says whether a user may act for another from an address. */
export type MayImpersonate = (realUser: string, target: string, remoteAddress: string) => boolean;

const list = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

function ipv4(address: string): number | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(address)) return undefined;
  const parts = address.split('.').map(Number);
  if (parts.some((part) => part > 255)) return undefined;
  return parts.reduce((number, part) => number * 256 + part, 0);
}

/** Whether an address is the host, or lies in the `a.b.c.d/n` range. Host names other than localhost are compared as texts. */
export function addressMatches(address: string, host: string): boolean {
  const plain = address.replace(/^::ffff:/, '');
  if (host === '*' || host === plain || host === address) return true;
  const isLoopback = plain === '::1' || plain.startsWith('127.');
  if (isLoopback && host === 'localhost') return true;
  const [range, own] = [rangeOf(host), ipv4(plain)];
  if (range === undefined || own === undefined) return false;
  const size = 2 ** (32 - range.bits);
  return Math.floor(range.base / size) === Math.floor(own / size);
}

/** The range that a text is; undefined for all others: one without its length would be every address. */
function rangeOf(host: string): { readonly base: number; readonly bits: number } | undefined {
  const [, text = '', bits] = /^(.*)\/(\d{1,2})$/.exec(host) ?? [];
  const base = ipv4(text);
  return base === undefined || Number(bits) > 32 ? undefined : { base, bits: Number(bits) };
}

/** What to do about such a range. */
export const rangeRemedy = 'Write addresses, IPv4 ranges such as 10.0.0.0/8, or *.';

/** The first of these hosts that is to be a range of addresses and is none; undefined: there is none such. */
export const unreadableRange = (hosts: readonly string[]): string | undefined => hosts.find((host) => host.includes('/') && !rangeOf(host));

/**
 * The rule of a configuration's `hadoop.proxyuser.` family. `properties` are its keys (with or without the prefix) and values; `prefix` may be another family
 * of the same form (`yarn.timeline-service.http-authentication.proxyuser.`). @throws ConfigurationError for a range of addresses that is none
 */
export function proxyUsers(
  properties: Iterable<readonly [string, string]>,
  groupsOf: GroupsOf,
  prefix = 'hadoop.proxyuser.',
): MayImpersonate {
  const texts = new Map<string, { hosts?: string; users?: string; groups?: string }>();
  for (const [key, value] of properties) {
    const match = /^(.+)\.(hosts|users|groups)$/.exec(key.startsWith(prefix) ? key.slice(prefix.length) : key);
    if (!match) continue;
    const entry = texts.get(match[1]!) ?? {};
    entry[match[2] as 'hosts' | 'users' | 'groups'] = value;
    const wrong = match[2] === 'hosts' ? unreadableRange(list(value)) : undefined;
    if (wrong !== undefined)
      throw new ConfigurationError('settings', `${prefix}${match[0]}`, `'${wrong}' is no range of addresses`, rangeRemedy);
    texts.set(match[1]!, entry);
  }
  const rights = new Map<string, Rights>();
  for (const [user, { hosts, users, groups }] of texts) {
    rights.set(user, { hosts: list(hosts), targets: accessListOf(users ?? '', groups ?? '') });
  }
  return (realUser, target, remoteAddress) => {
    const own = rights.get(realUser);
    return own !== undefined && isAllowed(own.targets, target, groupsOf) && own.hosts.some((host) => addressMatches(remoteAddress, host));
  };
}
