// What SASL protects of callers of Hadoop RPC who log in by a token or a ticket.
import type { Configuration } from './load.ts';
import { settingFault } from './setting-fault.ts';
import { rpcSettings } from './settings/rpc.ts';

const qopOf = { authentication: 'auth', integrity: 'auth-int', privacy: 'auth-conf' } as const;

/** Words of SASL (RFC 2831) for what messages may be protected by, in the order of the setting (SaslPropertiesResolver). @throws ConfigurationError for a protection that there is not */
export function rpcProtections(configuration: Configuration): readonly (typeof qopOf)[keyof typeof qopOf][] {
  return configuration.values(rpcSettings).protection.map((word) => {
    const name = word.trim().toLowerCase();
    if (Object.hasOwn(qopOf, name)) return qopOf[name as keyof typeof qopOf];
    throw settingFault(
      configuration,
      rpcSettings.protection.key,
      `${word} is no protection`,
      'Use authentication, integrity or privacy, or several of them.',
    );
  });
}
