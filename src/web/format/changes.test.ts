import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changesOf } from './changes.ts';

it('is a merge patch that makes the one of the other, and names nothing that stays', () => {
  const before = { a: 1, b: 'x', list: [1, 2], same: { p: [{ q: 1 }] }, deep: { stays: 'y', goes: true, more: { of: 'it' } } };
  assert.deepEqual(changesOf(before, before), {});
  assert.deepEqual(changesOf(before, { ...before, b: undefined }), { b: null });
  assert.deepEqual(changesOf(before, { ...before, a: 2, list: [1], deep: { stays: 'y', more: { of: 'that' }, comes: 3 } }), {
    a: 2,
    list: [1],
    deep: { goes: null, more: { of: 'that' }, comes: 3 },
  });
  assert.deepEqual(changesOf({}, { run: { files: { a: { text: 'b' } } } }), { run: { files: { a: { text: 'b' } } } });
});
