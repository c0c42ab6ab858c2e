// Kerberos tickets on the ports of a server, by the key that it was started with.
import { configuredNames } from '../auth/kerberos/configured-names.ts';
import type { RoleKey } from '../auth/kerberos/role-key.ts';
import type { MayImpersonate } from '../auth/proxy-users.ts';
import { authenticationRules } from '../config/authentication-rules.ts';
import type { Configuration } from '../config/load.ts';
import { rpcSettings } from '../config/settings/rpc.ts';
import type { Logger } from '../lib/log.ts';
import type { TicketLogin } from './gssapi.ts';

/** A server that may take tickets. */
export interface TicketOptions {
  readonly configuration: Configuration;
  /** Absent: it has none, and takes no tickets. */
  readonly roleKey?: RoleKey | undefined;
  /** Of the timeline, which has a setting of its own for how callers prove who they are. */
  readonly isTimeline?: boolean;
  readonly mayImpersonate: MayImpersonate;
  readonly logger: Logger;
}

/** What takes tickets where callers of the ports have to come with them; undefined: only tokens prove who calls. */
export function ticketsOf({ configuration, roleKey, isTimeline = false, mayImpersonate, logger }: TicketOptions): TicketLogin | undefined {
  if (!configuration.values(rpcSettings).enabled || !authenticationRules(configuration, isTimeline).isKerberos) return undefined;
  if (!roleKey) {
    logger.info('callers of Hadoop RPC with a Kerberos ticket are not taken: this server has no key');
    return undefined;
  }
  const { principal, gss } = roleKey;
  logger.info({ principal }, 'callers of Hadoop RPC may prove who they are by Kerberos');
  return { principal, begin: (token) => gss.begin(token), nameOf: configuredNames(configuration, isTimeline, principal), mayImpersonate };
}
