// Kerberos principals: `user@REALM`, `service/host@REALM`, and the host that stands for `_HOST`.
import { hostname } from 'node:os';

/** The parts of a principal. */
export interface Principal {
  /** One for a user, two for a service of a host. */
  readonly components: readonly string[];
  readonly realm: string | undefined;
}

// A backslash hides a separator (`root\@REALM@OTHER`): such names are nobody's here.
const form = /^([^/@\\]+)(?:\/([^/@\\]+))?(?:@([^/@\\]+))?$/;
/** Longer names are nobody's; it bounds what name rules work on. */
const longestName = 512;

/** Takes a principal apart (KerberosName of hadoop-auth); undefined for what is none. */
export function parsePrincipal(text: string): Principal | undefined {
  if (text.length > longestName) return undefined;
  const parts = form.exec(text);
  if (!parts) return undefined;
  const [, name, host, realm] = parts;
  return { components: host === undefined ? [name!] : [name!, host], realm };
}

const anyAddress = new Set(['', '0.0.0.0', '::', '[::]']);

/** The principal with this host, in small letters, for `_HOST`; this machine's own name where a server listens on all (SecurityUtil.getServerPrincipal). */
export function withHost(principal: string, host: string): string {
  const parts = /^([^/@]+)\/_HOST(@[^/@]+)?$/.exec(principal.trim());
  if (!parts) return principal.trim();
  const name = anyAddress.has(host.trim()) ? hostname() : host.trim();
  return `${parts[1]}/${name.toLowerCase()}${parts[2] ?? ''}`;
}
