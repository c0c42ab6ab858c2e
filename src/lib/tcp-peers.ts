// Which unix user is at the other end of a connection that stays on this machine: the kernel's tables of sockets say so (Linux).
import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { pause } from './pause.ts';

/** The two ends of a connection, as a server's socket has them. */
export interface ConnectionEnds {
  readonly localAddress: string;
  readonly localPort: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
}

/** A table of the kernel: `tcp` has sockets of IPv4, `tcp6` those of IPv6, which may hold addresses of IPv4, too. */
export type SocketTable = 'tcp' | 'tcp6';

/** Reads a table as text; default that of this process' network namespace below /proc. */
export type ReadTable = (table: SocketTable) => Promise<string>;

const readKernelTable: ReadTable = (table) => readFile(`/proc/self/net/${table}`, 'latin1');

/** A table is read bucket by bucket while sockets come and go, and can miss one that stays. */
const mostReads = 3;
/** A machine has tens of thousands of sockets: so many lines are looked at without giving way. */
const linesPerSlice = 2000;
const isLittleEndian = endianness() === 'LE';

interface Search {
  /** How the peer's own socket stands in each table. */
  readonly keys: Readonly<Partial<Record<SocketTable, string>>>;
  reads: number;
  readonly found: (userId: number | undefined) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Finds the users of peers. A table has a line for each socket of the machine, so all who ask while it is read share the next reading: one
 * at a time runs, whatever the number of connections.
 */
export class TcpPeers {
  readonly #read: ReadTable;
  #waiting: Search[] = [];
  #reading = false;

  constructor(read: ReadTable = readKernelTable) {
    this.#read = read;
  }

  /**
   * The number of the user who made the peer's socket; undefined where the kernel knows none: the peer has closed it (the kernel shows
   * such a socket as root's), or is on another machine or in another network namespace. Rejects when the tables cannot be read.
   */
  userIdOf(ends: ConnectionEnds): Promise<number | undefined> {
    return new Promise((found, failed) => {
      this.#waiting.push({ keys: keysOf(ends), reads: 0, found, failed });
      if (!this.#reading) void this.#readAll();
    });
  }

  async #readAll(): Promise<void> {
    this.#reading = true;
    while (this.#waiting.length > 0) {
      const searches = this.#waiting;
      this.#waiting = [];
      try {
        const later = await this.#look('tcp6', await this.#look('tcp', searches));
        for (const search of later) {
          if (++search.reads < mostReads) this.#waiting.push(search);
          else search.found(undefined);
        }
      } catch (error) {
        for (const search of searches) search.failed(error);
      }
    }
    this.#reading = false;
  }

  /** Looks in one table; gives those that were not found in it. */
  async #look(table: SocketTable, searches: readonly Search[]): Promise<readonly Search[]> {
    const wanted = Map.groupBy(searches, ({ keys }) => keys[table]);
    const left = new Set(wanted.get(undefined));
    wanted.delete(undefined);
    const [length] = [...wanted.keys()].map((key) => key!.length);
    if (length === undefined) return searches;
    let lines = 0;
    for (const { ends, userId } of socketsOf(await this.#read(table), length)) {
      if (++lines % linesPerSlice === 0) await pause();
      const found = wanted.get(ends);
      if (!found) continue;
      for (const search of found) search.found(userId());
      wanted.delete(ends);
      if (wanted.size === 0) break;
    }
    return [...left, ...[...wanted.values()].flat()];
  }
}

/** The peers of this machine: one reading at a time serves all ports of a thread. */
export const machinePeers = new TcpPeers();

/** The lines of a table. Those of sockets that no process has any more (inode 0) name no user. */
function* socketsOf(text: string, length: number): Generator<{ ends: string; userId: () => number | undefined }> {
  let at = text.indexOf('\n') + 1;
  while (at > 0 && at < text.length) {
    const end = text.indexOf('\n', at);
    const lineEnd = end < 0 ? text.length : end;
    const start = text.indexOf(': ', at) + 2;
    yield {
      ends: text.slice(start, start + length),
      userId: () => {
        // State, queues, timer, retransmits, user, timeout, inode.
        const fields = text
          .slice(start + length, lineEnd)
          .trim()
          .split(/\s+/);
        return /^[1-9]\d*$/.test(fields[6] ?? '') && /^\d+$/.test(fields[4] ?? '') ? Number(fields[4]) : undefined;
      },
    };
    at = end + 1;
  }
}

/** The ends as the peer's own socket has them: its local one is our remote one. */
function keysOf({ localAddress, localPort, remoteAddress, remotePort }: ConnectionEnds): Search['keys'] {
  const keys: { -readonly [table in SocketTable]?: string } = {};
  const port = (value: number) => value.toString(16).toUpperCase().padStart(4, '0');
  for (const table of ['tcp', 'tcp6'] as const) {
    const remote = inTable(remoteAddress, table);
    const local = inTable(localAddress, table);
    if (remote !== undefined && local !== undefined) keys[table] = `${remote}:${port(remotePort)} ${local}:${port(localPort)}`;
  }
  return keys;
}

/** An address as a table writes it: words of 32 bits in the machine's own order. Undefined where the table has no such address. */
function inTable(address: string, table: SocketTable): string | undefined {
  const mapped = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1];
  if (mapped !== undefined) {
    const word = wordInTable(mapped.split('.').map(Number));
    return table === 'tcp' ? word : `${'0'.repeat(16)}${wordInTable([0, 0, 0xff, 0xff])}${word}`;
  }
  const bytes = table === 'tcp6' ? bytesOfIpv6(address) : undefined;
  return bytes && [0, 4, 8, 12].map((from) => wordInTable(bytes.slice(from, from + 4))).join('');
}

const wordInTable = (bytes: readonly number[]): string =>
  (isLittleEndian ? bytes.toReversed() : bytes).map((byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join('');

/** The sixteen bytes of an address of IPv6 without dots; undefined for anything else. */
function bytesOfIpv6(address: string): number[] | undefined {
  const [head = '', tail, ...more] = (address.split('%')[0] ?? '').split('::');
  const words = (text: string | undefined) => (text ? text.split(':') : []);
  const given = [...words(head), ...words(tail)];
  const absent = 8 - given.length;
  if (more.length > 0 || (tail === undefined ? absent !== 0 : absent < 1) || given.some((word) => !/^[0-9a-f]{1,4}$/i.test(word)))
    return undefined;
  const all = tail === undefined ? given : [...words(head), ...Array<string>(absent).fill('0'), ...words(tail)];
  return all.flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 0xff]);
}
