import assert from 'node:assert/strict';
import { test } from 'node:test';
import { many, text } from '../../lib/json-shape.ts';
import { storedJson } from './stored-json.ts';

test('what was stored has the type of its shape, or an error that names the record and the place', () => {
  assert.deepEqual(storedJson(many(text()), '["n1:1"]', 'the list of drained nodes'), ['n1:1']);
  assert.throws(() => storedJson(many(text()), '["n1:1",7]', 'the list of drained nodes'), {
    message: 'the list of drained nodes in the store of the resource manager cannot be read: /1 is not a text',
  });
});
