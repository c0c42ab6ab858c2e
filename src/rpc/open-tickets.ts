// Kerberos tickets on the ports of a server: its key from the settings, looked at before it starts. The process that works with the key starts with
// the first login.
import { configuredNames } from '../auth/kerberos/configured-names.ts';
import { Gss } from '../auth/kerberos/gss.ts';
import { withHost } from '../auth/kerberos/principal.ts';
import { type KeySettings, refusedKey, serverKeytab } from '../auth/kerberos/server-key.ts';
import type { MayImpersonate } from '../auth/proxy-users.ts';
import type { Configuration } from '../config/load.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { TicketLogin } from './gssapi.ts';

/** What takes tickets, and ends. */
export interface Tickets extends TicketLogin {
  close(): void;
}

/** A server that may take tickets. */
export interface TicketOptions {
  readonly configuration: Configuration;
  /** Its principal and keytab. */
  readonly keys: KeySettings;
  /** Host for `_HOST`. */
  readonly host: string;
  readonly mayImpersonate: MayImpersonate;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * For where callers have to come with tickets. Undefined where no keytab is named: then only tokens prove who calls.
 * @throws ConfigurationError saying what is missing
 */
export function openTickets({ configuration, keys, host, mayImpersonate, clock, logger }: TicketOptions): Tickets | undefined {
  if (!keys.keytab.value || configuration.origin(keys.keytab.key) === undefined) {
    logger.info({ key: keys.keytab.key }, 'no keytab is named for Hadoop RPC: callers with a Kerberos ticket are not taken there');
    return undefined;
  }
  const principal = withHost(keys.principal.value ?? '', host);
  const acceptorKeytab = serverKeytab(configuration, keys, principal, '');
  try {
    import.meta.resolve('koffi');
  } catch {
    throw refusedKey(
      configuration,
      keys.keytab.key,
      'tickets over Hadoop RPC need the package koffi, which is not there',
      'Install it beside Heddle (npm install koffi), leave the keytab out, or close the ports (heddle.rpc.enabled=false).',
    );
  }
  const gss = new Gss({ acceptorKeytab, clock, logger });
  logger.info({ keytab: acceptorKeytab, principal }, 'callers of Hadoop RPC may prove who they are by Kerberos');
  return {
    principal,
    begin: (token) => gss.begin(token),
    nameOf: configuredNames(configuration, false, principal),
    mayImpersonate,
    close: () => gss.close(),
  };
}
