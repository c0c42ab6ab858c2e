// Cross-origin headers as Hadoop's filter sends them (CrossOriginFilter): all five or none; the request is carried out either way.
import type { IncomingMessage } from 'node:http';
import { wholeExpression } from '../lib/bounded-pattern.ts';
import { matchesGlob } from '../lib/glob.ts';
import { javaSplit } from '../lib/java-split.ts';
import type { Headers } from './answers.ts';

/** The filter's settings, as written. */
export interface CrossOriginSettings {
  /** `*`, exact texts, globs such as `http://*.example`, `regex:…`; separated by commas. */
  readonly allowedOrigins: string;
  readonly allowedMethods: string;
  readonly allowedHeaders: string;
  /** Seconds, as written. */
  readonly maximumAge: string;
}

const items = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** A scheme, a host name of at most 253 characters and a port. */
const longestOrigin = 300;

function originRule(allowed: readonly string[]): (origin: string) => boolean {
  if (allowed.includes('*')) return () => true;
  const patterns = allowed.map((item): ((origin: string) => boolean) => {
    if (!item.startsWith('regex:')) return (origin) => !item.includes('?') && matchesGlob(item, origin);
    const expression = wholeExpression(item.slice('regex:'.length));
    return (origin) => expression.test(origin);
  });
  return (origin) => origin.length <= longestOrigin && (allowed.includes(origin) || patterns.some((matchesItem) => matchesItem(origin)));
}

/** The first line of a header, which is the one that Hadoop reads; Node joins the lines of one name. */
function firstLine({ headers, rawHeaders }: IncomingMessage, name: string): string | undefined {
  if (headers[name] === undefined) return undefined;
  const at = rawHeaders.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name);
  return rawHeaders[at + 1];
}

/** The names in Access-Control-Request-Headers as Java splits them at commas and the blanks around these. */
const announcedNames = (text: string): string[] =>
  javaSplit(
    text
      .split(',')
      .map((name) => name.trim())
      .join(),
  );

/**
 * The headers for a request that has `Origin`, or undefined where the origin, the method or a header it announces is not allowed.
 * @throws SyntaxError for a bad `regex:`
 */
export function crossOriginFilter(settings: CrossOriginSettings): (request: IncomingMessage) => Headers | undefined {
  const allowsOrigin = originRule(items(settings.allowedOrigins));
  const methods = items(settings.allowedMethods);
  const headers = items(settings.allowedHeaders);
  const allowsAll = items(settings.allowedOrigins).includes('*');
  return (request) => {
    const origin = firstLine(request, 'origin');
    if (origin === undefined) return undefined;
    if (!allowsAll && !origin.trim().split(/\s+/).some(allowsOrigin)) return undefined;
    const method = firstLine(request, 'access-control-request-method');
    if (method !== undefined && !methods.includes(method)) return undefined;
    const announced = firstLine(request, 'access-control-request-headers');
    if (announced !== undefined && !announcedNames(announced).every((name) => headers.includes(name))) return undefined;
    return {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': methods.join(','),
      'access-control-allow-headers': headers.join(','),
      'access-control-max-age': settings.maximumAge,
    };
  };
}

/** The servers that have a switch of their own. */
export type CrossOriginServer = 'resourceManager' | 'nodeManager' | 'timeline' | 'history';

const switches: Readonly<Record<CrossOriginServer, string | undefined>> = {
  resourceManager: 'yarn.resourcemanager.webapp.cross-origin.enabled',
  nodeManager: 'yarn.nodemanager.webapp.cross-origin.enabled',
  timeline: 'yarn.timeline-service.http-cross-origin.enabled',
  history: undefined,
};

/** The filter of a server, or undefined where it is off. The timeline's own settings lie over the common ones. */
export function createCrossOrigin(
  configuration: { get(key: string): string | undefined },
  server: CrossOriginServer,
): ((request: IncomingMessage) => Headers | undefined) | undefined {
  const isOn = (key: string | undefined) => key !== undefined && configuration.get(key)?.trim().toLowerCase() === 'true';
  const installed = (configuration.get('hadoop.http.filter.initializers') ?? '').includes('HttpCrossOriginFilterInitializer');
  if (!isOn(switches[server]) && !(installed && isOn('hadoop.http.cross-origin.enabled'))) return undefined;
  const setting = (name: string, standard: string): string =>
    (server === 'timeline' ? configuration.get(`yarn.timeline-service.http-cross-origin.${name}`) : undefined) ??
    configuration.get(`hadoop.http.cross-origin.${name}`) ??
    standard;
  return crossOriginFilter({
    allowedOrigins: setting('allowed-origins', '*'),
    allowedMethods: setting('allowed-methods', 'GET,POST,HEAD'),
    allowedHeaders: setting('allowed-headers', 'X-Requested-With,Content-Type,Accept,Origin'),
    maximumAge: setting('max-age', '1800'),
  });
}
