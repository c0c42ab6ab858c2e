// Where traces of applications go.
import type { Configuration } from './load.ts';
import { settingFault } from './setting-fault.ts';
import { heddleSettings } from './settings/heddle.ts';

/** The address; undefined: nowhere. @throws ConfigurationError for one that is none */
export function tracesEndpoint(configuration: Configuration): URL | undefined {
  const { tracesEndpoint: endpoint } = configuration.values(heddleSettings);
  if (endpoint === '') return undefined;
  const url = URL.parse(endpoint);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw settingFault(
    configuration,
    heddleSettings.tracesEndpoint.key,
    `'${endpoint}' is no address`,
    'Give the whole address for traces: http://127.0.0.1:4318/v1/traces.',
  );
}
