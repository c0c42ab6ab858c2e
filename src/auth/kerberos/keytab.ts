// Which principals a keytab has keys of. Form: MIT Kerberos, "Keytab file format", version 2.
import { readFileSync } from 'node:fs';

/** The principals of a keytab, each once. @throws Error when the file cannot be read or is no keytab; no key is ever part of it. */
export function keytabPrincipals(path: string): string[] {
  const bytes = readFileSync(path);
  if (bytes[0] !== 5 || bytes[1] !== 2) throw new Error(`${path} is no keytab`);
  const found = new Set<string>();
  let at = 2;
  while (at + 4 <= bytes.length) {
    const size = bytes.readInt32BE(at);
    at += 4;
    if (size === 0) break;
    const end = at + Math.abs(size);
    if (end > bytes.length) throw new Error(`${path} is cut short`);
    // A hole, where a key was removed, has a negative size.
    if (size > 0) found.add(principalAt(bytes.subarray(at, end), path));
    at = end;
  }
  return [...found];
}

function principalAt(entry: Buffer, path: string): string {
  try {
    const count = entry.readUInt16BE(0);
    let at = 2;
    const text = (): string => {
      const length = entry.readUInt16BE(at);
      const value = entry.toString('utf8', at + 2, at + 2 + length);
      at += 2 + length;
      return value;
    };
    const realm = text();
    const components = Array.from({ length: count }, text);
    return `${components.join('/')}@${realm}`;
  } catch (error) {
    if (error instanceof RangeError) throw new Error(`${path} is no keytab`, { cause: error });
    throw error;
  }
}
