// The whole web interface of a node as one table.
import { type Answer, redirect } from '../../http/answers.ts';
import type { Call, Route, Service } from '../../http/service.ts';
import type { Clock } from '../../lib/clock.ts';
import { failure } from '../../model/errors.ts';
import { holdOwnContainer, showOwnContainer, startOwnContainer, stopOwnContainer } from './container-handlers.ts';
import type { NodeView } from './context.ts';
import { listContainerLogs, listRawLogs, readContainerLog, readRawLog } from './log-handlers.ts';
import { listApplications, listContainers, listServices, putServices, showApplication, showContainer, showNode } from './node-handlers.ts';
import { applicationPage, applicationsPage, containerPage, containersPage, logsPage, nodePage, pageFailure } from './pages.ts';
import { showResource } from './resource-handlers.ts';

type Handle = (view: NodeView, call: Call, clock: Clock) => Answer | Promise<Answer>;

const node = '/ws/v1/node';
const objects: readonly (readonly [string, Handle])[] = [
  [node, showNode],
  [`${node}/info`, showNode],
  [`${node}/apps`, listApplications],
  [`${node}/apps/:appid`, showApplication],
  [`${node}/containers`, listContainers],
  [`${node}/containers/:containerid`, showContainer],
  [`${node}/containers/:containerid/logs`, listContainerLogs],
  [`${node}/resources/:resourcename`, showResource],
  [`${node}/auxiliaryservices`, listServices],
];
const files: readonly (readonly [string, Handle])[] = [
  [`${node}/containers/:containerid/logs/:filename`, readContainerLog],
  [`${node}/containerlogs/:containerid/:filename`, readContainerLog],
];
const pages: readonly (readonly [string, Handle])[] = [
  ['/node', nodePage],
  ['/node/node', nodePage],
  ['/node/allApplications', applicationsPage],
  ['/node/allContainers', containersPage],
  ['/node/application/:id', applicationPage],
  ['/node/container/:id', containerPage],
  ['/node/containerlogs/:container/:user', logsPage],
  ['/node/containerlogs/:container/:user/:file', logsPage],
];

/** Longest order of a master. */
const startLimitBytes = 32 * 1024 * 1024;

/** Adds all routes. */
export function addNodeRoutes(service: Service, view: NodeView, clock: Clock): void {
  const get = (path: string, handle: Handle, more: Partial<Route> = {}) =>
    service.route({ method: 'GET', path, handle: (call: Call) => handle(view, call, clock), ...more } as Route);
  for (const [path, handle] of objects) get(path, handle);
  for (const [path, handle] of files) get(path, handle, { produces: 'any' });
  get('/api/v1/containers/:containerid/logs', listRawLogs, { produces: ['json'] });
  // Compression would hold back what a follower waits for.
  get('/api/v1/containers/:containerid/logs/:filename', readRawLog, { produces: 'any', gzip: false });
  get('/api/v1/containers/:containerid', showOwnContainer, { authentication: 'none' });
  service.route<never>({
    method: 'DELETE',
    path: '/api/v1/containers/:containerid',
    authentication: 'none',
    handle: (call) => stopOwnContainer(view, call),
  });
  const change = (path: string, about: string, handle: (call: Call<Buffer>) => Answer | Promise<Answer>) =>
    service.route<Buffer>({
      method: 'POST',
      path: `/api/v1/containers/:containerid${path}`,
      about,
      authentication: 'none',
      body: 'raw',
      bodyLimitBytes: startLimitBytes,
      handle,
    });
  change('', 'A master starts a container that it was given: the token says what it may be, the body what runs.', (call) =>
    startOwnContainer(view, call, clock),
  );
  for (const what of ['pause', 'resume'] as const)
    change(`/${what}`, `A master makes the processes of its container ${what}.`, (call) => holdOwnContainer(view, call, what));
  for (const [path, handle] of pages) {
    const page: Handle = async (...parameters) => {
      try {
        return await handle(...parameters);
      } catch (error) {
        return pageFailure(view, error);
      }
    };
    get(path, page, { produces: 'any' });
  }
  get('/', (_view, call) => redirect(302, `${call.scheme}://${call.host}/node`, { text: '', contentType: 'text/plain;charset=utf-8' }), {
    produces: 'any',
  });
  service.route<never>({
    method: 'PUT',
    path: `${node}/auxiliaryservices`,
    body: 'raw',
    handle: (call) => putServices(view, call as unknown as Call<Buffer>),
  });
  service.route<never>({
    method: 'PUT',
    path: `${node}/yarn/sysfs/:user/:appid`,
    body: 'raw',
    handle: () => {
      throw failure('NODE_SYSFS_UNAVAILABLE');
    },
  });
  service.raw.route({
    method: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    url: '/api/v1/auxiliary/:name/*',
    handler: (request, reply) => {
      const { name = '', '*': path = '' } = request.params as Record<string, string>;
      const handle = view.auxiliary.find(name)?.handle;
      if (!handle) return reply.callNotFound();
      reply.hijack();
      const query = request.url.indexOf('?');
      handle.call(view.auxiliary.find(name), request.raw, reply.raw, `/${path}${query < 0 ? '' : request.url.slice(query)}`);
    },
  });
}
