// How callers prove who they are to a server, by the settings.
import type { Configuration } from './load.ts';
import { commonSettings } from './settings/common.ts';
import { timelineSettings } from './settings/timeline.ts';

/** `simple`: by saying a name. */
export type Mechanism = 'simple' | 'kerberos';

const said = (text: string): string => text.trim().toLowerCase();

/** Whether the filter that `hadoop.http.authentication.` is about stands before the web interfaces. */
export const isFilterInstalled = (configuration: Configuration): boolean =>
  configuration.values(commonSettings).filterInitializers.some((name) => name.endsWith('AuthenticationFilterInitializer'));

/** The mechanism of a server. The timeline, its reader and its collector have a setting of their own: the stricter of both counts. */
export function mechanismOf(configuration: Configuration, isTimeline: boolean): Mechanism {
  const common = isFilterInstalled(configuration) ? said(configuration.values(commonSettings).httpAuthenticationType) : 'simple';
  const own = isTimeline ? said(configuration.values(timelineSettings).httpAuthenticationType) : 'simple';
  return common === 'kerberos' || own === 'kerberos' ? 'kerberos' : 'simple';
}
