// Bearer tokens and the credentials of the cluster's own servers, beside what Hadoop's settings say of authentication.
import type { AuthenticationRequest, Identity, Proof } from '../auth/authenticator.ts';
import { bearerChallenge, bearerProof, type JudgeToken } from '../auth/bearer/proof.ts';
import { type AskManager, remoteJudge } from '../auth/bearer/remote-judge.ts';
import { ClaimedGroups } from '../auth/claimed-groups.ts';
import { ClusterSecret } from '../auth/cluster-secret.ts';
import type { Composition } from '../auth/composition.ts';
import { authenticationCookie } from '../auth/cookie.ts';
import { cookieOf, sessionCookieName } from '../auth/oidc/session.ts';
import { signInAddress } from '../auth/oidc/sign-in.ts';
import { readOrCreateSecret } from '../auth/secret-file.ts';
import { serviceProof } from '../auth/service-credential.ts';
import type { AuthenticationRules } from '../config/authentication-rules.ts';
import type { Configuration } from '../config/load.ts';
import { oidcRules } from '../config/oidc-rules.ts';
import { heddleSettings } from '../config/settings/heddle.ts';
import { securitySettings } from '../config/settings/security.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import { failure } from '../model/errors.ts';

/** Who says what a bearer token is worth. */
export interface BearerDependencies {
  readonly clock: Clock;
  readonly random: Random;
  /** On the resource manager, which has the tokens. */
  readonly judgeToken?: JudgeToken;
  /** On the other servers, which ask it. With neither no token of Heddle's counts. */
  readonly askManager?: AskManager;
  /** At a node: servers of the cluster are known by the secret of the cluster as well. */
  readonly isNode?: boolean;
  /** Takes what an issuer says of the groups of users, for the access lists of the server. */
  readonly claimedGroups?: ClaimedGroups;
}

/** Puts bearer tokens before the other proofs of a server; where names are not believed, those proofs are left out that only name a user. */
export async function withBearer(
  rules: AuthenticationRules,
  configuration: Configuration,
  dependencies: BearerDependencies & { readonly logger: Logger },
  cookieSecret: Buffer,
): Promise<(composition: Composition) => Composition> {
  const oidc = rules.ways.includes('oidc') ? oidcRules(configuration) : undefined;
  const own = ownProofs(configuration, rules, dependencies);
  if (oidc) {
    const { clock, claimedGroups: groups = new ClaimedGroups(clock) } = dependencies;
    const { oidcProofs } = await import('./oidc-authentication.ts');
    own.push(...oidcProofs(oidc, { ...dependencies, groups, cookieSecret }));
  }
  return (composition) => {
    if (rules.believesNames || rules.isKerberos) return { ...composition, proofs: [...own, ...composition.proofs] };
    // Delegation tokens are asked for with a ticket, which nobody has here; those of another time are of callers who only named themselves.
    return { ...composition, tokens: undefined, proofs: own, nobody: refuseNobody(oidc?.signIn !== undefined) };
  };
}

function ownProofs(
  configuration: Configuration,
  { believesNames, isKerberos }: AuthenticationRules,
  dependencies: BearerDependencies,
): Proof[] {
  const { clock, random, judgeToken, askManager, isNode = false } = dependencies;
  const serviceSecret = readOrCreateSecret(configuration.values(securitySettings).serviceSecretFile, random);
  const secret =
    askManager || isNode ? new ClusterSecret(configuration.values(heddleSettings).clusterSecretFile, { clock, random }) : undefined;
  const judge = judgeToken ?? (askManager && secret && remoteJudge({ ask: askManager, secret, clock, random }));
  const nodeKeys = isNode && secret ? () => secret.requestKeys : undefined;
  return [
    ...(judge ? [bearerProof({ judge, believesNames })] : []),
    serviceProof({ secret: serviceSecret, nodeKeys, clock, orTicket: isKerberos }),
  ];
}

const hasSession = ({ headers }: AuthenticationRequest): boolean => (cookieOf(headers['cookie'], sessionCookieName) ?? '') !== '';

/** What the caller showed that proves nothing here, for the audit log. */
function shownIn(request: AuthenticationRequest, signsIn: boolean): Record<string, string> {
  const { headers, query } = request;
  if (signsIn && hasSession(request)) return { mechanism: 'session', auditedReason: 'The session is over, or not of this cluster.' };
  const kinds = [
    ['bearer-token', headers['authorization']],
    ['delegation-token', headers['x-hadoop-delegation-token'] ?? query('delegation')],
    ['cookie', authenticationCookie(headers['cookie'] as string | undefined)],
  ] as const;
  const found = kinds.find(([, value]) => value !== undefined && value !== '');
  return found ? { mechanism: found[0], auditedReason: 'What it showed is no proof of a kind that is taken here.' } : {};
}

/** What a caller without a proof is told; a browser that wants a page is sent to sign in, where people do. */
const refuseNobody =
  (signsIn: boolean) =>
  (request: AuthenticationRequest): Identity => {
    const location = signsIn ? signInAddress(request) : undefined;
    const shown = shownIn(request, signsIn);
    const refusal = failure('BEARER_REQUIRED', { how: signsIn ? ' or by signing in' : '', ...shown });
    if (location !== undefined)
      return {
        answer: { status: 302, body: '' },
        headers: { location, 'cache-control': 'no-store' },
        // Who only comes to sign in was refused nothing.
        ...('mechanism' in shown ? { failure: refusal } : {}),
      };
    return {
      refusal,
      headers: bearerChallenge(request.headers['authorization'] === undefined ? undefined : 'invalid_token'),
    };
  };
