// The realm whose users need no rule: `default_realm` of the Kerberos library's own file.

import { fileText } from '../../lib/file-text.ts';

const usualFile = '/etc/krb5.conf';

/** `default_realm` in `[libdefaults]` of the first file that says one; undefined where none does. Files it includes are not read. */
export function defaultRealm(environment: NodeJS.ProcessEnv): string | undefined {
  for (const path of (environment['KRB5_CONFIG'] || usualFile).split(':')) {
    let section = '';
    for (const line of fileText(path).split('\n')) {
      const text = line.trim();
      if (text.startsWith('[')) section = text;
      else if (section === '[libdefaults]' && text.startsWith('default_realm')) {
        const at = text.indexOf('=');
        if (at >= 0 && text.slice(0, at).trim() === 'default_realm') return text.slice(at + 1).trim() || undefined;
      }
    }
  }
  return undefined;
}
