// What `heddle doctor` finds wrong with the names and keys that Kerberos needs.
import { lookup, lookupService } from 'node:dns/promises';
import { hostname } from 'node:os';
import { asksForTickets, openRoleKey } from '../auth/kerberos/role-key.ts';
import { hasKey } from '../auth/kerberos/role-principals.ts';
import type { Configuration } from '../config/load.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { type Finding, problem, refusal } from './finding.ts';

/** Names of this machine, and whether the keys of its roles are believed by the KDC. */
export async function findKerberos(configuration: Configuration, roles: readonly string[]): Promise<Finding[]> {
  if (!asksForTickets(configuration)) return [];
  return [...(await findNames()), ...(await findKeys(configuration, roles))];
}

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
