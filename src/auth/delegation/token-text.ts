// Delegation tokens as Hadoop writes them (org.apache.hadoop.security.token.Token, YARNDelegationTokenIdentifier), so that its clients can
// carry, compare and decode them: identifier, password, kind and service, in URL-safe base64.
import { writtenToken } from '../../wire/files/credentials.ts';
import { WritableReader } from '../../wire/files/writables.ts';
import { decode, encode, MalformedMessage } from '../../wire/rpc/codec.ts';
import { YARNDelegationTokenIdentifierProto } from '../../wire/rpc/tables/tokens.ts';

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

/** The identifier as YARNDelegationTokenIdentifierProto. */
export const encodeIdentifier = (identifier: TokenIdentifier): Buffer =>
  Buffer.from(encode(YARNDelegationTokenIdentifierProto, identifier));

/** Reads an identifier; undefined when it is not one. */
export function decodeIdentifier(bytes: Uint8Array): TokenIdentifier | undefined {
  try {
    const { owner = '', renewer = '', realUser = '', ...numbers } = decode(YARNDelegationTokenIdentifierProto, bytes);
    const { issueDate, maxDate, sequenceNumber, masterKeyId } = numbers;
    if (issueDate === undefined || maxDate === undefined || sequenceNumber === undefined) return undefined;
    return { owner, renewer, realUser, issueDate, maxDate, sequenceNumber, masterKeyId };
  } catch (error) {
    if (error instanceof MalformedMessage) return undefined;
    throw error;
  }
}

/** The identifier as it stands in messages (AbstractDelegationTokenIdentifier.toString). */
export const identifierText = (kind: string, token: TokenIdentifier): string =>
  `${kind} owner=${token.owner}, renewer=${token.renewer}, realUser=${token.realUser}, issueDate=${token.issueDate}, maxDate=${token.maxDate}, sequenceNumber=${token.sequenceNumber}, masterKeyId=${token.masterKeyId}`;
