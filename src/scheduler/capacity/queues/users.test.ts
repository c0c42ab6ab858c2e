import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../../lib/random.ts';
import { ResourceTypes } from '../../../model/resource.ts';
import { dominantCalculator } from '../../state/calculator.ts';
import { CapacityProperties } from '../settings/properties.ts';
import { type QueueSettings, readQueue } from '../settings/queue-settings.ts';
import { type AskingApplication, type LimitInputs, type User, UserTable } from './users.ts';

const types = new ResourceTypes();
const total = [10_240, 10];
const minimumAllocation = [128, 1];

function settingsOf(keys: Record<string, string> = {}): QueueSettings {
  const properties = new Map(Object.entries(keys).map(([key, value]) => [`yarn.scheduler.capacity.root.a.${key}`, value]));
  const cluster = { maximumAllocation: total, preemptionEnabled: false, intraQueuePreemption: false, reservationSystem: false };
  return readQueue(new CapacityProperties(properties), types, cluster, 'root.a', undefined, 'static');
}

function fixture(keys: Record<string, string> = {}) {
  const settings = settingsOf(keys);
  const table = new UserTable(2);
  const inputs = (more: Partial<LimitInputs> = {}): LimitInputs => ({
    calculator: dominantCalculator,
    partition: 0,
    total,
    guaranteed: total,
    maximum: total,
    minimumAllocation,
    settings,
    ignoreExclusivity: false,
    ...more,
  });
  /** A user with one application that asks. */
  const asks = (name: string): { user: User; application: AskingApplication } => {
    const user = table.obtain(name, settings);
    user.activeApplications++;
    const application: AskingApplication = { owner: user, asksFor: undefined };
    table.setAsking(application, true);
    return { user, application };
  };
  const charge = (user: User, memoryMiB: number, sign: 1 | -1 = 1) =>
    table.charge(user, 0, [memoryMiB, 1], sign, dominantCalculator, total);
  return { settings, table, inputs, asks, charge };
}

describe('the limit of a user', () => {
  it('is the whole queue for the only one, times its factor', () => {
    const alone = fixture();
    assert.deepEqual(alone.table.limitOf(alone.asks('ada').user, alone.inputs()), total);
    const half = fixture({ 'user-limit-factor': '0.5' });
    assert.deepEqual(half.table.limitOf(half.asks('ada').user, half.inputs()), [5120, 5]);
  });

  it('is an equal part among those that ask, but not below the least part', () => {
    const shared = fixture({ 'minimum-user-limit-percent': '25' });
    const [ada, ben, eve] = ['ada', 'ben', 'eve'].map((name) => shared.asks(name).user);
    for (const user of [ada!, ben!, eve!]) shared.charge(user, 2048);
    // (3 × 2048 + one smallest container) / 3, rounded up to whole steps.
    assert.deepEqual(shared.table.limitOf(eve!, shared.inputs()), [2560, 3]);
    const least = fixture({ 'minimum-user-limit-percent': '50' });
    const users = ['ada', 'ben', 'eve'].map((name) => least.asks(name).user);
    assert.deepEqual(least.table.limitOf(users[0]!, least.inputs()), [5120, 5]);
  });

  it('counts no users who ask for nothing', () => {
    const { table, asks, charge, inputs } = fixture({ 'minimum-user-limit-percent': '25' });
    const ada = asks('ada');
    const ben = asks('ben');
    charge(ada.user, 1024);
    charge(ben.user, 4096);
    assert.equal(table.activeUsers, 2);
    table.setAsking(ben.application, false);
    assert.equal(table.activeUsers, 1);
    assert.equal(ben.user.isActive, false);
    assert.ok(table.limitOf(ada.user, inputs())[0]! >= 2560);
  });

  it('is weighed, in whole steps', () => {
    const { table, asks, inputs } = fixture({ 'minimum-user-limit-percent': '25', 'user-settings.ada.weight': '1.5' });
    const ada = asks('ada').user;
    const ben = asks('ben').user;
    assert.equal(ada.weight, 1.5);
    const plain = table.limitOf(ben, inputs());
    assert.deepEqual(
      table.limitOf(ada, inputs()),
      plain.map((value, i) => Math.floor((value * 1.5) / minimumAllocation[i]!) * minimumAllocation[i]!),
    );
  });

  it('is what the queue may reach where the factor is -1 or nothing is guaranteed', () => {
    const free = fixture({ 'user-limit-factor': '-1' });
    assert.deepEqual(free.table.limitOf(free.asks('ada').user, free.inputs({ guaranteed: [1024, 1] })), [1024, 1]);
    const none = fixture();
    assert.deepEqual(none.table.limitOf(none.asks('ada').user, none.inputs({ guaranteed: [0, 0] })), minimumAllocation);
  });

  it('is shown as it was computed last, and peeking leaves it alone', () => {
    const { table, asks, inputs } = fixture();
    const { user } = asks('ada');
    assert.deepEqual(user.shownLimit, [0, 0]);
    table.peekLimit(user, inputs());
    assert.deepEqual(user.shownLimit, [0, 0]);
    table.limitOf(user, inputs());
    assert.deepEqual(user.shownLimit, total);
  });

  it('is known without computing until something it depends on changes', () => {
    const { table, asks, charge, inputs } = fixture();
    const { user } = asks('ada');
    assert.equal(table.cachedLimit(user, 0), undefined);
    const limit = table.limitOf(user, inputs());
    assert.equal(table.cachedLimit(user, 0), limit);
    charge(user, 1024);
    assert.equal(table.cachedLimit(user, 0), undefined);
    table.limitOf(user, inputs());
    asks('ben');
    assert.equal(table.cachedLimit(user, 0), undefined);
  });
});

