// Reads a container's credentials (Hadoop's token storage file, version 0) as far as fetching needs them.
import { decodeToken } from '../../auth/delegation/token-text.ts';

/** A token and the text by which it is shown. */
export interface StoredToken {
  readonly kind: string;
  readonly service: string;
  /** URL-safe base64, as `delegation=` takes it. */
  readonly text: string;
}

/** The tokens in a file's content (base64); what cannot be read counts as absent. */
export function readTokens(content: string | undefined): StoredToken[] {
  const bytes = Buffer.from(content ?? '', 'base64');
  const found: StoredToken[] = [];
  if (bytes.toString('latin1', 0, 5) !== 'HDTS\0') return found;
  let at = 5;
  /** WritableUtils.readVInt of what is not negative. */
  const length = (): number => {
    const first = bytes.readInt8(at++);
    if (first >= -112) return first;
    const count = -112 - first;
    if (count < 1 || count > 4) throw new RangeError('no length');
    at += count;
    return bytes.readUIntBE(at - count, count);
  };
  const part = (): Buffer => {
    const size = length();
    if (size < 0 || at + size > bytes.length) throw new RangeError('too short');
    at += size;
    return bytes.subarray(at - size, at);
  };
  try {
    for (let count = length(); count > 0; count--) {
      part();
      const start = at;
      for (let parts = 0; parts < 4; parts++) part();
      const text = bytes.subarray(start, at).toString('base64url');
      const token = decodeToken(text);
      if (token) found.push({ kind: token.kind, service: token.service, text });
    }
  } catch {
    // Cut off: what was read before is there.
  }
  return found;
}
