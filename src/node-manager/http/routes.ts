// The whole web interface of a node as one table.
import { type Answer, redirect } from '../../http/answers.ts';
import type { Call, Route, Service } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import type { AuxiliaryServices } from '../auxiliary/services.ts';
import type { Gpus } from '../devices/gpus.ts';
import { holdOwnContainer, type MasterCalls, showOwnContainer, startOwnContainer, stopOwnContainer } from './container-handlers.ts';
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
  type PageLinks,
  type PageLogServer,
  pageFailure,
} from './pages.ts';
import { showResource } from './resource-handlers.ts';
import { listServices, putServices, type ServiceSources } from './service-handlers.ts';

/** What the routes of each kind work on. */
export interface NodeRouteSources {
  readonly facts: NodeFacts;
  readonly contents: NodeContents;
  readonly logs: LogSources;
  readonly services: ServiceSources;
  readonly masters: MasterCalls;
  /** Undefined where the plug-in of GPUs is off. */
  readonly gpus: Gpus | undefined;
  readonly links: PageLinks;
  readonly logServer: PageLogServer;
}

type Handle = (call: Call) => Answer | Promise<Answer>;
type RouteTable = readonly (readonly [path: string, handle: Handle])[];

const node = '/ws/v1/node';

/** Objects in JSON and XML. */
const objectRoutes = ({ facts, contents, logs, services, gpus }: NodeRouteSources): RouteTable => [
  [node, () => showNode(facts)],
  [`${node}/info`, () => showNode(facts)],
  [`${node}/apps`, (call) => listApplications(contents, call)],
  [`${node}/apps/:appid`, (call) => showApplication(contents, call)],
  [`${node}/containers`, (call) => listContainers(contents, call)],
  [`${node}/containers/:containerid`, (call) => showContainer(contents, call)],
  [`${node}/containers/:containerid/logs`, (call) => listContainerLogs(logs, call)],
  [`${node}/resources/:resourcename`, (call) => showResource(gpus, call)],
  [`${node}/auxiliaryservices`, () => listServices(services)],
];

/** Log files as text. */
const fileRoutes = ({ logs }: NodeRouteSources): RouteTable => [
  [`${node}/containers/:containerid/logs/:filename`, (call) => readContainerLog(logs, call)],
  [`${node}/containerlogs/:containerid/:filename`, (call) => readContainerLog(logs, call)],
];

/** Pages for browsers. */
const pageRoutes = ({ facts, contents, links, logServer }: NodeRouteSources): RouteTable => [
  ['/node', () => nodePage(links, facts)],
  ['/node/node', () => nodePage(links, facts)],
  ['/node/allApplications', (call) => applicationsPage(links, contents, call)],
  ['/node/allContainers', () => containersPage(links, contents)],
  ['/node/application/:id', (call) => applicationPage(links, contents, call)],
  ['/node/container/:id', (call) => containerPage(links, contents, call)],
  ['/node/containerlogs/:container/:user', (call) => logsPage(links, contents, logServer, call)],
  ['/node/containerlogs/:container/:user/:file', (call) => logsPage(links, contents, logServer, call)],
];

/** Longest order of a master. */
const startLimitBytes = 32 * 1024 * 1024;

/** Adds all routes. */
export function addNodeRoutes(service: Service, sources: NodeRouteSources): void {
  const get = (path: string, handle: Handle, more: Partial<Route> = {}) => service.route({ method: 'GET', path, handle, ...more } as Route);
  for (const [path, handle] of objectRoutes(sources)) get(path, handle);
  for (const [path, handle] of fileRoutes(sources)) get(path, handle, { produces: 'any' });
  addMasterRoutes(service, sources.masters);
  get('/api/v1/containers/:containerid/logs', (call) => listRawLogs(sources.logs, call), { produces: ['json'] });
  // Compression would hold back what a follower waits for.
  get('/api/v1/containers/:containerid/logs/:filename', (call) => readRawLog(sources.logs, call), { produces: 'any', gzip: false });
  for (const [path, handle] of pageRoutes(sources)) {
    const page: Handle = async (call) => {
      try {
        return await handle(call);
      } catch (error) {
        return pageFailure(sources.links, error);
      }
    };
    get(path, page, { produces: 'any' });
  }
  get('/', (call) => redirect(302, `${call.scheme}://${call.host}/node`, { text: '', contentType: 'text/plain;charset=utf-8' }), {
    produces: 'any',
  });
  service.route<Buffer>({
    method: 'PUT',
    path: `${node}/auxiliaryservices`,
    body: 'raw',
    handle: (call) => putServices(sources.services, call),
  });
  service.route<never>({
    method: 'PUT',
    path: `${node}/yarn/sysfs/:user/:appid`,
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
  service.route<never>({ method: 'GET', path, authentication: 'none', handle: (call) => showOwnContainer(masters, call) });
  service.route<never>({ method: 'DELETE', path, authentication: 'none', handle: (call) => stopOwnContainer(masters, call) });
  const change = (below: string, about: string, handle: (call: Call<Buffer>) => Answer | Promise<Answer>) =>
    service.route<Buffer>({
      method: 'POST',
      path: `${path}${below}`,
      about,
      authentication: 'none',
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
  service.raw.route({
    method: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    url: '/api/v1/auxiliary/:name/*',
    handler: (request, reply) => {
      const { name = '', '*': path = '' } = request.params as Record<string, string>;
      const handle = auxiliary.find(name)?.handle;
      if (!handle) return reply.callNotFound();
      reply.hijack();
      const query = request.url.indexOf('?');
      handle.call(auxiliary.find(name), request.raw, reply.raw, `/${path}${query < 0 ? '' : request.url.slice(query)}`);
    },
  });
}
