// `/openapi.json`: everything a service answers, from its routes and the descriptions of what they read.
import type { Answer } from './answers.ts';
import { json } from './answers.ts';
import type { Route, Service } from './service.ts';

/** Query parameters by the paths that read them; a path may match several lines. */
export type QueryNames = readonly (readonly [path: RegExp, names: readonly string[]])[];

/** What the pages of every server read. */
export const daemonQueryNames: QueryNames = [
  [/^\/jmx$/, ['qry', 'get']],
  [/^\/conf$/, ['name', 'format']],
  [/^\/logLevel$/, ['log', 'level']],
];

/** What every route reads, of every caller. */
const commonNames = ['user.name', 'doAs'];

const inPath = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });
const inQuery = (name: string) => ({ name, in: 'query', required: false, schema: { type: 'string' } });

function operation(route: Route<never>, queryNames: QueryNames): Record<string, unknown> {
  const names = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
  const readNames = new Set([...queryNames.flatMap(([path, read]) => (path.test(route.path) ? read : [])), ...commonNames]);
  const types = route.produces === 'any' ? ['*/*'] : (route.produces ?? ['json', 'xml']).map((format) => `application/${format}`);
  const body = route.body;
  const answer = route.answers?.[0];
  const bodyTypes = body === 'raw' ? ['*/*'] : (route.consumes ?? ['json', 'xml']).map((format) => `application/${format}`);
  const bodySchema = body === undefined || body === 'raw' ? {} : { ...body.schema, xml: { name: body.root } };
  return {
    summary: route.about ?? '',
    operationId: `${route.method.toLowerCase()}${route.path.replace(/[^A-Za-z0-9]+(.)?/g, (_all, next: string | undefined) => (next ?? '').toUpperCase())}`,
    parameters: [...names.map(inPath), ...[...readNames].map(inQuery)],
    ...(body === undefined
      ? {}
      : { requestBody: { content: Object.fromEntries(bodyTypes.map((type) => [type, { schema: bodySchema }])) } }),
    responses: {
      default: {
        description: 'The answer, or an error document in the format asked for.',
        content: Object.fromEntries(types.map((type) => [type, answer ? { schema: answer.schema } : {}])),
      },
    },
  };
}

/** The document for a service's routes as they are now. */
export function openApiDocument(routes: readonly Route<never>[], title: string, queryNames: QueryNames): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    if (route.method === 'OPTIONS' || route.method === 'TRACE') continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, queryNames) };
  }
  return {
    openapi: '3.1.0',
    info: { title, version: '1', description: 'YARN REST interfaces of Hadoop 3.4, and what lies beside them below /api/v1.' },
    paths,
  };
}

/** Mounts `/openapi.json` on a service; routes added later are described too. */
export function mountOpenApi(service: Service, title: string, queryNames: QueryNames): void {
  service.route<never>({
    method: 'GET',
    path: '/openapi.json',
    produces: 'any',
    about: 'Describes this interface.',
    access: 'facts',
    handle: (): Answer => json(openApiDocument(service.routes, title, queryNames)),
  });
}
