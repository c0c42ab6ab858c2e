// What a server's routes read and answer, told to programs. Each server has a table of it (`described-routes.ts`), which is loaded when
// `/openapi.json` is asked for; schemas come from the descriptions that readers and writers work by.
import type { JsonShape } from '../lib/json-shape.ts';
import { logLevels, serverLog } from '../wire/cluster/server-log.ts';
import { settingsAnswer } from '../wire/cluster/setting-facts.ts';
import type { JsonForm, JsonSchema, Member, RecordDescription } from '../wire/codec/describe.ts';
import type { Schemas } from '../wire/codec/json-schema.ts';
import { writeXml } from '../wire/codec/xml.ts';
import { longestWaitMs } from './awaited-answer.ts';
import { recordExample } from './record-examples.ts';

/** A parameter of the query, or a header. */
export interface ParameterDescription {
  readonly schema: JsonSchema;
  readonly about?: string;
  /** Texts parted by commas; the parameter may also be repeated. */
  readonly parted?: boolean;
}

/** Some content of a body or an answer: its media type (`record`: JSON and XML, as far as the route has them) and its schema. */
export interface ContentDescription {
  readonly type: string;
  readonly schema?: (schemas: Schemas) => JsonSchema;
  /** Of XML: an example of it. */
  readonly example?: () => string;
}

