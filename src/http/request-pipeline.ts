// The way of one request through a service: who calls, what guards it, what it may answer with, its body, the route's handler.
import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Caller, Identity } from '../auth/authenticator.ts';
import { bearerChallenge } from '../auth/bearer/proof.ts';
import { scopeRefusal } from '../auth/bearer/restriction.ts';
import { isLoopbackAddress } from '../lib/loopback.ts';
import { Failure, failure } from '../model/errors.ts';
import type { Answer, Headers } from './answers.ts';
import { BodyBudget } from './body-budget.ts';
import { readCallBody } from './call-body.ts';
import { containerError } from './container-error.ts';
import { optionsAnswer, unknownPathAnswer } from './container-pages.ts';
import { usualLimits } from './limits.ts';
import { isMediaType, parseAccept } from './media-types.ts';
import { type Format, negotiate } from './negotiate.ts';
import type { OpenCalls } from './open-calls.ts';
import { type DescribedRoutes, isOwnPath, refuseUnknownParameters } from './own-parameters.ts';
import { isLiteral, matches, pathOf, queryOf } from './paths.ts';
import { Query } from './query.ts';
import { RequestCall } from './request-call.ts';
import { type RequestFigures, waitsByNature } from './request-figures.ts';
import { changingGetRefusal } from './request-gate.ts';
import type { Responder } from './responder.ts';
import type { Call, Resource, Route } from './route.ts';
import type { ServiceOptions } from './service-options.ts';

/** Methods that the router knows. */
export const routedMethods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE'];
/** Largest body of a route that names no limit of its own. */
export const defaultBodyLimitBytes = 10 * 1024 * 1024;

const anyCaller: Caller = { user: undefined, principal: undefined, anonymous: true, authentication: undefined, remoteAddress: '' };

/** In whose name a body is held in memory: an address is one caller, but that of loopback, which all users of a machine share. */
const holderOf = ({ realUser, user }: Caller, remoteAddress: string): string =>
  isLoopbackAddress(remoteAddress) ? `${realUser ?? user ?? 'a caller without a name'} at ${remoteAddress}` : remoteAddress;

/** Serves the requests of a service. */
export class RequestPipeline {
  readonly #options: ServiceOptions;
  readonly #responder: Responder;
  readonly #resources: ReadonlyMap<string, Resource>;
  readonly #calls: OpenCalls;
  readonly #figures: RequestFigures;
  readonly #budget: BodyBudget;
  /** Loads what the routes read; set before the first request. */
  described: DescribedRoutes | undefined;

  /** `resources`: by path; they may grow later. */
  constructor(
    options: ServiceOptions,
    responder: Responder,
    resources: ReadonlyMap<string, Resource>,
    calls: OpenCalls,
    figures: RequestFigures,
  ) {
    this.#options = options;
    this.#calls = calls;
    this.#figures = figures;
    this.#responder = responder;
    this.#resources = resources;
    this.#budget = new BodyBudget(options.limits ?? usualLimits);
  }

