// How answers and failures of a service leave: in the format of the caller, with the headers of every answer.
import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { AuditLog, isAuditedRefusal } from '../auth/audit-log.ts';
import type { Caller } from '../auth/authenticator.ts';
import type { Logger } from '../lib/log.ts';
import { type Random, systemRandom } from '../lib/random.ts';
import { Failure, failure } from '../model/errors.ts';
import type { Answer, Headers } from './answers.ts';
import { containerError } from './container-error.ts';
import { addressWithoutToken } from './credentials.ts';
import { belowPrefix, forwardedPrefix } from './forwarded-prefix.ts';
import { pageHeadersOf } from './frame-options.ts';
import { asciiAddress, unsendableHeader } from './header-values.ts';
import { KeptTexts } from './kept-texts.ts';
import { type Format, negotiate } from './negotiate.ts';
import type { OpenCalls } from './open-calls.ts';
import { pathOf } from './paths.ts';
import type { Profile } from './profiles.ts';
import { renderFailure } from './render-error.ts';
import type { RequestFigures } from './request-figures.ts';
import type { Refusal } from './route.ts';
import { sendAnswer } from './send.ts';
import type { ServiceOptions } from './service-options.ts';

/** Every refusal stands in the server's log. */
function auditing(logger: Logger): (refusal: Refusal) => void {
  const audit = new AuditLog(logger);
  return (refusal) => audit.refusedRequest(refusal);
}

/** Sends what a service answers. */
export class Responder {
  readonly #options: ServiceOptions;
  readonly #profile: Profile;
  readonly #random: Random;
  readonly #frameOptions: string;
  readonly #pageHeaders: Headers;
  readonly #refused: (refusal: Refusal) => void;
  readonly #texts = new KeptTexts();
  readonly #calls: OpenCalls;
  readonly #figures: RequestFigures;

  constructor(options: ServiceOptions, calls: OpenCalls, figures: RequestFigures) {
    const { profile, frameOptions, random = systemRandom } = options;
    this.#options = options;
    this.#calls = calls;
    this.#figures = figures;
    this.#refused = options.refused ?? auditing(options.logger);
    this.#profile = profile;
    this.#random = random;
    this.#frameOptions = profile.frameOptions ? (frameOptions ?? 'SAMEORIGIN') : '';
    this.#pageHeaders = pageHeadersOf(this.#frameOptions);
  }

  /** What a failure needs to be written as the client reads it. */
  contextOf(request: FastifyRequest, format: Format = 'json') {
    const accept = request.headers.accept;
    return {
      profile: this.#profile,
      format: negotiate(accept, ['json', 'xml']) ?? format,
      method: request.method,
      path: pathOf(request.url),
      accept,
    };
  }

  /** Sends the answer of a failure; anything else that was thrown is logged and becomes INTERNAL. */
  finish(request: FastifyRequest, problem: unknown, response: ServerResponse, headers?: Headers): void {
    const context = this.contextOf(request);
    const failed = problem instanceof Failure ? problem : this.#internal(problem, request);
    const { seconds } = failed.parameters;
    if (seconds !== undefined && (failed.entry.status === 429 || failed.entry.status === 503))
      headers = { ...headers, 'retry-after': String(seconds) };
    this.send(request, renderFailure(failed, context, headers), context.format, response);
  }

  /**
   * Tells of a request that was refused for who calls, for what it proved that with, or from where, other than those without any credentials. `remoteAddress`: as it was when
   * the request came, for its connection may be gone by now.
   */
  tellRefused(request: FastifyRequest, problem: unknown, caller: Caller | undefined, remoteAddress: string): void {
    const { method, url, id: requestId } = request;
    this.tell(problem, { method, path: pathOf(url), caller, remoteAddress, requestId });
  }

  /** The same for what is no request of a route. */
  tell(problem: unknown, of: Omit<Refusal, 'failure'>): void {
    if (problem instanceof Failure && isAuditedRefusal(problem)) this.#refused({ ...of, failure: problem });
  }

  #internal(problem: unknown, request: FastifyRequest): Failure {
    const reference = this.#random.bytes(4).toString('hex');
    this.#options.logger.error(
      { err: problem, method: request.method, path: pathOf(request.url), reference, request: request.id },
      'a request failed inside the server',
    );
    return failure('INTERNAL', { reference });
  }

  /** Sends an answer with what every answer of this service has. */
  send(request: FastifyRequest, made: Answer, format: Format, response: ServerResponse, gzip = this.#profile.gzip): void {
    const prefix = request.headers['x-forwarded-prefix'] === undefined ? '' : forwardedPrefix(request.headers);
    const produced = this.#sendable(request, prefix === '' ? made : belowPrefix(made, prefix, request.headers));
    const isAbsentHead = request.method === 'HEAD' && produced.status === 404 && pathOf(request.url).startsWith('/ws/');
    const answer =
      isAbsentHead && this.#profile.headOfAbsentIs405
        ? containerError(
            405,
            'Method Not Allowed',
            { method: 'HEAD', path: pathOf(request.url), accept: request.headers.accept },
            produced.headers,
          )
        : produced;
    const crossOrigin = request.headers.origin === undefined ? undefined : this.#options.crossOrigin?.(request.raw);
    this.#figures.answered(answer.status);
    sendAnswer(answer, {
      request: request.raw,
      requestId: request.id,
      response,
      format,
      gzip,
      frameOptions: this.#frameOptions,
      pageHeaders: this.#pageHeaders,
      extra: crossOrigin,
      texts: this.#texts,
      isLast: this.#calls.areEnding,
      logger: this.#options.logger,
    });
  }

  /** The answer, or a 400 where a header would hold what none may: input that was taken over into it. */
  #sendable(request: FastifyRequest, answer: Answer): Answer {
    const location = answer.headers?.['location'];
    const headers =
      typeof location === 'string' ? { ...answer.headers, location: asciiAddress(addressWithoutToken(location)) } : answer.headers;
    const name = unsendableHeader(headers);
    if (name === undefined) return headers === answer.headers ? answer : ({ ...answer, headers } as Answer);
    if (answer.kind === 'pieces') void answer.close?.().catch(() => undefined);
    return renderFailure(failure('HEADER_CHARACTER', { name }), this.contextOf(request));
  }
}
