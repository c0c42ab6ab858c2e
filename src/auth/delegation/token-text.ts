// Delegation tokens as Hadoop writes them (org.apache.hadoop.security.token.Token, YARNDelegationTokenIdentifier), so that its clients can
// carry, compare and decode them: identifier, password, kind and service, in URL-safe base64.
import { writtenToken } from '../../wire/files/credentials.ts';
import { WritableReader } from '../../wire/files/writables.ts';

/** A token as it travels. */
export interface TokenText {
  readonly identifier: Buffer;
  readonly password: Buffer;
  readonly kind: string;
  readonly service: string;
}

/** What the identifier of a delegation token says. Times are ms since the epoch. */
export interface TokenIdentifier {
  readonly owner: string;
  readonly renewer: string;
  readonly realUser: string;
  readonly issueDate: number;
  readonly maxDate: number;
  readonly sequenceNumber: number;
  readonly masterKeyId: number;
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

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return bytes;
}

/** The identifier as YARNDelegationTokenIdentifierProto. */
export function encodeIdentifier(identifier: TokenIdentifier): Buffer {
  const bytes: number[] = [];
  for (const [field, text] of [
    [1, identifier.owner],
    [2, identifier.renewer],
    [3, identifier.realUser],
  ] as const) {
    const encoded = Buffer.from(text);
    bytes.push((field << 3) | 2, ...varint(encoded.length), ...encoded);
  }
  for (const [field, value] of [
    [4, identifier.issueDate],
    [5, identifier.maxDate],
    [6, identifier.sequenceNumber],
    [7, identifier.masterKeyId],
  ] as const) {
    bytes.push(field << 3, ...varint(value));
  }
  return Buffer.from(bytes);
}

/** Reads an identifier; undefined when it is not one. */
export function decodeIdentifier(bytes: Buffer): TokenIdentifier | undefined {
  const texts: Record<number, string> = {};
  const numbers: Record<number, number> = {};
  let at = 0;
  const readVarint = (): number | undefined => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) return undefined;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
    return undefined;
  };
  while (at < bytes.length) {
    const tag = readVarint();
    const value = readVarint();
    if (tag === undefined || value === undefined) return undefined;
    if ((tag & 7) === 2) {
      if (value < 0 || at + value > bytes.length) return undefined;
      texts[tag >> 3] = bytes.toString('utf8', at, at + value);
      at += value;
    } else if ((tag & 7) === 0) numbers[tag >> 3] = value;
    else return undefined;
  }
  const [issueDate, maxDate, sequenceNumber] = [numbers[4], numbers[5], numbers[6]];
  if (issueDate === undefined || maxDate === undefined || sequenceNumber === undefined) return undefined;
  return {
    owner: texts[1] ?? '',
    renewer: texts[2] ?? '',
    realUser: texts[3] ?? '',
    issueDate,
    maxDate,
    sequenceNumber,
    masterKeyId: numbers[7] ?? -1,
  };
}

/** The identifier as it stands in messages (AbstractDelegationTokenIdentifier.toString). */
export const identifierText = (kind: string, token: TokenIdentifier): string =>
  `${kind} owner=${token.owner}, renewer=${token.renewer}, realUser=${token.realUser}, issueDate=${token.issueDate}, maxDate=${token.maxDate}, sequenceNumber=${token.sequenceNumber}, masterKeyId=${token.masterKeyId}`;
