// What `heddle doctor` finds wrong with the names and keys that Kerberos needs.
import { lookup, lookupService } from 'node:dns/promises';
import { hostname } from 'node:os';
import { asksForTickets, openRoleKey } from '../auth/kerberos/role-key.ts';
import { hasKey } from '../auth/kerberos/role-principals.ts';
import { webKeytab } from '../auth/kerberos/web-keys.ts';
import { authenticationRules } from '../config/authentication-rules.ts';
import type { Configuration } from '../config/load.ts';
import type { WebServerName } from '../config/web-addresses.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { type Finding, problem, refusal } from './finding.ts';

/** Names of this machine, and whether the keys of its roles are believed by the KDC. */
export async function findKerberos(configuration: Configuration, roles: readonly string[]): Promise<Finding[]> {
  const found = findWebKeys(configuration, roles);
  if (!asksForTickets(configuration)) return found;
  return [...found, ...(await findNames()), ...(await findKeys(configuration, roles))];
}

/** The keys with which web interfaces take tickets, as each looks at them when it starts. */
const findWebKeys = (configuration: Configuration, roles: readonly string[]): Finding[] =>
  roles.filter(isWebServer).flatMap((role) => {
    try {
      if (authenticationRules(configuration, role === 'timeline').isKerberos) webKeytab(role, configuration);
      return [];
    } catch (error) {
      return [refusal(error)];
    }
  });

const webRoles: readonly string[] = ['resource-manager', 'node-manager', 'timeline', 'history', 'proxy'] satisfies WebServerName[];
const isWebServer = (role: string): role is WebServerName => webRoles.includes(role);

/** Logs each role in, as its server does when it starts: that finds keytabs, principals, the KDC and the clock. */
async function findKeys(configuration: Configuration, roles: readonly string[]): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const role of roles.filter(hasKey)) {
    try {
      (await openRoleKey({ role, configuration, clock: systemClock, logger: silentLogger }))?.close();
    } catch (error) {
      found.push(refusal(error));
    }
  }
  return found;
}

/** Kerberos finds its keys by the names of machines. */
async function findNames(): Promise<Finding[]> {
  const remedy = 'Give this machine a full name in DNS or /etc/hosts, forward and back the same, and keys for it in the keytab.';
  const name = hostname();
  try {
    const { address } = await lookup(name);
    const { hostname: back } = await lookupService(address, 0);
    if (back.toLowerCase() === name.toLowerCase() && name.includes('.')) return [];
    return [
      problem(
        `this machine calls itself ${name}, and ${address} leads back to ${back}: clients ask for a ticket for one, and the keytab may hold the other`,
        remedy,
      ),
    ];
  } catch {
    return [problem(`the name of this machine, ${name}, leads nowhere or not back`, remedy)];
  }
}
