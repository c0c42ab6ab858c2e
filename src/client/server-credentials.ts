// What servers of a cluster, and commands of its operator, prove themselves with by their settings.
import { existsSync, readFileSync } from 'node:fs';
import { authenticationRules } from '../config/authentication-rules.ts';
import type { Configuration } from '../config/load.ts';
import { securitySettings } from '../config/settings/security.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { type Authorize, serving } from './credentials.ts';

/** What a server of a cluster proves itself with to another, a timeline server where `isTimeline`; undefined where a name is enough. */
export function serverAuthorization(configuration: Configuration, user: string, clock: Clock, isTimeline = false): Authorize | undefined {
  if (authenticationRules(configuration, isTimeline).believesNames) return undefined;
  const secret = serviceSecret(configuration);
  return secret && serving(secret, user, clock);
}

/** What the resource manager proves itself with where a name is never enough: what it tells the timeline. */
export function systemAuthorization(configuration: Configuration, user: string, clock: Clock): Authorize | undefined {
  const secret = serviceSecret(configuration);
  return secret && serving(secret, user, clock);
}

/** What the operator's commands prove themselves with: who may read the secret of the servers may do what they may. */
export function operatorAuthorization(configuration: Configuration, user: string): Authorize | undefined {
  const secret = serviceSecret(configuration);
  return secret && serving(secret, user, systemClock);
}

function serviceSecret(configuration: Configuration): Buffer | undefined {
  try {
    const { serviceSecretFile: path } = configuration.values(securitySettings);
    return existsSync(path) ? Buffer.from(readFileSync(path, 'utf8').trim(), 'base64') : undefined;
  } catch {
    // Another user's: it proves nothing for this one.
    return undefined;
  }
}
