// A signed token of an issuer as a proof of who calls. What was verified is remembered for some minutes by the token's digest.

import type { OidcRules } from '../../config/oidc-rules.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import { Failure, failure } from '../../model/errors.ts';
import type { AuthenticationRequest, Identity, Proof } from '../authenticator.ts';
import { bearerChallenge } from '../bearer/proof.ts';
import { digestOfBearer } from '../bearer/token-text.ts';
import type { ClaimedGroups } from '../claimed-groups.ts';
import { bearerToken } from '../secrets.ts';
import { type ClaimedUser, claimedUser } from './claims.ts';
import type { VerifyToken } from './token-verifier.ts';

export interface JwtProofOptions {
  readonly rules: OidcRules;
  readonly verify: VerifyToken;
  readonly groups: ClaimedGroups;
  readonly clock: Clock;
}

const mostRemembered = 10_000;
/** After this time a token is verified again: its key may be gone. */
const rememberedMs = 300_000;
const mostVerifications = 64;

interface Remembered {
  readonly claimed: ClaimedUser;
  readonly untilMs: number;
}

/** Takes a caller by a token of the issuer; refuses other bearer tokens. */
export function jwtProof({ rules, verify, groups, clock }: JwtProofOptions): Proof {
  const remembered = new BoundedMap<string, Remembered>(mostRemembered);
  let verifications = 0;
  const refused = (reason: string): Identity => ({
    refusal: failure('BEARER_INVALID', { reason, mechanism: 'openid-connect' }),
    headers: bearerChallenge('invalid_token'),
  });
  const identityOf = ({ user, scope }: ClaimedUser, { remoteAddress }: AuthenticationRequest): Identity => ({
    caller: { user, principal: user, anonymous: false, authentication: 'oidc', restriction: { scope }, remoteAddress },
  });
  const examine = async (token: string, digest: string, request: AuthenticationRequest): Promise<Identity> => {
    if (verifications >= mostVerifications) throw failure('OVERLOADED', { what: 'The verification of tokens', seconds: 1 });
    verifications++;
    try {
      const payload = await verify(token, rules.audiences);
      const claimed = typeof payload === 'string' ? payload : claimedUser(rules, payload);
      if (typeof claimed === 'string' || typeof payload === 'string') return refused(String(claimed));
      const endMs = (payload.exp ?? 0) * 1000 + rules.clockSkewMs;
      groups.learn(claimed.user, { groups: claimed.groups, saidMs: (payload.iat ?? 0) * 1000, untilMs: endMs });
      remembered.set(digest, { claimed, untilMs: Math.min(endMs, clock.now() + rememberedMs) });
      return identityOf(claimed, request);
    } catch (error) {
      if (error instanceof Failure) return { refusal: error };
      throw error;
    } finally {
      verifications--;
    }
  };
  return (request) => {
    const token = bearerToken(request.headers as { authorization?: string });
    if (token === undefined) return request.query('access_token') === undefined ? undefined : { refusal: failure('BEARER_IN_ADDRESS') };
    if (rules.audiences.length === 0) return refused('tokens of the issuer are not taken here (heddle.security.oidc.audience)');
    const digest = digestOfBearer(token);
    const known = remembered.get(digest);
    if (known && known.untilMs > clock.now()) return identityOf(known.claimed, request);
    return examine(token, digest, request);
  };
}
