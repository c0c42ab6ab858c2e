// People sign in to the pages: the browser is sent to the issuer and comes back with a code, which is worth a token to this server alone
// (authorization code flow with PKCE; OpenID Connect Core 1.0, section 3.1; RFC 9700).

import type { OidcRules, SignInRules } from '../../config/oidc-rules.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import { checked, fields, text } from '../../lib/json-shape.ts';
import type { Logger } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import { Failure, failure } from '../../model/errors.ts';
import type { AuthenticationRequest, Identity, Proof } from '../authenticator.ts';
import type { ClaimedGroups } from '../claimed-groups.ts';
import { isSameSecret } from '../secrets.ts';
import { type BegunSignIn, beginSignIn, begunSignIn, challengeOf, longestSignInMs, ownPath, signInCookieName } from './begun-sign-in.ts';
import { type ClaimedUser, claimedUser } from './claims.ts';
import type { FetchJson } from './fetch-json.ts';
import type { Issuer } from './issuer.ts';
import { cookieOf, readSession, type Session, sessionCookieName, sessionValue } from './session.ts';
import type { VerifyToken } from './token-verifier.ts';

export interface SignInOptions {
  readonly rules: OidcRules;
  readonly signIn: SignInRules;
  readonly issuer: Pick<Issuer, 'description'>;
  readonly verify: VerifyToken;
  readonly fetchJson: FetchJson;
  readonly isSafe: (url: string) => boolean;
  readonly groups: ClaimedGroups;
  /** Signs cookies; the same on all servers of the cluster. */
  readonly key: Buffer;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Where people sign in and out, on every server. */
export const signInPath = '/heddle/sign-in';
const returnPath = `${signInPath}/return`;
const signOutPath = '/heddle/sign-out';

const tokenAnswer = fields({ id_token: text({ minLength: 1, maxLength: 65_536 }) });
const mostExchanges = 32;
const mostUsed = 10_000;

/** Takes callers who have signed in, and lets them sign in and out. */
export function signInProof(options: SignInOptions): Proof {
  const pages = new SignInPages(options);
  return (request) => pages.prove(request);
}

class SignInPages {
  readonly #options: SignInOptions;
  /** States of sign-ins that ended, and sessions that were signed out: until when they would have counted. */
  readonly #used = new BoundedMap<string, number>(mostUsed);
  #exchanges = 0;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  prove(request: AuthenticationRequest): Identity | Promise<Identity> | undefined {
    switch (request.path) {
      case signInPath:
        return request.method === 'GET' ? this.#guarded(() => this.#begin(request)) : wrongMethod('GET');
      case returnPath:
        return request.method === 'GET' ? this.#guarded(() => this.#end(request)) : wrongMethod('GET');
      case signOutPath:
        return this.#signOut(request);
      default:
        return this.#signedIn(request);
    }
  }

  #session(request: AuthenticationRequest): Session | undefined {
    const value = cookieOf(request.headers['cookie'], sessionCookieName);
    const session = value === undefined ? undefined : readSession(this.#options.key, value, this.#options.clock.now());
    return session && !this.#used.has(session.id) ? session : undefined;
  }

