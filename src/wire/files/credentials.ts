// The file of tokens and secrets that a container finds (org.apache.hadoop.security.Credentials): `HDTS`, the version, the tokens by
// alias, the secrets by alias. Version 0 consists of Writables and is what everybody sends; version 1 is a message of protobuf.
import { decodeDelimited, MalformedMessage } from '../rpc/codec.ts';
import { CredentialsProto } from '../rpc/tables/transport.ts';
import { variableInteger, WritableReader, withLength } from './writables.ts';

const head = Buffer.from('HDTS\0');
const headOfMessage = Buffer.from('HDTS\u0001');
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

/** What a file holds, by alias: tokens as Token.write writes them, and secrets. */
export interface Credentials {
  readonly tokens: readonly (readonly [alias: string, token: Buffer])[];
  readonly secrets: readonly (readonly [alias: string, secret: Buffer])[];
}

/** Reads a file of either version; undefined of anything else. Bytes behind its end do not matter: Spark sends the rest of its buffer too. */
export function readCredentials(file: Buffer): Credentials | undefined {
  try {
    if (file.subarray(0, head.length).equals(head)) return readWritables(new WritableReader(file, head.length));
    return file.subarray(0, headOfMessage.length).equals(headOfMessage) ? readMessage(file) : undefined;
  } catch (error) {
    if (error instanceof RangeError || error instanceof MalformedMessage) return undefined;
    throw error;
  }
}

function readWritables(reader: WritableReader): Credentials {
  const entries = (content: () => Buffer): [string, Buffer][] => {
    const read: [string, Buffer][] = [];
    for (let left = reader.count(); left > 0; left--) read.push([reader.content().toString('utf8'), content()]);
    return read;
  };
  return { tokens: entries(() => reader.token()), secrets: entries(() => reader.content()) };
}

function readMessage(file: Buffer): Credentials {
  const { tokens, secrets } = decodeDelimited(CredentialsProto, file, headOfMessage.length).value;
  return {
    tokens: tokens.flatMap(({ alias, token }) => (token ? [[alias, writtenToken(token)] as const] : [])),
    secrets: secrets.map(({ alias, secret }) => [alias, Buffer.from(secret ?? [])] as const),
  };
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
