// How servers of one cluster, and the operator's commands, prove to each other that they belong to it: each request bears a credential
// that holds for this request alone and for a minute, made with a secret that is never sent. Whoever catches one can do nothing with it.
import { createHmac } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import { checked, fields, number, text } from '../lib/json-shape.ts';
import { failure } from '../model/errors.ts';
import { type AuthenticationRequest, type Identity, namesUser, type Proof } from './authenticator.ts';
import { bearerChallenge } from './bearer/proof.ts';
import { bearerToken, isSameSecret } from './secrets.ts';

/**
 * The user whom a server of the cluster acts for that proves itself by a ticket, percent-encoded; of anybody else it changes nothing.
 */
export const actingUserHeader = 'heddle-acting-user';

const prefix = 'heddle-service_';
const lifetimeMs = 60_000;
const purpose = 'heddle service credential';
const claimsShape = fields({ user: text({ minLength: 1, maxLength: 1024 }), expiresMs: number() });

/** What a credential is for. */
export interface SignedRequest {
  readonly method: string;
  /** Name and port as in the header Host. */
  readonly host: string;
  /** Without its query. */
  readonly path: string;
}

const sign = (secret: Buffer, { method, host, path }: SignedRequest, claims: string): string =>
  createHmac('sha256', secret).update([purpose, method, host.toLowerCase(), path, claims].join('\n')).digest('base64url');

/** What a server signs with. */
export interface SigningKeys {
  /** What the servers of the cluster share. */
  readonly secret: Buffer;
  /** What they share with its nodes, which have no other; absent: nodes on machines of their own do not believe it. */
  readonly nodeKey?: Buffer | undefined;
}

/** The header Authorization of a request that a server of the cluster sends, in the name of `user`. */
export function serviceAuthorization({ secret, nodeKey }: SigningKeys, user: string, request: SignedRequest, nowMs: number): string {
  const claims = Buffer.from(JSON.stringify({ user, expiresMs: nowMs + lifetimeMs })).toString('base64url');
  const signatures = [secret, nodeKey].flatMap((key) => (key ? sign(key, request, claims) : []));
  return `Bearer ${prefix}${[claims, ...signatures].join('.')}`;
}

/** Whose requests are taken. */
export interface ServiceProofOptions {
  readonly secret: Buffer;
  /** At a node, the keys that count now; absent elsewhere: there the secret of the servers alone counts. */
  readonly nodeKeys?: (() => readonly Buffer[]) | undefined;
  readonly clock: Clock;
  /** One who is refused is told that a ticket is taken too. */
  readonly orTicket?: boolean;
}

/** Takes requests that servers of the cluster send. */
export function serviceProof({ secret, nodeKeys = () => [], clock, orTicket = false }: ServiceProofOptions): Proof {
  const bearer = bearerChallenge('invalid_token');
  const headers = orTicket ? { 'www-authenticate': `Negotiate, ${bearer['www-authenticate']}` } : bearer;
  return (request) => {
    const token = bearerToken(request.headers as { authorization?: string });
    if (!token?.startsWith(prefix)) return undefined;
    const refused = (reason: string) => ({ refusal: failure('BEARER_INVALID', { reason, mechanism: 'server-secret' }), headers });
    const [claims = '', signature = '', ofNode = ''] = token.slice(prefix.length).split('.');
    const { method, path, remoteAddress } = request;
    const host = request.headers['host'];
    const isSigned = (text: string, key: Buffer) =>
      typeof host === 'string' && isSameSecret(text, sign(key, { method, host, path }, claims));
    if (!isSigned(signature, secret) && !nodeKeys().some((key) => isSigned(ofNode, key)))
      return refused('it was not made by a server of this cluster for this request');
    const { value } = checked(claimsShape, JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')));
    const now = clock.now();
    if (!value || !namesUser(value.user)) return refused('it names nobody');
    // Clocks of a cluster may differ; one that lasts longer than they are made was made by another version.
    if (value.expiresMs <= now - lifetimeMs || value.expiresMs > now + 2 * lifetimeMs)
      return refused("it is of another time; are the machines' clocks set?");
    const { user } = value;
    return { caller: { user, principal: user, anonymous: false, authentication: 'service', remoteAddress } };
  };
}

/**
 * Takes tickets of these principals as those of servers of the cluster, which act for whom they say. It stands around what takes tickets; `headers`
 * without the cookie: a server proves itself each time.
 */
export function serverTickets(principals: ReadonlySet<string>, proof: Proof): Proof {
  const taken = (identity: Identity, { headers }: AuthenticationRequest): Identity => {
    if (!('caller' in identity) || !principals.has(identity.caller.principal ?? '')) return identity;
    const said = headers[actingUserHeader];
    const user = said === undefined ? identity.caller.user : decoded(String(said));
    if (user === undefined || !namesUser(user))
      return { refusal: failure('BEARER_INVALID', { reason: 'it names nobody', mechanism: 'kerberos' }) };
    const mutual = identity.headers?.['www-authenticate'];
    return {
      caller: { ...identity.caller, user, authentication: 'service' },
      ...(mutual === undefined ? {} : { headers: { 'www-authenticate': mutual } }),
    };
  };
  return (request) => {
    const found = proof(request);
    return found instanceof Promise ? found.then((identity) => taken(identity, request)) : found && taken(found, request);
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
