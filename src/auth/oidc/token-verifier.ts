// Whether a signed token (JWT, RFC 7519) is one of the issuer's, for whom it says, and of now (RFC 8725).
import type { JWTHeaderParameters, JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import type { Clock } from '../../lib/clock.ts';
import { Failure } from '../../model/errors.ts';

/** What is asked of every token. */
export interface VerifierOptions {
  readonly jwtVerify: (
    token: string,
    key: JWTVerifyGetKey,
    options: JWTVerifyOptions,
  ) => Promise<{ readonly payload: JWTPayload; readonly protectedHeader: Pick<JWTHeaderParameters, 'typ'> }>;
  readonly keyOf: JWTVerifyGetKey;
  readonly issuer: string;
  readonly algorithms: readonly string[];
  readonly clockSkewMs: number;
  readonly clock: Clock;
}

/** The claims of a token, or why it does not count. @throws Failure ISSUER_AWAY */
export type VerifyToken = (token: string, audiences: readonly string[]) => Promise<JWTPayload | string>;

const longestToken = 16_384;
const reasons: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'it has expired',
  ERR_JWKS_NO_MATCHING_KEY: 'it names a key that the issuer did not have when its keys were read last',
  ERR_JOSE_ALG_NOT_ALLOWED: 'its kind of signature is not taken',
};

const claims: Readonly<Record<string, string>> = { iss: 'it is of another issuer', aud: 'it is for another audience' };

/** Why jose did not take it. */
function reasonOf({ code = '', claim = '' }: { readonly code?: string; readonly claim?: string }): string {
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') return claims[claim] ?? `it is not of now, or has no claim ${claim}`;
  return reasons[code] ?? 'its signature is not that of the issuer';
}

/** Of the tokens that issuers sign those of access and of sign-in alone say who calls (RFC 8725, section 3.11); others tell of events (RFC 8417). */
const isOfAnotherKind = (typ: unknown, payload: JWTPayload): boolean =>
  (typ !== undefined && !/^(?:application\/)?(?:at\+)?jwt$/i.test(String(typ))) || payload['events'] !== undefined;

/** The check under the given rules. */
export function tokenVerifier({ jwtVerify, keyOf, issuer, algorithms, clockSkewMs, clock }: VerifierOptions): VerifyToken {
  return async (token, audiences) => {
    if (token.length > longestToken) return 'it is too long';
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keyOf, {
        issuer,
        audience: [...audiences],
        algorithms: [...algorithms],
        clockTolerance: clockSkewMs / 1000,
        currentDate: new Date(clock.now()),
        requiredClaims: ['exp', 'iat'],
      });
      if (isOfAnotherKind(protectedHeader.typ, payload)) return 'it is none that says who calls, such as one that ends sessions';
      // One that is bound to a key of its holder's (RFC 7800) is none for whoever bears it.
      if (payload['cnf'] !== undefined) return 'it is bound to a key, which is not looked at here';
      if ((payload.iat ?? 0) * 1000 > clock.now() + clockSkewMs) return 'it is of a time to come';
      return payload;
    } catch (error) {
      if (error instanceof Failure) throw error;
      return reasonOf(error as { readonly code?: string; readonly claim?: string });
    }
  };
}
