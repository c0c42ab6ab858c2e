import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Examples } from './open-api-examples.ts';

const named = {
  App: { type: 'object', properties: { id: { type: 'string' }, priority: { type: 'integer', format: 'int32' } } },
  Queue: {
    type: 'object',
    properties: { queueName: { type: 'string' }, queues: { type: 'array', items: { $ref: '#/components/schemas/Queue' } } },
  },
  Endless: { type: 'object', required: ['again'], properties: { again: { $ref: '#/components/schemas/Endless' } } },
};
const examples = new Examples(named);

describe('examples made by schemas', () => {
  it('have telling values by the names of members and of what they are in', () => {
    assert.match(String((examples.of({ $ref: '#/components/schemas/App' }) as { id: string }).id), /^application_\d+_\d{4}$/);
    assert.match(
      String((examples.of({ type: 'object', properties: { nodeId: { type: 'string' } } }) as { nodeId: string }).nodeId),
      /:45454$/,
    );
  });

  it('have a value of the kind that its name tells where any may stand, and times as keys of series', () => {
    const series = { type: 'object', additionalProperties: {} };
    const { idprefix, values } = examples.of({ type: 'object', properties: { idprefix: {}, values: series } }) as Record<string, object>;
    assert.equal(idprefix, 0);
    assert.ok(Object.entries(values!).every(([time, value]) => Number(time) > 1e12 && typeof value === 'number'));
  });

  it('stop where a schema is within itself, and have no value where it never ends', () => {
    const queue = examples.of({ $ref: '#/components/schemas/Queue' }) as { queues: { queues: unknown[] }[] };
    assert.deepEqual(queue.queues[0]?.queues, []);
    assert.equal(examples.of({ $ref: '#/components/schemas/Endless' }), undefined);
  });

  it('keep bounds, choices, tuples, maps and types', () => {
    const schema = {
      type: 'object',
      required: ['kind', 'count', 'pair', 'map', 'short', 'long', 'flag', 'none', 'texts'],
      properties: {
        kind: { type: 'string', enum: ['one', 'two'] },
        count: { type: 'integer', minimum: 5, maximum: 6 },
        pair: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'boolean' }], minItems: 2, maxItems: 2 },
        map: { type: 'object', additionalProperties: { type: 'number' } },
        short: { type: 'string', maxLength: 2 },
        long: { type: 'string', minLength: 20 },
        flag: { oneOf: [{ type: 'boolean', const: false }, { type: 'string' }] },
        none: { type: 'null' },
        texts: { anyOf: [{ $ref: '#/components/schemas/Endless' }, { type: 'array', items: { type: 'string' } }] },
        startedTime: { type: 'integer', format: 'int32' },
      },
    };
    const value = examples.of(schema) as { flag: unknown; startedTime: number };
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const validate = ajv.compile({ ...schema, components: { schemas: named } });
    assert.ok(validate(value), ajv.errorsText(validate.errors));
    assert.equal(value.flag, false);
    assert.ok(value.startedTime < 2 ** 31);
  });
});
