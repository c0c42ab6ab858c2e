// The listening server of a service: Fastify with what Heddle needs of it, which is routing. What a request goes through stands in
// `request-pipeline.ts`.
import type { IncomingMessage } from 'node:http';
import { type FastifyInstance, fastify } from 'fastify';
import { systemRandom } from '../lib/random.ts';
import { refuseConnection } from './body-watch.ts';
import { badMessage } from './container-pages.ts';
import { usualLimits } from './limits.ts';
import { RequestIds } from './request-ids.ts';
import type { Responder } from './responder.ts';
import type { ServiceOptions } from './service-options.ts';
import { type UpgradePath, wantsUpgrade } from './upgrades.ts';

/** Longest time for a whole request where none is given. */
export const defaultRequestTimeoutMs = 600_000;
/** What is wrong with a connection, by the code of Node's error; anything else is a bad request. */
const connectionFaults: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

/** Makes the server, without routes. `upgrades` are the paths that may be upgraded by now. */
export function createWebServer(options: ServiceOptions, responder: Responder, upgrades: readonly UpgradePath[]): FastifyInstance {
  const { tls, logger, requestTimeoutMs = defaultRequestTimeoutMs, limits = usualLimits } = options;
  const checking = {
    headersTimeout: Math.min(requestTimeoutMs, 60_000),
    maxHeaderSize: limits.headerBytes,
    connectionsCheckingInterval: Math.min(requestTimeoutMs, 30_000),
    // Who names no host gets a sentence.
    requireHostHeader: false,
    shouldUpgradeCallback: (request: IncomingMessage) => wantsUpgrade(request, upgrades),
  };
  const ids = new RequestIds(options.random ?? systemRandom);
  return fastify({
    loggerInstance: undefined,
    logger: false,
    bodyLimit: 64 * 1024 * 1024,
    keepAliveTimeout: 75_000,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    requestTimeout: requestTimeoutMs,
    genReqId: (request: IncomingMessage) => ids.of(request),
    ...(tls ? { https: { ...tls.options, ...checking } } : { http: checking }),
    // Bodies are read by our own descriptions; Fastify's schema compilers would cost every server 90 modules and 5 MB.
    schemaController: {
      compilersFactory: { buildValidator: () => () => () => true, buildSerializer: () => () => JSON.stringify },
    } as never,
    // Parameters of path segments (`/info;a=b`) name nothing here; those of masters' pages are theirs.
    rewriteUrl: ({ url = '/' }) =>
      url.includes(';') && !url.startsWith('/proxy/') ? url.replace(/^[^?]*/, (path) => path.replace(/;[^/]*/g, '')) : url,
    routerOptions: { ignoreTrailingSlash: true, caseSensitive: true, maxParamLength: limits.headerBytes },
    frameworkErrors: (error, request, reply) => {
      logger.debug({ err: error }, 'a request was refused before routing');
      void reply.hijack();
      responder.send(request, badMessage, 'json', reply.raw, false);
    },
    clientErrorHandler: (error, socket) => {
      const [status, reason] = connectionFaults[error.code ?? ''] ?? [400, 'Bad Request'];
      refuseConnection(socket, status, reason, { isHead: beganAsHead(error) });
    },
  }) as unknown as FastifyInstance;
}

/** Whether bytes that could not be read are those of a HEAD: nobody has parsed a method then. */
function beganAsHead(error: Error & { readonly rawPacket?: unknown }): boolean {
  return Buffer.isBuffer(error.rawPacket) && error.rawPacket.toString('latin1', 0, 5) === 'HEAD ';
}
