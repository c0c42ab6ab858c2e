// Who is calling: the port that every server asks before it does anything.
import type { Socket } from 'node:net';
import { hasUnprintable } from '../lib/printable.ts';
import type { Failure } from '../model/errors.ts';
import type { TokenRestriction } from './bearer/restriction.ts';

/** What a server knows of a request before it is routed. */
export interface AuthenticationRequest {
  readonly method: string;
  readonly path: string;
  /** The path with its query, where it is known. */
  readonly url?: string;
  /** First value of a query parameter. */
  query(name: string): string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly remoteAddress: string;
  /** The connection it came on. Absent: a call inside this process. */
  readonly socket?: Socket;
  /** Names the request in logs; where it is known. */
  readonly requestId?: string | undefined;
}

/**
 * How callers prove who they are: by their name alone, a ticket, a delegation token, a bearer token of Heddle's, an issuer's token or sign-in,
 * or as a server (or the operator) of this cluster.
 */
export type AuthenticationKind = 'simple' | 'kerberos' | 'token' | 'bearer' | 'oidc' | 'service';

/** The caller. */
export interface Caller {
  /** Short name the request acts as; undefined when no user is named and no static user stands in. */
  readonly user: string | undefined;
  /** Full principal, for messages; the short name in simple mode. */
  readonly principal: string | undefined;
  /** The proxy user who acts for `user`. */
  readonly realUser?: string;
  /** Whether `user` is only the static stand-in (`dr.who`). */
  readonly anonymous: boolean;
  /** How the caller proved who it is; undefined for a caller without a name. */
  readonly authentication: AuthenticationKind | undefined;
  /** Whether what was shown goes back to a mere name: a bearer token that was made while names were believed. */
  readonly onlyNamed?: true;
  /** What a bearer token narrows the caller to; absent: nothing. */
  readonly restriction?: TokenRestriction;
  /** Address and forwarded-for entries, for access plug-ins and audit. */
  readonly remoteAddress: string;
  /** Names the request in logs; where it is known. */
  readonly requestId?: string;
}

/** What authentication says: a caller (and headers to send with the answer), or a refusal. */
export type Identity =
  | { readonly caller: Caller; readonly headers?: Readonly<Record<string, string>> }
  | { readonly refusal: Failure; readonly headers?: Readonly<Record<string, string>> }
  | {
      readonly answer: { readonly status: number; readonly contentType?: string; readonly body: string };
      /** What was refused, where the answer tells of a refusal in its own form. */
      readonly failure?: Failure;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** One way of proving who calls. Undefined: this proof is not in the request, and the next one is asked. */
export type Proof = (request: AuthenticationRequest) => Identity | Promise<Identity> | undefined;

/** Whether `realUser` may act for `target` when it calls from that address. */
export type MayImpersonate = (realUser: string, target: string, remoteAddress: string) => boolean;

/** The name of a principal's user; undefined where it is nobody's here. */
export type NameOf = (principal: string) => string | undefined;

/** Says who is calling. Must not block: what needs I/O is prepared before. A promise comes only where the call itself changes something that is kept. */
export interface Authenticator {
  identify(request: AuthenticationRequest): Identity | Promise<Identity>;
  /** Ends what it works with. */
  close?(): void;
}

/** `doAs` in every case: Hadoop reads it whatever its capitals (DelegationTokenAuthenticationFilter.getDoAs). */
const anyCase: readonly string[] = ['d', 'o', 'a', 's'].reduce(
  (names, letter) => names.flatMap((name) => [name + letter, name + letter.toUpperCase()]),
  [''],
);

/** The principal that a request acts for; undefined where it acts for its caller. */
export const actsFor = (request: AuthenticationRequest): string | undefined =>
  request.url?.includes('?') === false ? undefined : anyCase.map((name) => request.query(name)).find((text) => text !== undefined);

/** Whether a principal names a user at all: `@REALM` and blanks do not, and no name has letters that change how others are shown. */
export const namesUser = (principal: string): boolean =>
  shortName(principal).trim() !== '' && !hasUnprintable(principal) && !unseen.test(principal);

/** Letters that nobody sees, and blanks beside the usual one: a name with them looks like another. */
const unseen = /(?! )[\p{Cf}\p{Zs}]/u;

/** The user part of a principal: `ada` of `ada@REALM` and `ada/host`. */
export const shortName = (principal: string): string => {
  const end = principal.search(/[/@]/);
  return end < 0 ? principal : principal.slice(0, end);
};
