// Issues, verifies, renews and cancels delegation tokens of one server (AbstractDelegationTokenSecretManager). What must survive a
// restart goes through the store: a call is answered when it is durable, and where it cannot be kept nothing has happened.
import { createHmac } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import type { NameOf } from '../authenticator.ts';
import { isSameSecret } from '../secrets.ts';
import { TokenFigures } from './token-figures.ts';
import { decodeIdentifier, encodeIdentifier, identifierText, type TokenIdentifier } from './token-identifier.ts';
import { TokenRefused } from './token-refused.ts';
import { decodeToken, encodeToken, type TokenText } from './token-text.ts';

/** A key that passwords are made with. */
export interface MasterKey {
  readonly id: number;
  readonly secret: Buffer;
  readonly createdMs: number;
  /** How callers proved themselves when it was made. */
  readonly mechanism: string;
}

/** A token that is valid until `renewBeforeMs`. */
export interface StoredToken {
  readonly identifier: TokenIdentifier;
  readonly renewBeforeMs: number;
}

/** Where keys and tokens are kept; each call resolves when it is durable, and rejects when it cannot be kept. */
export interface TokenStore {
  load(): { readonly keys: readonly MasterKey[]; readonly tokens: readonly StoredToken[]; readonly lastSequenceNumber: number };
  putKey(key: MasterKey): Promise<void>;
  removeKey(id: number): Promise<void>;
  putToken(token: StoredToken): Promise<void>;
  removeToken(sequenceNumber: number): Promise<void>;
}

export interface TokenManagerOptions {
  /** `TIMELINE_DELEGATION_TOKEN`, `RM_DELEGATION_TOKEN`. */
  readonly kind: string;
  /** How callers of this server prove who they are (`simple`, `kerberos`). Tokens that were issued under another mechanism have ended. */
  readonly mechanism: string;
  /** The user of a renewer that is given as a principal. */
  readonly nameOf: NameOf;
  readonly store: TokenStore;
  readonly clock: Clock;
  readonly random: Random;
  /** Age at which a new key is made, ms. */
  readonly keyUpdateIntervalMs: number;
  /** How long a token is valid after issue or renewal, ms. */
  readonly renewIntervalMs: number;
  /** Time after which a token cannot be renewed, ms. */
  readonly maximumLifetimeMs: number;
  /** Counted into; its own where there are none. */
  readonly figures?: TokenFigures;
}

const invalidToken = 'org.apache.hadoop.security.token.SecretManager$InvalidToken: ';

export class TokenManager {
  readonly figures: TokenFigures;
  readonly #options: TokenManagerOptions;
  readonly #keys = new Map<number, MasterKey>();
  readonly #tokens = new Map<number, StoredToken>();
  #sequence: number;
  /** A key that is being stored. */
  #comingKey: Promise<MasterKey> | undefined;

