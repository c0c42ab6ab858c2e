// The OpenAPI document of a service: its routes, what its table says of them, and the schemas of the descriptions. Made once, when a client
// asks for it.
import { type JsonSchema, type RecordDescription, record, text } from '../wire/codec/describe.ts';
import { Schemas } from '../wire/codec/json-schema.ts';
import { readBody } from '../wire/codec/read.ts';
import { writeXml } from '../wire/codec/xml.ts';
import {
  type AnswerDescription,
  bytesContent,
  type ContentDescription,
  daemonRoutes,
  type InterfaceDescription,
  type OperationDescription,
  type ParameterDescription,
  xmlExample,
} from './described.ts';
import { exampleValue } from './example-values.ts';
import { Examples } from './open-api-examples.ts';
import { bareException, remoteException } from './render-error.ts';
import type { DeclaredPath, Route } from './route.ts';

/** What a document is made of. */
export interface DocumentSource {
  readonly title: string;
  readonly version: string;
  readonly routes: readonly Route<never>[];
  /** Paths that are no routes: handed on. */
  readonly declared?: readonly DeclaredPath[];
  readonly described: InterfaceDescription;
  /** Whether errors stand below `RemoteException`, as the servers of YARN write them; the timeline writes them bare. */
  readonly wrappedErrors: boolean;
}

type Json = Record<string, unknown>;

/** Methods of which OpenAPI knows; OPTIONS and TRACE answer what the servlet container does. */
const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'DELETE', 'PATCH']);

const commonQuery: Readonly<Record<string, ParameterDescription>> = {
  doAs: { schema: { type: 'string', minLength: 1 }, about: 'The user in whose name a proxy user calls.' },
};
/** An error of the servlet container, where no route answers. */
const containerError = record(
  'ContainerError',
  { servlet: text(), message: text(), url: text(), status: text() },
  { json: 'plain', wrapped: false },
);

/** The document. */
export function openApiDocument(source: DocumentSource): Json {
  return new Writer(source).document();
}

/** XML of a body that is given in JSON. */
const xmlOf = (body: RecordDescription<never>, example: unknown): string =>
  writeXml(body, readBody(body, Buffer.from(JSON.stringify(example)), 'json'));

/** The key of an operation in tables. */
export const operationKey = ({ method, path }: Pick<DeclaredPath, 'method' | 'path'>): string => `${method} ${path}`;

class Writer {
  readonly #source: DocumentSource;
  readonly #schemas = new Schemas();
  readonly #examples = new Examples(this.#schemas.named);
  /** Examples of named schemas, by their names. */
  readonly #namedExamples: Record<string, Json> = {};
  readonly #described: InterfaceDescription;

  constructor(source: DocumentSource) {
    this.#source = source;
    this.#described = { ...daemonRoutes, ...source.described };
  }

