// The file of tokens and secrets that a container finds (org.apache.hadoop.security.Credentials): `HDTS`, the version, the tokens by
// alias, the secrets by alias. This is version 0, of Writables, which everybody sends; `read-credentials.ts` reads version 1 too.
import { variableInteger, WritableReader, withLength } from './writables.ts';

/** How a file of version 0 begins. */
export const head = Buffer.from('HDTS\0');
/** A token as Token.write writes it: identifier, password, kind and service. */
export const writtenToken = ({ identifier, password, kind, service }: TokenParts): Buffer =>
  Buffer.concat([identifier, password, kind, service].map((part) => withLength(typeof part === 'string' ? part : Buffer.from(part))));

/** The parts of a token (org.apache.hadoop.security.token.Token). */
export interface TokenParts {
  readonly identifier: Uint8Array;
  readonly password: Uint8Array;
  readonly kind: string;
  readonly service: string;
}

/** Reads a token as Token.write writes it, with nothing behind it. @throws RangeError where the bytes are none */
export function readToken(bytes: Buffer): TokenParts {
  const reader = new WritableReader(bytes);
  const [identifier, password] = [reader.content(), reader.content()];
  const [kind, service] = [reader.content().toString('utf8'), reader.content().toString('utf8')];
  if (reader.position !== bytes.length) throw new RangeError('there are bytes behind a token');
  return { identifier, password, kind, service };
}

/** The token at the start of the bytes, without what follows it. @throws RangeError where there is none */
export const leadingToken = (bytes: Buffer): Buffer => new WritableReader(bytes).token();

/** The file of the tokens (each as Token.write writes it) and secrets, both by alias. */
export function credentialsFile(tokens: readonly (readonly [string, Buffer])[], secrets: readonly (readonly [string, Buffer])[]): Buffer {
  return Buffer.concat([
    head,
    variableInteger(tokens.length),
    ...tokens.flatMap(([alias, token]) => [withLength(alias), token]),
    variableInteger(secrets.length),
    ...secrets.flatMap(([alias, secret]) => [withLength(alias), withLength(secret)]),
  ]);
}

/** The secrets of a file, by alias; of a file that is cut off, or another one, none. */
export function secretsOfCredentials(file: Buffer): Map<string, Buffer> {
  const secrets = new Map<string, Buffer>();
  if (!file.subarray(0, head.length).equals(head)) return secrets;
  const reader = new WritableReader(file, head.length);
  try {
    for (let left = reader.count(); left > 0; left--) {
      reader.content();
      reader.token();
    }
    for (let left = reader.count(); left > 0; left--) secrets.set(reader.content().toString('utf8'), reader.content());
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new Map();
  }
  return secrets;
}

/** The tokens of a file, as Token.write writes them; of a file that is cut off those before the cut, of another file none. */
export function tokensOfCredentials(file: Buffer): Buffer[] {
  const tokens: Buffer[] = [];
  if (!file.subarray(0, head.length).equals(head)) return tokens;
  const reader = new WritableReader(file, head.length);
  try {
    for (let left = reader.count(); left > 0; left--) {
      reader.content();
      tokens.push(reader.token());
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return tokens;
}
