// Requests made from what the servers say of themselves: each operation of their OpenAPI documents with right, wrong and strange
// parameters and bodies. Never a 5xx, never a hang, nothing in the log; what is refused changes nothing; what is read is described, and
// what is answered is as the document says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { parse } from 'yaml';
import { parameterRead } from '../../src/http/query.ts';
import { batchIds } from '../support/batch-master.ts';
import { type AbusedCluster, startAbusedCluster } from './abused-cluster.ts';
import { send } from './raw-request.ts';

const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121);
const runsPerOperation = Number(process.env['HEDDLE_TEST_RUNS'] ?? 12);

/** What empties a node (a drain, a smaller size) goes on after its answer: it is asked for no node that is there. */
const empties = /^\/api\/v1\/nodes\/|\/nodes\/[^/]*\/resource$/;

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly contentMediaType?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly enum?: readonly string[];
  readonly xml?: { readonly name: string };
}
interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: 'path' | 'query' }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** What a document says of answers. */
class Promised {
  readonly #document: Document;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  readonly #validators = new Map<Schema, ValidateFunction>();
  /** Operations of which an answer was looked at. */
  readonly seen = new Set<string>();

  constructor(document: Document) {
    this.#document = document;
  }

  /** The schema itself, where one refers to it. */
  resolved = ({ $ref, ...schema }: Schema): Schema =>
    $ref === undefined ? schema : this.resolved(this.#document.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {});

  /** What of an answer is not as it was promised. */
  faultOf(name: string, { responses }: Operation, { status, text, headers }: Awaited<ReturnType<typeof send>>): string | undefined {
    if (status >= 400) return undefined;
    const promised = responses[String(status)];
    if (!promised) return `nothing is said of the status ${status}`;
    const type = String(headers['content-type'] ?? '').split(';')[0] ?? '';
    if (text === '') return undefined;
    const content = promised.content?.[type] ?? promised.content?.['*/*'];
    if (!content) return `nothing is said of the type ${type}`;
    const { schema } = content;
    if (type !== 'application/json' || schema === undefined || schema.contentMediaType !== undefined) return undefined;
    const validate = this.#validators.get(schema) ?? this.#ajv.compile({ ...schema, components: this.#document.components });
    this.#validators.set(schema, validate);
    this.seen.add(name);
    // Shares of nothing are written as Hadoop writes them, which is not JSON.
    const valid = validate(JSON.parse(text.replace(/:(NaN|-?Infinity)\b/g, ':0')));
    return valid ? undefined : `${this.#ajv.errorsText(validate.errors)} in ${text.slice(0, 1000)}`;
  }
}

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
function valuesOf(given: Schema, resolved: Promised['resolved'], depth = 0): fc.Arbitrary<unknown> {
  const schema = resolved(given);
  const other = { weight: 1, arbitrary: fc.oneof(word, fc.constantFrom<unknown>(null, [], {}, 1.5, true, -1)) };
  const right = (): fc.Arbitrary<unknown> => {
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valuesOf(one, resolved, depth)));
    if (schema.items && depth < 6) return fc.array(valuesOf(schema.items, resolved, depth + 1), { maxLength: 2 });
    if (schema.properties && depth < 6)
      return fc.record(
        Object.fromEntries(Object.entries(schema.properties).map(([name, inner]) => [name, valuesOf(inner, resolved, depth + 1)])),
        {
          requiredKeys: [],
        },
      );
    if (schema.additionalProperties && depth < 6)
      return fc.dictionary(word, valuesOf(schema.additionalProperties, resolved, depth + 1), { maxKeys: 2 });
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
  const rightValue = (name: string, server: string): string => {
    if (server === 'batchMaster' && name in batchIds) return batchIds[name as keyof typeof batchIds];
    const { id, attemptId, containerId } = abused.running;
    const values: Record<string, string> = {
      appid: id,
      appattemptid: attemptId,
      attemptid: attemptId,
      entitytype: 'THING',
      userid: 'root',
      jobid: id.replace('application', 'job'),
      taskid: `${id.replace('application', 'task')}_m_000000`,
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
    return values[name] ?? id;
  };
  const known = (name: string, server: string): fc.Arbitrary<string> => fc.constant(rightValue(name, server));
  // Long polls and followed logs answer late by their nature.
  const given = (name: string): fc.Arbitrary<string> =>
    name === 'wait' ? fc.constantFrom('0', 'x', '-1', '') : name === 'follow' ? fc.constant('false') : word;

  test('figures that the dashboard and the alert rules read are given', async () => {
    const texts = await Promise.all(
      [abused.resourceManagerPort, abused.nodeManagerPort].map(
        async (port) => (await send(port, { method: 'GET', target: '/metrics?user.name=root' })).text,
      ),
    );
    const given = new Set<string>();
    for (const line of texts.join('\n').split('\n')) {
      const [, name, labels = ''] = /^([a-z]\w*)(?:\{([^}]*)\})? /.exec(line) ?? [];
      if (name === undefined) continue;
      given.add(name);
      for (const label of labels.split(',')) given.add(`${name}{${label}}`);
    }
    const folder = join(import.meta.dirname, '../../docs/operate/monitoring');
    const { panels } = JSON.parse(readFileSync(join(folder, 'grafana-dashboard.json'), 'utf8')) as {
      panels: { title: string; targets: { expr: string }[] }[];
    };
    const { groups } = parse(readFileSync(join(folder, 'alerts.yml'), 'utf8')) as {
      groups: { rules: { alert: string; expr: string }[] }[];
    };
    const asked = [
      ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ by: title, expr }))),
      ...groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => ({ by: alert, expr }))),
    ];
    assert.ok(asked.length > 20);
    const missing = asked.flatMap(({ by, expr }) =>
      [...expr.matchAll(/\b((?:heddle|node_manager_metrics|process|nodejs)_\w+)(?:\{(\w+)(=~?)"([^"]*)"\})?/g)].flatMap(
        ([, name = '', label, operator, value = '']) => {
          const wanted = label === undefined || label === 'job' ? [name] : value.split('|').map((one) => `${name}{${label}="${one}"}`);
          assert.ok(operator !== '=' || !value.includes('|'), by);
          return wanted.filter((one) => !given.has(one)).map((one) => `${by}: ${one}`);
        },
      ),
    );
    assert.deepEqual(missing, []);
  });

  test('every role is watched in the same way', async () => {
    for (const { name, port } of abused.services.filter(({ name }) => name !== 'batchMaster')) {
      const answer = (target: string) => send(port, { method: 'GET', target });
      for (const path of ['/healthz', '/readyz']) assert.equal((await answer(path)).status, 200, `${path} of ${name}`);
      assert.match((await answer('/metrics?user.name=root')).text, /^heddle_http_request_seconds_count /m, name);
      assert.match((await answer('/jmx?user.name=root')).text, /name=JvmMetrics/, name);
    }
  });

  /** Of how many operations an answer in JSON has to be seen: the rest answer otherwise, or have nothing to show here. */
  const servers = { resourceManager: 40, nodeManager: 14, timeline: 20, history: 10, reader: 18, collector: 2, proxy: 4, batchMaster: 14 };
  for (const [server, leastSeen] of Object.entries(servers)) {
    test(server, async () => {
      const service = abused.services.find(({ name }) => name === server);
      assert.ok(service, abused.services.map(({ name }) => name).join(' '));
      const { port } = service;
      const document = JSON.parse((await send(port, { method: 'GET', target: '/openapi.json?user.name=root' })).text) as Document;
      const promised = new Promised(document);
      const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
      );
      assert.ok(operations.length > 3);
      for (const { path, method, operation } of operations) {
        if (/^\/(stacks|logLevel)/.test(path)) continue;
        const names = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
        const queries = operation.parameters.filter((parameter) => parameter.in === 'query' && parameter.name !== 'user.name');
        const contents = operation.requestBody?.content;
        const contentType = contents && Object.keys(contents)[0];
        const schema = promised.resolved(contents?.['application/json']?.schema ?? {});
        const root = promised.resolved(contents?.['application/xml']?.schema ?? {}).xml?.name ?? 'body';
        const isWrapped = schema.required?.join() === root;
        const inside = (body: unknown) => (isWrapped ? ((body as Record<string, unknown> | null)?.[root] ?? {}) : body);
        const requests = fc.record({
          path: fc.tuple(
            ...names.map((name) =>
              empties.test(path) && method !== 'GET'
                ? word
                : fc.oneof({ weight: 2, arbitrary: known(name, server) }, { weight: 1, arbitrary: word }),
            ),
          ),
          query: fc.record(Object.fromEntries(queries.map(({ name }) => [name, given(name)])), { requiredKeys: [] }),
          body: contentType === undefined ? fc.constant(undefined) : valuesOf(schema, promised.resolved),
          form: fc.constantFrom('json', 'wrapped', 'xml'),
        });
        if (method === 'GET') {
          const plainly = names.reduce((text, name) => text.replace(`{${name}}`, encodeURIComponent(rightValue(name, server))), path);
          const headers = { accept: 'application/json, text/html;q=0.5, */*;q=0.1' };
          const answer = await send(port, { method, target: `${plainly}?user.name=root`, headers }, true);
          assert.equal(promised.faultOf(`${method} ${path}`, operation, answer), undefined, plainly);
        }
        const changes = method !== 'GET';
        let last = changes ? await abused.picture() : {};
        await fc.assert(
          fc.asyncProperty(requests, async ({ path: values, query, body, form }) => {
            const asked = names.reduce((text, name, index) => text.replace(`{${name}}`, encodeURIComponent(values[index] ?? '')), path);
            const search = new URLSearchParams({ 'user.name': 'root', ...query });
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
                      ? xmlOf(root, inside(body))
                      : JSON.stringify(form === 'json' ? body : isWrapped ? inside(body) : { [root]: body }),
              },
              true,
            );
            assert.ok(
              answer.status > 0 && answer.status < 500,
              `${method} ${asked}?${search}: ${answer.status} ${answer.text.slice(0, 300)}`,
            );
            assert.equal(promised.faultOf(`${method} ${path}`, operation, answer), undefined, `${method} ${asked}?${search}`);
            assert.deepEqual(abused.errors(), [], `${method} ${asked}?${search}`);
            if (!changes) return;
            const now = await abused.picture();
            if (answer.status >= 400) assert.deepEqual(now, last, `${method} ${asked}: ${answer.status}`);
            last = now;
          }),
          { seed, numRuns: runsPerOperation, endOnFailure: true },
        );
      }
      assert.ok(promised.seen.size >= leastSeen, `answers of ${promised.seen.size} operations were looked at`);
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
