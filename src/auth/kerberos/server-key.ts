// The key with which a server accepts tickets: its principal and its keytab from the settings, looked at before it starts.
import { statSync } from 'node:fs';
import type { Configuration } from '../../config/load.ts';
import { settingFault } from '../../config/setting-fault.ts';
import { ConfigurationError } from '../../config/table.ts';
import { exposureOf } from '../../lib/secret-rules.ts';
import { keytabPrincipals } from './keytab.ts';

/** A setting and its value. */
interface Said {
  readonly key: string;
  readonly value: string | undefined;
}

/** The settings that name a server's principal and its keytab. */
export interface KeySettings {
  readonly principal: Said;
  readonly keytab: Said;
}

/**
 * The path of the keytab, when it can be read, by us and not by others, and has a key of the principal (`*`: of any principal whose name begins
 * with `service`). @throws ConfigurationError saying what is missing
 */
export function serverKeytab(configuration: Configuration, keys: KeySettings, principal: string, service: string): string {
  const refuse = (key: string, problem: string, remedy: string): never => {
    throw settingFault(configuration, key, problem, remedy);
  };
  const keytab = keys.keytab.value;
  if (!keytab)
    return refuse(
      keys.keytab.key,
      'callers have to prove themselves by Kerberos, and no keytab is named',
      `Name the file with the keys of ${service}host.`,
    );
  let found: string[];
  try {
    const exposure = exposureOf(statSync(keytab));
    if (exposure !== undefined)
      refuse(keys.keytab.key, `${keytab} ${exposure}: its keys may be known`, `Take new keys, in a file of mode 600: chmod 600 ${keytab}`);
    found = keytabPrincipals(keytab);
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    return refuse(
      keys.keytab.key,
      `the keytab cannot be read: ${(error as Error).message}`,
      'Make it with ktadd or ktpass, readable for the user of this server.',
    );
  }
  const usable = found.filter((name) => name.startsWith(service));
  if (principal === '*' ? usable.length > 0 : usable.includes(principal)) return keytab;
  const has = usable.length > 0 ? `it has those of ${usable.join(', ')}` : `it has none of ${service}…`;
  return refuse(
    principal === '*' ? keys.keytab.key : keys.principal.key,
    principal === '*' ? `${keytab} has no key of ${service}…` : `${keytab} has no key of ${principal}: ${has}`,
    "Add the key to the keytab, or name a principal that is in it; _HOST stands for the host of the server's address.",
  );
}
