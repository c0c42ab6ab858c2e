import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Query } from './query.ts';
import { readFlag } from './query-flag.ts';

test('a flag is true, false, or a refusal', () => {
  assert.deepEqual(
    ['', 'all=false', 'all=true'].map((query) => readFlag(new Query(query), 'all')),
    [false, false, true],
  );
  for (const query of ['all=', 'all=null', 'all=1', 'all=TRUE', 'all'])
    assert.throws(() => readFlag(new Query(query), 'all'), /all must be true or false/, query);
});
