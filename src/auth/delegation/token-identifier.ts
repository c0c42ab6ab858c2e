// Identifiers of delegation tokens, as Hadoop's clients decode them (YARNDelegationTokenIdentifier).
import { decode, encode, MalformedMessage } from '../../wire/rpc/codec.ts';
import { YARNDelegationTokenIdentifierProto } from '../../wire/rpc/tables/tokens.ts';

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
