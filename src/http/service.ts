// A server of one component: routes in a table, everything Hadoop's servers have in common around them (negotiation, errors,
// HEAD, OPTIONS, gzip, who is calling). Fastify routes and reads bodies; answers are written in one call each.

import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import type { Authenticator, Caller } from '../auth/authenticator.ts';
import type { RouteAccess } from '../auth/route-access.ts';
import type { Logger } from '../lib/log.ts';
import { type Random, systemRandom } from '../lib/random.ts';
import { Failure, failure } from '../model/errors.ts';
import type { RecordDescription } from '../wire/codec/describe.ts';
import type { Answer, Headers } from './answers.ts';
import { announcesBody, refuseConnection, watchBody } from './body-watch.ts';
import { readCallBody } from './call-body.ts';
import { asciiAddress, unsendableHeader } from './header-values.ts';
import { type Format, negotiate } from './negotiate.ts';
import { containerErrorPage, unknownPathPage } from './pages.ts';
import { isLiteral, matches, pathOf, queryOf } from './paths.ts';
import type { Profile } from './profiles.ts';
import { Query } from './query.ts';
import { renderFailure } from './render-error.ts';
import { sendAnswer } from './send.ts';
import { serveUpgrades, type UpgradePath, wantsUpgrade } from './upgrades.ts';
import { describeResource } from './wadl.ts';

/** Methods a route may have. */
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'OPTIONS' | 'TRACE';

/** One request, as a handler sees it. `body` is the value of the route's record, a Buffer for raw bodies, else undefined. */
export interface Call<Body = unknown> {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  /** Short name of the caller, undefined for a caller without a name. */
  readonly user: string | undefined;
  readonly format: Format;
  readonly headers: IncomingMessage['headers'];
  readonly scheme: 'http' | 'https';
  /** The Host header, `127.0.0.1:8088`. */
  readonly host: string;
  readonly remoteAddress: string;
  readonly request: IncomingMessage;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/** A route. Paths as Fastify's: `/apps/:appid`, `/proxy/*`. */
export interface Route<Body = never> {
  readonly method: Method;
  readonly path: string;
  /** Reads the body as this record; `raw` gives the bytes; absent: a body is ignored. */
  readonly body?: RecordDescription<Body> | 'raw';
  /** Leaves a body of any length in `call.request`; no other route of the path may have a body. */
  readonly streamsBody?: boolean;
  /** Roots the same XML reader knows, for its error text. */
  readonly bodyRoots?: readonly string[];
  /** Media types a body may have; default JSON and XML for records, any for raw. */
  readonly consumes?: readonly ('json' | 'xml')[];
  /** A JSON body with unknown members or members of another type is refused, and its maps may be plain objects. */
  readonly strictBody?: boolean;
  /** Formats this route can answer in; default both. `any`: the handler decides, Accept is not checked. */
  readonly produces?: readonly Format[] | 'any';
  /** Whether answers may be compressed; default the profile's. */
  readonly gzip?: boolean;
  /** Largest body in bytes; default 10 MiB. */
  readonly bodyLimitBytes?: number;
  /** Whether the caller must be known to the authenticator; `none` for paths with their own credentials. */
  readonly authentication?: 'required' | 'none';
  /** What it asks of its caller, for the table of access and the scopes of bearer tokens; absent: as `admin`. */
  readonly access?: RouteAccess;
  /** What it answers with, for OpenAPI. */
  readonly answers?: readonly { readonly schema: unknown; readonly root: string }[];
  /** Listed in references and OpenAPI. */
  readonly about?: string;
  readonly handle: (call: Call<Body>) => Answer | Promise<Answer>;
}

/** A request that was refused for who calls. */
export interface Refusal {
  readonly method: string;
  readonly path: string;
  /** Undefined where it is the credentials that were refused. */
  readonly caller: Caller | undefined;
  readonly remoteAddress: string;
  readonly failure: Failure;
}

/** What a service is made of. */
export interface ServiceOptions {
  readonly name: string;
  readonly profile: Profile;
  /** `host:port`; port 0 picks a free one. */
  readonly address: string;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  /** Names failures inside the server in answers and log; default the system's. */
  readonly random?: Random;
  /** Headers of the cross-origin filter for a request with `Origin`, or undefined. */
  readonly crossOrigin?: (request: IncomingMessage) => Headers | undefined;
  /** Value of X-Frame-Options where the profile has it, empty for none; default SAMEORIGIN. */
  readonly frameOptions?: string;
  /** Refuses requests after it is known who calls (cross-site guard). */
  readonly guard?: (request: { readonly method: string; readonly headers: IncomingMessage['headers'] }) => Failure | undefined;
  /** Hears of every request that was refused for who calls (401 and 403), other than those without any credentials. */
  readonly refused?: (refusal: Refusal) => void;
  /** Answers unknown paths; default, and where it gives undefined, the profile's page. */
  readonly unknownPath?: (path: string, call: { readonly format: Format; readonly method: string }) => Answer | undefined;
  readonly https?: { readonly key: string | Buffer; readonly cert: string | Buffer };
  /**
   * Longest time from the first byte of a request to its last, so that slow senders hold no connection for ever; of a body that is streamed,
   * longest time in which nothing comes. Default ten minutes.
   */
  readonly requestTimeoutMs?: number;
}

/** A service; add routes, then listen. */
export interface Service {
  route<Body>(route: Route<Body>): void;
  /** Takes WebSocket upgrades of a path. */
  upgrade(path: UpgradePath): void;
  /** All routes in the order they were added. */
  readonly routes: readonly Route<never>[];
  listen(): Promise<{ host: string; port: number; url: string }>;
  close(): Promise<void>;
  /** A request without a socket, for tests. */
  inject: FastifyInstance['inject'];
  /** The Fastify instance, for upgrades. */
  readonly raw: FastifyInstance;
}

/** Where every service is told of when it is made; the reference of routes listens. */
export const serviceMade = channel('heddle.http.service');

const defaultRequestTimeoutMs = 600_000;
/** Longest time for a body that is streamed. */
const longestStreamMs = 86_400_000;
/** What is wrong with a connection, by the code of Node's error; anything else is a bad request. */
const connectionFaults: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};
const defaultBodyLimitBytes = 10 * 1024 * 1024;
const anyCaller: Caller = { user: undefined, principal: undefined, anonymous: true, authentication: undefined, remoteAddress: '' };
const methodOrder = ['OPTIONS', 'DELETE', 'HEAD', 'POST', 'GET', 'PUT', 'PATCH'];
const routedMethods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE'];

