// Every server describes all that it answers, in a document that public tools read.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { XMLValidator } from 'fast-xml-parser';
import { servers } from '../scripts/reference/servers.ts';

/** What OpenAPI has no words for: upgrades, and what the servlet container answers. */
const unspoken: ReadonlySet<string> = new Set(['WebSocket', 'OPTIONS', 'TRACE']);

interface Content {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref: string }>>;
}
interface Answer {
  readonly content?: Readonly<Record<string, Content>>;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Answer>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Answer>>;
    readonly schemas: Readonly<Record<string, object>>;
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
  };
}

const all = await servers();

describe('/openapi.json', () => {
  for (const { title, service } of all) {
    it(title, async () => {
      const route = service.routes.find(({ path }) => path === '/openapi.json');
      assert.ok(route, 'is not there');
      const answer = await route.handle({ headers: {} } as never);
      assert.ok(answer.kind === 'rendered');
      const document = JSON.parse(answer.body) as Document;
      const result = await new Validator().validate(structuredClone(document) as object as Record<string, unknown>);
      assert.deepEqual(result.errors ?? [], []);
      assert.ok(result.valid);

      assert.deepEqual(ambiguousNames(document), []);

      const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
      );
      const ids = operations.map(({ operation }) => operation.operationId);
      assert.deepEqual(
        ids.filter((id, index) => ids.indexOf(id) !== index),
        [],
        'ids are unique',
      );
      const names = new Set(operations.map(({ name }) => name));
      assert.deepEqual(Object.keys(document.paths['/conf'] ?? { get: {} }), ['get'], 'no methods that are refused');
      const missing = service.declared.flatMap(({ method, path, refuses }) => {
        if (refuses) return [];
        const name = `${method} ${path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{rest}')}`;
        return unspoken.has(method) || names.has(name) ? [] : [name];
      });
      assert.deepEqual(missing, []);
      for (const { name, operation } of operations) {
        const { summary, requestBody, responses } = operation;
        assert.notEqual(summary, '', name);
        const said = Object.keys(responses).filter((status) => status < '400');
        assert.ok(said.length > 0 || refusedAlways.has(name), `${name} says nothing of its answer`);
        for (const status of said)
          for (const [type, { schema }] of Object.entries(responses[status]?.content ?? {}))
            assert.ok(schema !== undefined || !/json|xml$/.test(type), `${name} ${status} ${type} has no schema`);
        for (const [type, { schema }] of Object.entries(requestBody?.content ?? {}))
          assert.ok(schema !== undefined || type !== 'application/json', `${name} takes ${type} without a schema`);
        assert.ok(requestBody?.content['*/*'] === undefined || openBodies.test(name), `${name} says nothing of its body`);
      }
      assert.deepEqual(wrongExamples(document), []);
    });
  }
});

/** Names of which generators of clients make one: of schemas, that end in a number as those that they make do, and of words that capitals alone tell apart. */
function ambiguousNames(document: Document): string[] {
  const found = Object.keys(document.components.schemas).filter((name) => /\d$/.test(name));
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { enum: words } = value as { enum?: unknown };
    if (Array.isArray(words) && new Set(words.map((word) => String(word).toUpperCase())).size < words.length) found.push(words.join(' '));
    for (const inner of Object.values(value)) look(inner);
  };
  look(document);
  return found;
}

/** What is wrong with the examples of a document: contents in JSON or XML without one, and those that their schemas do not allow. */
function wrongExamples(document: Document): string[] {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ components: document.components }, 'document');
  const compiled = new Map<string, ValidateFunction>();
  const validatorOf = (schema: object): ValidateFunction => {
    const key = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    const known = compiled.get(key) ?? ajv.compile(JSON.parse(key) as object);
    compiled.set(key, known);
    return known;
  };
  const wrong: string[] = [];
  const referredOf = (examples: Content['examples']): unknown[] =>
    Object.values(examples ?? {}).map(({ $ref: reference }) => document.components.examples[reference.split('/').at(-1)!]?.value);
  const lookAtXml = (where: string, { schema, example, examples }: Content) => {
    // What Hadoop labels as XML all the same, though it is a bare text.
    if ((schema as { contentMediaType?: string }).contentMediaType !== undefined) return;
    const [value = example] = referredOf(examples);
    const fault = typeof value === 'string' ? XMLValidator.validate(value) : 'has no example in XML';
    if (fault !== true || /undefined|NaN|\[object/.test(String(value))) wrong.push(`${where}: ${JSON.stringify(fault)} ${String(value)}`);
  };
  const look = (where: string, { content = {} }: Answer) => {
    if (content['application/xml']?.schema !== undefined) lookAtXml(where, content['application/xml']);
    const { schema, example, examples } = content['application/json'] ?? {};
    if (schema === undefined) return;
    const [value = example] = referredOf(examples);
    const validate = validatorOf(schema);
    if (value === undefined) wrong.push(`${where} has no example`);
    else if (!validate(value)) wrong.push(`${where}: ${ajv.errorsText(validate.errors)}`);
  };
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { requestBody, responses }] of Object.entries(methods)) {
      look(`the body of ${method} ${path}`, requestBody ?? {});
      for (const [status, answer] of Object.entries(responses)) look(`${status} of ${method} ${path}`, answer);
    }
  for (const [name, answer] of Object.entries(document.components.responses)) look(name, answer);
  return wrong;
}

/** Paths of YARN that only ever refuse. */
const refusedAlways: ReadonlySet<string> = new Set(['PUT /ws/v1/node/yarn/sysfs/{user}/{appid}']);
/** Bodies that are passed on, or not looked at. */
const openBodies = /\/proxy|\/auxiliary\/|yarn\/sysfs|scheduler\/logs|\/(pause|resume)$/;
