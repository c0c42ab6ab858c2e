// What Hadoop's servlet container (HttpServer2) answers beside a server's interface and pages: paths that nothing has, folders asked for
// without their slash, where the log is, what robots may read, where the pages begin.
import { type Answer, empty, htmlAnswer, redirect, text } from './answers.ts';
import { html } from './html.ts';
import { behind, type InstrumentationGate } from './instrumentation.ts';
import { containerErrorPage, page, unknownPathPage } from './pages.ts';
import { pathOf, queryOf, schemeOf } from './paths.ts';
import type { Profile } from './profiles.ts';
import type { Route } from './route.ts';

const containerType = 'text/html;charset=iso-8859-1';
const container = (status: number, body: string): Answer => ({ kind: 'rendered', status, body, contentType: containerType });
const errorPage = (status: number, reason: string, path: string): Answer =>
  container(status, containerErrorPage(status, reason, path).text);

/** What is answered to an address that cannot be read. */
export const badMessage: Answer = container(400, '<h1>Bad Message 400</h1><pre>reason: Bad Request</pre>');

/** What is asked for, before it is known by whom. */
export interface EarlyRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { readonly host?: string | undefined };
  readonly socket: object;
}

/**
 * What the container answers before routes and credentials are looked at: paths of Hadoop's that hold a
 * zero byte, folders without their slash.
 */
export function earlyAnswer({ method, url, headers, socket }: EarlyRequest, { folders }: Pick<Profile, 'folders'>): Answer | undefined {
  if (url.includes('%00') && !url.startsWith('/api/') && pathOf(url).includes('%00')) return badMessage;
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const folder = folders.find((name) => url.startsWith(name));
  if (folder === undefined || pathOf(url) !== folder) return undefined;
  const query = queryOf(url);
  return empty(302, { location: `${schemeOf(socket)}://${headers.host ?? ''}${folder}/${query === '' ? '' : `?${query}`}` });
}

/** What a path without a route answers: the pages' own where they lie, elsewhere the container's; folders show nothing of what is in them. */
export function unknownPathAnswer(
  { interfacePages, folders, headOfAbsentIs405 }: Profile,
  { method, path }: { readonly method: string; readonly path: string },
): Answer {
  if (method === 'OPTIONS') return text(200, '', 'text/plain;charset=utf-8', { allow: 'GET, POST' });
  if (interfacePages.some((prefix) => path.startsWith(prefix)))
    return method === 'HEAD' && headOfAbsentIs405 ? container(405, '') : htmlAnswer(404, unknownPathPage(path));
  return folders.some((folder) => path === `${folder}/`) ? errorPage(403, 'Forbidden', path) : errorPage(404, 'Not Found', path);
}

/** `/`: leads to the page `target` of the same server. */
export const rootRoute = (target: string): Route<never> => ({
  method: 'GET',
  path: '/',
  produces: 'any',
  about: 'Leads to the pages.',
  access: 'facts',
  handle: ({ scheme, host, query }) =>
    redirect(302, `${scheme}://${host}${target}${query.passedOn}`, { text: '', contentType: 'text/plain;charset=utf-8' }),
});

/** `/ws`, `/logs/` and `/robots.txt`; the log is for those whom the gate passes. */
export function containerRoutes(gate: InstrumentationGate): Route<never>[] {
  const get = { method: 'GET', produces: 'any' } as const;
  return [
    {
      ...get,
      path: '/ws',
      about: 'Where the interfaces lie.',
      access: 'facts',
      handle: () =>
        htmlAnswer(200, page('Interfaces', html`<p><a href="/openapi.json">/openapi.json</a> describes all that this server answers.</p>`)),
    },
    {
      ...get,
      path: '/robots.txt',
      about: 'Asks robots to stay away.',
      access: 'facts',
      // Hadoop means 200: it takes this status, whose name is Found, for the one of what was found.
      handle: () => text(302, 'User-agent: *\nDisallow: /\n', 'text/plain;charset=utf-8'),
    },
    ...behind(gate, [
      {
        ...get,
        path: '/logs/',
        about: 'Where the log is.',
        access: 'admin',
        handle: () =>
          htmlAnswer(200, page('Directory: /logs/', html`<p>There are no files: this server writes its log to its standard error.</p>`)),
      },
    ]),
  ];
}
