import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { javaSplit } from './java-split.ts';

describe("Java's split at commas", () => {
  it('drops empty parts at the end alone; an empty text is one empty part', () => {
    const cases: [string, string[]][] = [
      ['', ['']],
      ['a', ['a']],
      ['a,b', ['a', 'b']],
      [',a', ['', 'a']],
      ['a,,b', ['a', '', 'b']],
      ['a,,', ['a']],
      [',', []],
      [',,,', []],
      [' , ', [' ', ' ']],
    ];
    for (const [text, parts] of cases) assert.deepEqual(javaSplit(text), parts, JSON.stringify(text));
    assert.deepEqual(javaSplit('a:,b::', ':'), ['a', ',b']);
  });
});
