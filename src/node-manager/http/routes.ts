// The whole web interface of a node as one table.
import type { RouteAccess } from '../../auth/route-access.ts';
import type { Answer } from '../../http/answers.ts';
import { rootRoutes } from '../../http/container-pages.ts';
import type { Call, Route, Service } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import type { AuxiliaryServices } from '../auxiliary/services.ts';
import type { UsageRecord } from '../containers/usage-record.ts';
import type { Gpus } from '../devices/gpus.ts';
import {
  admitMaster,
  holdOwnContainer,
  type MasterCalls,
  showOwnContainer,
  startOwnContainer,
  stopOwnContainer,
} from './container-handlers.ts';
import { type FileSources, listContainerFiles, readContainerFile } from './file-handlers.ts';
import { type LogSources, listContainerLogs, listRawLogs, readContainerLog, readRawLog } from './log-handlers.ts';
import {
  listApplications,
  listContainers,
  type NodeContents,
  type NodeFacts,
  showApplication,
  showContainer,
  showNode,
} from './node-handlers.ts';
import {
  applicationPage,
  applicationsPage,
  containerPage,
  containersPage,
  logsPage,
  nodePage,
  notePage,
  type PageLinks,
  type PageLogServer,
  pageFailure,
} from './pages.ts';
import { showResource } from './resource-handlers.ts';
import { listServices, putServices, type ServiceSources } from './service-handlers.ts';
import { showContainersUsage, showContainerUsage, showNodeUsage } from './usage-handlers.ts';

/** What the routes of each kind work on. */
export interface NodeRouteSources {
  readonly facts: NodeFacts;
  readonly contents: NodeContents;
  readonly usage: UsageRecord;
  readonly files: FileSources;
  readonly logs: LogSources;
  readonly services: ServiceSources;
  readonly masters: MasterCalls;
  /** Undefined where the plug-in of GPUs is off. */
  readonly gpus: Gpus | undefined;
  readonly links: PageLinks;
  readonly logServer: PageLogServer;
}

type Handle = (call: Call) => Answer | Promise<Answer>;
type RouteTable = readonly (readonly [path: string, access: RouteAccess, about: string, handle: Handle])[];

const node = '/ws/v1/node';

/** Objects in JSON and XML. */
const objectRoutes = ({ facts, contents, logs, services, gpus }: NodeRouteSources): RouteTable => [
  [node, 'facts', 'The node.', () => showNode(facts)],
  [`${node}/info`, 'facts', 'The node.', () => showNode(facts)],
  [`${node}/apps`, 'overview', 'Applications of the node.', (call) => listApplications(contents, call)],
  [`${node}/apps/:appid`, 'facts', 'One application.', (call) => showApplication(contents, call)],
  [`${node}/containers`, 'overview', 'Containers of the node.', (call) => listContainers(contents, call)],
  [`${node}/containers/:containerid`, 'overview', 'One container.', (call) => showContainer(contents, call)],
  [`${node}/containers/:containerid/logs`, 'view', 'Log files of a container.', (call) => listContainerLogs(logs, call)],
  [`${node}/resources/:resourcename`, 'facts', 'What a resource plug-in knows.', (call) => showResource(gpus, call)],
  [`${node}/auxiliaryservices`, 'facts', 'Auxiliary services that came by manifest.', () => listServices(services)],
];

/** Log files as text. */
const fileRoutes = ({ logs }: NodeRouteSources): RouteTable => [
  [`${node}/containers/:containerid/logs/:filename`, 'view', 'A log file.', (call) => readContainerLog(logs, call)],
  [`${node}/containerlogs/:containerid/:filename`, 'view', 'A log file.', (call) => readContainerLog(logs, call)],
];

/** Pages for browsers. */
const pageRoutes = ({ facts, contents, links, logServer }: NodeRouteSources): RouteTable => [
  ['/node', 'facts', 'The node, as a page.', () => nodePage(links, facts)],
  ['/node/node', 'facts', 'The node, as a page.', () => nodePage(links, facts)],
  ['/node/allApplications', 'overview', 'Applications of the node, as a page.', (call) => applicationsPage(links, contents, call)],
  ['/node/allContainers', 'overview', 'Containers of the node, as a page.', (call) => containersPage(links, contents, call)],
  ['/node/application/:id', 'facts', 'One application, as a page.', (call) => applicationPage(links, contents, call)],
  ['/node/container/:id', 'overview', 'One container, as a page.', (call) => containerPage(links, contents, call)],
  ...['/node/application', '/node/container'].map((path): RouteTable[number] => [
    path,
    'facts',
    'Asks for an id.',
    () => notePage(links, 'Bad request', 'The address needs an id at its end.'),
  ]),
  [
    '/node/errors-and-warnings',
    'facts',
    'Where errors and warnings are.',
    () => notePage(links, 'Errors and warnings', 'They are in the log: this server writes it to its standard error.'),
  ],
  ['/node/containerlogs/:container/:user', 'view', 'Logs of a container, as a page.', (call) => logsPage(links, contents, logServer, call)],
  ['/node/containerlogs/:container/:user/:file', 'view', 'A log file, as a page.', (call) => logsPage(links, contents, logServer, call)],
];

