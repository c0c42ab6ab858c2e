// The bearer tokens that the resource manager made: kept by their digests, so that no copy of the store shows one.
import type { Clock } from '../../lib/clock.ts';
import { fields, type JsonOf, many, number, optional, text, truth, word } from '../../lib/json-shape.ts';
import type { Random } from '../../lib/random.ts';
import { type TokenRestriction, tokenScopes } from './restriction.ts';
import { newBearerToken } from './token-text.ts';
import type { TokenFacts, TokenVerdict } from './verdict.ts';

/** What is kept of a token. Times are ms since the epoch. */
export const keptToken = fields({
  id: text({ minLength: 1, maxLength: 64 }),
  name: text({ minLength: 1, maxLength: 100 }),
  user: text({ minLength: 1, maxLength: 1024 }),
  scope: word(...tokenScopes),
  queues: optional(many(text({ maxLength: 1024 }))),
  digest: text({ minLength: 43, maxLength: 43 }),
  createdMs: number(),
  expiresMs: number(),
  lastUsedMs: optional(number()),
  /** Whether its maker had proved who they are, instead of only naming themselves. */
  proved: truth(),
});
export type KeptToken = JsonOf<typeof keptToken>;

/** Where tokens survive restarts. */
export interface KeptTokens {
  load(): readonly KeptToken[];
  put(token: KeptToken): Promise<void>;
  remove(id: string): Promise<void>;
}

export interface TokenRegistryOptions {
  readonly store: KeptTokens;
  readonly clock: Clock;
  readonly random: Random;
  /** Hears when the last use of a token could not be kept. */
  readonly failed: (error: unknown) => void;
}

/** Most tokens of one user that have not expired. */
export const mostTokensOfUser = 200;
/** How much later a use has to be than the one that is kept, to be kept itself. */
const useGranularityMs = 60_000;

/** A token, and what verdicts say of it. */
interface Listed {
  readonly token: KeptToken;
  readonly facts: TokenFacts;
}

/** The tokens of one cluster. */
export class TokenRegistry {
  readonly #options: TokenRegistryOptions;
  readonly #byDigest = new Map<string, Listed>();
  readonly #watchers = new Set<() => void>();
  readonly #start: string;
  #revoked = 0;
  #version = '';

  constructor(options: TokenRegistryOptions) {
    this.#options = options;
    this.#start = options.random.bytes(8).toString('hex');
    this.#version = `${this.#start}-0`;
    for (const token of options.store.load()) this.#list(token);
  }

  /** Changes with every token that is revoked, and with every start: verdicts of another version are worth nothing. */
  get version(): string {
    return this.#version;
  }

  /** Every token of a user, or of all; the oldest first. Expired ones stay listed until the next one is made. */
  list(user?: string): readonly KeptToken[] {
    return [...this.#byDigest.values()]
      .map(({ token }) => token)
      .filter((token) => user === undefined || token.user === user)
      .sort((a, b) => a.createdMs - b.createdMs || (a.id < b.id ? -1 : 1));
  }

  /** Makes a token; resolves to its text, which is nowhere kept, when its digest is durable. */
  async create(
    asked: TokenRestriction & { readonly user: string; readonly name: string; readonly lifetimeMs: number; readonly proved: boolean },
  ): Promise<{ readonly text: string; readonly token: KeptToken }> {
    const { store, clock, random } = this.#options;
    const { lifetimeMs, queues, ...rest } = asked;
    const now = clock.now();
    for (const { id, digest, expiresMs } of this.list()) {
      if (expiresMs > now) continue;
      this.#byDigest.delete(digest);
      await store.remove(id);
    }
    const { id, text, digest } = newBearerToken(random);
    const token: KeptToken = { ...rest, ...(queues ? { queues } : {}), id, digest, createdMs: now, expiresMs: now + lifetimeMs };
    await store.put(token);
    this.#list(token);
    return { text, token };
  }

  /** Ends a token; nobody gets in with it from this call on. Resolves when that is durable, too. */
  async revoke({ id, digest }: KeptToken): Promise<void> {
    if (!this.#byDigest.delete(digest)) return;
    this.#revoked += 1;
    this.#version = `${this.#start}-${this.#revoked}`;
    for (const wake of [...this.#watchers]) wake();
    await this.#options.store.remove(id);
  }

  /** What the token with this digest is worth now. */
  judge(digest: string): TokenVerdict {
    const { version } = this;
    const now = this.#options.clock.now();
    const listed = this.#byDigest.get(digest);
    if (!listed) return { refused: 'unknown', version };
    const { token, facts } = listed;
    if (token.expiresMs <= now) return { refused: 'expired', version };
    if (now - (token.lastUsedMs ?? 0) >= useGranularityMs) this.#used(token, now);
    return { token: facts, version };
  }

  /** Resolves when the version is no longer the given one, or when the signal is aborted. */
  async changed(version: string, signal: AbortSignal): Promise<void> {
    if (version !== this.version || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.#watchers.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#watchers.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  #list(token: KeptToken): void {
    const { id, user, scope, queues, expiresMs, proved } = token;
    this.#byDigest.set(token.digest, { token, facts: { id, user, scope, ...(queues ? { queues } : {}), expiresMs, proved } });
  }

  #used(token: KeptToken, now: number): void {
    const used = { ...token, lastUsedMs: now };
    this.#list(used);
    // Writes keep their order: one of a token that is revoked later is gone with it.
    this.#options.store.put(used).catch(this.#options.failed);
  }
}
