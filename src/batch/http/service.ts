// The web server of a batch master: its REST interface and pages, reachable through the web proxy only.

import { AuditLog } from '../../auth/audit-log.ts';
import { mountOpenApi } from '../../http/open-api.ts';
import { containerErrorPage, movedPage } from '../../http/pages.ts';
import { profiles } from '../../http/profiles.ts';
import { createService, type Service } from '../../http/service.ts';
import type { Logger } from '../../lib/log.ts';
import type { RunningJob } from '../application-master/job-view.ts';
import { type ProxySignature, proxyCallerAuthenticator } from './caller.ts';
import { type MasterRouteOptions, mountMasterRoutes } from './routes.ts';

/** What the server is made of. */
export interface MasterServiceOptions extends Omit<MasterRouteOptions, 'audit'> {
  /** `host:port`; port 0 picks a free one. */
  readonly address: string;
  readonly logger: Logger;
  readonly currentJob: () => RunningJob;
  /** By which the proxy's word is known; absent: no caller has a name. */
  readonly signature?: Omit<ProxySignature, 'clock'>;
  /** Addresses from which the proxy connects; requests from elsewhere are sent to it. Absent: every caller is served. */
  readonly proxyAddresses?: ReadonlySet<string>;
  /** The proxy's base address of this application, `http://host:port/proxy/application_…`. */
  readonly proxyUrl?: string;
}

const unmapped = (address: string) => address.replace(/^::ffff:/, '');

/** Builds the server; call `listen` on it. */
export function createMasterService(options: MasterServiceOptions): Service {
  const { proxyAddresses, proxyUrl } = options;
  const audit = new AuditLog(options.logger);
  const service = createService({
    name: 'batch-master',
    // The proxy is on the way of every answer, and Hadoop's hands them on uncompressed.
    profile: { ...profiles.master, gzip: false },
    address: options.address,
    authenticator: proxyCallerAuthenticator({ key: () => undefined, applicationId: '', ...options.signature, clock: options.clock }),
    takesProxied: true,
    logger: options.logger,
    refused: (refusal) => audit.refusedRequest(refusal),
  });
  if (proxyAddresses && proxyUrl !== undefined) {
    service.raw.addHook('onRequest', (request, reply, done) => {
      if (proxyAddresses.has(unmapped(request.socket.remoteAddress ?? ''))) return done();
      // As AmIpFilter: /proxy/redirect/<application>/… lets the proxy check the caller before it comes back here.
      const target = proxyUrl.replace('/proxy/', '/proxy/redirect/') + request.url;
      reply.code(302).header('location', target).type('text/html;charset=utf-8').send(movedPage(target).text);
    });
  }
  service.raw.addHook('onRequest', (request, reply, done) => {
    if (request.method !== 'POST' && request.method !== 'DELETE') return done();
    // Nothing here takes these methods, and clients know the answer of the proxy's own server: a page for POST, nothing for DELETE.
    reply.code(405);
    if (request.method === 'DELETE') reply.send();
    else
      reply.type('text/html;charset=iso-8859-1').send(containerErrorPage(405, 'Method Not Allowed', request.url.split('?')[0] ?? '').text);
  });
  mountMasterRoutes(service, options.currentJob, { ...options, audit });
  mountOpenApi(service, {
    title: 'Heddle batch master',
    profile: profiles.master,
    described: async () => (await import('./described-routes.ts')).describedRoutes,
  });
  return service;
}
