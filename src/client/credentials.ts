// What a client proves itself with: headers for each of its requests.
import { readFileSync, statSync } from 'node:fs';
import { serviceAuthorization } from '../auth/service-credential.ts';
import type { Clock } from '../lib/clock.ts';

/** Headers that prove who sends a request. */
export type Authorize = (method: string, url: URL) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;

/** A client has nothing to prove itself with, such as a ticket that is over. */
export class ProofMissing extends Error {
  override readonly name = 'ProofMissing';
}

/** Proves itself with a bearer token. */
export const bearing =
  (token: string): Authorize =>
  () => ({ authorization: `Bearer ${token}` });

/** Proves itself as a server of the cluster that acts as `user`. */
export const serving =
  (secret: Buffer, user: string, clock: Clock): Authorize =>
  (method, { host, pathname: path }) => ({ authorization: serviceAuthorization(secret, user, { method, host, path }, clock.now()) });

const longestToken = 16_384;

/** The token in a file that its owner alone can read. @throws Error that says what is wrong with it */
export function readTokenFile(path: string): string {
  const { mode, size } = statSync(path);
  if ((mode & 0o077) !== 0) throw new Error(`others can read ${path}: "chmod 600" it, and revoke the token if they are not to have it`);
  const token = size > longestToken ? '' : readFileSync(path, 'utf8').trim();
  if (!/^[\w.~+/=-]+$/.test(token)) throw new Error(`${path} does not hold one token`);
  return token;
}

const mostRedirects = 3;

/**
 * Asks as `fetch` does, and goes where the answer leads with the proof of each request: for addresses whose answers come from a server of the
 * cluster alone. Elsewhere a proof never follows a redirect to another server.
 */
export async function fetchWithin(address: URL, options: RequestInit, authorize: Authorize | undefined): Promise<Response> {
  if (!authorize) return fetch(address, options);
  let url = address;
  for (let redirects = 0; ; redirects++) {
    const headers = { ...(options.headers as Record<string, string>), ...(await authorize(options.method ?? 'GET', url)) };
    const answer = await fetch(url, { ...options, headers, redirect: 'manual' });
    const location = answer.headers.get('location');
    if (answer.status < 300 || answer.status > 399 || location === null || redirects === mostRedirects) return answer;
    await answer.body?.cancel();
    url = new URL(location, url);
  }
}
