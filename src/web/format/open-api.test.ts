import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  answerOf,
  boundsOf,
  byPart,
  curlOf,
  type Document,
  endpointsOf,
  exampleOf,
  filledPath,
  hasWords,
  parameterType,
  schemaLines,
} from './open-api.ts';

const document: Document = {
  info: { title: 'A server' },
  paths: {
    '/apps/{appid}': {
      get: { operationId: 'getApp', summary: 'One application.', tags: ['apps'] },
      put: {
        operationId: 'putApp',
        tags: ['apps'],
        parameters: [
          { name: 'appid', in: 'path', example: 'application_1_0001' },
          { name: 'labels', in: 'query', schema: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } } },
        ],
      },
    },
    '/files/{rest}': { get: { operationId: 'getFile', tags: ['files'] } },
  },
  components: {
    schemas: {
      Queue: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', maxLength: 9 },
          queues: { type: 'array', items: { $ref: '#/components/schemas/Queue' } },
          amounts: { type: 'object', additionalProperties: { type: 'number', minimum: 0 } },
        },
      },
    },
    responses: { NotFound: { description: 'It is not there.' } },
    examples: { Queue: { value: { name: 'root' } } },
  },
};
const [read, write, file] = endpointsOf(document);

describe('an OpenAPI document for people', () => {
  it('is a list of operations by part, found by words of path, summary and parameters in any order', () => {
    assert.deepEqual(
      byPart(endpointsOf(document)).map(([part, endpoints]) => [part, endpoints.length]),
      [
        ['apps', 2],
        ['files', 1],
      ],
    );
    assert.ok(hasWords(read!, 'application get'));
    assert.ok(hasWords(write!, 'LABELS'));
    assert.ok(!hasWords(read!, 'labels'));
    assert.ok(hasWords(read!, ''));
  });

  it('tells the members of a schema in lines, and one that is within itself once', () => {
    const lines = schemaLines(document, { $ref: '#/components/schemas/Queue' });
    assert.deepEqual(
      lines.map(({ depth, name, type, isRequired, about }) => [depth, name, type, isRequired, about]),
      [
        [0, 'name', 'text', true, 'at most 9 characters'],
        [0, 'queues', 'list of object', false, ''],
        [0, 'amounts', 'object', false, ''],
        [1, 'any name', 'number', false, 'at least 0'],
      ],
    );
    const lists: Document = {
      ...document,
      components: { schemas: { Lists: { type: 'array', items: { $ref: '#/components/schemas/Lists' } } } },
    };
    const [line] = schemaLines(lists, { type: 'object', properties: { lists: { $ref: '#/components/schemas/Lists' } } });
    assert.equal(line?.type, 'list of anything');
    assert.equal(schemaLines(document, { type: 'array', items: { $ref: '#/components/schemas/Queue' } }).length, 4);
    assert.equal(schemaLines(document, { anyOf: [{ type: 'null' }, { $ref: '#/components/schemas/Queue' }] }).length, 4);
  });

  it('finds answers and examples that stand elsewhere in the document', () => {
    assert.equal(answerOf(document, { $ref: '#/components/responses/NotFound' }).description, 'It is not there.');
    assert.deepEqual(exampleOf(document, { examples: { made: { $ref: '#/components/examples/Queue' } } }), { name: 'root' });
    assert.equal(exampleOf(document, { example: 3 }), 3);
    assert.equal(exampleOf(document, {}), undefined);
  });

  it('says what a parameter may be', () => {
    const labels = write!.operation.parameters![1]!;
    assert.equal(parameterType(document, labels), 'text, several parted by commas');
    assert.equal(boundsOf(document, labels.schema!), 'of a, b');
  });

  it('fills paths, and writes a call for shells', () => {
    assert.equal(filledPath(file!.path, { rest: 'a b/c' }), '/files/a%20b/c');
    assert.equal(filledPath(read!.path, { appid: 'a/b' }), '/apps/a%2Fb');
    assert.equal(filledPath(read!.path, {}), '/apps/{appid}');
    assert.equal(
      curlOf('http://host/', write!, { text: "it's" }),
      String.raw`curl -X PUT 'http://host/apps/application_1_0001' -H 'Content-Type: application/json' -d '{"text":"it'\''s"}'`,
    );
    assert.equal(curlOf('http://host/', read!, undefined), "curl 'http://host/apps/{appid}'");
  });
});
