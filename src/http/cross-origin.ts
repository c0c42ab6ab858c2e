// The cross-origin filter of Hadoop's servers (org.apache.hadoop.security.http.CrossOriginFilter): headers on any answer to an allowed
// origin, nothing for others; requests are carried out either way.
import type { IncomingMessage } from 'node:http';
import type { Headers } from './answers.ts';

/** The settings of one server's filter, as texts: lists are separated by commas. */
export interface CrossOriginSettings {
  readonly allowedOrigins: string;
  readonly allowedMethods: string;
  readonly allowedHeaders: string;
  /** Seconds. */
  readonly maximumAge: string;
}

const parts = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const escaped = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');

/** One allowed origin: `*`, `regex:…`, a pattern with `*`, or the exact text. */
function originTest(pattern: string): (origin: string) => boolean {
  if (pattern === '*') return () => true;
  const expression = pattern.startsWith('regex:')
    ? pattern.slice(6)
    : pattern.includes('*')
      ? pattern.split('*').map(escaped).join('.*')
      : undefined;
  if (expression === undefined) return (origin) => origin === pattern;
  try {
    const whole = new RegExp(`^(?:${expression})$`, 's');
    return (origin) => whole.test(origin);
  } catch {
    return () => false;
  }
}

const headerText = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

/** The filter: the headers for a request with `Origin`, or undefined where origin, method or a header is not allowed. */
export function crossOriginFilter(settings: CrossOriginSettings): (request: Pick<IncomingMessage, 'headers'>) => Headers | undefined {
  const origins = parts(settings.allowedOrigins).map(originTest);
  const anyOrigin = parts(settings.allowedOrigins).includes('*');
  const methods = new Set(parts(settings.allowedMethods));
  const headers = new Set(parts(settings.allowedHeaders));
  const answer = {
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': parts(settings.allowedMethods).join(','),
    'access-control-allow-headers': parts(settings.allowedHeaders).join(','),
    'access-control-max-age': settings.maximumAge,
  };
  return ({ headers: given }) => {
    const origin = given.origin;
    if (origin === undefined) return undefined;
    const named = origin.split(' ').filter((one) => one !== '');
    if (!anyOrigin && !named.some((one) => origins.some((allows) => allows(one)))) return undefined;
    const method = headerText(given['access-control-request-method']);
    if (method !== undefined && !methods.has(method)) return undefined;
    const wanted = headerText(given['access-control-request-headers']);
    if (wanted !== undefined && !parts(wanted).every((header) => headers.has(header))) return undefined;
    return { 'access-control-allow-origin': origin, ...answer };
  };
}
