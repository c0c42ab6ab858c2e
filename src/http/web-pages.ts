// `/ui/`: the web pages, the same on every server. What a page needs to know of its server and its caller comes from here as well; the rest
// it asks of the interfaces that every client uses. The files are looked at when one is first asked for.
import { readFile } from 'node:fs/promises';
import { authenticationRules } from '../config/authentication-rules.ts';
import type { Configuration } from '../config/load.ts';
import { oidcRules } from '../config/oidc-rules.ts';
import { commonSettings } from '../config/settings/common.ts';
import { wantsTimelineVersion2 } from '../config/timeline-versions.ts';
import { serverAddress, type WebServerName } from '../config/web-addresses.ts';
import type { SettingsAnswer } from '../wire/cluster/setting-facts.ts';
import { json, redirect } from './answers.ts';
import { crossSiteHeaderOf } from './cross-site.ts';
import { frameOptionsOf, webPageHeadersOf } from './frame-options.ts';
import { behind, type InstrumentationGate } from './instrumentation.ts';
import { type ServerLogOptions, serverLogRoute } from './server-log.ts';
import type { Call, Route, Service } from './service.ts';
import type { WebFiles } from './web-files.ts';

/** Servers that have the pages. */
export type PageRole = 'resource-manager' | 'node-manager' | 'timeline' | 'reader' | 'collector' | 'history' | 'proxy';

/** What the pages of a server are made of. */
export interface WebPageOptions {
  readonly configuration: Configuration;
  readonly role: PageRole;
  readonly isAdministrator: (user: string) => boolean;
  /** The log that administrators may look at. */
  readonly log: Pick<ServerLogOptions, 'logger' | 'clock'>;
  /** Passes who may look into the server, and see its settings. */
  readonly gate: InstrumentationGate;
}

/** What decides over frames and cross-site requests is named by server in Hadoop's settings; the proxy has the resource manager's. */
const guards = {
  'resource-manager': 'resourceManager',
  'node-manager': 'nodeManager',
  timeline: 'timeline',
  reader: 'timeline',
  collector: 'timeline',
  history: 'history',
  proxy: 'resourceManager',
} as const satisfies Record<PageRole, string>;

const version = async (): Promise<string> => {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
};

/** How people may say who they are: what the page for signing in offers. */
function signInWays(configuration: Configuration, role: PageRole) {
  const rules = authenticationRules(configuration, guards[role] === 'timeline');
  const issuer = rules.ways.includes('oidc') ? oidcRules(configuration) : undefined;
  return {
    name: rules.believesNames,
    kerberos: rules.isKerberos,
    token: rules.ways.includes('bearer'),
    ...(issuer?.signIn && { oidc: { issuer: issuer.issuer, path: 'heddle/sign-in', outPath: 'heddle/sign-out' } }),
  };
}

/** Other servers of the cluster that have pages, as the settings name them. */
function serversOf(configuration: Configuration): Record<string, string> {
  const { timelineEnabled } = configuration.values(commonSettings);
  const hasReader = timelineEnabled && wantsTimelineVersion2(configuration);
  const timeline: WebServerName[] = [...(timelineEnabled ? (['timeline'] as const) : []), ...(hasReader ? (['reader'] as const) : [])];
  const names: WebServerName[] = ['resource-manager', 'history', ...timeline];
  return Object.fromEntries(names.map((name) => [name, serverAddress(configuration, name).url]));
}

/** Adds `/ui/` and what its pages ask about their server and their caller. */
export function mountWebPages(service: Service, { configuration, role, isAdministrator, log, gate }: WebPageOptions): void {
  const { aclEnabled } = configuration.values(commonSettings);
  const guard = guards[role];
  let files: WebFiles | undefined;
  const serve = async ({ params, headers }: Call) => {
    files ??= new (await import('./web-files.ts')).WebFiles(webPageHeadersOf(frameOptionsOf(configuration, guard)));
    return files.answer({
      path: params['*'] ?? '',
      acceptEncoding: String(headers['accept-encoding'] ?? ''),
      ifNoneMatch: String(headers['if-none-match'] ?? ''),
    });
  };
  const open = { method: 'GET', produces: 'any', gzip: false, authentication: 'none', access: 'open' } as const;
  const routes: Route<never>[] = [
    // The router takes a slash at the end for the same path.
    {
      ...open,
      path: '/ui',
      about: 'Leads to the web pages.',
      handle: (call) => (call.path === '/ui' ? redirect(302, 'ui/') : serve(call)),
    },
    {
      ...open,
      path: '/ui/*',
      about: 'The web pages: their files, and for every other path the page that they begin with. They hold nothing of the cluster.',
      handle: serve,
    },
    {
      ...open,
      path: '/ui/frame.json',
      about: 'What the web pages need to know of their server before it is known who looks: its role and version, and how to sign in.',
      handle: async () =>
        json({
          role,
          version: await version(),
          signIn: signInWays(configuration, role),
          crossSiteHeader: crossSiteHeaderOf(configuration, guard),
        }),
    },
    {
      method: 'GET',
      path: '/ui/caller.json',
      produces: 'any',
      access: 'facts',
      about: 'Who looks at the web pages, as this server knows the caller, and where the other servers of the cluster are.',
      handle: ({ caller }) =>
        json({
          user: caller.user,
          isNamed: caller.user !== undefined && !caller.anonymous,
          provedBy: caller.authentication,
          scope: caller.restriction?.scope,
          isAdministrator: caller.user !== undefined && isAdministrator(caller.user),
          accessLists: aclEnabled,
          servers: serversOf(configuration),
        }),
    },
    serverLogRoute({ ...log, isAdministrator }),
    ...behind(gate, [
      {
        method: 'GET',
        path: '/ui/settings.json',
        produces: 'any',
        access: 'admin',
        about: 'Every setting of this server: what it means, what it is, its default, and where its value comes from.',
        handle: async () => {
          const { settingFacts } = await import('../config/setting-facts.ts');
          return json({ settings: settingFacts(configuration), notes: configuration.notes } satisfies SettingsAnswer);
        },
      },
    ]),
  ];
  for (const route of routes) service.route(route);
}
