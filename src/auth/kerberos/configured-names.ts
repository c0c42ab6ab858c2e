// The users of principals, as the settings have it.
import type { Configuration } from '../../config/load.ts';
import { mechanismOf } from '../../config/mechanism.ts';
import { settingFault } from '../../config/setting-fault.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { type NameOf, shortName } from '../authenticator.ts';
import { type NameMechanism, nameRules } from './name-rules.ts';
import { parsePrincipal } from './principal.ts';
import { defaultRealm } from './realm.ts';

/**
 * Under Kerberos the rules of `hadoop.security.auth_to_local`, else what stands before `/` and `@`. DEFAULT takes the realm that the Kerberos
 * library has as its own, else that of `principal`. @throws ConfigurationError for rules that cannot be read
 */
export function configuredNames(configuration: Configuration, isTimeline: boolean, principal?: string): NameOf {
  if (mechanismOf(configuration, isTimeline) !== 'kerberos') return shortName;
  const { authToLocal, authToLocalMechanism, httpKerberosPrincipal } = configuration.values(commonSettings);
  try {
    return nameRules({
      rules: authToLocal,
      mechanism: authToLocalMechanism as NameMechanism,
      defaultRealm: defaultRealm(process.env) ?? parsePrincipal(principal ?? httpKerberosPrincipal)?.realm,
    });
  } catch (error) {
    const { key } = commonSettings.authToLocal;
    throw settingFault(configuration, key, (error as Error).message, 'Write DEFAULT, or RULE:[n:format](match)s/from/to/g/L.');
  }
}
