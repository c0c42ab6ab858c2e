// A server of one component: routes in a table, everything Hadoop's servers have in common around them (negotiation, errors,
// HEAD, OPTIONS, gzip, who is calling). Fastify routes and reads bodies; answers are written in one call each.

import { channel } from 'node:diagnostics_channel';
import type { AddressInfo } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { systemRandom } from '../lib/random.ts';
import { failure } from '../model/errors.ts';
import { announcesBody, watchBody } from './body-watch.ts';
import { ConnectionLimits } from './connection-limits.ts';
import { earlyAnswer } from './container-pages.ts';
import { connectionLimits, usualLimits } from './limits.ts';
import { OpenCalls } from './open-calls.ts';
import { HostNames } from './own-names.ts';
import type { DescribedRoutes } from './own-parameters.ts';
import { RequestFigures } from './request-figures.ts';
import { type GateRules, gateRefusal } from './request-gate.ts';
import { RequestIds } from './request-ids.ts';
import { RequestPipeline, routedMethods } from './request-pipeline.ts';
import { Responder } from './responder.ts';
import type { DeclaredPath, HandedOnPath, Resource, Route } from './route.ts';
import type { ServiceOptions } from './service-options.ts';
import { serveUpgrades, type UpgradePath, type Upgrades } from './upgrades.ts';
import { createWebServer, defaultRequestTimeoutMs } from './web-server.ts';

export type { Call, Method, Refusal, Route } from './route.ts';

/** A service; add routes, then listen. */
export interface Service {
  route<Body>(route: Route<Body>): void;
  /** Takes upgrades of a path. */
  upgrade(path: UpgradePath): void;
  /** Hands requests of a path on as they came, before any authentication. */
  handOn(path: HandedOnPath): void;
  /** Says what the routes of Heddle's own interface read: other parameters are refused. */
  describe(described: DescribedRoutes): void;
  /** The name it was made with. */
  readonly name: string;
  /** What it answered so far. */
  readonly figures: RequestFigures;
  /** Everything that it answers: routes, upgrades and what it hands on. */
  readonly declared: readonly DeclaredPath[];
  /** All routes in the order they were added. */
  readonly routes: readonly Route<never>[];
  listen(): Promise<{ host: string; port: number; url: string }>;
  /** Takes nothing new, has every call answered that can be (`open-calls.ts`), and cuts what is still open. */
  close(): Promise<void>;
  /** A request without a socket, for tests. */
  inject: FastifyInstance['inject'];
  /** The Fastify instance, for upgrades. */
  readonly raw: FastifyInstance;
}

/** Where every service is told of when it is made; the reference of routes listens. */
export const serviceMade = channel('heddle.http.service');

/** Longest time for a body that is streamed. */
const longestStreamMs = 86_400_000;
const methodOrder = ['OPTIONS', 'DELETE', 'HEAD', 'POST', 'GET', 'PUT', 'PATCH'];

/** Builds a service. */
export function createService(options: ServiceOptions): Service {
  const service = new HttpService(options);
  serviceMade.publish(service);
  return service;
}