/** Longest order of a master. */
const startLimitBytes = 32 * 1024 * 1024;

/** Adds all routes. */
export function addNodeRoutes(service: Service, sources: NodeRouteSources): void {
  const get = (path: string, access: RouteAccess, about: string, handle: Handle, more: Partial<Route> = {}) =>
    service.route({ method: 'GET', path, access, about, handle, ...more } as Route);
  for (const route of objectRoutes(sources)) get(...route);
  for (const route of fileRoutes(sources)) get(...route, { produces: 'any' });
  addMasterRoutes(service, sources.masters);
  get(
    '/api/v1/containers/:containerid/logs',
    'view',
    'Log files of a container, whether it runs or not.',
    (call) => listRawLogs(sources.logs, call),
    { produces: ['json'] },
  );
  const { contents, usage } = sources;
  get(
    '/api/v1/containers/:containerid/usage',
    'view',
    'What a container used over the last ten minutes, beside what it was given.',
    (call) => showContainerUsage(contents, usage, call),
    { produces: ['json'] },
  );
  get(
    '/api/v1/usage',
    'facts',
    'What the machine and, together, the containers of the node used over the last ten minutes.',
    () => showNodeUsage(contents, usage),
    { produces: ['json'] },
  );
  get(
    '/api/v1/containers/:containerid/files',
    'owner',
    'What lies in a folder of a running container.',
    (call) => listContainerFiles(sources.files, call),
    { produces: ['json'], authentication: 'required' },
  );
  get(
    '/api/v1/containers/:containerid/files/content',
    'owner',
    'A file of a running container: whole, a part of it, or followed.',
    (call) => readContainerFile(sources.files, call),
    { produces: 'any', gzip: false, authentication: 'required' },
  );
  for (const [path, whose] of [
    ['/api/v1/usage/containers', 'containers that run here'],
    ['/api/v1/applications/:appid/usage', 'containers of an application that run here'],
  ] as const)
    get(
      path,
      'facts',
      `What ${whose} used over the last ten minutes, in brief; those that the caller may view.`,
      (call) => showContainersUsage(contents, usage, call),
      { produces: ['json'] },
    );
  // Compression would hold back what a follower waits for.
  get(
    '/api/v1/containers/:containerid/logs/:filename',
    'view',
    'A log file as it is: whole, by a range, followed, or as server-sent events.',
    (call) => readRawLog(sources.logs, call),
    { produces: 'any', gzip: false },
  );
  for (const [path, access, about, handle] of pageRoutes(sources)) {
    const page: Handle = async (call) => {
      try {
        return await handle(call);
      } catch (error) {
        return pageFailure(sources.links, error);
      }
    };
    get(path, access, about, page, { produces: 'any' });
  }
  for (const route of rootRoutes('/node')) service.route(route);
  service.route<Buffer>({
    method: 'PUT',
    path: `${node}/auxiliaryservices`,
    about: 'Replaces the auxiliary services that come by manifest.',
    access: 'admin',
    body: 'raw',
    handle: (call) => putServices(sources.services, call),
  });
  service.route<never>({
    method: 'PUT',
    path: `${node}/yarn/sysfs/:user/:appid`,
    about: 'Not offered: what YARN services tell their containers.',
    access: 'facts',
    body: 'raw',
    handle: () => {
      throw failure('NODE_SYSFS_UNAVAILABLE');
    },
  });
  addAuxiliaryRoutes(service, sources.services.auxiliary);
}

/** What masters do with their containers; the container's token says who calls. */
function addMasterRoutes(service: Service, masters: MasterCalls): void {
  const path = '/api/v1/containers/:containerid';
  service.route<never>({
    method: 'GET',
    path,
    about: 'A master asks how its container fares.',
    access: 'own-credentials',
    authentication: 'none',
    handle: (call) => showOwnContainer(masters, call),
  });
  service.route<never>({
    method: 'DELETE',
    path,
    about: 'A master ends its container.',
    access: 'own-credentials',
    authentication: 'none',
    handle: (call) => stopOwnContainer(masters, call),
  });
  const change = (below: string, about: string, handle: (call: Call<Buffer>) => Answer | Promise<Answer>) =>
    service.route<Buffer>({
      method: 'POST',
      path: `${path}${below}`,
      about,
      access: 'own-credentials',
      authentication: 'none',
      admit: (call) => admitMaster(masters, call),
      body: 'raw',
      bodyLimitBytes: startLimitBytes,
      handle,
    });
  change('', 'A master starts a container that it was given: the token says what it may be, the body what runs.', (call) =>
    startOwnContainer(masters, call),
  );
  for (const what of ['pause', 'resume'] as const)
    change(`/${what}`, `A master makes the processes of its container ${what}.`, (call) => holdOwnContainer(masters, call, what));
}

/** Hands requests of auxiliary services on to them, as they came. */
function addAuxiliaryRoutes(service: Service, auxiliary: AuxiliaryServices): void {
  service.handOn({
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    path: '/api/v1/auxiliary/:name/*',
    about: 'What an auxiliary service answers.',
    access: 'own-credentials',
    find: ({ name = '' }) => {
      const service = auxiliary.find(name);
      return service?.handle && ((request, response, path) => service.handle?.(request, response, path));
    },
  });
}