  /** Serves a request of a path that has routes; never throws. */
  async serve(resource: Resource, request: FastifyRequest, response: ServerResponse): Promise<void> {
    const query = new Query(queryOf(request.url), resource.path);
    const path = pathOf(request.url);
    if (path.includes('%') && !isLiteral(resource.path, path)) return this.serveUnknown(request, response);
    // What a path names is never empty.
    if (path.includes('//') && Object.entries(request.params as object).some(([name, value]) => name !== '*' && value === ''))
      return this.serveUnknown(request, response);
    const remoteAddress = request.socket.remoteAddress ?? '';
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const route = resource.routes.get(method);
    let headers: Headers | undefined;
    let known: Caller | undefined;
    let heldBytes = 0;
    let holder = remoteAddress;
    const calls = this.#calls;
    const begunMs = performance.now();
    calls.begin();
    this.#figures.begun();
    try {
      if (request.method === 'GET' && changesByGet(route, query)) {
        const refusal = changingGetRefusal(request.raw);
        if (refusal) throw refusal;
      }
      if (route?.authentication !== 'none') {
        const found = this.#identify(request, query);
        const identity = found instanceof Promise ? await found : found;
        headers = identity.headers;
        if ('refusal' in identity) throw identity.refusal;
        if ('answer' in identity) {
          const { status, contentType, body } = identity.answer;
          this.#responder.send(request, { kind: 'rendered', status, body, contentType, headers }, 'json', response);
          this.#responder.tellRefused(request, identity.failure, undefined, remoteAddress);
          return;
        }
        known = { ...identity.caller, requestId: request.id };
      }
      const refusal = this.#options.guard?.({ method: request.method, headers: request.headers });
      if (refusal) throw refusal;
      if (isOfJersey(path) && hasUnreadableType(request.headers)) return this.#sendBadRequest(request, response, headers);
      if (request.method === 'OPTIONS' && !route) {
        this.#responder.send(
          request,
          withHeaders(optionsAnswer(this.#options.profile, resource, request.headers.accept), headers),
          'xml',
          response,
        );
        return;
      }
      const caller = known ?? { ...anyCaller, remoteAddress, requestId: request.id };
      const narrow = route && scopeRefusal(caller, route.access, request.method);
      if (narrow) {
        headers = { ...headers, ...bearerChallenge('insufficient_scope') };
        throw narrow;
      }
      if (!route) throw failure('METHOD_NOT_ALLOWED', { method: request.method, allow: resource.allow });
      const produced = route.produces ?? (['json', 'xml'] as const);
      const format = produced === 'any' ? anyFormat(route, request.headers.accept) : negotiate(request.headers.accept, produced);
      if (!format)
        throw failure('NOT_ACCEPTABLE', { available: (produced as readonly Format[]).map((type) => `application/${type}`).join(', ') });
      if (query.text !== '' && isOwnPath(resource.path)) await refuseUnknownParameters(method, resource.path, query, this.described);
      route.admit?.({ params: request.params as Record<string, string>, headers: request.headers, request: request.raw });
      let body: unknown;
      if (route.body !== undefined) {
        holder = holderOf(caller, remoteAddress);
        ({ value: body, heldBytes } = await readCallBody(route, request.raw, defaultBodyLimitBytes, this.#budget, holder));
      }
      const call: Call = new RequestCall(request, response, { query, path, caller, format, body, remoteAddress, calls });
      const answer = await route.handle(call as Call<never>);
      if (answer.failure) this.#responder.tellRefused(request, answer.failure, known, remoteAddress);
      this.#responder.send(request, withHeaders(answer, headers), format, response, route.gzip ?? this.#options.profile.gzip);
    } catch (problem) {
      // What was not read of a long body is not worth reading.
      if (route?.streamsBody && !request.raw.complete) headers = { ...headers, connection: 'close' };
      if (problem instanceof Failure && problem.code === 'METHOD_NOT_ALLOWED') headers = { ...headers, allow: resource.allow };
      this.#responder.tellRefused(request, problem, known, remoteAddress);
      this.#responder.finish(request, problem, response, headers);
    } finally {
      if (heldBytes > 0) this.#budget.release(holder, heldBytes);
      calls.answer();
      this.#figures.ended(performance.now() - begunMs, waitsByNature(query.text));
    }
  }

  /** Serves a request whose Content-Type cannot be read, which goes no further than to who calls; never throws. */
  async serveUnreadable(request: FastifyRequest, response: ServerResponse): Promise<void> {
    try {
      const identity = await this.#identify(request, new Query(queryOf(request.url)));
      if ('refusal' in identity) throw identity.refusal;
      this.#sendBadRequest(request, response, identity.headers);
    } catch (problem) {
      this.#responder.tellRefused(request, problem, undefined, request.socket.remoteAddress ?? '');
      this.#responder.finish(request, problem, response);
    }
  }

  /** What Hadoop's servlet container answers where Jersey gives up before any resource. */
  #sendBadRequest(request: FastifyRequest, response: ServerResponse, headers: Headers | undefined): void {
    const { method, url } = request;
    const refused = { method, path: pathOf(url), accept: request.headers.accept };
    this.#responder.send(request, withHeaders(containerError(400, 'Bad Request', refused), headers), 'json', response);
  }

  #identify({ id, method, url, headers, socket }: FastifyRequest, query: Query): Identity | Promise<Identity> {
    return this.#options.authenticator.identify({
      method,
      path: pathOf(url),
      url,
      query: (name) => query.credential(name),
      headers,
      remoteAddress: socket.remoteAddress ?? '',
      socket,
      requestId: id,
    });
  }

  /** Answers a request of a path that no route has; never throws. */
  async serveUnknown(request: FastifyRequest, response: ServerResponse): Promise<void> {
    const query = new Query(queryOf(request.url));
    const path = pathOf(request.url);
    const remoteAddress = request.socket.remoteAddress ?? '';
    let headers: Headers | undefined;
    try {
      if (request.method === 'GET' && changesByGet(undefined, query)) {
        const refusal = changingGetRefusal(request.raw);
        if (refusal) throw refusal;
      }
      const identity = await this.#identify(request, query);
      headers = identity.headers;
      if ('refusal' in identity) throw identity.refusal;
      if ('answer' in identity) {
        const { status, contentType, body } = identity.answer;
        this.#responder.tellRefused(request, identity.failure, undefined, remoteAddress);
        return void this.#responder.send(request, { kind: 'rendered', status, body, contentType, headers }, 'json', response);
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
      if (own) return void this.#responder.send(request, withHeaders(own, headers), format, response);
      this.#responder.send(
        request,
        withHeaders(unknownPathAnswer(this.#options.profile, { method: request.method, path, accept: request.headers.accept }), headers),
        format,
        response,
      );
    } catch (problem) {
      this.#responder.tellRefused(request, problem, undefined, remoteAddress);
      this.#responder.finish(request, problem, response, headers);
    }
  }
}

/** Whether a path is one that Jersey answers: those of the interfaces, and that of their description. */
const isOfJersey = (path: string): boolean => path.startsWith('/ws/') || path === '/application.wadl';

/** Whether Jersey would read neither what is accepted nor what is sent. */
const hasUnreadableType = ({ accept, 'content-type': sent }: FastifyRequest['headers']): boolean =>
  (accept !== undefined && parseAccept(accept) === undefined) || (sent !== undefined && !isMediaType(sent));

/** The format of a route that decides itself what it answers. */
const anyFormat = (route: Route<never>, accept: string | undefined): Format =>
  (route.prefersJson ? negotiate(accept, ['json']) : undefined) ?? negotiate(accept, ['json', 'xml']) ?? 'json';

/** Besides what routes say: the operation that issues a delegation token is one of every path. */
const changesByGet = (route: Route<never> | undefined, query: Query): boolean =>
  route?.changesByGet?.(query) === true || (query.text !== '' && query.credential('op')?.toUpperCase() === 'GETDELEGATIONTOKEN');

const withHeaders = (answer: Answer, headers: Headers | undefined): Answer =>
  headers && Object.keys(headers).length > 0 ? { ...answer, headers: { ...headers, ...answer.headers } } : answer;
