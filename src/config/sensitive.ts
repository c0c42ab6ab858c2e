// Which settings are hidden where settings are shown: `/conf`, `heddle config show`.

/** Keys whose values are never shown (hadoop.security.sensitive-config-keys), and others that are named like secrets. */
const sensitive = /secret$|password|secret.?key|ssl\.keystore\.pass$|account\.key|credential|oauth.*token|encryption\.key|token$/i;

/** Whether the value of a setting is hidden where settings are shown. */
export const isSensitive = (key: string): boolean => sensitive.test(key) && !/\.file$|\.path$/.test(key);
