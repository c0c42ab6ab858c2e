import assert from 'node:assert/strict';
import { it } from 'node:test';
import { queueAndAbove } from './queue-path.ts';

it('a queue stands in itself and in all above it', () => {
  assert.deepEqual(queueAndAbove('root.a.b'), ['root.a.b', 'root.a', 'root']);
  assert.deepEqual([queueAndAbove('root'), queueAndAbove('')], [['root'], []]);
});
