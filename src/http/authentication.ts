// Which authenticator a server gets: by its row of the table below and the settings.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AuthenticationRequest, Authenticator, Identity, MayImpersonate, Proof } from '../auth/authenticator.ts';
import { type Composition, composeAuthenticator } from '../auth/composition.ts';
import { ContainerUsers } from '../auth/container-users.ts';
import { type CookieOptions, cookieProof, refusalReason } from '../auth/cookie.ts';
import { type TokenCallsOptions, tokenCalls } from '../auth/delegation/token-calls.ts';
import { LocalUsers, trustedUserIds } from '../auth/local-users.ts';
import { readOrCreateSignatureSecret } from '../auth/secret-file.ts';
import { CookieSigner } from '../auth/signer.ts';
import { anonymousCaller, refusedCaller, simpleProof } from '../auth/simple.ts';
import { type AuthenticationRules, authenticationRules } from '../config/authentication-rules.ts';
import type { Configuration } from '../config/load.ts';
import { isFilterInstalled } from '../config/mechanism.ts';
import { commonSettings } from '../config/settings/common.ts';
import { heddleSettings } from '../config/settings/heddle.ts';
import { timelineSettings } from '../config/settings/timeline.ts';
import type { WebServerName } from '../config/web-addresses.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import { failure } from '../model/errors.ts';
import { type BearerDependencies, withBearer } from './bearer-authentication.ts';
import type { ServerKind } from './server-kind.ts';

/** The servers that the settings of the timeline's authentication are for (TimelineAuthenticationFilterInitializer). */
const timelineServers: readonly ServerKind[] = ['timeline', 'reader', 'collector'];

/** Whose keys each has. */
const webServers: Readonly<Record<ServerKind, WebServerName>> = {
  resourceManager: 'resource-manager',
  nodeManager: 'node-manager',
  history: 'history',
  proxy: 'proxy',
  timeline: 'timeline',
  reader: 'timeline',
  collector: 'timeline',
};

interface Habit {
  /** Whether the static user stands in for unnamed callers. */
  readonly staticUser: boolean;
  /** Of simple authentication. */
  readonly cookieType: string | undefined;
  readonly impersonation: boolean;
}

const habits: Readonly<Record<ServerKind, Habit>> = {
  resourceManager: { staticUser: true, cookieType: 'simple-dt', impersonation: true },
  nodeManager: { staticUser: true, cookieType: 'simple', impersonation: false },
  timeline: { staticUser: false, cookieType: 'simple-dt', impersonation: true },
  history: { staticUser: true, cookieType: undefined, impersonation: false },
  proxy: { staticUser: true, cookieType: undefined, impersonation: false },
  reader: { staticUser: true, cookieType: 'simple', impersonation: false },
  collector: { staticUser: false, cookieType: 'simple-dt', impersonation: true },
};

/** What an authenticator needs besides the settings. */
export interface AuthenticationDependencies extends BearerDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Whether `realUser` may act for `target` from that address. Absent: no user may. */
  readonly mayImpersonate?: MayImpersonate;
  /** Delegation tokens and `op=` calls. Absent: both are ignored. */
  readonly tokens?: TokenCallsOptions;
}

/**
 * The authenticator of a server under the given settings. Its `close` ends what it works with.
 * @throws ConfigurationError where Kerberos is asked for and something of it is missing
 */
export async function createAuthenticator(
  kind: ServerKind,
  configuration: Configuration,
  dependencies: AuthenticationDependencies,
): Promise<Authenticator> {
  const settings = configuration.values(commonSettings);
  const secretFile = settings.httpAuthenticationSecretFile ?? join(configuration.dataDir, 'secrets', 'http-cookie');
  const cookieSecret = readOrCreateSignatureSecret(secretFile, dependencies.random);
  const cookies: CookieOptions = {
    signer: new CookieSigner(cookieSecret),
    clock: dependencies.clock,
    cookieLifetimeMs: settings.httpAuthenticationTokenValidity,
    cookieDomain: settings.httpCookieDomain || undefined,
  };
  const rules = authenticationRules(configuration, timelineServers.includes(kind));
  const bearing: Bearing = {
    rules,
    within: await withBearer(rules, configuration, { ...dependencies, isNode: kind === 'nodeManager' }, cookieSecret),
  };
  return rules.isKerberos
    ? byKerberos(kind, configuration, cookies, dependencies, bearing)
    : byName(kind, configuration, cookies, dependencies, bearing);
}

/** What bearer tokens add to the mechanism of a server, or put in its place. */
interface Bearing {
  readonly rules: AuthenticationRules;
  readonly within: (composition: Composition) => Composition;
}

