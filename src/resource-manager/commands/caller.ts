// Who calls a command, whichever door the call came through.
import type { AuthenticationKind } from '../../auth/authenticator.ts';
import type { TokenRestriction } from '../../auth/bearer/restriction.ts';

/** A known caller. A door that cannot name its caller refuses the call before any command. */
export interface Caller {
  /** Short name of the user the command acts for. */
  readonly user: string;
  /** Full principal (`ada@REALM`); the short name where none was proved. */
  readonly principal: string;
  /** The proxy user who acts for `user`. */
  readonly realUser: string | undefined;
  /** How the caller proved who it is; undefined: not at all. */
  readonly authentication: AuthenticationKind | undefined;
  /** Whether what was shown goes back to a mere name. */
  readonly onlyNamed?: true;
  /** What a bearer token narrows the caller to; undefined: nothing. */
  readonly restriction?: TokenRestriction | undefined;
  /** The groups of `user`, looked up when they are asked for. */
  groups(): readonly string[];
  /** Address of the connection and forwarded-for entries, for the audit log. */
  readonly remoteAddress: string;
  /** Names its request in logs; where the door knows one. */
  readonly requestId?: string | undefined;
}

/** Whether the caller proved who it is: a name alone is no proof, nor is what was made for one. A delegation token does not say what it was made for. */
export const isProved = ({ authentication, onlyNamed }: Caller): boolean =>
  authentication !== undefined && authentication !== 'simple' && authentication !== 'token' && onlyNamed !== true;
