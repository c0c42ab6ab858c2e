import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ManualClock } from '../lib/clock.ts';
import { ClaimedGroups } from './claimed-groups.ts';
import { groupMapping } from './groups.ts';

it('are those of their user, by what was said last, as long as that counts', () => {
  const clock = new ManualClock();
  const now = clock.now();
  const groups = new ClaimedGroups(clock);
  groups.learn('ann', { groups: ['crew'], saidMs: now, untilMs: now + 100 });
  groups.learn('ann', { groups: ['crew', 'old'], saidMs: now - 1, untilMs: now + 1000 });
  assert.deepEqual([groups.of('ann'), groups.of('bob'), groups.of('an')], [['crew'], [], []]);
  clock.advance(100);
  assert.deepEqual(groups.of('ann'), []);
  groups.learn('ann', { groups: ['staff'], saidMs: now - 5, untilMs: now + 200 });
  assert.deepEqual(groups.of('ann'), ['staff']);
});
it('stand beside those of the system, and under those that the settings fix', () => {
  const clock = new ManualClock();
  const groups = new ClaimedGroups(clock);
  const claim = { groups: ['claimed'], saidMs: clock.now(), untilMs: clock.now() + 1 };
  for (const user of ['root', 'ann', 'fixed']) groups.learn(user, claim);
  const groupsOf = groupMapping('fixed=own', groups);
  assert.deepEqual(groupsOf('fixed'), ['own']);
  assert.deepEqual(groupsOf('ann'), ['claimed']);
  assert.deepEqual(groupsOf('root'), [...groupMapping(undefined)('root'), 'claimed']);
});
it('are kept of so many users, and of the others no more', () => {
  const groups = new ClaimedGroups(new ManualClock(0));
  for (let user = 0; user <= 10_000; user++) groups.learn(`u${user}`, { groups: ['g'], saidMs: 0, untilMs: 1 });
  assert.deepEqual([groups.of('u0'), groups.of('u1'), groups.of('u10000')], [[], ['g'], ['g']]);
});