  #signedIn(request: AuthenticationRequest): Identity | undefined {
    const session = this.#session(request);
    if (!session) return undefined;
    const { user, groups, scope, sinceMs, untilMs } = session;
    this.#options.groups.learn(user, { groups, saidMs: sinceMs, untilMs });
    const { remoteAddress } = request;
    return { caller: { user, principal: user, anonymous: false, authentication: 'oidc', restriction: { scope }, remoteAddress } };
  }

  /** Runs what asks the issuer; what goes wrong is a page. */
  async #guarded(run: () => Promise<Identity>): Promise<Identity> {
    if (this.#exchanges >= mostExchanges) return { refusal: failure('OVERLOADED', { what: 'Signing in', seconds: 1 }) };
    this.#exchanges++;
    try {
      return await run();
    } catch (error) {
      if (error instanceof Failure) return { refusal: error };
      this.#options.logger.warn({ err: error }, 'a user could not sign in');
      return failed(502, 'The issuer did not answer as it should.');
    } finally {
      this.#exchanges--;
    }
  }

  async #begin(request: AuthenticationRequest): Promise<Identity> {
    const { signIn, issuer, isSafe, key, random, clock } = this.#options;
    const { authorization_endpoint: endpoint } = await issuer.description();
    if (endpoint === undefined || !isSafe(endpoint)) throw new Error('the issuer names no safe address to sign in at');
    const { state, nonce, verifier, cookie } = beginSignIn(key, random.bytes(32), ownPath(request.query('to')), clock.now());
    const url = new URL(endpoint);
    const asked = {
      response_type: 'code',
      client_id: signIn.clientId,
      redirect_uri: returnUrl(signIn, request),
      scope: signIn.scopes.join(' '),
      state,
      nonce,
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
    const set = setCookie(request, signInCookieName(state), cookie, longestSignInMs, signInPath);
    return redirect(url.href, { 'set-cookie': set });
  }

  async #end(request: AuthenticationRequest): Promise<Identity> {
    const { rules, key, clock } = this.#options;
    const state = request.query('state') ?? '';
    const cookie = cookieOf(request.headers['cookie'], signInCookieName(state));
    const begun = cookie === undefined ? undefined : begunSignIn(key, cookie, state, clock.now());
    if (!begun || this.#used.has(state)) return failed(400, 'This sign-in did not begin here, is over, or took too long.');
    this.#use(state, clock.now() + longestSignInMs);
    // An answer of another issuer is not for this one (RFC 9207).
    const from = request.query('iss');
    if (from !== undefined && from !== rules.issuer) return failed(400, 'The answer is of another issuer.');
    const code = request.query('code');
    if (code === undefined || code === '') return failed(403, 'The issuer let nobody in.');
    const claimed = await this.#exchange(code, begun, request);
    return typeof claimed === 'string' ? failed(403, claimed) : this.#begun(claimed, begun.to, request);
  }

  /** Whom a code is of, or why nobody. */
  async #exchange(code: string, { nonce, verifier }: BegunSignIn, request: AuthenticationRequest): Promise<ClaimedUser | string> {
    const { rules, signIn, issuer, verify, fetchJson, isSafe } = this.#options;
    const { token_endpoint: endpoint } = await issuer.description();
    if (endpoint === undefined || !isSafe(endpoint)) throw new Error('the issuer names no safe address for codes');
    const { clientId, clientSecret } = signIn;
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: returnUrl(signIn, request),
      client_id: clientId,
      code_verifier: verifier,
    });
    // RFC 6749, section 2.3.1.
    const credentials = clientSecret === undefined ? undefined : [clientId, clientSecret].map(encodeURIComponent).join(':');
    const headers: Record<string, string> =
      credentials === undefined ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
    const { status, value } = await fetchJson(endpoint, { form, headers });
    const { value: answer } = checked(tokenAnswer, value);
    if (status !== 200 || !answer) return 'The issuer gave nothing for the code.';
    const claims = await verify(answer.id_token, [clientId]);
    if (typeof claims === 'string') return `The token of the issuer does not count: ${claims}.`;
    if (typeof claims['nonce'] !== 'string' || !isSameSecret(claims['nonce'], nonce))
      return 'The token of the issuer is of another sign-in.';
    const party = claims['azp'] ?? (Array.isArray(claims.aud) && claims.aud.length > 1 ? undefined : clientId);
    if (party !== clientId) return 'The token of the issuer is for another client.';
    const claimed = claimedUser(rules, claims);
    return typeof claimed === 'string' ? `The token of the issuer names nobody here: ${claimed}.` : claimed;
  }

  #begun({ user, groups, scope }: ClaimedUser, to: string, request: AuthenticationRequest): Identity {
    const { key, clock, random, signIn } = this.#options;
    const sinceMs = clock.now();
    const id = random.bytes(16).toString('base64url');
    const value = sessionValue(key, { t: 'oidc', id, user, groups, scope, sinceMs, untilMs: sinceMs + signIn.sessionMs });
    if (value === undefined) return failed(403, `${user} is in more groups than a cookie has room for; have the issuer tell fewer.`);
    return redirect(to, { 'set-cookie': setCookie(request, sessionCookieName, value, signIn.sessionMs, '/') });
  }

  #signOut(request: AuthenticationRequest): Identity {
    if (request.method === 'GET')
      return page(200, 'Sign out', `<form method="post" action="${signOutPath}"><button>Sign out</button></form>`);
    if (request.method !== 'POST') return wrongMethod('GET, POST');
    // Only a page of this server signs a user out.
    const site = request.headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin') return failed(403, 'That was not asked for here.');
    const session = this.#session(request);
    if (session) this.#use(session.id, session.untilMs);
    const cleared = setCookie(request, sessionCookieName, '', 0, '/');
    return page(200, 'Signed out', `<p>You are signed out here. <a href="${signInPath}">Sign in</a></p>`, { 'set-cookie': cleared });
  }

  #use(name: string, untilMs: number): void {
    const now = this.#options.clock.now();
    if (this.#used.size >= mostUsed) for (const [other, endMs] of this.#used) if (endMs <= now) this.#used.delete(other);
    this.#used.set(name, untilMs);
  }
}

