// What Hadoop's servlet container (HttpServer2) answers beside a server's interface and pages: paths that nothing has, folders asked for
// without their slash, where the log is, what robots may read, where the pages begin.
import { type Answer, empty, htmlAnswer, redirect, text } from './answers.ts';
import { containerError, type RefusedRequest } from './container-error.ts';
import { html } from './html.ts';
import { behind, type InstrumentationGate } from './instrumentation.ts';
import { addressedHost } from './own-names.ts';
import { page, unknownPathPage } from './pages.ts';
import { pathOf, queryOf, schemeOf } from './paths.ts';
import type { Profile } from './profiles.ts';
import type { Resource, Route } from './route.ts';
import { withoutContent } from './type-by-name.ts';
import { bareOptions, describeResource } from './wadl.ts';

/** What is answered to an address that cannot be read. */
export const badMessage: Answer = {
  kind: 'rendered',
  status: 400,
  body: '<h1>Bad Message 400</h1><pre>reason: Bad Request</pre>',
  contentType: 'text/html;charset=iso-8859-1',
};

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
export function earlyAnswer(request: EarlyRequest, { folders }: Pick<Profile, 'folders'>): Answer | undefined {
  const { method, url, socket } = request;
  if (url.includes('%00') && !url.startsWith('/api/') && pathOf(url).includes('%00')) return badMessage;
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const folder = folders.find((name) => url.startsWith(name));
  if (folder === undefined || pathOf(url) !== folder) return undefined;
  const query = queryOf(url);
  return empty(302, { location: `${schemeOf(socket)}://${addressedHost(request)}${folder}/${query === '' ? '' : `?${query}`}` });
}

/** The methods of the pages, and those of the container's own folder of files, in which every other path lies. */
const pageMethods = 'GET, POST';
const fileMethods = 'GET,HEAD,POST,OPTIONS';

/** Whether a path is one of the user interface's pages rather than of an interface for programs. */
const isPage = ({ interfacePages }: Pick<Profile, 'interfacePages'>, path: string): boolean =>
  interfacePages.some((prefix) => prefix !== '/ws/' && prefix !== '/' && `${path}/`.startsWith(prefix));

/** What OPTIONS answers on a path with routes of which none is for OPTIONS: the pages have no description. */
export const optionsAnswer = (profile: Profile, { path, allow }: Pick<Resource, 'path' | 'allow'>, accept: string | undefined): Answer =>
  isPage(profile, path) ? bareOptions(200, pageMethods) : describeResource(path, allow, accept, profile.wadlType);

/** What a path without a route answers: the pages' own where they lie, elsewhere the container's; folders show nothing of what is in them. */
export function unknownPathAnswer(
  { interfacePages, folders, headOfAbsentIs405 }: Pick<Profile, 'interfacePages' | 'folders' | 'headOfAbsentIs405'>,
  request: RefusedRequest,
): Answer {
  const { method, path } = request;
  const isOfInterface = interfacePages.some((prefix) => path.startsWith(prefix));
  if (method === 'OPTIONS') return isOfInterface ? bareOptions(200, pageMethods) : withoutContent(200, path, { allow: fileMethods });
  if (isOfInterface)
    return method === 'HEAD' && headOfAbsentIs405
      ? containerError(405, 'Method Not Allowed', request)
      : htmlAnswer(404, unknownPathPage(path));
  // The container looks for a file: it knows no other methods (DefaultServlet).
  if (method === 'PUT' || method === 'DELETE') return containerError(405, 'Method Not Allowed', request);
  const isFolder = folders.some((folder) => path === `${folder}/`);
  return isFolder ? containerError(403, 'Forbidden', request) : containerError(404, 'Not Found', request);
}

/** `/`: leads to the page `target` of the same server, who asks what may be done there too. */
export const rootRoutes = (target: string): Route<never>[] =>
  (['GET', 'OPTIONS'] as const).map((method) => ({
    method,
    path: '/',
    produces: 'any',
    about: 'Leads to the pages.',
    access: 'facts',
    handle: ({ scheme, host, query }) =>
      redirect(302, `${scheme}://${host}${target}${query.passedOn}`, { text: '', contentType: 'text/plain;charset=utf-8' }),
  }));

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
