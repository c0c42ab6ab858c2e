// What `heddle doctor` finds wrong with the issuer of OpenID Connect that the settings name, and with the token of who runs it.
import { fetchJson } from '../auth/oidc/fetch-json.ts';
import { Issuer } from '../auth/oidc/issuer.ts';
import { believeAuthorities } from '../client/authorities.ts';
import { readTokenFile } from '../client/credentials.ts';
import { authenticationRules } from '../config/authentication-rules.ts';
import type { Configuration } from '../config/load.ts';
import { isSafeUrl, type OidcRules, oidcRules } from '../config/oidc-rules.ts';
import { securitySettings } from '../config/settings/security.ts';
import { systemClock } from '../lib/clock.ts';
import { isObject } from '../lib/json-shape.ts';
import { silentLogger } from '../lib/log.ts';
import { systemErrorText } from '../lib/system-error.ts';
import { type Finding, problem, refusal } from './finding.ts';
import { formatTime } from './output.ts';

/** Where an issuer is believed: whether it describes itself, has keys and lets people sign in, and whether the token of this user is for this cluster. */
export async function findIssuer(configuration: Configuration): Promise<Finding[]> {
  let rules: OidcRules;
  try {
    if (!authenticationRules(configuration, false).ways.includes('oidc')) return [];
    rules = oidcRules(configuration);
  } catch (error) {
    return [refusal(error)];
  }
  believeAuthorities(configuration);
  return [...findAudience(rules), ...(await findAnswers(rules)), ...findToken(configuration, rules)];
}

function findAudience({ audiences }: OidcRules): Finding[] {
  if (audiences.length > 0) return [];
  const { key } = securitySettings.oidcAudience;
  return [
    {
      level: 'note',
      what: `people can sign in, and no program gets in with a token of the issuer: ${key} names no audience`,
      remedy: `Set ${key} to the audience that the issuer writes into tokens for this cluster, if programs are to use them.`,
    },
  ];
}

async function findAnswers({ issuer, keysUrl, keysUsableMs, signIn }: OidcRules): Promise<Finding[]> {
  const { createLocalJWKSet } = await import('jose');
  const looked = new Issuer({
    ...{ issuer, keysUrl, keysUsableMs, fetchJson },
    isSafe: isSafeUrl,
    createKeySet: createLocalJWKSet,
    clock: systemClock,
    logger: silentLogger,
  });
  try {
    const description = await looked.look();
    const missing = (['authorization_endpoint', 'token_endpoint'] as const).filter((name) => description?.[name] === undefined);
    if (!signIn || missing.length === 0) return [];
    const remedy = `Name the issuer as it names itself in ${securitySettings.oidcIssuer.key}, or take ${securitySettings.oidcClientId.key} away.`;
    return [problem(`nobody can sign in: the issuer ${issuer} does not say its ${missing.join(' and ')}`, remedy)];
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
    return [
      problem(
        `nobody is known by a token of the issuer ${issuer}: ${reason}`,
        `See that this machine reaches ${issuer.replace(/\/$/, '')}/.well-known/openid-configuration and the keys that it names, that its certificate is believed (NODE_EXTRA_CA_CERTS, heddle.tls.ca-file), and that it names itself as ${securitySettings.oidcIssuer.key} does.`,
      ),
    ];
  }
}

/** What a token of the issuer says that it is for, where the settings or the environment name one; its signature is the servers' matter. */
function findToken(configuration: Configuration, rules: OidcRules): Finding[] {
  const path = process.env['HEDDLE_TOKEN_FILE'] ?? configuration.values(securitySettings).tokenFile;
  if (path === undefined) return [];
  let token: string;
  try {
    token = readTokenFile(path);
  } catch (error) {
    return [problem(systemErrorText(error), 'Let the file be readable for its owner alone, and hold one token.')];
  }
  const claims = claimsOf(token);
  if (!claims) return [];
  const remedy = 'Get a token of the issuer for this cluster.';
  const found: Finding[] = [];
  const audiences = [claims['aud']].flat().map(String);
  if (claims['iss'] !== rules.issuer) found.push(problem(`the token in ${path} is of ${claims['iss']}, not of ${rules.issuer}`, remedy));
  else if (!audiences.some((audience) => rules.audiences.includes(audience)))
    found.push(
      problem(`the token in ${path} is for ${audiences.join(', ')}, not for ${rules.audiences.join(', ') || 'this cluster'}`, remedy),
    );
  const { exp } = claims;
  if (typeof exp === 'number' && exp * 1000 + rules.clockSkewMs < systemClock.now())
    found.push(problem(`the token in ${path} ended at ${formatTime(exp * 1000)}`, remedy));
  return found;
}

/** What a JSON Web Token says of itself; undefined for one of another kind. */
function claimsOf(token: string): Record<string, unknown> | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return isObject(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}
