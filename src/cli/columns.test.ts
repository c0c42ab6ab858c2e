// Text in terminals of some width.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnsOf, fitted, fittedRows, fittedTable } from './columns.ts';
import { tableText } from './output.ts';

describe('text in a terminal', () => {
  it('is as wide as its letters, of which some take two columns', () => {
    assert.deepEqual(['', 'abc', 'é', 'e\u0301', '字字', '😀', '👨‍👩‍👧', '한글', 'ａ'].map(columnsOf), [0, 3, 1, 1, 4, 2, 2, 4, 2]);
  });

  it('is cut between letters', () => {
    assert.deepEqual(
      [fitted('abcdef', 6), fitted('abcdefg', 6), fitted('字字字字', 6), fitted('a😀😀😀', 6), fitted('xe\u0301e\u0301e\u0301', 3)],
      ['abcdef', 'abcde…', '字字…', 'a😀😀…', 'xe\u0301…'],
    );
  });
});

describe('a table in a terminal', () => {
  const head = ['APPLICATION', 'NAME', 'USER', 'STATE', 'MASTER'];
  const row = ['application_1795888204484_0001', 'n'.repeat(40), 'u'.repeat(64), 'RUNNING', 'container_1795888204484_0001_01_000001'];
  const short = ['application_1795888204484_0002', 'true', 'ada', 'RUNNING', '-'];

  it('is cut in its widest columns until it fits, not in ids', () => {
    const [cut, same] = fittedRows(head, [row, short], 140, 2);
    assert.deepEqual([cut![0], cut![3], cut![4]], [row[0], row[3], row[4]]);
    assert.deepEqual(
      [cut![1], cut![2]].map((cell) => cell!.length),
      [28, 29],
    );
    assert.deepEqual(same, short);
    for (const line of tableText(head, [row, short], 140).split('\n')) assert.ok(columnsOf(line) <= 140, line);
  });

  it('shortens times and cuts them nowhere else, after long texts and before short ones', () => {
    const times = ['2026-11-29 03:39:57Z', '-'];
    const timed = (columns: number) =>
      fittedRows(
        ['ID', 'NAME', 'STARTED'],
        times.map((time) => ['id', 'n'.repeat(40), time]),
        columns,
        2,
      );
    assert.deepEqual(
      timed(48).map(([, name, time]) => [name!.length, time]),
      times.map((time) => [22, time]),
    );
    assert.deepEqual(
      timed(44).map(([, name, time]) => [name!.length, time]),
      [
        [26, '11-29 03:39Z'],
        [26, '-'],
      ],
    );
    assert.deepEqual(timed(20)[0], ['id', `${'n'.repeat(9)}…`, '11-29 03:39Z']);
  });

  it('keeps ten columns of each, though it is then wider, and is whole where there is room or no terminal', () => {
    const [cut] = fittedRows(head, [row], 80, 2);
    assert.deepEqual(
      [cut![1], cut![2]].map((cell) => cell!.length),
      [10, 10],
    );
    assert.deepEqual(fittedRows(head, [row], 400, 2), [row]);
    assert.ok(tableText(head, [row]).includes(row[2]!));
  });

  it('leaves out what may give way, in its order and no more than has to, and says what', () => {
    const rows = [[row[0]!, 'name', 'ada', 'RUNNING', row[4]!]];
    const at = (columns: number) => fittedTable(head, rows, columns, 2, ['MASTER', 'USER']);
    assert.deepEqual([at(200).without, at(200).head, at(200).rows], [[], head, rows]);
    assert.deepEqual([at(80).without, at(80).head], [['MASTER'], ['APPLICATION', 'NAME', 'USER', 'STATE']]);
    assert.deepEqual([at(45).without, at(45).rows], [['MASTER', 'USER'], [[row[0], 'name', 'RUNNING']]]);
    // What is copied from tables stays, however narrow it is.
    assert.deepEqual(at(10).rows, [[row[0], 'name', 'RUNNING']]);
  });
});
