// Reads the file of a container's tokens and secrets in either version: of Writables, or a message of protobuf (Credentials.SerializedFormat).
import { decodeDelimited, MalformedMessage } from '../rpc/codec.ts';
import { CredentialsProto } from '../rpc/tables/transport.ts';
import { head, writtenToken } from './credentials.ts';
import { WritableReader } from './writables.ts';

const headOfMessage = Buffer.from('HDTS\u0001');

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
