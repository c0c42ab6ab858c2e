// Whether the resource manager has this node and starts containers on it, and what keeps it from that: for the readiness of the role, for people and for logs.
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Readiness, ReadinessSource } from '../lib/role.ts';
import { Timers } from '../lib/timers.ts';

/** How long a connection may be away before it is told: a resource manager that is started again is back by then. */
const unsaidMs = 2000;

const unhealthy = 'it is unhealthy, and nothing new starts on it: "heddle node list --all" says why';

/** What is needed. */
export interface MembershipOptions {
  /** Base URL of the resource manager, for people. */
  readonly resourceManagerUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Follows the node's way into the cluster and out of it. */
export class Membership implements ReadinessSource {
  readonly #options: MembershipOptions;
  readonly #timers: Timers;
  readonly #listeners: ((now: Readiness) => void)[] = [];
  /** The resource manager took the node up in the session that there is, or was last. */
  #registered = false;
  /** Whether it ever had this node. */
  #wasRegistered = false;
  /** Why the resource manager does not want this node; '' while nothing says so. */
  #refusal = '';
  /** The refusal is of the connection itself, not of the node. */
  #isUnproven = false;
  /** Since when there is no connection, ms since the epoch, and why not; undefined while there is one. */
  #away: { readonly sinceMs: number; why: string } | undefined;
  /** What its own checks found last. */
  #isHealthy = true;
  #told: string | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#timers = new Timers(options.clock);
    this.#away = { sinceMs: options.clock.now(), why: '' };
    this.#tellLater();
  }

  get current(): Readiness {
    const reason = this.#reason();
    if (reason === undefined) return { ready: true };
    // A node that the cluster had goes on with what runs on it: its secret may just be changed in the wrong order.
    return { ready: false, reason, ...(this.#isUnproven && !this.#away && !this.#wasRegistered ? { isHopeless: true } : {}) };
  }

  onChange(listener: (now: Readiness) => void): void {
    this.#listeners.push(listener);
  }

  /** The connection came up. The node registers, unless the session goes on (`isResumed`): then its registration stands as before. */
  connected(isResumed: boolean): void {
    this.#away = undefined;
    this.#refusal = '';
    if (!isResumed) this.#registered = false;
    if (this.#registered) this.#tell();
  }

  /** It went down, or did not come up: `why`, where that is known. */
  disconnected(why = ''): void {
    if (this.#away) this.#away.why = why || this.#away.why;
    else {
      this.#away = { sinceMs: this.#options.clock.now(), why };
      this.#tellLater();
    }
  }

  /** The resource manager took the node up. */
  registered(): void {
    this.#registered = true;
    this.#wasRegistered = true;
    this.#refusal = '';
    this.#tell();
  }

  /** What answers there could not prove that it is the resource manager, or did not believe this node. */
  unproven(why: string): void {
    this.#isUnproven = true;
    this.#refuse(why);
  }

  /** It does not want the node (any more). */
  refused(reason: string): void {
    this.#isUnproven = false;
    this.#registered = false;
    this.#refuse(reason);
  }

  #refuse(reason: string): void {
    this.#refusal = reason;
    this.#away = undefined;
    this.#tell();
  }

  /** Its own checks found that containers may start here, or may not. */
  checked(isHealthy: boolean): void {
    if (isHealthy === this.#isHealthy) return;
    this.#isHealthy = isHealthy;
    if (this.#registered && !this.#away) this.#tell();
  }

  close(): void {
    this.#timers.close();
  }

  #reason(): string | undefined {
    const { resourceManagerUrl: url } = this.#options;
    if (this.#away) {
      const why = this.#away.why === '' ? '' : ` (${this.#away.why})`;
      return `no connection to the resource manager at ${url} since ${new Date(this.#away.sinceMs).toISOString()}${why}`;
    }
    if (this.#refusal !== '') return `refused by the resource manager at ${url}: ${this.#refusal}`;
    if (!this.#registered) return `the resource manager at ${url} has not answered the registration yet`;
    // Everybody may ask whether it is ready; what a health script says is not for everybody.
    return this.#isHealthy ? undefined : unhealthy;
  }

  #tellLater(): void {
    this.#timers.set('tell', unsaidMs, () => this.#tell());
  }

  #tell(): void {
    this.#timers.cancel('tell');
    const now = this.current;
    const text = now.reason ?? '';
    if (text === this.#told) return;
    this.#told = text;
    if (now.ready) this.#options.logger.info('the resource manager has this node');
    else this.#options.logger.warn({ reason: now.reason }, 'this node is not ready');
    for (const listener of this.#listeners) listener(now);
  }
}
