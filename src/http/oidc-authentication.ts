// An OpenID Connect issuer as a way to prove who calls; loaded only where the settings ask for it.
import { createLocalJWKSet, jwtVerify } from 'jose';
import type { Proof } from '../auth/authenticator.ts';
import type { ClaimedGroups } from '../auth/claimed-groups.ts';
import { deriveKey } from '../auth/connection-key.ts';
import { fetchJson } from '../auth/oidc/fetch-json.ts';
import { Issuer } from '../auth/oidc/issuer.ts';
import { jwtProof } from '../auth/oidc/jwt-proof.ts';
import { signInProof } from '../auth/oidc/sign-in.ts';
import { tokenVerifier } from '../auth/oidc/token-verifier.ts';
import { isSafeUrl, type OidcRules } from '../config/oidc-rules.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';

/** What the proofs work with. */
export interface OidcDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly groups: ClaimedGroups;
  /** The secret of cookies. */
  readonly cookieSecret: Buffer;
}

/** Tokens first, which refuse any other bearer token; then sessions and sign-in, where people sign in. */
export function oidcProofs(rules: OidcRules, { clock, random, logger, groups, cookieSecret }: OidcDependencies): Proof[] {
  const { issuer: name, keysUrl, keysUsableMs, algorithms, clockSkewMs, signIn } = rules;
  const isSafe = isSafeUrl;
  const issuer = new Issuer({ issuer: name, keysUrl, keysUsableMs, isSafe, fetchJson, createKeySet: createLocalJWKSet, clock, logger });
  const verify = tokenVerifier({ jwtVerify, keyOf: issuer.keyOf, issuer: name, algorithms, clockSkewMs, clock });
  const tokens = jwtProof({ rules, verify, groups, clock });
  if (!signIn) return [tokens];
  const key = deriveKey(cookieSecret, 'oidc session');
  const signingIn = signInProof({ rules, signIn, issuer, verify, fetchJson, isSafe, groups, key, clock, random, logger });
  // A token of the request counts before a cookie of the browser.
  return [tokens, signingIn];
}