describe('the users of a leaf', () => {
  it('are active from their first active application that asks to the last that does', () => {
    const { table, settings } = fixture();
    const user = table.obtain('ada', settings);
    const first: AskingApplication = { owner: user, asksFor: undefined };
    const second: AskingApplication = { owner: user, asksFor: undefined };
    table.setAsking(first, true);
    assert.deepEqual([user.isActive, user.asking], [false, 0], 'nothing of the user has begun');
    user.activeApplications++;
    assert.equal(user.isActive, false, 'nor does it count once that begins');
    table.setAsking(first, true);
    assert.equal(user.isActive, true);
    table.setAsking(second, true);
    table.setAsking(second, true);
    table.setAsking(first, false);
    assert.deepEqual([user.isActive, user.asking], [true, 1]);
    table.setAsking(second, false);
    table.setAsking(second, false);
    assert.deepEqual([user.isActive, user.asking], [false, 0]);
  });

  it('take their weights anew from other settings', () => {
    const { table, settings } = fixture();
    const user = table.obtain('ada', settings);
    const before = table.version;
    table.reweigh(settingsOf({ 'user-settings.ada.weight': '3' }));
    assert.deepEqual([user.weight, table.version > before], [3, true]);
  });

  it('are forgotten with their last application', () => {
    const { table, settings, asks } = fixture();
    const { user } = asks('ada');
    table.remove(user);
    assert.deepEqual([table.byName.size, table.activeUsers], [0, 0]);
    assert.notEqual(table.obtain('ada', settings), user);
  });

  it('keep nothing of a user who has nothing running, waiting or held', () => {
    const { table, settings, charge } = fixture();
    const user = table.obtain('ada', settings);
    charge(user, 1024);
    table.restart(user);
    assert.deepEqual(user.used[0], [1024, 1]);
    charge(user, 1024, -1);
    table.restart(user);
    assert.deepEqual(user.used, []);
  });

  it('sum up what the active ones hold, through whatever comes and goes', () => {
    const random = seededRandom(9);
    const { table, asks, charge } = fixture();
    const all = ['ada', 'ben', 'eve', 'kim'].map((name) => asks(name));
    const held = new Map<User, number>();
    for (let i = 0; i < 400; i++) {
      const { user, application } = all[random.int(all.length)]!;
      if (random.int(3) === 0) table.setAsking(application, random.int(2) === 0);
      else if ((held.get(user) ?? 0) > 0 && random.int(2) === 0) {
        charge(user, 512, -1);
        held.set(user, held.get(user)! - 1);
      } else {
        charge(user, 512);
        held.set(user, (held.get(user) ?? 0) + 1);
      }
      const active = all.filter((one) => one.user.isActive).reduce((sum, one) => sum + (held.get(one.user) ?? 0), 0);
      assert.deepEqual(table.in(0).usedByActive, [512 * active, active]);
      assert.equal(table.activeUsers, all.filter((one) => one.user.isActive).length);
    }
  });
});
