// The key of a role: what callers of Hadoop RPC have tickets for, and what the role gets tickets of its own with, which it shows to other servers. It
// is proven at the start, as Hadoop's daemons log in (SecurityUtil.login).

import type { Configuration } from '../../config/load.ts';
import { mechanismOf } from '../../config/mechanism.ts';
import { settingFault } from '../../config/setting-fault.ts';
import { commonSettings } from '../../config/settings/common.ts';
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Gss } from './gss.ts';
import { type KeyedRole, roleKeySettings, rolePrincipal } from './role-principals.ts';
import { serverKeytab } from './server-key.ts';

/** What works with the key. */
export type RoleGss = Pick<Gss, 'begin' | 'login' | 'show' | 'close'>;

/** What a role is started with. */
export interface RoleKeyOptions {
  readonly role: KeyedRole;
  readonly configuration: Configuration;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Makes what works with the keytab; default: a process of its own. */
  readonly gssOf?: (acceptorKeytab: string) => RoleGss;
}

/** A key that the KDC has believed. */
export interface RoleKey {
  /** `rm/host@REALM`. */
  readonly principal: string;
  readonly gss: Pick<RoleGss, 'begin'>;
  /** Origins of servers that have asked for a ticket: who calls them adds them, and shows one there at once from then on. */
  readonly asking: Set<string>;
  /** A fresh SPNEGO token, base64, for the web server of a host. @throws GssRefused, GssUnavailable */
  ticketFor(host: string): Promise<string>;
  close(): void;
}

/** Whether anything of the cluster asks for tickets. */
export const asksForTickets = (configuration: Configuration): boolean =>
  configuration.values(commonSettings).securityAuthentication.trim().toLowerCase() === 'kerberos' ||
  [true, false].some((isTimeline) => mechanismOf(configuration, isTimeline) === 'kerberos');

/**
 * Logs the role in, and keeps it logged in. Undefined where nothing asks for tickets, or no keytab is named.
 * @throws ConfigurationError saying what is missing, or why the KDC refuses
 */
export async function openRoleKey(options: RoleKeyOptions): Promise<RoleKey | undefined> {
  const { role, configuration, clock, logger } = options;
  const keys = roleKeySettings(role, configuration);
  if (!asksForTickets(configuration)) return undefined;
  if (!keys.keytab.value || configuration.origin(keys.keytab.key) === undefined) {
    logger.info({ key: keys.keytab.key }, 'no keytab is named: this server has no Kerberos ticket of its own');
    return undefined;
  }
  const refuse = (key: string, problem: string, remedy: string) => settingFault(configuration, key, problem, remedy);
  const principal = rolePrincipal(role, configuration);
  if (principal === undefined)
    throw refuse(keys.principal.key, 'a keytab is named, and no principal', `Name the principal whose key is in ${keys.keytab.value}.`);
  const keytab = serverKeytab(configuration, keys, principal, '');
  try {
    import.meta.resolve('koffi');
  } catch {
    throw refuse(
      keys.keytab.key,
      "a server's own Kerberos key needs the package koffi, which is not there",
      'Install it beside Heddle (npm install koffi), or leave the keytab out.',
    );
  }
  const gss = options.gssOf?.(keytab) ?? new (await import('./gss.ts')).Gss({ acceptorKeytab: keytab, clock, logger });
  let lifetimeMs: number;
  try {
    lifetimeMs = await gss.login(principal, keytab);
  } catch (error) {
    gss.close();
    throw refuse(
      keys.keytab.key,
      `Kerberos gives no ticket for ${principal}: ${(error as Error).message}`,
      'See that a KDC of krb5.conf answers, that it knows the principal, and that the keytab has its newest key (kinit -k -t KEYTAB PRINCIPAL says the same).',
    );
  }
  logger.info({ principal, keytab, lifetimeMs }, 'this server has a Kerberos ticket of its own');
  const renewal = new Renewal(async () => gss.login(principal, keytab), { principal, clock, logger });
  renewal.next(lifetimeMs);
  return {
    principal,
    gss,
    asking: new Set(),
    ticketFor: (host) => gss.show(`HTTP@${host}`, principal, keytab),
    close() {
      renewal.close();
      gss.close();
    },
  };
}

/** Part of a ticket's time after which the next one is asked for, as Hadoop does (UserGroupInformation.TICKET_RENEW_WINDOW). */
const renewalPart = 0.8;
const retryMs = 60_000;
const shortestPauseMs = 1_000;

/** Gets the next ticket before the last one ends, and again and again where the KDC does not give it. */
class Renewal {
  readonly #login: () => Promise<number>;
  readonly #about: Pick<RoleKeyOptions, 'clock' | 'logger'> & { readonly principal: string };
  #timer: Timer | undefined;
  #isClosed = false;
  #isFailing = false;

  constructor(login: () => Promise<number>, about: Pick<RoleKeyOptions, 'clock' | 'logger'> & { readonly principal: string }) {
    this.#login = login;
    this.#about = about;
  }

  /** A ticket that lasts so long was got. */
  next(lifetimeMs: number): void {
    this.#wait(lifetimeMs * renewalPart, lifetimeMs * (1 - renewalPart));
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  /** `leftMs`: what is left of the ticket then; it is tried several times in that. */
  #wait(delayMs: number, leftMs: number): void {
    if (!this.#isClosed) this.#timer = this.#about.clock.setTimer(Math.max(delayMs, shortestPauseMs), () => void this.#renew(leftMs));
  }

  async #renew(leftMs: number): Promise<void> {
    const { principal, logger } = this.#about;
    try {
      const lifetimeMs = await this.#login();
      if (this.#isFailing) logger.info({ principal, lifetimeMs }, 'this server has a Kerberos ticket of its own again');
      this.#isFailing = false;
      this.next(lifetimeMs);
    } catch (error) {
      if (this.#isClosed) return;
      this.#isFailing = true;
      const pauseMs = Math.min(retryMs, Math.max(leftMs / 4, shortestPauseMs));
      logger.warn(
        { principal, reason: (error as Error).message, leftMs, retryMs: pauseMs },
        'the Kerberos ticket of this server was not renewed',
      );
      this.#wait(pauseMs, Math.max(0, leftMs - pauseMs));
    }
  }
}
