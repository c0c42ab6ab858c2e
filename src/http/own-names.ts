// The names of a server. A name in `Host` that is not its own is what a website has that made its name point
// here (DNS rebinding): to the browser of a visitor its pages and this server are then one origin.
import { readFileSync } from 'node:fs';
import { isIPv4, isIPv6, type Socket } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { hostNameOf, plainAddress } from '../lib/host-name.ts';

const longestHostsFileBytes = 1024 * 1024;
const mostRemembered = 256;

/** Where a request was sent, for addresses that lead back: as its `Host` says, else to the end of its connection. */
export function addressedHost({ headers, socket }: { headers: { readonly host?: string | undefined }; socket: object }): string {
  if (headers.host !== undefined) return headers.host;
  const { localAddress, localPort } = socket as Pick<Socket, 'localAddress' | 'localPort'>;
  const address = plainAddress(localAddress ?? 'localhost');
  return `${isIPv6(address) ? `[${address}]` : address}:${localPort ?? 80}`;
}

/** Names of this machine: its host name, and what its table of hosts calls its own addresses. */
function machineNames(): string[] {
  const own = new Set(['127.0.0.1', '::1']);
  for (const entries of Object.values(networkInterfaces())) for (const { address } of entries ?? []) own.add(address);
  let table = '';
  try {
    table = readFileSync('/etc/hosts', 'utf8').slice(0, longestHostsFileBytes);
  } catch {
    // A machine may have none.
  }
  const listed = table.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return own.has(address) || address.startsWith('127.') ? names : [];
  });
  return [hostname(), hostname().split('.')[0]!, ...listed];
}

/** The names and addresses of a server. */
export class HostNames {
  readonly #names: Set<string>;
  readonly #suffixes: readonly string[];
  readonly #any: boolean;
  /** Texts of headers that were found allowed, whatever address the connection came to. */
  readonly #remembered = new Set<string>();
  #knowsMachine = false;

  /** `configured`: names, `*.example.org`, `*`. */
  constructor(configured: readonly string[] = []) {
    const names = configured.map((name) => name.trim().toLowerCase());
    this.#any = names.includes('*');
    this.#suffixes = names.filter((name) => name.startsWith('*.')).map((name) => name.slice(1));
    this.#names = new Set([
      'localhost',
      ...names.flatMap((name) => hostNameOf(name.includes(':') ? `[${name.replace(/[[\]]/g, '')}]` : name) ?? []),
    ]);
  }

  /** Whether a request may name `header` as its host. `localAddress`: where its connection arrived. */
  allows(header: string, localAddress: string | undefined): boolean {
    if (this.#remembered.has(header)) return true;
    const name = hostNameOf(header);
    if (name === undefined) return false;
    const byName = this.#any || this.#isLoopback(name) || this.#hasName(name);
    if (byName && this.#remembered.size < mostRemembered) this.#remembered.add(header);
    return byName || (localAddress !== undefined && name === plainAddress(localAddress));
  }

  #isLoopback(name: string): boolean {
    return name === '::1' || (isIPv4(name) && name.startsWith('127.'));
  }

  #hasName(name: string): boolean {
    if (this.#names.has(name) || this.#suffixes.some((suffix) => name.endsWith(suffix))) return true;
    if (this.#knowsMachine) return false;
    this.#knowsMachine = true;
    for (const own of machineNames()) this.#names.add(own.toLowerCase());
    return this.#names.has(name);
  }
}
