// What a client proves itself with: headers for each of its requests.
import { readFileSync, statSync } from 'node:fs';
import { actingUserHeader, type SigningKeys, serviceAuthorization } from '../auth/service-credential.ts';
import type { Clock } from '../lib/clock.ts';

type Headers = Readonly<Record<string, string>>;

/** Headers that prove who sends a request. */
export interface Authorize {
  (method: string, url: URL): Headers | Promise<Headers>;
  /** Headers for a server that was not content with these and asks for a ticket; absent: there are none. Rejects with ProofMissing. */
  readonly byTicket?: (url: URL) => Promise<Headers>;
}

/** A client has nothing to prove itself with, such as a ticket that is over. */
export class ProofMissing extends Error {
  override readonly name = 'ProofMissing';
}

/** Proves itself with a bearer token. */
export const bearing =
  (token: string): Authorize =>
  () => ({ authorization: `Bearer ${token}` });

/** Proves itself as a server of the cluster that acts as `user`, by the keys that count then. */
export const serving =
  (keys: () => SigningKeys, user: string, clock: Clock): Authorize =>
  (method, { host, pathname: path }) => ({ authorization: serviceAuthorization(keys(), user, { method, host, path }, clock.now()) });

/** Tickets of this side, as the key of a role has them. */
export interface Tickets {
  /** Origins of servers that have asked for one; it is added to. */
  readonly asking: Set<string>;
  /** A SPNEGO token, base64, for the web server of a host. */
  ticketFor(host: string): Promise<string>;
}

/** Servers that are remembered as asking for tickets. */
const mostAsking = 1000;

/**
 * Proves itself as `authorize` does, and by a ticket for the host where a server asks for one: from then on there at once. Servers of this cluster
 * know the principal, and take the request as that of `user`; for all others it is the principal's.
 */
export function alsoByTicket(authorize: Authorize, { asking, ticketFor }: Tickets, user: string): Authorize {
  const byTicket = async (url: URL): Promise<Headers> => {
    if (asking.size >= mostAsking) asking.clear();
    asking.add(url.origin);
    try {
      return { authorization: `Negotiate ${await ticketFor(url.hostname)}`, [actingUserHeader]: encodeURIComponent(user) };
    } catch (error) {
      throw new ProofMissing(`no Kerberos ticket for HTTP@${url.hostname}: ${(error as Error).message}`, { cause: error });
    }
  };
  return Object.assign((method: string, url: URL) => (asking.has(url.origin) ? byTicket(url) : authorize(method, url)), { byTicket });
}

/** Whether `WWW-Authenticate` asks for a ticket (RFC 4559). */
export const asksForTicket = (challenge: Answered['challenge']): boolean => /(?:^|,)\s*negotiate\b/i.test(String(challenge ?? ''));

/** A request about to be sent. */
export interface ProvenRequest {
  readonly method: string;
  readonly url: URL;
  readonly authorize: Authorize | undefined;
}

/** What counts of an answer. */
export interface Answered {
  readonly status: number;
  readonly challenge: string | readonly string[] | null | undefined;
  /** Its body is not wanted. */
  discard(): unknown;
}

/** Sends a request with its proof, and again with a ticket where the answer asks for one and there is one. Rejects with ProofMissing. */
export async function sendProven<Answer>(
  { method, url, authorize }: ProvenRequest,
  send: (proof: Headers) => Promise<Answer>,
  answered: (answer: Answer) => Answered,
): Promise<Answer> {
  const proof = (await authorize?.(method, url)) ?? {};
  const answer = await send(proof);
  if (!authorize?.byTicket || proof[actingUserHeader] !== undefined) return answer;
  const { status, challenge, discard } = answered(answer);
  if (status !== 401 || !asksForTicket(challenge)) return answer;
  await discard();
  return send(await authorize.byTicket(url));
}

/** As `fetch`, with a proof. Rejects with ProofMissing, and as `fetch`. */
export const fetchProven = (url: URL, options: RequestInit, authorize: Authorize | undefined): Promise<Response> =>
  sendProven(
    { method: options.method ?? 'GET', url, authorize },
    (proof) => fetch(url, { ...options, headers: { ...(options.headers as Record<string, string>), ...proof } }),
    (answer) => ({ status: answer.status, challenge: answer.headers.get('www-authenticate'), discard: () => answer.body?.cancel() }),
  );

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
    const answer = await fetchProven(url, { ...options, redirect: 'manual' }, authorize);
    const location = answer.headers.get('location');
    if (answer.status < 300 || answer.status > 399 || location === null || redirects === mostRedirects) return answer;
    await answer.body?.cancel();
    url = new URL(location, url);
  }
}
