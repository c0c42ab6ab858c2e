// Keytabs of made-up keys (MIT Kerberos, "Keytab file format", version 2).
import { writeFileSync } from 'node:fs';

const counted = (text: string): Buffer => Buffer.concat([Buffer.from([text.length >> 8, text.length & 255]), Buffer.from(text)]);

/** First bytes of a keytab. */
export const keytabVersion = Buffer.from([5, 2]);

/** An entry: components, realm, type, time, key version, key of 32 bytes. */
export function keytabEntry(realm: string, ...components: string[]): Buffer {
  const body = Buffer.concat([
    Buffer.from([0, components.length]),
    ...[realm, ...components].map(counted),
    Buffer.alloc(4 + 4 + 1 + 4 + 32),
  ]);
  const size = Buffer.alloc(4);
  size.writeInt32BE(body.length);
  return Buffer.concat([size, body]);
}

/** Writes a keytab that its owner alone can read, with keys of principals of the realm `R`; gives its path. */
export function writeKeytab(path: string, ...principals: string[]): string {
  const entries = principals.map((principal) => keytabEntry('R', ...principal.split('/')));
  writeFileSync(path, Buffer.concat([keytabVersion, ...entries]), { mode: 0o600 });
  return path;
}
