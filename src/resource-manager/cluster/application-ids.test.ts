import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseApplicationId } from '../../model/ids.ts';
import { ApplicationIds } from './application-ids.ts';

const startedMs = 1_700_000_000_000;

describe('an id', () => {
  it('is fresh until one as high was submitted, whoever chose it', () => {
    const ids = new ApplicationIds(startedMs);
    const [first, second] = [parseApplicationId(ids.next()), parseApplicationId(ids.next())];
    assert.deepEqual([ids.isFresh(first), ids.isFresh(second)], [true, true]);
    ids.reserve(second.clusterTimestamp, second.sequence);
    assert.deepEqual([ids.isFresh(first), ids.isFresh(second), ids.isFresh(parseApplicationId(ids.next()))], [false, false, true]);
    ids.reserve(startedMs, 2_000_000_000);
    const third = parseApplicationId(ids.next());
    assert.deepEqual([third.sequence, ids.isFresh(third)], [4, false]);
  });

  it('of another start is never fresh', () => {
    const ids = new ApplicationIds(startedMs);
    assert.equal(ids.isFresh({ clusterTimestamp: startedMs - 1, sequence: 7 }), false);
    ids.reserve(startedMs + 1, 7);
    assert.equal(ids.isFresh({ clusterTimestamp: startedMs, sequence: 1 }), true);
  });
});
