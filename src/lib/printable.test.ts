import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hasUnprintable, printable } from './printable.ts';

it('letters that are no letters are found and replaced, all others stay', () => {
  for (const letter of ['\0', '\x1b', '\x7f', '\u009b', '\u202e', '\u2066', '\u200f', '\u2028', '\ud800', '\ufeff', '\u{e0041}']) {
    assert.ok(hasUnprintable(`a${letter}b`), letter);
    assert.equal(printable(`a${letter}b`), 'a\ufffdb');
  }
  for (const text of ['ann', 'größe 名', '😀', 'a b', 'e\u0301', '']) assert.equal(printable(text), text);
});

it('ends of lines and tabs may stay', () => {
  assert.equal(printable('a\tb\n\x1b[2J'), 'a\ufffdb\ufffd\ufffd[2J');
  assert.equal(printable('a\tb\n\x1b[2J', true), 'a\tb\n\ufffd[2J');
  assert.equal(printable('50%\r100%', true), '50%\ufffd100%');
});
