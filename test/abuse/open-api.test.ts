// Requests made from what the servers say of themselves: each operation of their OpenAPI documents with right, wrong and strange
// parameters and bodies. Never a 5xx, never a hang, nothing in the log; what is refused changes nothing; what is read is described.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { parameterRead } from '../../src/http/query.ts';
import { type AbusedCluster, startAbusedCluster } from './abused-cluster.ts';
import { send } from './raw-request.ts';

const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121);
const runsPerOperation = Number(process.env['HEDDLE_TEST_RUNS'] ?? 12);

/** What empties a node (a drain, a smaller size) goes on after its answer: it is asked for no node that is there. */
const empties = /^\/api\/v1\/nodes\/|\/nodes\/[^/]*\/resource$/;

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly enum?: readonly string[];
  readonly xml?: { readonly name: string };
}
interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: 'path' | 'query' }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

// A kill that is allowed would end what the other requests are about.
const strange = fc.constantFrom(
  ...['', ' ', '0', '-1', '1', '2.5', '1e9', '99999999999999999999', 'NaN', 'null', 'true', '*', '..', '%', '%00', 'ü', '\u202e', '<a>'],
  ...[
    'application_1_0001',
    'application_x_1',
    'container_1_0001_01_000001',
    'root.default',
    'default',
    'RUNNING',
    'text',
    'json',
    'a,b,,c',
  ],
);
const word = fc.oneof({ weight: 3, arbitrary: strange }, { weight: 1, arbitrary: fc.string({ maxLength: 12, unit: 'grapheme' }) });

/** Values of a schema, some of them of another kind. */
function valuesOf(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  const other = { weight: 1, arbitrary: fc.oneof(word, fc.constantFrom<unknown>(null, [], {}, 1.5, true, -1)) };
  const right = (): fc.Arbitrary<unknown> => {
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if (schema.items && depth < 6) return fc.array(valuesOf(schema.items, depth + 1), { maxLength: 2 });
    if (schema.properties && depth < 6)
      return fc.record(Object.fromEntries(Object.entries(schema.properties).map(([name, inner]) => [name, valuesOf(inner, depth + 1)])), {
        requiredKeys: [],
      });
    if (schema.additionalProperties && depth < 6)
      return fc.dictionary(word, valuesOf(schema.additionalProperties, depth + 1), { maxKeys: 2 });
    if (schema.type === 'integer') return fc.integer({ min: -2, max: 3000 });
    if (schema.type === 'number') return fc.double({ noNaN: true, min: -1, max: 100 });
    if (schema.type === 'boolean') return fc.boolean();
    return word;
  };
  return fc.oneof({ weight: 6, arbitrary: right() }, other);
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
/** A value as elements; names that XML does not know stay as they are, which makes the document broken. */
function xmlOf(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => xmlOf(name, item)).join('');
  if (typeof value !== 'object' || value === null) return `<${name}>${escapeXml(String(value))}</${name}>`;
  const inner = Object.entries(value).map(([key, item]) => xmlOf(key, item));
  return `<${name}>${inner.join('')}</${name}>`;
}

describe(`what the servers describe (HEDDLE_TEST_SEED=${seed})`, () => {
  let abused: AbusedCluster;
  const read = new Set<string>();
  const hear = (told: unknown) => {
    const { path, name } = told as { path: string; name: string };
    read.add(`${path.replace(/:(\w+)/g, '{$1}')} ${name}`);
  };
  before(async () => {
    abused = await startAbusedCluster();
    parameterRead.subscribe(hear);
  });
  after(async () => {
    parameterRead.unsubscribe(hear);
    await abused[Symbol.asyncDispose]();
  });

  /** Right values of path parameters, by name. */
  const known = (name: string): fc.Arbitrary<string> => {
    const { id, attemptId, containerId } = abused.running;
    const values: Record<string, string> = {
      appid: id,
      appattemptid: attemptId,
      attemptId,
      containerid: containerId,
      nodeId: abused.nodeId,
      queue: 'default',
      type: 'LIFETIME',
      entityType: 'THING',
      entityId: 'thing_1',
      domainId: 'domain_1',
      filename: 'stdout',
      states: 'RUNNING',
    };
    return fc.constant(values[name] ?? id);
  };
  // Long polls and followed logs answer late by their nature.
  const given = (name: string): fc.Arbitrary<string> =>
    name === 'wait' ? fc.constantFrom('0', 'x', '-1', '') : name === 'follow' ? fc.constant('false') : word;

  for (const server of ['resourceManager', 'nodeManager', 'timeline', 'history']) {
    test(server, async () => {
      const service = abused.services.find(({ name }) => name === server);
      assert.ok(service, abused.services.map(({ name }) => name).join(' '));
      const { port } = service;
      const document = JSON.parse((await send(port, { method: 'GET', target: '/openapi.json?user.name=root' })).text) as Document;
      const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
      );
      assert.ok(operations.length > 10);
      for (const { path, method, operation } of operations) {
        if (/^\/(stacks|logLevel)/.test(path)) continue;
        const names = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
        const queries = operation.parameters.filter((parameter) => parameter.in === 'query' && parameter.name !== 'user.name');
        const [contentType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
        const schema = content?.schema ?? {};
        const requests = fc.record({
          path: fc.tuple(
            ...names.map((name) =>
              empties.test(path) && method !== 'GET'
                ? word
                : fc.oneof({ weight: 2, arbitrary: known(name) }, { weight: 1, arbitrary: word }),
            ),
          ),
          query: fc.record(Object.fromEntries(queries.map(({ name }) => [name, given(name)])), { requiredKeys: [] }),
          body: contentType === undefined ? fc.constant(undefined) : valuesOf(schema),
          form: fc.constantFrom('json', 'wrapped', 'xml'),
        });
        const changes = method !== 'GET';
        let last = changes ? await abused.picture() : {};
        await fc.assert(
          fc.asyncProperty(requests, async ({ path: values, query, body, form }) => {
            const asked = names.reduce((text, name, index) => text.replace(`{${name}}`, encodeURIComponent(values[index] ?? '')), path);
            const search = new URLSearchParams({ 'user.name': 'root', ...query });
            const root = schema.xml?.name ?? 'body';
            const answer = await send(
              port,
              {
                method,
                target: `${asked}?${search}`,
                headers: {
                  accept: form === 'xml' ? 'application/xml' : 'application/json',
                  ...(body === undefined ? {} : { 'content-type': form === 'xml' ? 'application/xml' : 'application/json' }),
                },
                body:
                  body === undefined
                    ? undefined
                    : form === 'xml'
                      ? xmlOf(root, body)
                      : JSON.stringify(form === 'wrapped' ? { [root]: body } : body),
              },
              true,
            );
            assert.ok(
              answer.status > 0 && answer.status < 500,
              `${method} ${asked}?${search}: ${answer.status} ${answer.text.slice(0, 300)}`,
            );
            assert.deepEqual(abused.errors(), [], `${method} ${asked}?${search}`);
            if (!changes) return;
            const now = await abused.picture();
            if (answer.status >= 400) assert.deepEqual(now, last, `${method} ${asked}: ${answer.status}`);
            last = now;
          }),
          { seed, numRuns: runsPerOperation, endOnFailure: true },
        );
      }
      const described = new Set(
        operations.flatMap(({ path, operation }) =>
          operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => `${path} ${name}`),
        ),
      );
      const paths = new Set(operations.map(({ path }) => path));
      assert.deepEqual(
        [...read].filter((told) => paths.has(told.split(' ')[0] ?? '') && !described.has(told)),
        [],
      );
      read.clear();
    });
  }
});
