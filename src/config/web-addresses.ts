// Where the web interfaces of a cluster are, by the policy that counts for each: HTTP at one address, or HTTPS at another.
import type { Configuration } from './load.ts';
import { commonSettings } from './settings/common.ts';
import { historySettings } from './settings/history.ts';
import { nodeManagerSettings } from './settings/node-manager.ts';
import { resourceManagerSettings } from './settings/resource-manager.ts';
import { timelineSettings } from './settings/timeline.ts';

/** Servers with an address that others know. */
export type WebServerName = 'resource-manager' | 'node-manager' | 'timeline' | 'reader' | 'history' | 'proxy';

/** One address. */
export interface ServerAddress {
  /** The setting that says it. */
  readonly key: string;
  readonly scheme: 'http' | 'https';
  /** `host:port`. */
  readonly address: string;
  /** `https://host:port`. */
  readonly url: string;
}

/** The settings of each: under HTTP_ONLY, under HTTPS_ONLY (WebAppUtils, MRWebAppUtil). The proxy has one for both. */
function settingsOf(configuration: Configuration, server: WebServerName, isSecure: boolean): [key: string, address: string | undefined] {
  const common = configuration.values(commonSettings);
  switch (server) {
    case 'resource-manager':
      return isSecure
        ? [resourceManagerSettings.webHttpsAddress.key, configuration.values(resourceManagerSettings).webHttpsAddress]
        : [commonSettings.resourceManagerWebAddress.key, common.resourceManagerWebAddress];
    case 'node-manager':
      return isSecure
        ? [nodeManagerSettings.webHttpsAddress.key, configuration.values(nodeManagerSettings).webHttpsAddress]
        : [nodeManagerSettings.webAddress.key, configuration.values(nodeManagerSettings).webAddress];
    case 'timeline':
      return isSecure
        ? [timelineSettings.webHttpsAddress.key, configuration.values(timelineSettings).webHttpsAddress]
        : [commonSettings.timelineWebAddress.key, common.timelineWebAddress];
    case 'reader':
      return isSecure
        ? [timelineSettings.readerWebHttpsAddress.key, configuration.values(timelineSettings).readerWebHttpsAddress]
        : [timelineSettings.readerWebAddress.key, configuration.values(timelineSettings).readerWebAddress];
    case 'history':
      return isSecure
        ? [historySettings.webHttpsAddress.key, configuration.values(historySettings).webHttpsAddress]
        : [commonSettings.historyWebAddress.key, common.historyWebAddress];
    case 'proxy':
      return [commonSettings.webProxyAddress.key, common.webProxyAddress];
  }
}

/** How a server is spoken to: `yarn.http.policy`, for the history server `mapreduce.jobhistory.http.policy`. */
export function schemeOf(configuration: Configuration, server: WebServerName = 'resource-manager'): 'http' | 'https' {
  const policy = server === 'history' ? configuration.values(historySettings).httpPolicy : configuration.values(commonSettings).httpPolicy;
  return policy === 'HTTPS_ONLY' ? 'https' : 'http';
}

/** Where a server listens and is reached. The proxy's address is empty where there is none. */
export function serverAddress(configuration: Configuration, server: WebServerName): ServerAddress {
  const scheme = schemeOf(configuration, server);
  const [key, address = ''] = settingsOf(configuration, server, scheme === 'https');
  return { key, scheme, address, url: `${scheme}://${address}` };
}
