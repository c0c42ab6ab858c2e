// What is believed of an OpenID Connect issuer, from the settings, checked.
import { readFileSync } from 'node:fs';
import { isLoopbackAddress } from '../lib/loopback.ts';
import { systemErrorText } from '../lib/system-error.ts';
import type { Configuration } from './load.ts';
import { settingFault } from './setting-fault.ts';
import { securitySettings } from './settings/security.ts';

/** Signatures by a key that only the issuer has. Those by a shared secret, and none, are never taken. */
const safeAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
const scopes = ['read', 'submit', 'admin'] as const;

/** The rules for one issuer. */
export interface OidcRules {
  /** As it names itself, without a slash at its end unless it has one. */
  readonly issuer: string;
  /** Where its keys are; undefined: where its description says. */
  readonly keysUrl: string | undefined;
  /** Those for whom a token may be made out; empty: tokens are not taken, only sign-ins. */
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  readonly userClaim: string;
  /** Cut off from names of users, which must end with it; undefined: names are taken whole. */
  readonly userDomain: string | undefined;
  readonly groupsClaim: string;
  /** Scopes of Heddle's by those of the issuer. */
  readonly scopeOf: ReadonlyMap<string, (typeof scopes)[number]>;
  /** What counts for who has none of them; undefined: refused. */
  readonly usualScope: (typeof scopes)[number] | undefined;
  readonly clockSkewMs: number;
  readonly keysUsableMs: number;
  /** How people sign in; undefined: they do not. */
  readonly signIn: SignInRules | undefined;
}

/** The rules for signing in. */
export interface SignInRules {
  readonly clientId: string;
  /** Undefined: the client has none (a public client). */
  readonly clientSecret: string | undefined;
  /** What the issuer is asked for, `openid` among it. */
  readonly scopes: readonly string[];
  /** Where the issuer sends people back to; undefined: to the address under which they called. */
  readonly returnUrl: string | undefined;
  readonly sessionMs: number;
}

/** The rules, where an issuer is to be believed. @throws ConfigurationError for what is missing or unsafe */
export function oidcRules(configuration: Configuration): OidcRules {
  const own = configuration.values(securitySettings);
  const refuse = (entry: { readonly key: string }, problem: string, remedy: string): never => {
    throw settingFault(configuration, entry.key, problem, remedy);
  };
  const { oidcIssuer, oidcJwksUri, oidcReturnUrl } = securitySettings;
  if (own.oidcIssuer === undefined || own.oidcIssuer === '')
    return refuse(
      oidcIssuer,
      'the issuer is not named, and oidc is asked for',
      'Write its address, such as https://login.example.org/realms/x.',
    );
  for (const [entry, text] of [
    [oidcIssuer, own.oidcIssuer],
    [oidcJwksUri, own.oidcJwksUri],
    [oidcReturnUrl, own.oidcReturnUrl],
  ] as const)
    if (text !== undefined && !isSafeUrl(text))
      refuse(entry, `'${text}' is no https address`, 'Write https://…; http is taken on loopback alone.');
  const unsafe = own.oidcAlgorithms.find((algorithm) => !safeAlgorithms.includes(algorithm));
  if (unsafe !== undefined)
    refuse(securitySettings.oidcAlgorithms, `'${unsafe}' is not taken`, `Write some of ${safeAlgorithms.join(', ')}.`);
  const scopeOf = new Map(
    own.oidcScopeMapping.map((text) => {
      const at = text.lastIndexOf('=');
      const scope = scopes.find((each) => each === text.slice(at + 1).trim());
      if (at < 1 || !scope)
        return refuse(securitySettings.oidcScopeMapping, `'${text}' is no mapping`, 'Write THEIRS=read, THEIRS=submit or THEIRS=admin.');
      return [text.slice(0, at).trim(), scope] as const;
    }),
  );
  const { oidcClientId: clientId, oidcClientSecretFile: secretFile } = own;
  if (own.oidcAudience.length === 0 && !clientId)
    refuse(
      securitySettings.oidcAudience,
      'neither an audience nor a client is named',
      'Name the audience of tokens, or heddle.security.oidc.client-id to sign people in, or both.',
    );
  const secretIn = (path: string): string => {
    try {
      return readFileSync(path, 'utf8').trim();
    } catch (error) {
      const reason = systemErrorText(error);
      return refuse(
        securitySettings.oidcClientSecretFile,
        `${path} cannot be read (${reason})`,
        'Name the file with the secret of the client, and let this user read it.',
      );
    }
  };
  return {
    issuer: own.oidcIssuer,
    keysUrl: own.oidcJwksUri,
    audiences: own.oidcAudience,
    algorithms: own.oidcAlgorithms,
    userClaim: own.oidcUserClaim,
    userDomain: own.oidcUserDomain || undefined,
    groupsClaim: own.oidcGroupsClaim,
    scopeOf,
    usualScope: scopes.find((each) => each === own.oidcUsualScope),
    clockSkewMs: own.oidcClockSkewMs,
    keysUsableMs: own.oidcKeysUsableMs,
    signIn: clientId
      ? {
          clientId,
          clientSecret: secretFile === undefined ? undefined : secretIn(secretFile),
          scopes: [...new Set(['openid', ...own.oidcSignInScopes])],
          returnUrl: own.oidcReturnUrl,
          sessionMs: own.oidcSessionMs,
        }
      : undefined,
  };
}

/** Whether nobody on the way can change what is read there. */
export function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  const host = hostname.replace(/^\[|\]$/g, '');
  return protocol === 'https:' || (protocol === 'http:' && (host === 'localhost' || isLoopbackAddress(host)));
}
