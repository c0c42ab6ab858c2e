// Protection against requests that a foreign page makes a browser send (RestCsrfPreventionFilter): what changes something must carry
// a header that such a page cannot set. Off by default, as in Hadoop.
import { type Failure, failure } from '../model/errors.ts';

/** Key prefixes of the servers' own settings. */
const prefixes = {
  resourceManager: 'yarn.resourcemanager.webapp.rest-csrf.',
  nodeManager: 'yarn.nodemanager.webapp.rest-csrf.',
  timeline: 'yarn.timeline-service.webapp.rest-csrf.',
  history: 'mapreduce.jobhistory.webapp.rest-csrf.',
} as const;

/** What the filter looks at. */
export interface GuardedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** How much of a browser's name is looked at, in characters: the expressions are the administrator's, the name is anybody's. */
const longestAgent = 1000;

const items = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** The header that a server's filter asks for. */
export function crossSiteHeaderOf(configuration: { get(key: string): string | undefined }, server: keyof typeof prefixes): string {
  const setting = (name: string) => configuration.get(prefixes[server] + name);
  return (setting('custom-header') ?? 'X-XSRF-Header').trim();
}

/** The filter of a server, or undefined where it is off. It says why a request is refused. @throws SyntaxError for a bad expression */
export function createCrossSiteGuard(
  configuration: { get(key: string): string | undefined },
  server: keyof typeof prefixes,
): ((request: GuardedRequest) => Failure | undefined) | undefined {
  const setting = (name: string) => configuration.get(prefixes[server] + name);
  if (setting('enabled')?.trim().toLowerCase() !== 'true') return undefined;
  const header = crossSiteHeaderOf(configuration, server);
  const ignored = new Set(items(setting('methods-to-ignore') ?? 'GET,OPTIONS,HEAD,TRACE').map((method) => method.toUpperCase()));
  const browsers = items(setting('browser-useragents-regex') ?? '^Mozilla.*,^Opera.*').map((text) => new RegExp(text));
  return ({ method, headers }) => {
    if (ignored.has(method) || headers[header.toLowerCase()] !== undefined) return undefined;
    const agent = String(headers['user-agent'] ?? '').slice(0, longestAgent);
    return browsers.some((browser) => browser.test(agent)) ? failure('CROSS_SITE_REFUSED', { header }) : undefined;
  };
}
