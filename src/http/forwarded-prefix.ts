// A gateway that has a server below a prefix takes that off on the way in, and says so in `X-Forwarded-Prefix`: what an answer names from the root of
// the host is below the prefix then. The web pages need none of this; they find their server by where their script came from.
import type { IncomingHttpHeaders } from 'node:http';
import type { Answer, Headers, Pieces } from './answers.ts';

const longestPrefixCharacters = 200;

/** The prefix that a request came by, without a slash at its end; '' where it names none, or nothing that can be one. */
export function forwardedPrefix(headers: IncomingHttpHeaders): string {
  const given = headers['x-forwarded-prefix'];
  if (typeof given !== 'string' || given.length > longestPrefixCharacters) return '';
  const prefix = given.trim().replace(/\/$/, '');
  return /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/.test(prefix) ? prefix : '';
}

/** Attributes of pages that name a place from the root. In what pages show, quotes are escaped: this is found in markup alone. */
const rooted = /\b(href|src|action)="\/(?!\/)/g;
const inMarkup = (text: string, prefix: string): string => text.replace(rooted, `$1="${prefix}/`);

function inLocation(location: string, prefix: string, { host, 'x-forwarded-host': asked }: IncomingHttpHeaders): string {
  // What came from a page has the prefix already.
  if (location.startsWith('/')) return location.startsWith('//') || location.startsWith(`${prefix}/ui`) ? location : prefix + location;
  // A gateway that keeps `Host` does not know its own name in a redirect, as it would that of the server behind it.
  const own = asked === host ? [`http://${host}`, `https://${host}`].find((each) => location.startsWith(`${each}/`)) : undefined;
  return own === undefined ? location : `${own}${prefix}${location.slice(own.length)}`;
}

/** Cookies for the whole host are shared by the servers behind one gateway. */
const inCookie = (cookie: string, prefix: string): string => cookie.replace(/(;\s*path=)(?=\/[^;\s])/i, `$1${prefix}`);

function inHeaders(headers: Headers, prefix: string, request: IncomingHttpHeaders): Headers {
  const { location, 'set-cookie': cookies } = headers;
  return {
    ...headers,
    ...(typeof location === 'string' && { location: inLocation(location, prefix, request) }),
    ...(cookies !== undefined && { 'set-cookie': [cookies].flat().map((cookie) => inCookie(cookie, prefix)) }),
  };
}

async function* piecesBelow(pieces: Pieces, prefix: string): AsyncGenerator<string | Buffer> {
  for await (const piece of pieces) yield typeof piece === 'string' ? inMarkup(piece, prefix) : piece;
}

/** An answer as it leaves for who came by `prefix`. */
export function belowPrefix(answer: Answer, prefix: string, request: IncomingHttpHeaders): Answer {
  const moved: Answer =
    answer.headers === undefined ? answer : ({ ...answer, headers: inHeaders(answer.headers, prefix, request) } as Answer);
  if ((moved.kind !== 'rendered' && moved.kind !== 'pieces') || !moved.contentType?.startsWith('text/html')) return moved;
  if (moved.kind === 'rendered') return { ...moved, body: inMarkup(moved.body, prefix) };
  return { ...moved, body: piecesBelow(moved.body, prefix) };
}
