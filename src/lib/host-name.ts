// Names and addresses of hosts in one form, in which they are compared.
import { isIPv6 } from 'node:net';

/** The name in a `Host` header as it is compared: small letters, no port, no dot at its end, addresses in one form. Undefined for what is no host. */
export function hostNameOf(header: string): string | undefined {
  const found = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{0,5}))?$/.exec(header);
  if (!found || Number(found[3] ?? 0) > 65_535) return undefined;
  if (found[1] !== undefined) return isIPv6(found[1]) ? plainAddress(new URL(`http://[${found[1]}]`).hostname.slice(1, -1)) : undefined;
  return found[2]!.toLowerCase().replace(/\.$/, '') || undefined;
}

/** An address without the prefix of IPv4 inside IPv6, in either of its spellings. */
export function plainAddress(address: string): string {
  const hexadecimal = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (!hexadecimal) return address.replace(/^::ffff:(?=\d+\.)/, '');
  const [high, low] = [Number.parseInt(hexadecimal[1]!, 16), Number.parseInt(hexadecimal[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
