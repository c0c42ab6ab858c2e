// Delegation tokens in the store of the resource manager: kept before they are given out, found again after a restart.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shortName } from '../../auth/authenticator.ts';
import { TokenManager } from '../../auth/delegation/token-manager.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { seededRandom } from '../../lib/random.ts';
import { openDatabase } from '../../storage/sqlite.ts';
import { onSmallDisk } from '../../storage/test-support/small-disk.ts';
import { ResourceManagerStore } from '../store/resource-manager-store.ts';
import { tokenStore } from './token-store.ts';

function aWorld() {
  const { database, disk } = onSmallDisk(openDatabase(':memory:', { logger: silentLogger }));
  const store = new ResourceManagerStore(database);
  const clock = new ManualClock();
  const begin = () =>
    new TokenManager({
      kind: 'RM_DELEGATION_TOKEN',
      mechanism: 'simple',
      nameOf: shortName,
      store: tokenStore(store),
      clock,
      random: seededRandom(1),
      keyUpdateIntervalMs: 1000,
      renewIntervalMs: 500,
      maximumLifetimeMs: 2000,
    });
  return { disk, clock, begin };
}

describe('delegation tokens', () => {
  it('are there after a restart, as long as they were renewed, and not when they were cancelled', async () => {
    const { begin, clock } = aWorld();
    const first = begin();
    const [kept, cancelled] = [await first.issue('ann', 'bob'), await first.issue('ann', 'bob')];
    clock.advance(400);
    await first.renew(kept.token, 'bob');
    await first.cancel(cancelled.token, { user: 'ann', principal: 'ann' });
    clock.advance(400);
    const again = begin();
    assert.equal(again.verify(kept.token).owner, 'ann');
    assert.throws(() => again.verify(cancelled.token), { reason: 'unknown' });
    assert.equal((await again.issue('ann', '')).identifier.sequenceNumber, 3);
  });

  it('that cannot be kept are not given out, renewed or cancelled, and are with room again', async () => {
    const { begin, disk, clock } = aWorld();
    const tokens = begin();
    disk.isFull = true;
    await assert.rejects(tokens.issue('ann', 'bob'), { code: 'STORE_DISK_FULL' });
    disk.isFull = false;
    const { token, identifier } = await tokens.issue('ann', 'bob');
    assert.equal(begin().verify(token).sequenceNumber, identifier.sequenceNumber);
    disk.isFull = true;
    await assert.rejects(tokens.cancel(token, { user: 'ann', principal: 'ann' }), { code: 'STORE_DISK_FULL' });
    await assert.rejects(tokens.renew(token, 'bob'), { code: 'STORE_DISK_FULL' });
    assert.equal(tokens.verify(token).owner, 'ann');
    clock.advance(501);
    assert.throws(() => tokens.verify(token), { reason: 'expired' });
  });
});