interface Resource {
  readonly path: string;
  readonly routes: Map<string, Route<never>>;
  allow: string;
}

/** Builds a service. */
export function createService(options: ServiceOptions): Service {
  const service = new HttpService(options);
  serviceMade.publish(service);
  return service;
}

class HttpService implements Service {
  readonly routes: Route<never>[] = [];
  readonly raw: FastifyInstance;
  readonly inject: FastifyInstance['inject'];
  readonly #options: ServiceOptions;
  readonly #random: Random;
  readonly #frameOptions: string;
  readonly #requestTimeoutMs: number;
  readonly #upgrades: UpgradePath[] = [];
  readonly #resources = new Map<string, Resource>();
  /** Some route streams its body, so that no parser bounds the time of sending. */
  #watchesBodies = false;

  constructor(options: ServiceOptions) {
    const { profile, frameOptions, random = systemRandom, requestTimeoutMs = defaultRequestTimeoutMs } = options;
    this.#options = options;
    this.#random = random;
    this.#frameOptions = profile.frameOptions ? (frameOptions ?? 'SAMEORIGIN') : '';
    this.#requestTimeoutMs = requestTimeoutMs;
    this.raw = this.#createServer();
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
    if (this.#upgrades.length === 0) serveUpgrades(this.raw.server, this.#upgrades, this.#options.authenticator, this.#options.logger);
    this.#upgrades.push(path);
  }

  async listen(): Promise<{ host: string; port: number; url: string }> {
    const at = this.#options.address.lastIndexOf(':');
    const host = this.#options.address.slice(0, at).replace(/^\[|\]$/g, '');
    await this.raw.listen({ host, port: Number(this.#options.address.slice(at + 1)) });
    const { port } = this.raw.server.address() as AddressInfo;
    return { host, port, url: `${this.#options.https ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}` };
  }

  async close(): Promise<void> {
    await this.raw.close();
  }

  #createServer(): FastifyInstance {
    const checking = {
      headersTimeout: Math.min(this.#requestTimeoutMs, 60_000),
      connectionsCheckingInterval: Math.min(this.#requestTimeoutMs, 30_000),
      shouldUpgradeCallback: (request: IncomingMessage) => this.#upgrades.length > 0 && wantsUpgrade(request),
    };
    return fastify({
      loggerInstance: undefined,
      logger: false,
      bodyLimit: 64 * 1024 * 1024,
      keepAliveTimeout: 75_000,
      forceCloseConnections: true,
      exposeHeadRoutes: false,
      requestTimeout: this.#requestTimeoutMs,
      ...(this.#options.https ? { https: { ...this.#options.https, ...checking } } : { http: checking }),
      // Bodies are read by our own descriptions; Fastify's schema compilers would cost every server 90 modules and 5 MB.
      schemaController: {
        compilersFactory: { buildValidator: () => () => () => true, buildSerializer: () => () => JSON.stringify },
      } as never,
      // Parameters of path segments (`/info;a=b`) name nothing here; those of masters' pages are theirs.
      rewriteUrl: ({ url = '/' }) =>
        url.includes(';') && !url.startsWith('/proxy/') ? url.replace(/^[^?]*/, (path) => path.replace(/;[^/]*/g, '')) : url,
      routerOptions: { ignoreTrailingSlash: true, caseSensitive: true, maxParamLength: 4096 },
      frameworkErrors: (error, request, reply) => {
        this.#options.logger.debug({ err: error }, 'a request was refused before routing');
        void reply.hijack();
        const body = '<h1>Bad Message 400</h1><pre>reason: Bad Request</pre>';
        this.#send(request, { kind: 'rendered', status: 400, body, contentType: 'text/html;charset=iso-8859-1' }, 'json', reply.raw, false);
      },
      clientErrorHandler: (error, socket) => {
        const [status, reason] = connectionFaults[error.code ?? ''] ?? [400, 'Bad Request'];
        refuseConnection(socket, status, reason);
      },
    }) as unknown as FastifyInstance;
  }

  /** Bodies are buffers, everything that no route answers has an answer of the profile. */
  #addHandlers(): void {
    this.raw.removeAllContentTypeParsers();
    this.raw.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    this.raw.addHook('onRequest', (request, _reply, done) => {
      if (this.#watchesBodies && announcesBody(request.raw)) {
        const streams = (request.routeOptions.config as { streams?: boolean }).streams === true;
        watchBody(request.raw, { stallMs: this.#requestTimeoutMs, totalMs: streams ? longestStreamMs : this.#requestTimeoutMs });
      }
      done();
    });
    this.raw.setNotFoundHandler((request, reply) => {
      reply.hijack();
      void this.#serveUnknown(request, reply.raw);
    });
    this.raw.setErrorHandler((error, request, reply) => {
      reply.hijack();
      const code = (error as { code?: string }).code;
      if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
        this.#finish(request, failure('BODY_TOO_LARGE', { limitBytes: defaultBodyLimitBytes }), reply.raw);
      else if (((error as { statusCode?: number }).statusCode ?? 500) < 500)
        this.#finish(request, failure('BAD_ENCODING', { reason: (error as Error).message }), reply.raw);
      else this.#finish(request, error, reply.raw);
    });
  }

  #contextOf(request: FastifyRequest, format: Format = 'json') {
    const accept = request.headers.accept;
    return {
      profile: this.#options.profile,
      format: negotiate(accept, ['json', 'xml']) ?? format,
      method: request.method,
      path: pathOf(request.url),
      accept,
    };
  }

  #finish(request: FastifyRequest, problem: unknown, response: ServerResponse, headers?: Headers): void {
    const context = this.#contextOf(request);
    const failed = problem instanceof Failure ? problem : this.#internal(problem, request);
    this.#send(request, renderFailure(failed, context, headers), context.format, response);
  }

  #tellRefused(request: FastifyRequest, problem: unknown, caller: Caller | undefined): void {
    if (!(problem instanceof Failure) || problem.code === 'AUTHENTICATION_REQUIRED') return;
    const { status } = problem.entry;
    if (status !== 401 && status !== 403) return;
    const remoteAddress = request.socket.remoteAddress ?? '';
    this.#options.refused?.({ method: request.method, path: pathOf(request.url), caller, remoteAddress, failure: problem });
  }

  #internal(problem: unknown, request: FastifyRequest): Failure {
    const reference = this.#random.bytes(4).toString('hex');
    this.#options.logger.error(
      { err: problem, method: request.method, path: pathOf(request.url), reference },
      'a request failed inside the server',
    );
    return failure('INTERNAL', { reference });
  }

  #send(request: FastifyRequest, made: Answer, format: Format, response: ServerResponse, gzip = this.#options.profile.gzip): void {
    const produced = this.#sendable(request, made);
    const isAbsentHead = request.method === 'HEAD' && produced.status === 404 && pathOf(request.url).startsWith('/ws/');
    const answer =
      isAbsentHead && this.#options.profile.headOfAbsentIs405
        ? ({ ...produced, status: 405, contentType: 'text/html;charset=iso-8859-1' } as Answer)
        : produced;
    const crossOrigin = request.headers.origin === undefined ? undefined : this.#options.crossOrigin?.(request.raw);
    sendAnswer(answer, {
      request: request.raw,
      response,
      format,
      gzip,
      frameOptions: this.#frameOptions,
      extra: crossOrigin,
      logger: this.#options.logger,
    });
  }

  /** The answer, or a 400 where a header would hold what none may: input that was taken over into it. */
  #sendable(request: FastifyRequest, answer: Answer): Answer {
    const location = answer.headers?.['location'];
    const headers = typeof location === 'string' ? { ...answer.headers, location: asciiAddress(location) } : answer.headers;
    const name = unsendableHeader(headers);
    if (name === undefined) return headers === answer.headers ? answer : ({ ...answer, headers } as Answer);
    if (answer.kind === 'pieces') void answer.close?.().catch(() => undefined);
    return renderFailure(failure('HEADER_CHARACTER', { name }), this.#contextOf(request));
  }

  async #serve(resource: Resource, request: FastifyRequest, response: ServerResponse): Promise<void> {
    const query = new Query(queryOf(request.url), resource.path);
    const path = pathOf(request.url);
    if (path.includes('%') && !isLiteral(resource.path, path)) return this.#serveUnknown(request, response);
    // What a path names is never empty.
    if (path.includes('//') && Object.entries(request.params as object).some(([name, value]) => name !== '*' && value === ''))
      return this.#serveUnknown(request, response);
    const remoteAddress = request.socket.remoteAddress ?? '';
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const route = resource.routes.get(method);
    let headers: Headers | undefined;
    let known: Caller | undefined;
    try {
      let caller: Caller = { ...anyCaller, remoteAddress };
      if (route?.authentication !== 'none') {
        const found = this.#options.authenticator.identify({
          method: request.method,
          path,
          query: (name) => query.credential(name),
          headers: request.headers,
          remoteAddress,
        });
        const identity = found instanceof Promise ? await found : found;
        headers = identity.headers;
        if ('refusal' in identity) throw identity.refusal;
        if ('answer' in identity) {
          const { status, contentType, body } = identity.answer;
          this.#send(request, { kind: 'rendered', status, body, contentType, headers }, 'json', response);
          return;
        }
        caller = identity.caller;
        known = caller;
      }
      const refusal = this.#options.guard?.({ method: request.method, headers: request.headers });
      if (refusal) throw refusal;
      if (request.method === 'OPTIONS' && !route) {
        this.#send(
          request,
          withHeaders(describeResource(resource.path, resource.allow, request.headers.accept, this.#options.profile.wadlType), headers),
          'xml',
          response,
        );
        return;
      }
      if (!route) throw failure('METHOD_NOT_ALLOWED', { method: request.method, allow: resource.allow });
      const produced = route.produces ?? (['json', 'xml'] as const);
      const format =
        produced === 'any' ? (negotiate(request.headers.accept, ['json', 'xml']) ?? 'json') : negotiate(request.headers.accept, produced);
      if (!format)
        throw failure('NOT_ACCEPTABLE', { available: (produced as readonly Format[]).map((type) => `application/${type}`).join(', ') });
      const body = route.body === undefined ? undefined : readCallBody(route, request, defaultBodyLimitBytes);
      const call = makeCall(request, response, { query, path, caller, format, body, remoteAddress });
      const answer = await route.handle(call as Call<never>);
      this.#send(request, withHeaders(answer, headers), format, response, route.gzip ?? this.#options.profile.gzip);
    } catch (problem) {
      // What was not read of a long body is not worth reading.
      if (route?.streamsBody && !request.raw.complete) headers = { ...headers, connection: 'close' };
      if (problem instanceof Failure && problem.code === 'METHOD_NOT_ALLOWED') headers = { ...headers, allow: resource.allow };
      this.#tellRefused(request, problem, known);
      this.#finish(request, problem, response, headers);
    }
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
          void this.#serve(resource, request, reply.raw);
        },
      });
    if (!streams) {
      addTo(this.raw);
      return resource;
    }
    this.#watchesBodies = true;
    this.raw.server.requestTimeout = 0;
    // A scope of its own, in which no parser reads the body beforehand.
    this.raw.register((scope, _options, done) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
      addTo(scope as unknown as FastifyInstance);
      done();
    });
    return resource;
  }

  async #serveUnknown(request: FastifyRequest, response: ServerResponse): Promise<void> {
    const query = new Query(queryOf(request.url));
    const path = pathOf(request.url);
    let headers: Headers | undefined;
    try {
      const identity = await this.#options.authenticator.identify({
        method: request.method,
        path,
        query: (name) => query.credential(name),
        headers: request.headers,
        remoteAddress: request.socket.remoteAddress ?? '',
      });
      headers = identity.headers;
      if ('refusal' in identity) throw identity.refusal;
      if ('answer' in identity) {
        const { status, contentType, body } = identity.answer;
        return void this.#send(request, { kind: 'rendered', status, body, contentType, headers }, 'json', response);
      }
      const format = negotiate(request.headers.accept, ['json', 'xml']) ?? 'json';
      // Methods that the router does not know (PROPFIND …) on paths that it does.
      const known = routedMethods.includes(request.method)
        ? undefined
        : [...this.#resources.values()].find((each) => matches(each.path, path));
      if (known) {
        headers = { ...headers, allow: known.allow };
        throw failure('METHOD_NOT_ALLOWED', { method: request.method, allow: known.allow });
      }
      if (path.startsWith('/api/')) throw failure('PATH_UNKNOWN', { path });
      const own = this.#options.unknownPath?.(path, { format, method: request.method });
      if (own) return void this.#send(request, withHeaders(own, headers), format, response);
      if (request.method === 'OPTIONS') {
        return void this.#send(
          request,
          { kind: 'rendered', status: 200, body: '', contentType: 'text/plain;charset=utf-8', headers: { ...headers, allow: 'GET, POST' } },
          format,
          response,
        );
      }
      const doubled = path.startsWith('//');
      this.#send(
        request,
        {
          kind: 'rendered',
          status: 404,
          body: (doubled ? containerErrorPage(404, 'Not Found', path) : unknownPathPage(path)).text,
          contentType: doubled ? 'text/html;charset=iso-8859-1' : this.#options.profile.unknownPathType,
          headers,
        },
        format,
        response,
      );
    } catch (problem) {
      this.#tellRefused(request, problem, undefined);
      this.#finish(request, problem, response, headers);
    }
  }
}

const withHeaders = (answer: Answer, headers: Headers | undefined): Answer =>
  headers && Object.keys(headers).length > 0 ? { ...answer, headers: { ...headers, ...answer.headers } } : answer;

interface CallParts {
  readonly query: Query;
  readonly path: string;
  readonly caller: Caller;
  readonly format: Format;
  readonly body: unknown;
  readonly remoteAddress: string;
}

function makeCall(request: FastifyRequest, response: ServerResponse, parts: CallParts): Call {
  let controller: AbortController | undefined;
  return {
    ...parts,
    method: request.method,
    params: request.params as Record<string, string>,
    user: parts.caller.user,
    headers: request.headers,
    scheme: 'encrypted' in request.socket ? 'https' : 'http',
    host: request.headers.host ?? '',
    request: request.raw,
    get signal() {
      if (!controller) {
        controller = new AbortController();
        // The response's own event: the connection lives on for further requests.
        response.once('close', () => controller!.abort());
      }
      return controller.signal;
    },
  };
}