class HttpService implements Service {
  readonly routes: Route<never>[] = [];
  readonly figures = new RequestFigures();
  readonly raw: FastifyInstance;
  readonly inject: FastifyInstance['inject'];
  readonly #options: ServiceOptions;
  /** What it listens on: a name or an address. */
  readonly #host: string;
  readonly #calls = new OpenCalls();
  readonly #responder: Responder;
  readonly #pipeline: RequestPipeline;
  readonly #requestTimeoutMs: number;
  readonly #gate: GateRules;
  readonly #connections: ConnectionLimits;
  readonly #upgradePaths: UpgradePath[] = [];
  #upgrades: Upgrades | undefined;
  readonly #declared: DeclaredPath[] = [];
  readonly #resources = new Map<string, Resource>();
  /** Some route streams its body, so that no parser bounds the time of sending. */
  #watchesBodies = false;
  #unfollowTls = (): void => undefined;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#requestTimeoutMs = options.requestTimeoutMs ?? defaultRequestTimeoutMs;
    const at = options.address.lastIndexOf(':');
    this.#host = options.address.slice(0, at).replace(/^\[|\]$/g, '');
    this.#gate = {
      takesProxied: options.takesProxied,
      hosts: options.hosts ?? new HostNames([this.#host]),
      allowsOrigin: (request) => request.headers.origin !== undefined && options.crossOrigin?.(request) !== undefined,
    };
    this.#responder = new Responder(options, this.#calls, this.figures);
    this.#pipeline = new RequestPipeline(options, this.#responder, this.#resources, this.#calls, this.figures);
    this.raw = createWebServer(options, this.#responder, this.#upgradePaths);
    this.#connections = new ConnectionLimits(connectionLimits(options.limits ?? usualLimits));
    this.#connections.watch(this.raw.server);
    this.raw.server.on('connection', (socket) => this.figures.bytes.connected(socket));
    this.inject = this.raw.inject.bind(this.raw) as FastifyInstance['inject'];
    this.#addHandlers();
  }

  route<Body>(route: Route<Body>): void {
    const resource = this.#resources.get(route.path) ?? this.#addResource(route.path, route.streamsBody ?? false);
    if (resource.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    resource.routes.set(route.method, route as unknown as Route<never>);
    const methods = new Set(['OPTIONS', ...resource.routes.keys(), ...(resource.routes.has('GET') ? ['HEAD'] : [])]);
    resource.allow = methodOrder.filter((method) => methods.has(method)).join(',');
    this.routes.push(route as unknown as Route<never>);
  }

  upgrade(path: UpgradePath): void {
    this.#upgrades ??= serveUpgrades(this.raw.server, {
      paths: this.#upgradePaths,
      gate: this.#gate,
      authenticator: this.#options.authenticator,
      ids: new RequestIds(this.#options.random ?? systemRandom),
      logger: this.#options.logger,
      refused: (problem, of) => this.#responder.tell(problem, of),
    });
    this.#upgradePaths.push(path);
  }

  handOn({ methods, path, find, ...said }: HandedOnPath): void {
    for (const method of methods) this.#declared.push({ ...said, method, path });
    this.raw.route({
      method: [...methods, ...(methods.includes('GET') ? ['HEAD' as const] : [])],
      url: path,
      handler: (request, reply) => {
        const params = request.params as Record<string, string>;
        const handle = find(params);
        if (!handle) return reply.callNotFound();
        reply.hijack();
        const query = request.url.indexOf('?');
        handle(request.raw, reply.raw, `/${params['*'] ?? ''}${query < 0 ? '' : request.url.slice(query)}`);
      },
    });
  }

  describe(described: DescribedRoutes): void {
    this.#pipeline.described = described;
  }

  get name(): string {
    return this.#options.name;
  }

  get declared(): readonly DeclaredPath[] {
    const upgrades = this.#upgradePaths.map(({ path, about, access }) => ({ method: 'WebSocket' as const, path, about, access }));
    return [...this.routes, ...this.#declared, ...upgrades];
  }

  async listen(): Promise<{ host: string; port: number; url: string }> {
    const host = this.#host;
    await this.raw.listen({ host, port: Number(this.#options.address.slice(this.#options.address.lastIndexOf(':') + 1)) });
    const { server } = this.raw;
    if (this.#options.tls && 'setSecureContext' in server)
      this.#unfollowTls = this.#options.tls.follow((options) => (server as unknown as TlsServer).setSecureContext(options));
    const { port } = server.address() as AddressInfo;
    this.figures.port = port;
    return { host, port, url: `${this.#options.tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}` };
  }

  async close(): Promise<void> {
    this.#unfollowTls();
    this.raw.server.close();
    await this.#calls.end();
    await this.#upgrades?.close();
    await this.raw.close();
    this.#options.authenticator.close?.();
  }

  /** Everything that no route answers has an answer of the profile. */
  #addHandlers(): void {
    this.raw.removeAllContentTypeParsers();
    // Nothing is read before it is known who calls and what the route takes.
    this.raw.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    this.raw.addHook('onRequest', (request, reply, done) => {
      const refusal = this.#connections.refusalOf(request.raw.socket) ?? gateRefusal(request.raw, this.#gate);
      if (refusal) {
        reply.hijack();
        this.#responder.finish(
          request,
          refusal,
          reply.raw,
          refusal.entry.status !== 403 || announcesBody(request.raw) ? { connection: 'close' } : undefined,
        );
        this.#responder.tellRefused(request, refusal, undefined, request.socket.remoteAddress ?? '');
        return;
      }
      const early = earlyAnswer(request, this.#options.profile);
      if (early) {
        reply.hijack();
        this.#responder.send(request, early, 'json', reply.raw, false);
        return;
      }
      if (this.#watchesBodies && announcesBody(request.raw)) {
        const streams = (request.routeOptions.config as { streams?: boolean }).streams === true;
        watchBody(request.raw, { stallMs: this.#requestTimeoutMs, totalMs: streams ? longestStreamMs : this.#requestTimeoutMs });
      }
      done();
    });
    this.raw.setNotFoundHandler((request, reply) => {
      reply.hijack();
      void this.#pipeline.serveUnknown(request, reply.raw);
    });
    this.raw.setErrorHandler((error, request, reply) => {
      reply.hijack();
      const { code } = error as { code?: string };
      if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') void this.#pipeline.serveUnreadable(request, reply.raw);
      // Of a method that nothing here has (QUERY), whatever it should have brought.
      else if (code?.startsWith('FST_ERR_ROUTE_MISSING_')) void this.#pipeline.serveUnknown(request, reply.raw);
      else if (((error as { statusCode?: number }).statusCode ?? 500) < 500)
        this.#responder.finish(request, failure('BAD_ENCODING', { reason: (error as Error).message }), reply.raw);
      else this.#responder.finish(request, error, reply.raw);
    });
  }

  #addResource(path: string, streams: boolean): Resource {
    const resource: Resource = { path, routes: new Map(), allow: 'OPTIONS' };
    this.#resources.set(path, resource);
    const addTo = (instance: FastifyInstance) =>
      instance.route({
        method: routedMethods as never,
        url: path,
        config: { streams },
        handler: (request, reply) => {
          reply.hijack();
          void this.#pipeline.serve(resource, request, reply.raw);
        },
      });
    addTo(this.raw);
    if (streams) {
      this.#watchesBodies = true;
      this.raw.server.requestTimeout = 0;
    }
    return resource;
  }
}
