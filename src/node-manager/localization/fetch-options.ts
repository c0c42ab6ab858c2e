// What fetches work with, whatever the scheme.
import type { Agent } from 'node:http';
import type { Readable } from 'node:stream';
import type { Clock } from '../../lib/clock.ts';
import type { LocalResource } from '../../wire/cluster/launch-context.ts';
import type { FetchWatch, LocalizationLimits } from './limits.ts';

/** A process with a user's rights. */
export interface UserProcess {
  readonly output: Readable;
  readonly ended: Promise<{ readonly code: number | null; readonly problem: string }>;
}

/** A file with the resource manager. `agent` makes connections to it that are proven. */
export interface StagedPlace {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly agent?: Agent;
}

/** Where resources come from besides this machine. */
export interface FetchSources {
  /** A Hadoop property, such as `fs.s3a.endpoint`. */
  readonly property: (key: string) => string | undefined;
  /** Runs a piece of bash with the rights that the user's containers have, and in sight of what they see; absent: files of this machine are read with the node manager's own. */
  readonly actAs?: ((user: string, script: string, parameters: readonly string[], signal: AbortSignal) => Promise<UserProcess>) | undefined;
  /** A file that a client left with the resource manager (`user/application/name`): where it is, and what opens it for this user. */
  readonly staged?: (path: string, user: string) => StagedPlace;
}

/** The user and the credentials that something is fetched with. */
export interface FetchOwner {
  readonly user: string;
  /** Hadoop credentials file content of the container, base64. */
  readonly tokens?: string | undefined;
}

/** One fetch. */
export interface FetchOptions {
  readonly signal: AbortSignal;
  readonly limits: LocalizationLimits;
  readonly clock: Clock;
  readonly sources: FetchSources;
  readonly owner: FetchOwner;
}

/** What a fetch over the network works with. */
export interface RemoteFetch extends Omit<FetchOptions, 'signal'> {
  readonly resource: LocalResource;
  readonly target: string;
  readonly watch: FetchWatch;
}