/** Callers prove themselves by tickets, and at some servers by delegation tokens; others are refused. */
async function byKerberos(
  kind: ServerKind,
  configuration: Configuration,
  cookies: CookieOptions,
  { clock, logger, mayImpersonate = () => false, tokens }: AuthenticationDependencies,
  { within }: Bearing,
): Promise<Authenticator> {
  const { openKerberos } = await import('./kerberos.ts');
  const kerberos = await openKerberos({
    configuration,
    isTimeline: timelineServers.includes(kind),
    server: webServers[kind],
    clock,
    logger,
  });
  const { nameOf } = kerberos;
  const understandsTokens = habits[kind].impersonation;
  const cookieType = understandsTokens ? 'kerberos-dt' : 'kerberos';
  const session = cookieProof(cookies, [cookieType]);
  const composition: Composition = {
    session,
    proofs: [session, kerberos.proof(cookies, cookieType)],
    nobody: refusedCaller('Negotiate', cookies),
    nameOf,
    ...(understandsTokens ? { mayImpersonate } : {}),
    ...(understandsTokens && tokens ? { tokens: tokenCalls({ ...tokens, nobody: refusedAsking(401, 'Negotiate', cookies), nameOf }) } : {}),
  };
  return { ...composeAuthenticator(within(composition)), close: () => kerberos.close() };
}

/**
 * What a caller who proves nothing is told who asks for a token or comes with one; what it showed instead was refused. Without a ticket it gets 401; where
 * callers only have to say who they are, 403 (PseudoAuthenticationHandler).
 */
const refusedAsking =
  (status: 401 | 403, scheme: 'Negotiate' | 'PseudoAuth', cookies: CookieOptions) =>
  ({ headers }: AuthenticationRequest): Identity => ({
    answer: { status, contentType: 'text/plain;charset=utf-8', body: '' },
    failure: failure('AUTHENTICATION_REQUIRED', refusalReason(cookies, headers['cookie'] as string | undefined)),
    headers: { 'www-authenticate': scheme },
  });

/** Callers are who they say they are. */
function byName(
  kind: ServerKind,
  configuration: Configuration,
  cookies: CookieOptions,
  { mayImpersonate, tokens: offered }: AuthenticationDependencies,
  { rules, within }: Bearing,
): Authenticator {
  const settings = configuration.values(commonSettings);
  const byDefault = settings.filterInitializers.some((name) => name.endsWith('.StaticUserWebFilter'));
  const habit = habits[kind];
  const isInstalled = isFilterInstalled(configuration);
  const timelineServesAll = !timelineServers.includes(kind) || configuration.values(timelineSettings).httpAnonymousAllowed;
  const servesAll = timelineServesAll && (!isInstalled || settings.httpAnonymousAllowed);
  const tokens = offered && tokenCalls(servesAll ? offered : { ...offered, nobody: refusedAsking(403, 'PseudoAuth', cookies) });
  const refused = refusedCaller('PseudoAuth', cookies);
  const locals = rules.believesNames ? localUsersOf(configuration) : undefined;
  const composed = (composition: Composition) => {
    const authenticator = composeAuthenticator(within(composition));
    return locals ? locals.before(authenticator) : authenticator;
  };
  /** For what proves no more than that the caller says so. */
  const believed = <Said extends ReturnType<Proof>>(say: (request: AuthenticationRequest) => Said) => (locals ? locals.believed(say) : say);
  const simple = (cookieType: string | undefined) => {
    const session = believed(cookieProof(cookies, cookieType === undefined ? [] : [cookieType]));
    return { session, proofs: [session, believed(simpleProof({ ...cookies, cookieType }))] };
  };
  if (isInstalled) {
    const timeline = kind === 'timeline' || kind === 'collector';
    return composed({
      ...simple(timeline ? 'simple-dt' : 'simple'),
      nobody: believed(servesAll ? anonymousCaller(undefined) : refused),
      ...(timeline ? { mayImpersonate, tokens } : {}),
    });
  }
  // Without any authentication filter the servlet has no principal, whatever the request says.
  if (!byDefault && kind === 'resourceManager') return composed({ proofs: [], nobody: believed(anonymousCaller(undefined)) });
  return composed({
    tokens,
    ...simple(habit.cookieType),
    nobody: believed(timelineServesAll ? anonymousCaller(habit.staticUser && byDefault ? settings.staticUser : undefined) : refused),
    ...(habit.impersonation ? { mayImpersonate: mayImpersonate ?? (() => false) } : {}),
  });
}

/** What tells users of this machine apart; undefined where all are let in, or this system does not tell whose a connection is. */
export function localUsersOf(configuration: Configuration): LocalUsers | undefined {
  const { trustedLocalUsers } = configuration.values(heddleSettings);
  if (trustedLocalUsers.includes('*') || !existsSync('/proc/self/net/tcp')) return undefined;
  const containers = new ContainerUsers(configuration.dataDir);
  return new LocalUsers({
    trusted: trustedUserIds(configuration),
    containerUsers: (userId) => containers.usersOf(userId),
  });
}
