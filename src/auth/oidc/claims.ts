// Whom an issuer's claims name, with which groups and which scope.
import type { OidcRules } from '../../config/oidc-rules.ts';
import { type TokenScope, tokenScopes } from '../bearer/restriction.ts';

/** Who a token or a sign-in is of. */
export interface ClaimedUser {
  readonly user: string;
  readonly groups: readonly string[];
  readonly scope: TokenScope;
}

const longestName = 256;
const mostGroups = 1_000;
/** Nothing that access lists, paths, cookies or terminals take for something else. */
const unsuitable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s,/@&]/u;
const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value !== '*' && value.length <= longestName && !unsuitable.test(value);

/** Reads claims. A text instead says why they name nobody here. */
export function claimedUser(rules: OidcRules, claims: Readonly<Record<string, unknown>>): ClaimedUser | string {
  const named = claims[rules.userClaim];
  if (typeof named !== 'string') return `it has no claim ${rules.userClaim}`;
  const user = withoutDomain(named, rules.userDomain);
  if (user === undefined || !isName(user)) return `its claim ${rules.userClaim} is no name of a user here`;
  if (rules.userClaim === 'email' && claims['email_verified'] !== true) return 'its address is not verified';
  const scope = widestScope(rules, claims);
  if (scope === undefined) return 'it has no scope that counts here';
  return { user, groups: groupsIn(claims[rules.groupsClaim]), scope };
}

function withoutDomain(name: string, domain: string | undefined): string | undefined {
  if (domain === undefined) return name;
  const end = `@${domain.replace(/^@/, '').toLowerCase()}`;
  return name.toLowerCase().endsWith(end) ? name.slice(0, -end.length) : undefined;
}

/** Groups that have a name; what is none is left out, it can stand in no list. */
const groupsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.slice(0, mostGroups).filter(isName) : []);

/** The scopes of a token: texts separated by blanks (RFC 8693, section 4.2), or a list. */
function scopesIn({ scope, scp }: Readonly<Record<string, unknown>>): readonly unknown[] {
  const said = scope ?? scp;
  if (typeof said === 'string') return said.split(' ');
  return Array.isArray(said) ? said : [];
}

function widestScope({ scopeOf, usualScope }: OidcRules, claims: Readonly<Record<string, unknown>>): TokenScope | undefined {
  const own = scopesIn(claims).flatMap((name) => (typeof name === 'string' ? (scopeOf.get(name) ?? []) : []));
  return tokenScopes.findLast((scope) => own.includes(scope)) ?? usualScope;
}
