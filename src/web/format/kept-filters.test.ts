// Filters that a browser keeps.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keepFilter, keptFilters, removeFilter } from './kept-filters.ts';

function keeper() {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  };
}

describe('kept filters', () => {
  const mine = { name: 'mine', filter: { user: 'ada', states: 'RUNNING' } };

  it('are kept for each list by their names, the newest last, twelve at most', () => {
    const storage = keeper();
    keepFilter(() => storage, 'applications', { name: 'mine', filter: { user: 'bob' } });
    keepFilter(() => storage, 'events', { name: 'nodes', filter: { kind: 'node' } });
    assert.deepEqual(
      keepFilter(() => storage, 'applications', mine),
      [mine],
    );
    assert.deepEqual(
      keptFilters(() => storage, 'applications'),
      [mine],
    );
    for (let number = 0; number < 12; number++) keepFilter(() => storage, 'applications', { name: String(number), filter: {} });
    assert.deepEqual(
      keptFilters(() => storage, 'applications').map(({ name }) => name),
      Array.from({ length: 12 }, (_, number) => String(number)),
    );
    assert.deepEqual(
      removeFilter(() => storage, 'events', 'nodes'),
      [],
    );
  });

  it('are none where the browser keeps nothing, or something else stands there', () => {
    const refusing = {
      getItem: (): string | null => {
        throw new Error('refused');
      },
      setItem: () => {
        throw new Error('refused');
      },
    };
    assert.deepEqual(
      keptFilters(() => refusing, 'applications'),
      [],
    );
    assert.deepEqual(
      keepFilter(() => refusing, 'applications', mine),
      [mine],
    );
    const storage = keeper();
    for (const [text, found] of [
      ['{', []],
      ['{}', []],
      ['[1, null, {"name": 2, "filter": {}}, {"name": "x", "filter": {"a": 1}}, {"name": "y", "filter": {"a": "b"}}]', ['y']],
    ] as const) {
      storage.values.set('heddle.filters.applications', text);
      assert.deepEqual(
        keptFilters(() => storage, 'applications').map(({ name }) => name),
        found,
      );
    }
  });
});
