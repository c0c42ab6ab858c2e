import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InfoChanges } from './info-changes.ts';

const put = (info: [string, number][], cleared: string[] = []) =>
  new InfoChanges({ events: [], filters: [], info, cleared: new Set(cleared) });

describe('what a put changes of other info', () => {
  it('is what some view shows otherwise, or what is taken back', () => {
    const changes = put(
      [
        ['same', 1],
        ['other', 2],
        ['new', 3],
      ],
      ['gone', 'never'],
    );
    for (const view of [
      { same: '1', other: '1' },
      { other: '0', gone: '5' },
    ] as Record<string, string>[])
      changes.into((name) => view[name]);
    assert.deepEqual(
      [...changes.changed],
      [
        ['other', 2],
        ['new', 3],
        ['same', 1],
      ],
    );
    assert.deepEqual(Object.fromEntries([...changes.former].map(([name, texts]) => [name, [...texts]])), {
      other: ['1', '0'],
      gone: ['5'],
    });
  });

  it('stays where another view shows it still', () => {
    const changes = put([['a', 2]], ['b']);
    changes.into((name) => ({ a: '1', b: '"x"' })[name]);
    assert.deepEqual([...changes.gone([[['a', 2]], [['a', 1]]])], [['b', '"x"']]);
    assert.deepEqual([...changes.gone([[['b', 'x']]])], [['a', '1']]);
  });
});
