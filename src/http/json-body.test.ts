import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fields, optional, whole } from '../lib/json-shape.ts';
import { jsonBody } from './json-body.ts';

const shape = fields({ count: optional(whole()) });
const refused = (text: string, reason: RegExp): void =>
  assert.throws(() => jsonBody(shape, Buffer.from(text)), { code: 'BAD_REQUEST', message: reason });

test('a body has the type of its shape, or is refused with the path of its fault', () => {
  assert.deepEqual(jsonBody(shape, Buffer.from('{"count":2,"more":true}')), { count: 2, more: true });
  refused('{"count":1.5}', /\/count is not a whole number/);
  refused('[]', /the body is not an object/);
  refused('{', /the body is not JSON/);
  refused('{"more":{"__proto__":{}}}', /a member of the JSON is called __proto__/);
});

test('an empty body is refused unless it means something', () => {
  refused('', /the body is not JSON/);
  assert.deepEqual(jsonBody(shape, Buffer.alloc(0), {}), {});
});
