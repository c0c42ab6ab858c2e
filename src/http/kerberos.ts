// Kerberos for the web interface of one server: its keys and rules from the settings, looked at before it starts.

import type { NameOf, Proof } from '../auth/authenticator.ts';
import type { CookieOptions } from '../auth/cookie.ts';
import { configuredNames } from '../auth/kerberos/configured-names.ts';
import { Gss, GssUnavailable } from '../auth/kerberos/gss.ts';
import { serverPrincipals } from '../auth/kerberos/role-principals.ts';
import { spnegoProof } from '../auth/kerberos/spnego.ts';
import { webKeytab } from '../auth/kerberos/web-keys.ts';
import { serverTickets } from '../auth/service-credential.ts';
import type { Configuration } from '../config/load.ts';
import { settingFault } from '../config/setting-fault.ts';
import type { WebServerName } from '../config/web-addresses.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';

/** A server that takes tickets. */
export interface KerberosOptions {
  readonly configuration: Configuration;
  /** Whose keys: its own; those of `hadoop.http.authentication.` where they are not set. */
  readonly server: WebServerName;
  /** Whether the timeline's own settings are for it. */
  readonly isTimeline: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Kerberos, ready for use. */
export interface Kerberos {
  readonly nameOf: NameOf;
  proof(cookies: CookieOptions, cookieType: string): Proof;
  close(): void;
}

/** Looks at the keys and the rules, and starts what accepts tickets. @throws ConfigurationError saying what is missing */
export async function openKerberos({ configuration, server, isTimeline, clock, logger }: KerberosOptions): Promise<Kerberos> {
  const { keytab, principal, key } = webKeytab(server, configuration);
  const nameOf = configuredNames(configuration, isTimeline, principal);
  const gss = new Gss({ acceptorKeytab: keytab, clock, logger });
  try {
    await gss.ready();
  } catch (error) {
    gss.close();
    if (!(error instanceof GssUnavailable)) throw error;
    throw settingFault(
      configuration,
      key,
      `Kerberos cannot be used: ${error.message}`,
      'Install the package beside Heddle (npm install kerberos; to compile it needs a C++ compiler and the headers of libkrb5), and the library libgssapi_krb5.',
    );
  }
  logger.info({ keytab, principal }, 'callers prove who they are by Kerberos');
  const servers = serverPrincipals(configuration);
  return {
    nameOf,
    proof: (cookies, cookieType) =>
      serverTickets(servers, spnegoProof({ ...cookies, cookieType, nameOf, logger, accept: (token) => gss.accept(token) })),
    close: () => gss.close(),
  };
}
