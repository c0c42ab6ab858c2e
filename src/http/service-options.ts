// What a service is made of.
import type { IncomingMessage } from 'node:http';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import type { Failure } from '../model/errors.ts';
import type { Answer, Headers } from './answers.ts';
import type { ServiceLimits } from './limits.ts';
import type { Format } from './negotiate.ts';
import type { HostNames } from './own-names.ts';
import type { Profile } from './profiles.ts';
import type { Refusal } from './route.ts';
import type { ServerTls } from './server-tls.ts';

/** What a service is made of. */
export interface ServiceOptions {
  readonly name: string;
  readonly profile: Profile;
  /** `host:port`; port 0 picks a free one. */
  readonly address: string;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  /** Names failures inside the server in answers and log; default the system's. */
  readonly random?: Random;
  /** Headers of the cross-origin filter for a request with `Origin`, or undefined. */
  readonly crossOrigin?: (request: IncomingMessage) => Headers | undefined;
  /** Value of X-Frame-Options where the profile has it, empty for none; default SAMEORIGIN. */
  readonly frameOptions?: string;
  /** Whether the web proxy relays to it. */
  readonly takesProxied?: boolean;
  /** How much it takes at once; default as the settings' defaults. */
  readonly limits?: ServiceLimits;
  /** By which names it may be addressed; default: those of this machine alone. */
  readonly hosts?: HostNames;
  /** Refuses requests after it is known who calls (cross-site guard). */
  readonly guard?: (request: { readonly method: string; readonly headers: IncomingMessage['headers'] }) => Failure | undefined;
  /** Hears of every request that was refused for who calls (401 and 403), other than those without any credentials; default the audit log. */
  readonly refused?: (refusal: Refusal) => void;
  /** Answers unknown paths; default, and where it gives undefined, as `container-pages.ts`. */
  readonly unknownPath?: (path: string, call: { readonly format: Format; readonly method: string }) => Answer | undefined;
  /** Absent: plain HTTP. */
  readonly tls?: ServerTls | undefined;
  /**
   * Longest time from the first byte of a request to its last, so that slow senders hold no connection for ever; of a body that is streamed,
   * longest time in which nothing comes. Default ten minutes.
   */
  readonly requestTimeoutMs?: number;
}
