import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../conformance/simulator.ts';
import type { PolicyKind } from '../policy.ts';
import { type DescriptionViews, viewOf } from './description.ts';

const views: DescriptionViews<string, [string]> = {
  capacity: ({ root }, prefix) => `${prefix} capacity ${root.path}`,
  fair: ({ root }, prefix) => `${prefix} fair ${root.name}`,
  fifo: ({ nodes }, prefix) => `${prefix} fifo ${nodes}`,
};

describe('a description', () => {
  it('is shown by the view of its own shape, with what else the view is given', () => {
    const shown = (kind: PolicyKind): string => viewOf(views, new Simulator({ kind }).policy.describe(), 'as');
    assert.deepEqual([shown('capacity'), shown('fair'), shown('fifo')], ['as capacity root', 'as fair root', 'as fifo 0']);
  });
});
