// Tokens by which clients are known to masters: the master is given a key when it registers, and whoever may see its application a token
// signed by that key (ClientToAMTokenSecretManagerInRM). The key is derived, as all of these are; each attempt has its own.
import { createHmac } from 'node:crypto';
import { encode } from '../../wire/rpc/codec.ts';
import { attemptIdMessage } from '../../wire/rpc/ids.ts';
import { ClientToAMTokenIdentifierProto } from '../../wire/rpc/tables/tokens.ts';
import type { TokenText } from '../delegation/token-text.ts';

/** The kind of these tokens, as Hadoop's selectors look for it. */
export const clientTokenKind = 'YARN_CLIENT_TOKEN';

/** Tokens of clients for masters; `root` is known to the resource manager alone. */
export class ClientTokens {
  readonly #root: Buffer;

  constructor(root: Buffer) {
    this.#root = root;
  }

  /** The key by which the master of an attempt checks tokens; the same after a restart. */
  keyOf(attemptId: string): Buffer {
    return createHmac('sha256', this.#root).update(`${clientTokenKind}:${attemptId}`).digest();
  }

  /** The token by which the master of an attempt knows `user`; where it is shown says the client, which connects. */
  issue(attemptId: string, user: string): TokenText {
    const identifier = Buffer.from(encode(ClientToAMTokenIdentifierProto, { appAttemptId: attemptIdMessage(attemptId), clientName: user }));
    const password = createHmac('sha1', this.keyOf(attemptId)).update(identifier).digest();
    return { identifier, password, kind: clientTokenKind, service: '' };
  }
}
