import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isAscii, TextBatch } from './text-batch.ts';

describe('a batch of texts', () => {
  it('gives the bytes of its texts in their order, in any script, and is empty then', () => {
    const batch = new TextBatch();
    for (const texts of [['{"a":', '1', '}'], ['', 'ä', 'b\u{1f600}'], ['plain'], []]) {
      for (const text of texts) batch.add(text);
      assert.equal(batch.length, texts.join('').length);
      assert.equal(batch.take().toString('utf8'), texts.join(''));
      assert.equal(batch.length, 0);
    }
    batch.add('é', false);
    assert.deepEqual([...batch.take()], [0xc3, 0xa9]);
  });

  it('tells plain texts from others', () => {
    assert.deepEqual(['', 'a\n', '\u007f', '\u0080', 'ä', '\u{1f600}'].map(isAscii), [true, true, true, false, false, false]);
  });
});
