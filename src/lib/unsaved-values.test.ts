import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UnsavedValues } from './unsaved-values.ts';

/** A value of which each change is under way until it is told what became of it. */
function aValue(value: string) {
  const unsaved = new UnsavedValues<string>();
  const state = { value };
  const change = (to: string) => {
    const begun = unsaved.begin('v', state.value);
    state.value = to;
    return { kept: () => begun.kept(to), refused: () => begun.refused((kept) => void (state.value = kept)) };
  };
  return { state, change };
}

describe('a value whose change is refused', () => {
  it('goes back to what is durable', () => {
    const { state, change } = aValue('a');
    change('b').refused();
    assert.equal(state.value, 'a');
    change('c').kept();
    change('d').refused();
    assert.equal(state.value, 'c');
  });

  it('goes back behind all that are refused with it', () => {
    const { state, change } = aValue('a');
    const changes = [change('b'), change('c'), change('b')];
    for (const { refused } of changes) refused();
    assert.equal(state.value, 'a');
  });

  it('goes back to the one that was kept', () => {
    const { state, change } = aValue('a');
    const [first, second] = [change('b'), change('c')];
    first.kept();
    second.refused();
    assert.equal(state.value, 'b');
  });

  it('stays what a later change made of it', () => {
    const { state, change } = aValue('a');
    const [first, second] = [change('b'), change('b')];
    first.refused();
    assert.equal(state.value, 'b');
    second.kept();
    assert.equal(state.value, 'b');
  });
});
