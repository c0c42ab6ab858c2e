// Where the web interfaces of a cluster are, by the policy that counts for each: HTTP at one address, or HTTPS at another.
import type { Configuration } from './load.ts';
import { commonSettings } from './settings/common.ts';
import { historySettings } from './settings/history.ts';
import { nodeManagerSettings } from './settings/node-manager.ts';
import { resourceManagerSettings } from './settings/resource-manager.ts';
import { timelineSettings } from './settings/timeline.ts';
import { type TextSetting, textSetting } from './text-setting.ts';

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
const settings: Readonly<Record<WebServerName, { readonly http: TextSetting; readonly https: TextSetting }>> = {
  'resource-manager': {
    http: textSetting(commonSettings, 'resourceManagerWebAddress'),
    https: textSetting(resourceManagerSettings, 'webHttpsAddress'),
  },
  'node-manager': {
    http: textSetting(nodeManagerSettings, 'webAddress'),
    https: textSetting(nodeManagerSettings, 'webHttpsAddress'),
  },
  timeline: {
    http: textSetting(commonSettings, 'timelineWebAddress'),
    https: textSetting(timelineSettings, 'webHttpsAddress'),
  },
  reader: {
    http: textSetting(timelineSettings, 'readerWebAddress'),
    https: textSetting(timelineSettings, 'readerWebHttpsAddress'),
  },
  history: {
    http: textSetting(commonSettings, 'historyWebAddress'),
    https: textSetting(historySettings, 'webHttpsAddress'),
  },
  proxy: {
    http: textSetting(commonSettings, 'webProxyAddress'),
    https: textSetting(commonSettings, 'webProxyAddress'),
  },
};

/** How a server is spoken to: `yarn.http.policy`, for the history server `mapreduce.jobhistory.http.policy`. */
export function schemeOf(configuration: Configuration, server: WebServerName = 'resource-manager'): 'http' | 'https' {
  const policy = server === 'history' ? configuration.values(historySettings).httpPolicy : configuration.values(commonSettings).httpPolicy;
  return policy === 'HTTPS_ONLY' ? 'https' : 'http';
}

/** Where a server listens and is reached. The proxy's address is empty where there is none. */
export function serverAddress(configuration: Configuration, server: WebServerName): ServerAddress {
  const scheme = schemeOf(configuration, server);
  const { key, value: address = '' } = settings[server][scheme](configuration);
  return { key, scheme, address, url: `${scheme}://${address}` };
}
