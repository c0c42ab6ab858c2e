import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { presetSettings } from '../conformance/presets.ts';
import type { Placement } from '../entries.ts';
import { defaultRules, placeByRules } from './placement.ts';
import type { PlacementRule } from './placement-rules.ts';

const rule = (name: string, more: Partial<PlacementRule> = {}): PlacementRule => ({
  name,
  create: true,
  queue: undefined,
  parent: undefined,
  ...more,
});

function place(
  rules: readonly PlacementRule[],
  asked: string | undefined,
  known: readonly string[] = [],
  groups: readonly string[] = ['staff', 'ops'],
) {
  const submission = { applicationId: 'application_1_0001', user: 'ada.l', queue: asked, name: 'x', tags: [] };
  return placeByRules(rules, submission, groups, { exists: (path) => known.includes(path) });
}
const placed = (queue: string): Placement => ({ queue, mapped: true });
const rejected = {
  rejected: 'Reject application application_1_0001 submitted by user ada.l application rejected by placement rules.',
};

describe('placement rules of fair queues', () => {
  it('take the queue that is named, below the root', () => {
    assert.deepEqual(place([rule('specified')], 'sales'), placed('root.sales'));
    assert.deepEqual(place([rule('specified')], 'root.sales'), placed('root.sales'));
    assert.deepEqual(place([rule('specified'), rule('reject')], 'default'), rejected);
  });

  it('make queues only where they may', () => {
    const fixed = [rule('specified', { create: false }), rule('default')];
    assert.deepEqual(place(fixed, 'sales', ['root.sales']), placed('root.sales'));
    assert.deepEqual(place(fixed, 'sales'), placed('root.default'));
  });

  it('know users and groups, with dots in their names replaced', () => {
    assert.deepEqual(place([rule('user')], undefined), placed('root.ada_dot_l'));
    assert.deepEqual(place([rule('primaryGroup')], undefined), placed('root.staff'));
    assert.deepEqual(place([rule('secondaryGroupExistingQueue'), rule('reject')], undefined), rejected);
    assert.deepEqual(place([rule('secondaryGroupExistingQueue')], undefined, ['root.ops']), placed('root.ops'));
  });

  it('put users below the queue of an inner rule', () => {
    const nested = [rule('nestedUserQueue', { parent: rule('primaryGroup', { create: false }) }), rule('default', { queue: 'spare' })];
    assert.deepEqual(place(nested, undefined, ['root.staff']), placed('root.staff.ada_dot_l'));
    assert.deepEqual(place(nested, undefined), placed('root.spare'));
  });

  it('refuse users without groups before later rules are asked, and names that no queue can have', () => {
    assert.deepEqual(place([rule('primaryGroup'), rule('default')], undefined, [], []), { rejected: 'Group resolution failed' });
    assert.deepEqual(place([rule('specified')], '.sales'), {
      rejected: "Application submitted by user ada.lwith illegal queue name '.sales'.",
    });
    assert.deepEqual(place([rule('specified'), rule('reject')], 'a..b'), rejected);
    assert.deepEqual(place([rule('default')], ''), {
      rejected: 'Failed to place application application_1_0001 in a queue and submit context queue is null or empty',
    });
  });

  it('come from the settings where the file has none', () => {
    const { fair } = presetSettings;
    const by = (more: Partial<typeof fair>, asked?: string) => place(defaultRules({ ...fair, ...more }), asked);
    assert.deepEqual(by({}), placed('root.ada_dot_l'));
    assert.deepEqual(by({}, 'sales'), placed('root.sales'));
    assert.deepEqual(by({ userAsDefaultQueue: false }), placed('root.default'));
    assert.deepEqual(by({ allowUndeclaredPools: false }, 'sales'), placed('root.default'));
  });
});
