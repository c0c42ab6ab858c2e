// Keys by which both ends of a connection prove themselves to each other: TLS with a pre-shared key (RFC 4279, RFC 5489). Each end shows that
// it knows the key without sending it, what follows is bound to that proof, encrypted, and of no use when it is recorded.
import { constants, hkdfSync } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';

/** One key, and what it is called on the wire: the PSK identity, which is no secret. */
export interface ConnectionKey {
  readonly identity: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

/** Token of `Upgrade` (RFC 9110, section 7.8) by which a connection asks to be proven. */
export const provenProtocol = 'heddle-psk';

/** Header of the question: what the connection is for, so that who asks is told at once what it lacks. */
export const purposeHeader = 'heddle-purpose';
/** Its value for nodes. */
export const nodePurpose = 'node';

/** Where servers take it. */
export const provenPath = '/api/v1/connection';

/** What a secret is never used for twice: each purpose has a key of its own, from which the secret cannot be found. */
export const deriveKey = (secret: Buffer | string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `heddle ${purpose}`, 32));

/** The key by which the master of an attempt and the resource manager prove themselves; `digest` is that of the attempt's token. */
export const attemptKey = (attemptId: string, digest: string): ConnectionKey => ({
  identity: `attempt ${attemptId}`,
  key: deriveKey(digest, 'attempt connection'),
});

/** The attempt that an identity is of; undefined for any other. */
export const attemptOfIdentity = (identity: string | undefined): string | undefined => /^attempt (\S+)$/.exec(identity ?? '')?.[1];

/** The key by which tasks of a job and its master prove themselves; `token` is the job's, in base64url. */
export const jobKey = (token: string): ConnectionKey => ({ identity: 'job', key: deriveKey(token, 'job connection') });

/**
 * How such connections are encrypted: with keys of their own for each, so that who learns the pre-shared key later cannot read them. There are no
 * tickets: they would outlive the key. `ca: []` keeps the machine's certificates out; none is looked at.
 */
export const provenContext: SecureContextOptions = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
  ca: [],
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
};