const isEncrypted = ({ socket }: AuthenticationRequest): boolean => socket !== undefined && 'encrypted' in socket;

function returnUrl(signIn: SignInRules, request: AuthenticationRequest): string {
  return signIn.returnUrl ?? `${isEncrypted(request) ? 'https' : 'http'}://${String(request.headers['host'] ?? '')}${returnPath}`;
}

const setCookie = (request: AuthenticationRequest, name: string, value: string, ageMs: number, path: string): string =>
  `${name}=${value}; Path=${path}; Max-Age=${Math.floor(ageMs / 1000)}; HttpOnly; SameSite=Lax${isEncrypted(request) ? '; Secure' : ''}`;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character]!);

/** Nothing of signing in is kept on the way. */
const unkept = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

const redirect = (location: string, headers: Readonly<Record<string, string>> = {}): Identity => ({
  answer: { status: 302, contentType: 'text/plain;charset=utf-8', body: '' },
  headers: { ...unkept, ...headers, location },
});

function page(status: number, title: string, markup: string, headers: Readonly<Record<string, string>> = {}): Identity {
  const body = `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${title}</title></head>\n<body><h1>${title}</h1>\n${markup}</body>\n</html>\n`;
  return { answer: { status, contentType: 'text/html;charset=utf-8', body }, headers: { ...unkept, ...headers } };
}

const failed = (status: number, reason: string): Identity => ({
  ...page(status, 'Not signed in', `<p>${escaped(reason)}</p>\n<p><a href="${signInPath}">Sign in again</a></p>`),
  ...(status < 500 ? { failure: failure('BEARER_INVALID', { reason, mechanism: 'openid-connect', auditedReason: reason }) } : {}),
});

const wrongMethod = (allow: string): Identity => ({
  answer: { status: 405, contentType: 'text/plain;charset=utf-8', body: '' },
  headers: { allow },
});

/** Where a browser that asks for a page is sent that nobody is signed in with; undefined for programs. */
export function signInAddress({ method, path, url, headers }: AuthenticationRequest): string | undefined {
  const accept = headers['accept'];
  const wantsPage = method === 'GET' && typeof accept === 'string' && /\btext\/html\b/.test(accept);
  const isProgram = path.startsWith('/ws/') || path.startsWith('/api/') || headers['authorization'] !== undefined;
  return wantsPage && !isProgram ? `${signInPath}?to=${encodeURIComponent(url ?? path)}` : undefined;
}