  document(): Json {
    const { title, version, routes, declared = [] } = this.#source;
    const paths: Record<string, Json> = {};
    const isRoute = new Set(routes.map(operationKey));
    const others = declared.filter((one) => !isRoute.has(operationKey(one)) && one.method !== 'WebSocket') as Route<never>[];
    for (const route of [...routes, ...others]) {
      if (!methods.has(route.method) || route.refuses) continue;
      const path = templateOf(route.path);
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: this.#operation(route) };
    }
    return {
      openapi: '3.1.0',
      info: {
        title,
        version,
        description:
          'YARN REST interfaces of Hadoop 3.4, and what lies beside them below /api/v1. `{rest}` in a path stands for all that follows.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      security: [{}, { userName: [] }, { bearer: [] }, { negotiate: [] }],
      paths,
      components: { responses: this.#errors(), schemas: this.#schemas.named, examples: this.#namedExamples, securitySchemes },
    };
  }

  #operation(route: Route<never>): Json {
    const said = this.#described[operationKey(route)] ?? this.#described[route.path];
    const names = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
    if (route.path.endsWith('*')) names.push('rest');
    const body = this.#body(route, said);
    const takes = names.length > 0 || said?.query !== undefined || body !== undefined;
    return {
      summary: route.about ?? '',
      operationId: operationId(route),
      tags: [tagOf(route.path)],
      parameters: [
        ...names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' }, ...parameterExample(name) })),
        ...parametersIn('query', { ...said?.query, ...(isOpen(route) ? {} : commonQuery) }),
        ...parametersIn('header', said?.headers ?? {}),
      ],
      ...(body === undefined ? {} : { requestBody: body }),
      responses: {
        ...Object.fromEntries((said?.answers ?? []).map((answer) => [answer.status, this.#answer(route, answer)])),
        ...errorsOf(route, takes, names.length > 0),
      },
      ...(route.authentication === 'none' ? { security: route.access === 'own-credentials' ? [{ bearer: [] }] : [] } : {}),
    };
  }

  #body({ body, consumes, strictBody, streamsBody }: Route<never>, said: OperationDescription | undefined): Json | undefined {
    if (body === undefined || body === 'raw') {
      const content = said?.body;
      if (content === undefined) return body === undefined && !streamsBody ? undefined : { content: { '*/*': {} } };
      return { content: { [content.type]: this.#content(content, said?.bodyExample) } };
    }
    const contents = (consumes ?? ['json', 'xml']).map((format): [string, Json] => [
      `application/${format}`,
      format === 'json'
        ? this.#withExample(this.#schemas.json(body, strictBody ? 'strict' : 'natural'), said?.bodyExample)
        : this.#withXml(
            this.#schemas.xml(body),
            () => xmlExample(body),
            said?.bodyExample === undefined ? undefined : xmlOf(body, said.bodyExample),
          ),
    ]);
    return { required: true, content: Object.fromEntries(contents) };
  }

  #answer(route: Route<never>, { about, record: described, contents, headers, isRefusal }: AnswerDescription): Json {
    if (isRefusal) return { $ref: '#/components/responses/Failed', description: about };
    const formats = route.produces === 'any' || route.produces === undefined ? (['json', 'xml'] as const) : route.produces;
    const all: readonly ContentDescription[] = described
      ? formats.map((format) => ({
          type: `application/${format}`,
          schema: (schemas: Schemas) => (format === 'json' ? schemas.json(described) : schemas.xml(described)),
          ...(format === 'xml' ? { example: () => xmlExample(described) } : {}),
        }))
      : contents;
    return {
      description: about,
      ...(headers
        ? {
            headers: Object.fromEntries(
              Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: 'string' } }]),
            ),
          }
        : {}),
      ...(all.length > 0 ? { content: Object.fromEntries(all.map((content) => [content.type, this.#content(content)])) } : {}),
    };
  }

  #content({ schema, type, example: xml }: ContentDescription, example?: unknown): Json {
    if (schema && type === 'application/json') return this.#withExample(schema(this.#schemas), example);
    if (schema) return xml ? this.#withXml(schema(this.#schemas), xml) : { schema: schema(this.#schemas) };
    if (type === '*/*') return {};
    // The format is not of OpenAPI 3.1 any more, but what generators of clients know bytes by.
    return { schema: type === bytesContent.type ? { type: 'string', format: 'binary' } : { type: 'string' } };
  }

  /** A schema of JSON with an example: the given one, or one that is made by it. */
  #withExample(schema: JsonSchema, given: unknown): Json {
    if (given !== undefined) return { schema, example: given };
    const { $ref: reference } = schema;
    if (typeof reference !== 'string') {
      const value = this.#examples.of(schema);
      return value === undefined ? { schema } : { schema, example: value };
    }
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    this.#namedExamples[name] ??= { value: this.#examples.of(schema) };
    return { schema, examples: { made: { $ref: `#/components/examples/${name}` } } };
  }

  /** A schema of XML with an example: the given one, or one that all share that have this schema. */
  #withXml(schema: JsonSchema, example: () => string, given?: string): Json {
    const { $ref: reference } = schema;
    if (given !== undefined || typeof reference !== 'string') return { schema, example: given ?? example() };
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    this.#namedExamples[name] ??= { value: example() };
    return { schema, examples: { made: { $ref: `#/components/examples/${name}` } } };
  }

  /** What refusals and failures look like; their texts and statuses stand in the catalogue of errors. */
  #errors(): Json {
    const error = this.#source.wrappedErrors ? remoteException : bareException;
    const schemas = this.#schemas;
    const contentOf = (description: string) => ({
      description,
      content: {
        'application/json': this.#withExample({ anyOf: [schemas.json(error as never), schemas.json(containerError as never)] }, undefined),
        'application/xml': this.#withXml(schemas.xml(error as never), () => xmlExample(error as never)),
        'text/html': { schema: { type: 'string' } },
        'text/plain': { schema: { type: 'string' } },
      },
    });
    return Object.fromEntries(Object.entries(errorAnswers).map(([name, { about }]) => [name, contentOf(about)]));
  }
}

