// Proves a command's user by a Kerberos ticket, from the credential cache that `kinit` fills.
import type { Gss } from '../auth/kerberos/gss.ts';
import { parsePrincipal } from '../auth/kerberos/principal.ts';
import type { Configuration } from '../config/load.ts';
import { mechanismOf } from '../config/mechanism.ts';
import { commonSettings } from '../config/settings/common.ts';
import { systemClock } from '../lib/clock.ts';
import { type Authorize, ProofMissing } from './credentials.ts';

/**
 * Tickets for the servers of a cluster whose settings ask for them; undefined where they do not. The servers are those of the principal in
 * the settings, or of the host in the address. Rejects with ProofMissing.
 */
export function ticketAuthorization(configuration: Configuration): Authorize | undefined {
  if (mechanismOf(configuration, false) !== 'kerberos') return undefined;
  const said = parsePrincipal(configuration.values(commonSettings).httpKerberosPrincipal)?.components[1];
  const host = said === '_HOST' ? undefined : said;
  let gss: Promise<Gss> | undefined;
  return async (_method, url) => {
    gss ??= startGss();
    const service = `HTTP@${host ?? url.hostname}`;
    try {
      return { authorization: `Negotiate ${await (await gss).initiate(service)}` };
    } catch (error) {
      throw new ProofMissing(`no Kerberos ticket for ${service}: ${(error as Error).message}`, { cause: error });
    }
  };
}

/** Loaded with the first ticket: most commands need none, nor a logger. */
async function startGss(): Promise<Gss> {
  const [{ Gss }, { silentLogger }] = await Promise.all([import('../auth/kerberos/gss.ts'), import('../lib/log.ts')]);
  return new Gss({ clock: systemClock, logger: silentLogger });
}
