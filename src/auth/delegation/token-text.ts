// Tokens as Hadoop writes them (org.apache.hadoop.security.token.Token), so that its clients can carry and compare them: identifier, password,
// kind and service, in URL-safe base64.
import { writtenToken } from '../../wire/files/credentials.ts';
import { WritableReader } from '../../wire/files/writables.ts';

/** A token as it travels. */
export interface TokenText {
  readonly identifier: Buffer;
  readonly password: Buffer;
  readonly kind: string;
  readonly service: string;
}

/** The token in URL-safe base64 without padding (Token.encodeToUrlString). */
export const encodeToken = (token: TokenText): string => writtenToken(token).toString('base64url');

/** Takes a token apart; undefined for anything else. */
export function decodeToken(text: string): TokenText | undefined {
  const reader = new WritableReader(Buffer.from(text, 'base64'));
  try {
    const [identifier, password, kind, service] = [reader.content(), reader.content(), reader.content(), reader.content()];
    return { identifier, password, kind: kind.toString(), service: service.toString() };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
