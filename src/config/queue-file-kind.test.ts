import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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

  it('is found soon behind as many comments as a file may hold', { timeout: 10_000 }, () => {
    const comments = '<!-- a line -->\n'.repeat(50_000);
    assert.equal(queueFileKind(`${comments}<configuration/>`), 'capacity');
    assert.equal(queueFileKind(`${comments}<!-- without an end`), undefined);
    assert.equal(queueFileKind(`${'<?'.repeat(50_000)}`), undefined);
  });
});
