import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keySequence, TerminalText } from './terminal-text.ts';

function shown(...pieces: string[]) {
  const text = new TerminalText(100);
  for (const piece of pieces) text.write(piece);
  return [text.lines, text.cursor] as const;
}
const linesOf = (...pieces: string[]) => shown(...pieces)[0];

describe('what a program writes to a terminal', () => {
  it('stands in lines, with the cursor behind it', () => {
    assert.deepEqual(shown('one\r\ntwo $ '), [['one', 'two $ '], { row: 1, column: 6 }]);
    assert.deepEqual(linesOf('a\tb'), ['a       b']);
    assert.deepEqual(linesOf('10 %\r50 %\r100 %'), ['100 %']);
    assert.deepEqual(linesOf('x\u0007\u0000y'), ['xy']);
  });

  it('is edited as shells edit a line', () => {
    // readline of a terminal that can nothing: back, over, and blanks.
    assert.deepEqual(shown('$ lsx\b \b'), [['$ ls '], { row: 0, column: 4 }]);
    assert.deepEqual(linesOf('$ abc\u001b[3D\u001b[P'), ['$ bc']);
    assert.deepEqual(linesOf('$ bc\u001b[2D\u001b[@a'), ['$ abc']);
    assert.deepEqual(linesOf('progress 1\r\u001b[Kdone'), ['done']);
    assert.deepEqual(linesOf('a\u001b[4Gb\u001b[1K'), ['    ']);
    assert.deepEqual(linesOf('one\r\ntwo\u001b[A\rONE\u001b[B!'), ['ONE', 'two!']);
  });

  it('is cleared, and has neither colours nor titles, wherever a sequence is cut', () => {
    assert.deepEqual(shown('old\r\nold\u001b[H\u001b[2J$ '), [['$ '], { row: 0, column: 2 }]);
    const text = '\u001b]0;title\u0007\u001b[01;32mgreen\u001b[0m\u001b(B\u001b[?2004h\u001b]0;x\u001b\\ end';
    for (let at = 0; at <= text.length; at++) assert.deepEqual(linesOf(text.slice(0, at), text.slice(at)), ['green end'], String(at));
  });

  it('is kept as far as the bound lets', () => {
    const text = new TerminalText(3);
    for (let line = 1; line <= 10; line++) text.write(`${line}\r\n`);
    assert.deepEqual([text.lines, text.cursor], [['9', '10', ''], { row: 2, column: 0 }]);
    // What looks like the beginning of a sequence and never ends is none.
    text.write(`\u001b]${'x'.repeat(5000)}`);
    text.write('end');
    assert.ok(text.lines.at(-1)!.endsWith('end'));
  });
});

describe('the keys of a terminal', () => {
  it('send what a shell knows them by', () => {
    const sent = (key: string, control = false) => keySequence({ key, control });
    assert.deepEqual([sent('Enter'), sent('Backspace'), sent('ArrowUp'), sent('Tab')], ['\r', '\u007f', '\u001b[A', '\t']);
    assert.deepEqual(
      [sent('c', true), sent('d', true), sent('D', true), sent('\\', true), sent(' ', true)],
      ['\u0003', '\u0004', '\u0004', '\u001c', '\0'],
    );
    assert.deepEqual([sent('a'), sent('F5'), sent('Enter', true), sent('1', true)], [undefined, undefined, undefined, undefined]);
  });
});
