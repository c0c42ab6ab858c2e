// Kerberos for the web interface of one server: its keys and rules from the settings, looked at before it starts.
import { statSync } from 'node:fs';
import type { NameOf, Proof } from '../auth/authenticator.ts';
import type { CookieOptions } from '../auth/cookie.ts';
import { configuredNames } from '../auth/kerberos/configured-names.ts';
import { Gss, GssUnavailable } from '../auth/kerberos/gss.ts';
import { keytabPrincipals } from '../auth/kerberos/keytab.ts';
import { withHost } from '../auth/kerberos/principal.ts';
import { spnegoProof } from '../auth/kerberos/spnego.ts';
import type { Configuration } from '../config/load.ts';
import { commonSettings } from '../config/settings/common.ts';
import { ConfigurationError } from '../config/table.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';

/** A setting and its value. */
interface Said {
  readonly key: string;
  readonly value: string | undefined;
}

/** The settings that name a server's principal and its keytab. */
export interface KeySettings {
  readonly principal: Said;
  readonly keytab: Said;
}

/** The principal and the keytab that the web interfaces share. */
function commonKeys(configuration: Configuration): KeySettings {
  const { httpKerberosPrincipal, httpKerberosKeytab } = commonSettings;
  const values = configuration.values(commonSettings);
  const isSaid = configuration.origin(httpKerberosPrincipal.key) !== undefined;
  return {
    principal: { key: httpKerberosPrincipal.key, value: isSaid ? values.httpKerberosPrincipal : undefined },
    keytab: { key: httpKerberosKeytab.key, value: values.httpKerberosKeytab },
  };
}

/** A server that takes tickets. */
export interface KerberosOptions {
  readonly configuration: Configuration;
  /** Its own settings; those of `hadoop.http.authentication.` where they are not set. */
  readonly own: KeySettings | undefined;
  /** Whether the timeline's own settings are for it. */
  readonly isTimeline: boolean;
  /** Host for `_HOST`. */
  readonly host: string;
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
export async function openKerberos({ configuration, own, isTimeline, host, clock, logger }: KerberosOptions): Promise<Kerberos> {
  const common = commonKeys(configuration);
  const keys = own?.keytab.value === undefined ? common : own;
  const principal = withHost(keys.principal.value || common.principal.value || '*', host);
  const keytab = lookedAt(configuration, keys, principal);
  const nameOf = configuredNames(configuration, isTimeline, principal);
  const gss = new Gss({ acceptorKeytab: keytab, clock, logger });
  try {
    await gss.ready();
  } catch (error) {
    gss.close();
    if (!(error instanceof GssUnavailable)) throw error;
    throw refused(
      configuration,
      keys.keytab.key,
      `Kerberos cannot be used: ${error.message}`,
      'Install the package beside Heddle (npm install kerberos; to compile it needs a C++ compiler and the headers of libkrb5), and the library libgssapi_krb5.',
    );
  }
  logger.info({ keytab, principal }, 'callers prove who they are by Kerberos');
  return {
    nameOf,
    proof: (cookies, cookieType) => spnegoProof({ ...cookies, cookieType, nameOf, logger, accept: (token) => gss.accept(token) }),
    close: () => gss.close(),
  };
}

const refused = (configuration: Configuration, key: string, problem: string, remedy: string): ConfigurationError =>
  new ConfigurationError(configuration.origin(key)?.source ?? 'defaults', key, problem, remedy);

/** The path of the keytab, when it can be read, by us and not by everybody, and has a key of the principal. */
function lookedAt(configuration: Configuration, keys: KeySettings, principal: string): string {
  const refuse = (key: string, problem: string, remedy: string): never => {
    throw refused(configuration, key, problem, remedy);
  };
  const keytab = keys.keytab.value;
  if (!keytab)
    return refuse(
      keys.keytab.key,
      'callers have to prove themselves by Kerberos, and no keytab is named',
      'Name the file with the keys of HTTP/host.',
    );
  let found: string[];
  try {
    if ((statSync(keytab).mode & 0o007) !== 0)
      refuse(keys.keytab.key, `${keytab} can be used by every user of this machine`, `Close it: chmod o= ${keytab}`);
    found = keytabPrincipals(keytab);
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    return refuse(
      keys.keytab.key,
      `the keytab cannot be read: ${(error as Error).message}`,
      'Make it with ktadd or ktpass, readable for the user of this server.',
    );
  }
  const usable = found.filter((name) => name.startsWith('HTTP/'));
  if (principal === '*' ? usable.length > 0 : usable.includes(principal)) return keytab;
  const has = usable.length > 0 ? `it has those of ${usable.join(', ')}` : 'it has none of HTTP/…';
  return refuse(
    principal === '*' ? keys.keytab.key : keys.principal.key,
    principal === '*' ? `${keytab} has no key of HTTP/…` : `${keytab} has no key of ${principal}: ${has}`,
    'Add the key to the keytab, or name a principal that is in it; _HOST stands for the host of the web address.',
  );
}
