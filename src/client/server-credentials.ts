// What servers of a cluster, and commands of its operator, prove themselves with by their settings.
import { existsSync, readFileSync } from 'node:fs';
import { ClusterSecret } from '../auth/cluster-secret.ts';
import type { RoleKey } from '../auth/kerberos/role-key.ts';
import { readOrCreateSecret } from '../auth/secret-file.ts';
import { authenticationRules } from '../config/authentication-rules.ts';
import type { Configuration } from '../config/load.ts';
import { heddleSettings } from '../config/settings/heddle.ts';
import { securitySettings } from '../config/settings/security.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { type Random, systemRandom } from '../lib/random.ts';
import { type Authorize, alsoByTicket, serving } from './credentials.ts';

/** What a server passes in: its user, and what it was started with. */
export interface ServerIdentity {
  readonly user: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Its own Kerberos key, shown to servers that ask for a ticket; absent: it has none. */
  readonly roleKey?: RoleKey | undefined;
}

/**
 * What a server of a cluster proves itself with to another, a timeline server where `isTimeline`; undefined where a name is enough.
 * @throws SecretUnusable; the file system's errors
 */
export function serverAuthorization(configuration: Configuration, identity: ServerIdentity, isTimeline = false): Authorize | undefined {
  return authenticationRules(configuration, isTimeline).believesNames ? undefined : systemAuthorization(configuration, identity);
}

/**
 * What the resource manager proves itself with where a name is never enough: what it tells the timeline. The secret is made where no server has
 * made it yet: who starts first would else prove nothing for as long as it runs.
 * @throws SecretUnusable; the file system's errors
 */
export function systemAuthorization(configuration: Configuration, { user, clock, random, roleKey }: ServerIdentity): Authorize {
  const secret = readOrCreateSecret(configuration.values(securitySettings).serviceSecretFile, random);
  const ofNodes = new ClusterSecret(configuration.values(heddleSettings).clusterSecretFile, { clock, random });
  const authorize = serving(() => ({ secret, nodeKey: ofNodes.requestKeys[0] }), user, clock);
  return roleKey ? alsoByTicket(authorize, roleKey, user) : authorize;
}

/** What the operator's commands prove themselves with: who may read the secret of the servers may do what they may. */
export function operatorAuthorization(configuration: Configuration, user: string): Authorize | undefined {
  try {
    const { serviceSecretFile: path } = configuration.values(securitySettings);
    if (!existsSync(path)) return undefined;
    const secret = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
    const ofNodes = readableClusterSecret(configuration);
    return serving(() => ({ secret, nodeKey: ofNodes?.requestKeys[0] }), user, systemClock);
  } catch {
    // Another user's: it proves nothing for this one.
    return undefined;
  }
}

/** Without it nodes on other machines are asked in vain. */
function readableClusterSecret(configuration: Configuration): ClusterSecret | undefined {
  const { clusterSecretFile } = configuration.values(heddleSettings);
  try {
    return existsSync(clusterSecretFile) ? new ClusterSecret(clusterSecretFile, { clock: systemClock, random: systemRandom }) : undefined;
  } catch {
    return undefined;
  }
}