  constructor(options: TokenManagerOptions) {
    this.#options = options;
    this.figures = options.figures ?? new TokenFigures();
    const { keys, tokens, lastSequenceNumber } = options.store.load();
    this.#sequence = lastSequenceNumber;
    for (const key of keys) {
      if (key.mechanism === options.mechanism) this.#keys.set(key.id, key);
      else options.store.removeKey(key.id).catch(() => undefined);
    }
    for (const token of tokens) {
      const { sequenceNumber, masterKeyId } = token.identifier;
      if (this.#keys.has(masterKeyId)) this.#tokens.set(sequenceNumber, token);
      else options.store.removeToken(sequenceNumber).catch(() => undefined);
    }
  }

  /** Issues a token; it is valid when it is durable. `owner` may be a principal; `renewer` '' means that no caller may renew it. */
  async issue(
    owner: string,
    renewer: string,
    realUser = '',
    service = '',
  ): Promise<{ token: string; identifier: TokenIdentifier; renewBeforeMs: number }> {
    this.#forgetExpired();
    const { clock, store, maximumLifetimeMs, renewIntervalMs, kind } = this.#options;
    const nowMs = clock.now();
    const key = await this.#currentKey(nowMs);
    const identifier: TokenIdentifier = {
      owner,
      renewer: renewer === '' ? '' : (this.#options.nameOf(renewer) ?? renewer),
      realUser,
      issueDate: nowMs,
      maxDate: nowMs + maximumLifetimeMs,
      sequenceNumber: ++this.#sequence,
      masterKeyId: key.id,
    };
    const stored = { identifier, renewBeforeMs: Math.min(identifier.maxDate, nowMs + renewIntervalMs) };
    await this.figures.counted('store', () => store.putToken(stored));
    this.#tokens.set(identifier.sequenceNumber, stored);
    const bytes = encodeIdentifier(identifier);
    return {
      token: encodeToken({ identifier: bytes, password: password(key, bytes), kind, service }),
      identifier,
      renewBeforeMs: stored.renewBeforeMs,
    };
  }

  /** Who a token stands for. @throws TokenRefused undecodable, unknown or expired */
  verify(text: string): TokenIdentifier {
    const { token, identifier } = this.#decode(text);
    const stored = this.#tokens.get(identifier.sequenceNumber);
    const key = this.#keys.get(identifier.masterKeyId);
    const genuine = key && isSameSecret(token.password, password(key, token.identifier));
    if (!stored || !genuine || token.kind !== this.#options.kind) {
      throw new TokenRefused('unknown', `${invalidToken}Token for real user: ${identifier.realUser}, can't be found in cache`);
    }
    if (stored.renewBeforeMs < this.#options.clock.now()) {
      throw new TokenRefused(
        'expired',
        `${invalidToken}Token has expired, current time: ${this.#options.clock.now()} expected renewal time: ${stored.renewBeforeMs}`,
      );
    }
    return identifier;
  }

  /** The password of a token that is valid, by its identifier: what a login by token is checked with. @throws TokenRefused unknown or expired */
  passwordOf(bytes: Buffer): Buffer {
    const { kind } = this.#options;
    const identifier = decodeIdentifier(bytes);
    const key = identifier && this.#keys.get(identifier.masterKeyId);
    const proof = key ? password(key, bytes) : Buffer.alloc(0);
    this.verify(encodeToken({ identifier: bytes, password: proof, kind, service: '' }));
    return proof;
  }

  /** Prolongs a token as `renewer`; resolves, when that is durable, to when it is valid until, ms. @throws TokenRefused */
  async renew(text: string, renewer: string): Promise<number> {
    const { identifier } = this.#decode(text);
    const { clock, kind } = this.#options;
    const described = identifierText(kind, identifier);
    if (identifier.maxDate < clock.now())
      throw new TokenRefused(
        'expired',
        `${invalidToken}${renewer} tried to renew an expired token (${described}) max expiration date: ${javaTime(identifier.maxDate)} currentTime: ${javaTime(clock.now())}`,
      );
    if (identifier.renewer === '')
      throw new TokenRefused('not-renewer', `${renewer} tried to renew a token (${described}) without a renewer`);
    if (identifier.renewer !== renewer) {
      throw new TokenRefused(
        'not-renewer',
        `${renewer} tries to renew a token (${described}) with non-matching renewer ${identifier.renewer}`,
      );
    }
    if (!this.#tokens.has(identifier.sequenceNumber)) throw new TokenRefused('unknown', `Renewal request for unknown token (${described})`);
    this.verify(text);
    const renewBeforeMs = Math.min(identifier.maxDate, clock.now() + this.#options.renewIntervalMs);
    const stored = { identifier, renewBeforeMs };
    await this.figures.counted('update', () => this.#options.store.putToken(stored));
    // It may have been cancelled meanwhile.
    if (this.#tokens.has(identifier.sequenceNumber)) this.#tokens.set(identifier.sequenceNumber, stored);
    return renewBeforeMs;
  }

  /**
   * Cancels a token, for good when that is durable, as `canceller`, whose principal must be its owner or whose user its renewer; as any
   * holder when undefined.
   * @throws TokenRefused undecodable, unknown or not-allowed
   */
  async cancel(text: string, canceller: { readonly user: string; readonly principal: string } | undefined): Promise<TokenIdentifier> {
    const { identifier } = this.#decode(text);
    const described = identifierText(this.#options.kind, identifier);
    const stored = this.#tokens.get(identifier.sequenceNumber);
    if (!stored) throw new TokenRefused('unknown', `Token not found (${described})`);
    if (canceller && canceller.principal !== identifier.owner && (identifier.renewer === '' || canceller.user !== identifier.renewer)) {
      throw new TokenRefused('not-allowed', `${canceller.principal} is not authorized to cancel the token (${described})`);
    }
    this.verify(text);
    this.#tokens.delete(identifier.sequenceNumber);
    try {
      await this.figures.counted('remove', () => this.#options.store.removeToken(identifier.sequenceNumber));
    } catch (error) {
      this.#tokens.set(identifier.sequenceNumber, stored);
      throw error;
    }
    return identifier;
  }

  #decode(text: string): { token: TokenText; identifier: TokenIdentifier } {
    const token = decodeToken(text);
    const identifier = token && decodeIdentifier(token.identifier);
    if (!token || !identifier) throw new TokenRefused('undecodable', 'java.io.EOFException');
    return { token, identifier };
  }

  async #currentKey(nowMs: number): Promise<MasterKey> {
    const newest = [...this.#keys.values()].sort((left, right) => right.id - left.id)[0];
    if (newest && newest.createdMs + this.#options.keyUpdateIntervalMs > nowMs) return newest;
    this.#comingKey ??= this.#newKey((newest?.id ?? 0) + 1, nowMs).finally(() => {
      this.#comingKey = undefined;
    });
    return this.#comingKey;
  }

  async #newKey(id: number, nowMs: number): Promise<MasterKey> {
    const key = { id, secret: this.#options.random.bytes(32), createdMs: nowMs, mechanism: this.#options.mechanism };
    await this.#options.store.putKey(key);
    this.#keys.set(id, key);
    return key;
  }

  /** Drops tokens past their end, and keys that no token can need any more. What cannot be removed now is dropped again after a restart. */
  #forgetExpired(): void {
    const nowMs = this.#options.clock.now();
    const passed = () => undefined;
    for (const [sequenceNumber, { renewBeforeMs }] of this.#tokens) {
      if (renewBeforeMs >= nowMs) continue;
      this.#options.store.removeToken(sequenceNumber).catch(passed);
      this.#tokens.delete(sequenceNumber);
    }
    for (const [id, key] of this.#keys) {
      if (key.createdMs + this.#options.keyUpdateIntervalMs + this.#options.maximumLifetimeMs >= nowMs) continue;
      this.#options.store.removeKey(id).catch(passed);
      this.#keys.delete(id);
    }
  }
}

/** A time as Hadoop's messages have it (Time.formatTime). */
const javaTime = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').replace('.', ',').replace('Z', '+0000');

const password = (key: MasterKey, identifier: Buffer): Buffer => createHmac('sha1', key.secret).update(identifier).digest();
