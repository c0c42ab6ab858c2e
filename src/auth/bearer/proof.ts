// A bearer token of Heddle's as a proof of who calls (RFC 6750).
import { BoundedMap } from '../../lib/bounded-map.ts';
import { failure } from '../../model/errors.ts';
import type { AuthenticationRequest, Identity, Proof } from '../authenticator.ts';
import { bearerToken } from '../secrets.ts';
import { digestOfBearer, idInToken, isOwnToken } from './token-text.ts';
import type { TokenVerdict } from './verdict.ts';

/** Headers that are remembered with the digest of the token in them, and the longest of them. */
const mostSeen = 1000;
const longestSeen = 256;

/** Says what a token is worth, by its digest. @throws Failure BEARER_UNEXAMINED */
export type JudgeToken = (digest: string) => TokenVerdict | Promise<TokenVerdict>;

/** How tokens are taken. */
export interface BearerOptions {
  readonly judge: JudgeToken;
  /** Whether names are believed: only there tokens count that were made for a mere name. */
  readonly believesNames: boolean;
}

/** The challenge of a refusal. */
export const bearerChallenge = (error?: string): Readonly<Record<string, string>> => ({
  'www-authenticate': `Bearer realm="heddle"${error === undefined ? '' : `, error="${error}"`}`,
});

const refused = (reason: string): Identity => ({
  refusal: failure('BEARER_INVALID', { reason }),
  headers: bearerChallenge('invalid_token'),
});

const reasons = {
  unknown: 'it is not one of this cluster, or was revoked',
  expired: 'it has expired',
  unproved: 'it was made while names were believed',
} as const;

/** Takes a caller by a token that the resource manager made. */
export function bearerProof({ judge, believesNames }: BearerOptions): Proof {
  const identityOf = ({ token, refused: reason }: TokenVerdict, { remoteAddress }: AuthenticationRequest): Identity => {
    if (!token) return refused(reasons[reason ?? 'unknown']);
    if (!token.proved && !believesNames) return refused(reasons.unproved);
    const { user, scope, queues, proved } = token;
    const restriction = { scope, ...(queues ? { queues } : {}) };
    const named = proved ? {} : ({ onlyNamed: true } as const);
    return { caller: { user, principal: user, anonymous: false, authentication: 'bearer', ...named, restriction, remoteAddress } };
  };
  // The digest alone is remembered: what the token is worth is asked each time.
  const seen = new BoundedMap<string, string>(mostSeen);
  const judged = (verdict: TokenVerdict, digest: string, header: string, request: AuthenticationRequest): Identity => {
    // What others make up is not worth the room.
    if (verdict.token && header.length <= longestSeen && !seen.has(header)) seen.set(header, digest);
    return identityOf(verdict, request);
  };
  return (request) => {
    const header = request.headers['authorization'] as string | undefined;
    if (header === undefined) return inAddress(request);
    let digest = seen.get(header);
    if (digest === undefined) {
      const text = bearerToken({ authorization: header });
      if (text === undefined || !isOwnToken(text)) return inAddress(request);
      if (idInToken(text) === undefined) return refused(reasons.unknown);
      digest = digestOfBearer(text);
    }
    const asked = digest;
    const verdict = judge(asked);
    return verdict instanceof Promise
      ? verdict.then((found) => judged(found, asked, header, request))
      : judged(verdict, asked, header, request);
  };
}

/** A token in the address of a request is refused: addresses are logged, kept and passed on (RFC 6750, section 5.3). */
function inAddress(request: AuthenticationRequest): Identity | undefined {
  const shown = request.query('access_token') ?? request.query('token');
  return shown !== undefined && isOwnToken(shown) ? { refusal: failure('BEARER_IN_ADDRESS') } : undefined;
}
