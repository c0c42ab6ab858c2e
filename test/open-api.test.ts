// Every server describes all that it answers, in a document that public tools read.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { servers } from '../scripts/reference/servers.ts';
import { methodNotSupported } from '../src/http/daemon-pages.ts';

/** What OpenAPI has no words for: upgrades, and what the servlet container answers. */
const unspoken: ReadonlySet<string> = new Set(['WebSocket', 'OPTIONS', 'TRACE']);

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: unknown }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: unknown }>> }>>;
}
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

const all = await servers();

describe('/openapi.json', () => {
  for (const { title, service } of all) {
    it(title, async () => {
      const route = service.routes.find(({ path }) => path === '/openapi.json');
      assert.ok(route, 'is not there');
      const answer = await route.handle({} as never);
      assert.ok(answer.kind === 'rendered');
      const document = JSON.parse(answer.body) as Document;
      const result = await new Validator().validate(structuredClone(document) as Record<string, unknown>);
      assert.deepEqual(result.errors ?? [], []);
      assert.ok(result.valid);

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
      const refused = new Set(
        service.routes.filter(({ handle }) => handle === methodNotSupported).map(({ method, path }) => `${method} ${path}`),
      );
      const missing = service.declared.flatMap(({ method, path }) => {
        if (refused.has(`${method} ${path}`)) return [];
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
    });
  }
});

/** Paths of YARN that only ever refuse. */
const refusedAlways: ReadonlySet<string> = new Set(['PUT /ws/v1/node/yarn/sysfs/{user}/{appid}']);
/** Bodies that are passed on, or not looked at. */
const openBodies = /\/proxy|\/auxiliary\/|yarn\/sysfs|scheduler\/logs|\/(pause|resume)$/;
