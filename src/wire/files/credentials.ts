// The file of tokens and secrets that a container finds (org.apache.hadoop.security.Credentials, token storage of version 0): `HDTS`, the
// version, the tokens by alias, the secrets by alias.
import { variableInteger, WritableReader, withLength } from './writables.ts';

const head = Buffer.from('HDTS\0');
/** Identifier, password, kind and service (org.apache.hadoop.security.token.Token.write). */
const partsOfToken = 4;

/** Reads over one token. @throws RangeError where there is none */
function skipToken(reader: WritableReader): void {
  for (let part = 0; part < partsOfToken; part++) reader.content();
}

/** The token at the start of the bytes, without what follows it. @throws RangeError where there is none */
export function leadingToken(bytes: Buffer): Buffer {
  const reader = new WritableReader(bytes);
  skipToken(reader);
  return bytes.subarray(0, reader.position);
}

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
      skipToken(reader);
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
      const start = reader.position;
      skipToken(reader);
      tokens.push(file.subarray(start, reader.position));
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return tokens;
}
