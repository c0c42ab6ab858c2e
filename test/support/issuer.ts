// A real OpenID Connect issuer on loopback (oidc-provider), whose key tests have, too; and a browser that signs in there.
import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider from 'oidc-provider';

/** An issuer that runs. */
export interface TestIssuer extends AsyncDisposable {
  readonly url: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  /** Requests so far, as `GET /path`. */
  readonly asked: string[];
  /** A token under its key: by default of ann, for `heddle`, of now and for five minutes. */
  token(claims?: JWTPayload, header?: { kid?: string; typ?: string }): Promise<string>;
  /** Stops listening, as an issuer that is down. */
  stop(): Promise<void>;
  /** Listens again. */
  start(): Promise<void>;
}

/** What the issuer's client is given. */
export const clientSecret = 'a secret of the client: 1/2';

/** Starts one on a port of loopback that sends people back to the given addresses. */
export async function startIssuer(port: number, returnUrls: readonly string[]): Promise<TestIssuer> {
  const url = `http://127.0.0.1:${port}`;
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const provider = new Provider(url, {
    jwks: { keys: [key] },
    clients: [
      {
        client_id: 'heddle-pages',
        client_secret: clientSecret,
        redirect_uris: returnUrls,
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups'] },
    // Claims stand in the token itself.
    conformIdTokenClaims: false,
    cookies: { keys: ['a', 'b'] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, preferred_username: id, groups: id === 'ann' ? ['crew', 'staff'] : [] }),
    }),
  });
  const asked: string[] = [];
  let server: Server | undefined;
  const start = () =>
    new Promise<void>((done) => {
      const answer = provider.callback();
      server = createServer((request, response) => {
        asked.push(`${request.method} ${request.url?.split('?')[0]}`);
        answer(request, response);
      });
      server.listen(port, '127.0.0.1', done);
    });
  const stop = () =>
    new Promise<void>((done) => {
      server?.closeAllConnections();
      server?.close(() => done());
    });
  await start();
  return {
    ...{ url, privateKey, publicKey, asked, start, stop },
    token: (claims = {}, header = {}) => {
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT({ iss: url, aud: 'heddle', sub: 'ann', iat: now, exp: now + 300, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
        .sign(privateKey);
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** A browser: it keeps cookies by host, follows no redirect by itself, and reads forms. */
export class Browser {
  readonly cookies = new Map<string, string>();

  /** Asks for a page. */
  async go(
    url: string,
    options: { method?: string; form?: Record<string, string>; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      method: options.method ?? (options.form ? 'POST' : 'GET'),
      headers: { accept: 'text/html,application/xhtml+xml', ...(cookie ? { cookie } : {}), ...options.headers },
      redirect: 'manual',
      ...(options.form ? { body: new URLSearchParams(options.form) } : {}),
    });
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const at = pair.indexOf('=');
      const isGone = /max-age=0(;|$)|expires=Thu, 01 Jan 1970/i.test(set) || pair.slice(at + 1) === '';
      if (isGone) this.cookies.delete(pair.slice(0, at));
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return answer;
  }

  /** Follows redirects and fills in the issuer's forms as `user`, until a page below `home` answers otherwise, or `stopsAt` is reached. */
  async signIn(first: string, user: string, stopsAt?: string): Promise<{ readonly url: string; readonly answer: Response }> {
    let url = first;
    let answer = await this.go(url);
    for (let step = 0; step < 20; step++) {
      const location = answer.headers.get('location');
      if (location !== null) {
        url = new URL(location, url).href;
        if (stopsAt !== undefined && url.includes(stopsAt)) return { url, answer };
        answer = await this.go(url);
        continue;
      }
      const page = await answer.clone().text();
      const action = /<form[^>]*action="([^"]+)"[^>]*method="post"/.exec(page)?.[1];
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
      if (action === undefined || prompt === undefined) break;
      url = new URL(action, url).href;
      answer = await this.go(url, { form: prompt === 'login' ? { prompt, login: user, password: 'x' } : { prompt } });
    }
    return { url, answer };
  }
}