const errorAnswers = {
  BadRequest: { status: '400', about: 'Something in the request is not as it has to be; nothing was changed.' },
  Unauthenticated: { status: '401', about: 'Who calls is not known, or the credentials do not count.' },
  Refused: { status: '403', about: 'Who calls may not do this.' },
  NotFound: { status: '404', about: 'What the path names is not there.' },
  Failed: { status: 'default', about: 'Any other refusal or failure; 503: it cannot be kept or done now, and nothing was changed.' },
} as const;

/** Whether nobody is asked who calls. */
const isOpen = ({ access }: Route<never>): boolean => access === 'open';

function errorsOf(route: Route<never>, takes: boolean, namesSomething: boolean): Json {
  const refersTo = (name: keyof typeof errorAnswers) => ({ [errorAnswers[name].status]: { $ref: `#/components/responses/${name}` } });
  return {
    ...(takes ? refersTo('BadRequest') : {}),
    ...(isOpen(route) ? {} : { ...refersTo('Unauthenticated'), ...refersTo('Refused') }),
    ...(namesSomething ? refersTo('NotFound') : {}),
    ...refersTo('Failed'),
  };
}

const securitySchemes = {
  userName: {
    type: 'apiKey',
    in: 'query',
    name: 'user.name',
    description: 'The name of the caller, where authentication is simple.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A bearer token (/api/v1/tokens, an issuer), or the token of an attempt or a container.',
  },
  negotiate: { type: 'http', scheme: 'negotiate', description: 'Kerberos.' },
};

function parametersIn(place: 'query' | 'header', parameters: Readonly<Record<string, ParameterDescription>>): Json[] {
  return Object.entries(parameters).map(([name, { schema, about, parted }]) => ({
    name,
    in: place,
    ...(about === undefined ? {} : { description: about }),
    schema,
    ...(parted ? { style: 'form', explode: false } : {}),
  }));
}

/** A telling value for a part of a path. */
function parameterExample(name: string): Json {
  const example = exampleValue(name);
  return example === undefined ? {} : { example: String(example) };
}

/** `/apps/:appid` as OpenAPI writes it. */
export const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{rest}');

/** `getWsV1ClusterAppsAppid`; `…Rest` where a path takes all that follows. */
function operationId({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const name = path.replace(/\*$/, 'rest').replace(/[^A-Za-z0-9]+(.)?/g, (_all, next: string | undefined) => (next ?? '').toUpperCase());
  return `${method.toLowerCase()}${name === '' ? 'Root' : name}`;
}

/** What an operation is about: the first noun of its path. */
function tagOf(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && !part.startsWith(':') && part !== '*');
  const [first = 'pages'] = parts;
  if (first === 'api') return parts[2] ?? first;
  if (first === 'ws') return parts[3] ?? parts[2] ?? first;
  return parts.length === 1 && daemonRoutes[`/${first}`] ? 'server' : 'pages';
}
