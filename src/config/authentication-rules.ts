// How callers must prove who they are, by Hadoop's settings and Heddle's own together.
import type { Configuration } from './load.ts';
import { mechanismOf } from './mechanism.ts';
import { settingFault } from './setting-fault.ts';
import { authenticationWays, securitySettings } from './settings/security.ts';

/** One word of `heddle.security.authentication`. */
export type AuthenticationWay = (typeof authenticationWays)[number];

/** The rules of a configuration. */
export interface AuthenticationRules {
  readonly ways: readonly AuthenticationWay[];
  /** Whether a ticket is asked for. */
  readonly isKerberos: boolean;
  /** Whether a caller is believed to be who it says, and one that says nothing is served. */
  readonly believesNames: boolean;
  /** What delegation tokens are bound to: those that were issued under another one have ended. */
  readonly mechanism: 'simple' | 'kerberos' | 'bearer';
}

/** The rules of a server; `isTimeline`: of the timeline, its reader or its collector. @throws ConfigurationError for a way that there is not */
export function authenticationRules(configuration: Configuration, isTimeline: boolean): AuthenticationRules {
  const { authentication } = configuration.values(securitySettings);
  const { key } = securitySettings.authentication;
  const ways = authentication.map((word) => {
    const way = authenticationWays.find((each) => each === word.toLowerCase());
    if (way) return way;
    throw settingFault(
      configuration,
      key,
      `'${word}' is no way of authentication`,
      `Write one or more of ${authenticationWays.join(', ')}.`,
    );
  });
  const isKerberos = mechanismOf(configuration, isTimeline) === 'kerberos';
  const believesNames = !isKerberos && (ways.length === 0 || ways.includes('simple'));
  return { ways, isKerberos, believesNames, mechanism: isKerberos ? 'kerberos' : believesNames ? 'simple' : 'bearer' };
}
