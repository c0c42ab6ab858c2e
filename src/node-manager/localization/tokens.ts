// Reads a container's credentials (Hadoop's token storage file, version 0) as far as fetching needs them.
import { decodeToken } from '../../auth/delegation/token-text.ts';
import { tokensOfCredentials } from '../../wire/files/credentials.ts';

/** A token and the text by which it is shown. */
export interface StoredToken {
  readonly kind: string;
  readonly service: string;
  /** URL-safe base64, as `delegation=` takes it. */
  readonly text: string;
}

/** The tokens in a file's content (base64); what cannot be read counts as absent. */
export function readTokens(content: string | undefined): StoredToken[] {
  return tokensOfCredentials(Buffer.from(content ?? '', 'base64')).flatMap((bytes) => {
    const text = bytes.toString('base64url');
    const token = decodeToken(text);
    return token ? [{ kind: token.kind, service: token.service, text }] : [];
  });
}
