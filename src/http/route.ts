// What a route is, and what its handler is told of a request.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../auth/authenticator.ts';
import type { RouteAccess } from '../auth/route-access.ts';
import type { Failure } from '../model/errors.ts';
import type { RecordDescription } from '../wire/codec/describe.ts';
import type { Answer } from './answers.ts';
import type { Format } from './negotiate.ts';
import type { Query } from './query.ts';

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
  /** Aborted when the client goes away, and with `serverEnd` (`open-calls.ts`) when the server is stopped. */
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
  /** Bodies come under any name of XML and JSON, as where Hadoop's interface names none (`text/xml`, `…+xml`, `text/json`, `…+json`). */
  readonly anyTypeName?: boolean;
  /** A JSON body with unknown members or members of another type is refused, and its maps may be plain objects. */
  readonly strictBody?: boolean;
  /** Formats this route can answer in; default both. `any`: the handler decides, Accept is not checked. */
  readonly produces?: readonly Format[] | 'any';
  /** With `any`: `Call.format` is JSON for whoever takes it, with whatever quality, XML for who takes that alone. */
  readonly prefersJson?: boolean;
  /** Whether answers may be compressed; default the profile's. */
  readonly gzip?: boolean;
  /** Largest body in bytes; default 10 MiB. */
  readonly bodyLimitBytes?: number;
  /** Whether the caller must be known to the authenticator; `none` for paths with their own credentials. */
  readonly authentication?: 'required' | 'none';
  /** What it asks of its caller, for the table of access and the scopes of bearer tokens; absent: as `admin`. */
  readonly access?: RouteAccess;
  /** Refuses, by throwing, who may not call a path with its own credentials, before its body is read. */
  readonly admit?: (call: Pick<Call, 'params' | 'headers' | 'request'>) => void;
  /** Whether a GET with this query changes something: browsers then need more than a link. */
  readonly changesByGet?: (query: Query) => boolean;
  /** Listed in references and OpenAPI. */
  readonly about?: string;
  /** Answers 405 alone, as a servlet does to methods that it does not have: no reference and no OpenAPI document tells of it. */
  readonly refuses?: boolean;
  readonly handle: (call: Call<Body>) => Answer | Promise<Answer>;
}

/** A path whose requests are handed on as they came to what has credentials and answers of its own. */
export interface HandedOnPath {
  readonly methods: readonly Method[];
  readonly path: string;
  readonly about: string;
  readonly access: RouteAccess;
  /** Answers the request; undefined: the path is unknown to it. `path`: what `*` stands for, with the query. */
  readonly find: (
    params: Readonly<Record<string, string>>,
  ) => ((request: IncomingMessage, response: ServerResponse, path: string) => void) | undefined;
}

/** What a service says of a path that it answers. */
export interface DeclaredPath {
  /** `WebSocket` for upgrades. */
  readonly method: Method | 'WebSocket';
  readonly path: string;
  readonly about?: string | undefined;
  readonly access?: RouteAccess | undefined;
  readonly refuses?: boolean;
}

/** A request that was refused for who calls. */
export interface Refusal {
  readonly method: string;
  readonly path: string;
  /** Undefined where it is the credentials that were refused. */
  readonly caller: Caller | undefined;
  readonly remoteAddress: string;
  /** Absent: no request. */
  readonly requestId?: string;
  readonly failure: Failure;
}

/** All routes of one path. */
export interface Resource {
  readonly path: string;
  readonly routes: Map<string, Route<never>>;
  /** The methods that it knows, as the header Allow names them. */
  allow: string;
}
