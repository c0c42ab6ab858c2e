// One request as handlers see it. A class: an accessor in an object literal gives every object a shape of its own, which V8 keeps, and all
// that its closure holds, until the old generation is collected.
import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../auth/authenticator.ts';
import type { Format } from './negotiate.ts';
import type { OpenCalls } from './open-calls.ts';
import { addressedHost } from './own-names.ts';
import { schemeOf } from './paths.ts';
import type { Query } from './query.ts';
import type { Call } from './route.ts';

/** What is known of a request besides what its head says. */
export interface CallParts {
  readonly query: Query;
  readonly path: string;
  readonly caller: Caller;
  readonly format: Format;
  readonly body: unknown;
  readonly remoteAddress: string;
  /** The calls of its service. */
  readonly calls: OpenCalls;
}

/** The call of a request that came over a connection. */
export class RequestCall implements Call {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: unknown;
  readonly caller: Caller;
  readonly user: string | undefined;
  readonly format: Format;
  readonly headers: Call['headers'];
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly remoteAddress: string;
  readonly request: Call['request'];
  readonly #response: ServerResponse;
  readonly #calls: OpenCalls;
  #signal: AbortSignal | undefined;

  constructor(request: FastifyRequest, response: ServerResponse, parts: CallParts) {
    const { query, path, caller, format, body, remoteAddress, calls } = parts;
    this.method = request.method;
    this.path = path;
    this.params = request.params as Record<string, string>;
    this.query = query;
    this.body = body;
    this.caller = caller;
    this.user = caller.user;
    this.format = format;
    this.headers = request.headers;
    this.scheme = schemeOf(request.socket);
    this.host = addressedHost(request);
    this.remoteAddress = remoteAddress;
    this.request = request.raw;
    this.#response = response;
    this.#calls = calls;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#calls.signalOf(this.#response);
    return this.#signal;
  }
}
