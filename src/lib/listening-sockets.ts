// Where a process of this machine listens, by the kernel's tables (Linux).
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { endianness } from 'node:os';

/** An address that is listened on. */
export interface ListeningSocket {
  readonly address: string;
  readonly port: number;
}

/** The TCP sockets on which the process listens; undefined where that cannot be seen: it is another user's, or gone. */
export function listeningSockets(pid: number): ListeningSocket[] | undefined {
  const own = new Set<string>();
  try {
    for (const name of readdirSync(`/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${name}`))?.[1];
      if (inode !== undefined) own.add(inode);
    }
    return ['tcp', 'tcp6'].flatMap((table) => parseListening(readFileSync(`/proc/${pid}/net/${table}`, 'latin1'), own));
  } catch {
    return undefined;
  }
}

/** The lines of a table for sockets that listen (state 0A) and have one of the inodes. */
export function parseListening(table: string, inodes: ReadonlySet<string>): ListeningSocket[] {
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      const [words = '', port = ''] = local.split(':');
      return state === '0A' && inodes.has(inode) ? [{ address: addressOf(words), port: Number.parseInt(port, 16) }] : [];
    });
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** An address as tables write it: words of 32 bits in the machine's own order. */
function addressOf(words: string): string {
  const bytes = (words.match(/.{8}/g) ?? []).flatMap((word) => {
    const inWord = [...Buffer.from(word, 'hex')];
    return endianness() === 'LE' ? inWord.toReversed() : inWord;
  });
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff)
    return `::ffff:${bytes.slice(12).join('.')}`;
  const groups = Array.from({ length: 8 }, (_, index) => ((bytes[2 * index]! << 8) | bytes[2 * index + 1]!).toString(16));
  const long = groups.join(':');
  // The longest row of zeros, as usual; one is enough here.
  const zeros = [...long.matchAll(/(?:^|:)(0(?::0)+)(?=:|$)/g)]
    .map((found) => found[1]!)
    .sort((left, right) => right.length - left.length)[0];
  return zeros === undefined ? long : long.replace(new RegExp(`(^|:)${zeros}(:|$)`), '::').replace(/:{3,}/, '::');
}
