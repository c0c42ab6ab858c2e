// An OpenID Connect issuer as it describes itself, and its keys: read when they are needed, kept, and read again now and then. While it is
// down, what is known of it goes on counting for a time.
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import type { Clock } from '../../lib/clock.ts';
import { checked, fields, isObject, type JsonOf, optional, text } from '../../lib/json-shape.ts';
import type { Logger } from '../../lib/log.ts';
import { failure } from '../../model/errors.ts';
import type { FetchJson } from './fetch-json.ts';

const address = () => optional(text({ maxLength: 2048 }));
const issuerDescription = fields({
  issuer: text({ maxLength: 2048 }),
  jwks_uri: address(),
  authorization_endpoint: address(),
  token_endpoint: address(),
});
/** What is read of a description (OpenID Connect Discovery 1.0, section 3); it has more members. */
export type IssuerDescription = JsonOf<typeof issuerDescription>;

export interface IssuerOptions {
  readonly issuer: string;
  /** Where its keys are; undefined: where it says. */
  readonly keysUrl: string | undefined;
  /** How long keys count beyond the ten minutes after which they are read again, while that fails. */
  readonly keysUsableMs: number;
  /** Whether nobody on the way can change what is read at an address. */
  readonly isSafe: (url: string) => boolean;
  readonly fetchJson: FetchJson;
  readonly createKeySet: (jwks: JSONWebKeySet) => JWTVerifyGetKey;
  readonly clock: Clock;
  readonly logger: Logger;
}

const freshMs = 600_000;
/** Pause after keys were read before they are for a key that was not among them. */
const newKeyPauseMs = 30_000;
const failurePauseMs = 5_000;
const mostKeys = 100;
const keyTypes = new Set<unknown>(['RSA', 'EC', 'OKP']);

/** One issuer. */
export class Issuer {
  readonly #options: IssuerOptions;
  #description: IssuerDescription | undefined;
  #keys: JWTVerifyGetKey | undefined;
  #readMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  #failedMs = Number.NEGATIVE_INFINITY;

  constructor(options: IssuerOptions) {
    this.#options = options;
  }

  /** How it describes itself; a description that was read stays. @throws Failure ISSUER_AWAY */
  async description(): Promise<IssuerDescription> {
    if (!this.#description) await this.#read();
    if (this.#description) return this.#description;
    throw failure('ISSUER_AWAY', { issuer: this.#options.issuer });
  }

  /** Reads description and keys now; undefined: it has no description, and does without. Rejects with what is wrong. */
  async look(): Promise<IssuerDescription | undefined> {
    await this.#readNow();
    return this.#description;
  }

  /** The key that a token names. @throws Failure ISSUER_AWAY, an error of jose where there is none */
  readonly keyOf: JWTVerifyGetKey = async (header, token) => {
    const { clock, keysUsableMs, issuer } = this.#options;
    const ageMs = () => clock.steadyMs() - this.#readMs;
    const areUsable = () => this.#keys !== undefined && ageMs() <= freshMs + keysUsableMs;
    if (!areUsable()) await this.#read();
    else if (ageMs() > freshMs) void this.#read();
    if (!this.#keys || !areUsable()) throw failure('ISSUER_AWAY', { issuer });
    try {
      return await this.#keys(header, token);
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_JWKS_NO_MATCHING_KEY' || ageMs() < newKeyPauseMs) throw error;
      // It may be a new one.
      await this.#read();
      return this.#keys(header, token);
    }
  };

  /** Reads description and keys again; who comes meanwhile waits for that. What cannot be read leaves what is known. */
  async #read(): Promise<void> {
    const { clock, issuer, logger } = this.#options;
    if (!this.#reading && clock.steadyMs() - this.#failedMs < failurePauseMs) return;
    this.#reading ??= this.#readNow()
      .catch((error: unknown) => {
        this.#failedMs = clock.steadyMs();
        logger.warn({ err: error, issuer }, 'the issuer of tokens could not be read');
      })
      .finally(() => {
        this.#reading = undefined;
      });
    await this.#reading;
  }

  async #readNow(): Promise<void> {
    const { issuer, keysUrl, isSafe, fetchJson, createKeySet, clock } = this.#options;
    const description = await this.#readDescription();
    this.#description = description ?? this.#description;
    const url = keysUrl ?? description?.jwks_uri;
    if (url === undefined || !isSafe(url)) throw new Error(`${issuer} names no safe address of its keys`);
    const { status, value } = await fetchJson(url);
    const keys = isObject(value) && Array.isArray(value['keys']) ? (value['keys'] as unknown[]) : undefined;
    if (status !== 200 || !keys || keys.length > mostKeys) throw new Error(`${url} does not answer with keys`);
    // A secret that is shared signs nothing here, wherever it stands.
    const usable = keys.filter((key) => isObject(key) && keyTypes.has(key['kty']) && key['use'] !== 'enc');
    if (usable.length === 0) throw new Error(`${url} has no key for signatures`);
    this.#keys = createKeySet({ keys: usable as JSONWebKeySet['keys'] });
    this.#readMs = clock.steadyMs();
  }

  /** Undefined where there is none, and the keys are known without it. */
  async #readDescription(): Promise<IssuerDescription | undefined> {
    const { issuer, keysUrl, fetchJson } = this.#options;
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    try {
      const { status, value } = await fetchJson(url);
      const { value: description, fault } = checked(issuerDescription, value);
      if (status !== 200 || !description) throw new Error(`${url} does not describe an issuer (${fault ?? status})`);
      if (description.issuer !== issuer) throw new Error(`${url} describes ${description.issuer}`);
      return description;
    } catch (error) {
      if (keysUrl === undefined) throw error;
      return undefined;
    }
  }
}
