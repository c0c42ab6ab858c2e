import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { growthFault } from '../../test/support/growth.ts';
import { queueFileKind } from './queue-file-kind.ts';

describe('the kind of a queue file', () => {
  it('is told by its outermost element alone', () => {
    assert.equal(queueFileKind('<configuration><property/></configuration>'), 'capacity');
    assert.equal(queueFileKind('<?xml version="1.0"?>\n<allocations>'), 'fair');
    assert.equal(queueFileKind('<!-- as <allocations> was -->\n<configuration/>'), 'capacity');
    assert.equal(queueFileKind('<?xml version="1.0"?><!DOCTYPE allocations>\n<!-- > --><allocations\n/>'), 'fair');
    assert.equal(queueFileKind('\uFEFF<configuration>'), 'capacity');
    for (const text of ['', '<queues/>', '<allocationsfile/>', '<constructor/>', 'x<configuration/>', '<!-- <configuration/>'])
      assert.equal(queueFileKind(text), undefined, text);
  });

  it('is found soon behind as many comments as a file may hold', () => {
    const comment = '<!-- a line -->\n';
    const comments = (length: number) => comment.repeat(length / comment.length);
    assert.equal(queueFileKind(`${comments(400_000)}<configuration/>`), 'capacity');
    assert.equal(queueFileKind(`${comments(400_000)}<!-- without an end`), undefined);
    for (const textOf of [
      (length: number) => `${comments(length)}<configuration/>`,
      (length: number) => `${comments(length)}<!-- without an end`,
      (length: number) => '<?'.repeat(length / 2),
    ])
      assert.equal(growthFault(queueFileKind, textOf, 400_000), undefined);
  });
});
