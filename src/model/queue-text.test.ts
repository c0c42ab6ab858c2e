// Paths of queues as people read them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { queueText } from './queue-text.ts';

it('names the child of a reservable queue by its parent, every other queue by its path', () => {
  assert.equal(queueText('root.night.root.night-default'), 'root.night (without a reservation)');
  assert.equal(queueText('root.a.b.root.a.b-default'), 'root.a.b (without a reservation)');
  for (const path of [
    'root',
    'root.default',
    'root.night-default',
    'root.night.night-default',
    '-default',
    '.-default',
    'root.a.root.b-default',
  ])
    assert.equal(queueText(path), path);
});
