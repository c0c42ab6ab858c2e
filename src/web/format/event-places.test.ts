import assert from 'node:assert/strict';
import { it } from 'node:test';
import { placeBefore } from './event-places.ts';

it('finds the place so many events before another', () => {
  assert.equal(placeBefore('1795950933995-60000', 2000), '1795950933995-58000');
  for (const place of ['1795950933995-2000', '1795950933995-0', 'oldest', '']) assert.equal(placeBefore(place, 2000), 'oldest');
});