/** One of the answers of a route. */
export interface AnswerDescription {
  readonly status: number;
  readonly about: string;
  /** `record`: JSON and XML, as far as the route answers in them. */
  readonly record?: RecordDescription<never>;
  readonly contents: readonly ContentDescription[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Told as all refusals are. */
  readonly isRefusal?: boolean;
}

/** What one operation reads and answers. */
export interface OperationDescription {
  readonly query?: Readonly<Record<string, ParameterDescription>>;
  readonly headers?: Readonly<Record<string, ParameterDescription>>;
  /** Of routes that read the bytes themselves. */
  readonly body?: ContentDescription;
  /** A body in JSON that does something useful; without it one is made by its schema. */
  readonly bodyExample?: unknown;
  readonly answers: readonly AnswerDescription[];
}

/** Operations by `METHOD /path`, or by `/path` where all methods answer alike. */
export type InterfaceDescription = Readonly<Record<string, OperationDescription>>;

const parameter = (schema: JsonSchema, about?: string): ParameterDescription => ({ schema, ...(about === undefined ? {} : { about }) });

/** A text. */
export const textParameter = (about?: string): ParameterDescription => parameter({ type: 'string' }, about);
/** Texts, parted by commas or given several times. */
export const textsParameter = (about?: string): ParameterDescription => ({
  ...parameter({ type: 'array', items: { type: 'string' } }, about),
  parted: true,
});
/** One of some words. */
export const wordParameter = (words: readonly string[], about?: string): ParameterDescription =>
  parameter({ type: 'string', enum: words }, about);
/** Some of some words, parted by commas or given several times. */
export const wordsParameter = (words: readonly string[], about?: string): ParameterDescription => ({
  ...parameter({ type: 'array', items: { type: 'string', enum: words } }, about),
  parted: true,
});
/** A whole number within bounds. */
export const wholeParameter = (about?: string, bounds: { minimum?: number; maximum?: number } = {}): ParameterDescription =>
  parameter({ type: 'integer', ...bounds }, about);
/** Milliseconds since the epoch. */
export const timeParameter = (about = 'Milliseconds since the epoch.'): ParameterDescription =>
  parameter({ type: 'integer', format: 'int64', minimum: 0 }, about);
/** true or false. */
export const flagParameter = (about?: string): ParameterDescription => parameter({ type: 'boolean' }, about);

/** What a route with `awaitedAnswer` reads. */
const awaitedParameters: Pick<OperationDescription, 'query' | 'headers'> = {
  query: {
    wait: wholeParameter('Milliseconds to wait for a change, with If-None-Match; or the end.', { minimum: 0, maximum: longestWaitMs }),
    until: wordParameter(['change', 'end'], 'What is waited for; usually a change.'),
  },
  headers: { 'If-None-Match': { schema: { type: 'string' }, about: 'The ETag of the answer before.' } },
};

/** What a route with `awaitedList` reads. */
export const awaitedListParameters = {
  query: {
    wait: wholeParameter('Milliseconds to wait, with If-None-Match, until something in the list changes, comes or goes.', {
      minimum: 0,
      maximum: longestWaitMs,
    }),
  },
  headers: awaitedParameters.headers,
};

const untyped = <T>(record: RecordDescription<T>) => record as unknown as RecordDescription<never>;

/** A record, in JSON and XML as far as the route answers in them. */
export const recordAnswer = <T>(record: RecordDescription<T>, status = 200, about = 'The answer.'): AnswerDescription => ({
  status,
  about,
  record: untyped(record),
  contents: [],
});
/** JSON of a shape. */
export const shapeAnswer = (shape: JsonShape<unknown>, status = 200, about = 'The answer.'): AnswerDescription => ({
  status,
  about,
  contents: [shapeContent(shape)],
});
/** JSON that is described by a schema of its own. */
export const schemaAnswer = (schema: JsonSchema | ((schemas: Schemas) => JsonSchema), about = 'The answer.'): AnswerDescription => ({
  status: 200,
  about,
  contents: [{ type: 'application/json', schema: typeof schema === 'function' ? (schema as (s: Schemas) => JsonSchema) : () => schema }],
});
/** Contents of any kind. */
export const contentAnswer = (about: string, contents: readonly ContentDescription[], status = 200): AnswerDescription => ({
  status,
  about,
  contents,
});
/** A page for browsers. */
export const pageAnswer: AnswerDescription = { status: 200, about: 'A page.', contents: [{ type: 'text/html' }] };
/** A description of resources, under the type of its own or as XML, as the caller asks. */
const wadlAnswer: AnswerDescription = {
  status: 200,
  about: 'All resources, as WADL.',
  contents: [
    { type: 'application/vnd.sun.wadl+xml' },
    {
      type: 'application/xml',
      schema: () => ({ type: 'string' }),
      example: () =>
        '<application xmlns="http://wadl.dev.java.net/2009/02"><resources><resource path="/jmx"><method name="GET"/></resource></resources></application>',
    },
  ],
};
/** Plain text. */
export const textAnswer = (about = 'A text.', type = 'text/plain'): AnswerDescription => ({ status: 200, about, contents: [{ type }] });
/** A bare text, or nothing, which Hadoop labels as the caller's format all the same. */
export const bareAnswer: AnswerDescription = {
  status: 200,
  about: 'Done.',
  contents: ['application/json', 'application/xml'].map((type) => ({
    type,
    schema: () => ({ type: 'string', contentMediaType: 'text/plain' }),
  })),
};
/** Nothing but a status. */
export const emptyAnswer = (status = 200, about = 'Done.'): AnswerDescription => ({ status, about, contents: [] });
/** One thing that is waited for (`awaitedAnswer`). */
export const awaitedOne = (shape: JsonShape<unknown>): OperationDescription => ({
  ...awaitedParameters,
  answers: [shapeAnswer(shape), emptyAnswer(304, 'The same as before.')],
});
/** A refusal of its own status, told as all others are. */
export const refusalAnswer = (status: number, about: string): AnswerDescription => ({ status, about, contents: [], isRefusal: true });
/** Leads elsewhere. */
export const leadAnswer = (status: 302 | 307, about: string): AnswerDescription => ({
  status,
  about,
  contents: [{ type: 'text/html' }, { type: 'text/plain' }],
  headers: { location: 'Where it is.' },
});

/** JSON of a shape, of a body or an answer. */
export const shapeContent = (shape: JsonShape<unknown>): ContentDescription => ({ type: 'application/json', schema: () => shape.schema() });
/** JSON of a record. */
export const recordContent = <T>(record: RecordDescription<T>): ContentDescription => ({
  type: 'application/json',
  schema: (schemas) => schemas.json(untyped(record)),
});
/** JSON of a member, in a form. */
export const memberContent = <T>({ wire }: Member<T>, form: JsonForm): ContentDescription => ({
  type: 'application/json',
  schema: (schemas) => schemas.member(wire, form),
});
/** XML of a record. */
export const recordXml = <T>(record: RecordDescription<T>): ContentDescription => ({
  type: 'application/xml',
  schema: (schemas) => schemas.xml(untyped(record)),
  example: () => xmlExample(untyped(record)),
});
/** A record as answers write it in XML. */
export const xmlExample = (record: RecordDescription<never>): string => {
  const { root, wrapped } = record;
  // As its schema in JSON is called.
  const object = wrapped ? root : root.charAt(0).toUpperCase() + root.slice(1);
  return writeXml(record, recordExample(record, object) as never);
};
/** Bytes as they are. */
export const bytesContent: ContentDescription = { type: 'application/octet-stream' };

/** The table with bodies for examples, by `METHOD /path`. */
export const withBodyExamples = (table: InterfaceDescription, bodies: Readonly<Record<string, unknown>>): InterfaceDescription => ({
  ...table,
  ...Object.fromEntries(Object.entries(bodies).map(([key, bodyExample]) => [key, { ...(table[key] ?? answering()), bodyExample }])),
});

/** Operations with nothing but an answer. */
export const answering = (...answers: readonly AnswerDescription[]): OperationDescription => ({ answers });

/** Log files as they are, by range or followed. */
export const logFileAnswers: readonly AnswerDescription[] = [
  {
    status: 200,
    about: 'The file; with `Accept: text/event-stream` as events.',
    contents: [{ type: 'text/plain' }, { type: 'text/event-stream' }],
  },
  { status: 206, about: 'The range that was asked for.', contents: [{ type: 'text/plain' }] },
];

const jsonObject = { type: 'object' } as const;
const bean = {
  type: 'object',
  required: ['name', 'modelerType'],
  properties: { name: { type: 'string' }, modelerType: { type: 'string' } },
};
const property = {
  type: 'object',
  properties: {
    key: { type: 'string' },
    value: {},
    isFinal: { type: 'boolean' },
    resource: { type: 'string' },
  },
};
const readiness = (ready: boolean) => ({
  type: 'object',
  required: ready ? ['ready'] : ['ready', 'reason'],
  properties: { ready: { type: 'boolean', const: ready }, reason: { type: 'string' } },
});
const ready = answering(schemaAnswer(readiness(true)), {
  status: 503,
  about: 'It does not do its work now.',
  contents: [{ type: 'application/json', schema: () => readiness(false) }],
});

const role = { type: 'string', enum: ['resource-manager', 'node-manager', 'timeline', 'reader', 'collector', 'history', 'proxy'] };
const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const frame = {
  type: 'object',
  required: ['role', 'version', 'signIn', 'crossSiteHeader'],
  properties: {
    role,
    version: text,
    signIn: {
      type: 'object',
      required: ['name', 'kerberos', 'token'],
      properties: {
        name: flag,
        kerberos: flag,
        token: flag,
        oidc: { type: 'object', required: ['issuer', 'path', 'outPath'], properties: { issuer: text, path: text, outPath: text } },
      },
    },
    crossSiteHeader: text,
  },
};
const lookingCaller = {
  type: 'object',
  required: ['isNamed', 'isAdministrator', 'accessLists', 'servers'],
  properties: {
    user: text,
    isNamed: flag,
    provedBy: text,
    scope: text,
    isAdministrator: flag,
    accessLists: flag,
    servers: { type: 'object', additionalProperties: text },
  },
};
const webPage: OperationDescription = answering(
  pageAnswer,
  contentAnswer('A file of the pages.', [{ type: '*/*' }]),
  leadAnswer(302, 'To the pages.'),
  emptyAnswer(304, 'The caller has it already.'),
  { status: 404, about: 'There is no such file.', contents: [{ type: 'text/html' }] },
  { status: 503, about: 'The pages are not built.', contents: [{ type: 'text/html' }] },
);

/** What every server has. */
export const daemonRoutes: InterfaceDescription = {
  '/ui': webPage,
  '/ui/*': webPage,
  '/ui/frame.json': answering(schemaAnswer(frame)),
  '/ui/caller.json': answering(schemaAnswer(lookingCaller)),
  '/ui/settings.json': answering(shapeAnswer(settingsAnswer)),
  'GET /api/v1/server-log': {
    query: {
      level: wordParameter(logLevels, 'Lines of this level and above.'),
      text: textParameter('Lines with this in them, in any case.'),
      request: textParameter('Lines about the request of this id.'),
      after: wholeParameter('Lines beyond this number.', { minimum: 0 }),
      limit: wholeParameter('So many at most, the latest.', { minimum: 0, maximum: 2000 }),
    },
    headers: { 'Last-Event-ID': { schema: { type: 'string' }, about: 'Where a stream goes on, as `after`.' } },
    answers: [
      contentAnswer('Lines; as server-sent events those that come, too.', [shapeContent(serverLog), { type: 'text/event-stream' }]),
    ],
  },
  '/application.wadl': answering(wadlAnswer),
  '/jmx': {
    query: {
      qry: textParameter('A bean, or a pattern of the names of beans: `Hadoop:service=*,name=JvmMetrics`.'),
      get: textParameter('One attribute of a bean: `java.lang:type=Memory::HeapMemoryUsage`.'),
    },
    answers: [schemaAnswer({ type: 'object', properties: { beans: { type: 'array', items: bean }, result: { type: 'string' } } })],
  },
  '/conf': {
    query: { name: textParameter('One setting alone.') },
    answers: [
      contentAnswer('The settings in force.', [
        {
          type: 'application/json',
          schema: () => ({ type: 'object', properties: { properties: { type: 'array', items: property }, property } }),
        },
        { type: 'text/xml' },
      ]),
    ],
  },
  '/logLevel': {
    query: {
      log: textParameter('The name of a log.'),
      level: textParameter('The new level.'),
      for: textParameter(
        'How long it counts, such as `10m`: afterwards the level is as it was. Without, until the server is started anew.',
      ),
    },
    answers: [pageAnswer],
  },
  'GET /ws': answering(pageAnswer),
  'GET /logs/': answering(pageAnswer),
  'GET /robots.txt': answering({ ...textAnswer('Robots stay away.'), status: 302 }),
  '/stacks': answering(textAnswer('What the process has open.')),
  '/metrics': answering(textAnswer('Numbers in the text form of Prometheus.')),
  '/prom': answering(textAnswer('Numbers in the text form of Prometheus.')),
  '/ready': ready,
  '/readyz': ready,
  '/healthz': answering(schemaAnswer({ type: 'object', required: ['healthy'], properties: { healthy: { type: 'boolean', const: true } } })),
  '/openapi.json': answering(schemaAnswer(jsonObject, 'This document.')),
};

/** The pages of masters, behind the proxy. */
export const proxyRoutes: InterfaceDescription = Object.fromEntries(
  ['/proxy', '/proxy/*'].map((path) => [
    path,
    {
      query: { proxyapproved: flagParameter('The caller was warned of pages of others.') },
      answers: [
        contentAnswer('What the master answers.', [{ type: '*/*' }]),
        leadAnswer(302, 'To where its pages are.'),
        leadAnswer(307, 'To where its pages are.'),
      ],
    },
  ]),
);
