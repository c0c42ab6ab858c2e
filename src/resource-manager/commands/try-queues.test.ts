import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { PacedTurns } from '../../lib/paced-turns.ts';
import { ChangeRefused } from '../../scheduler/capacity/settings/mutation.ts';
import { ConfigurationRefused } from '../../scheduler/policy.ts';
import { accessOf, callerNamed, codeOf, queuePolicy, RememberedAudit } from '../test-support/commands.ts';
import { type TryQueuesPorts, tryQueues } from './try-queues.ts';

const admin = callerNamed('admin');
const nothing = { remove: [], add: [], update: [], global: [] };

function stand({ kind = 'capacity' as 'capacity' | 'fair', fails = undefined as Error | undefined, mostWaiting = 2 } = {}) {
  const policy = queuePolicy(kind);
  const clock = new ManualClock();
  const properties = new Map([['a', '1']]);
  let replaced = 0;
  const ports: TryQueuesPorts = {
    queues: {
      properties: () => properties,
      propose() {
        if (fails) throw fails;
        return { properties: new Map([['a', '2']]), replace: () => replaced++ };
      },
    },
    ...{ policy, clock, access: accessOf(policy, new RememberedAudit()) },
    turns: new PacedTurns(clock, { restPart: 4, mostWaiting }),
  };
  return { ports, clock, replaced: () => replaced };
}

describe('other queues', () => {
  it('are tried on a copy, with the keys that would be others', async () => {
    const { ports, replaced } = stand();
    const { properties, complete, queues } = await tryQueues(ports, admin, nothing);
    assert.deepEqual([[...properties.before], [...properties.after], complete, queues], [[['a', '1']], [['a', '2']], true, []]);
    assert.equal(replaced(), 1, 'on one of the copies alone');
  });

  it('are tried for administrators, where queues can be changed key by key', async () => {
    assert.equal(await codeOf(() => tryQueues(stand().ports, callerNamed('eve'), nothing)), 'ONLY_ADMINISTRATORS');
    assert.equal(await codeOf(() => tryQueues(stand({ kind: 'fair' }).ports, admin, nothing)), 'QUEUES_NOT_CHANGEABLE');
  });

  it('are refused as a change is, and by a bug with nothing but itself', async () => {
    for (const fails of [new ConfigurationRefused('sum of capacities'), new ChangeRefused('Queue root.x not found')])
      assert.equal(await codeOf(() => tryQueues(stand({ fails }).ports, admin, nothing)), 'QUEUES_REFUSED');
    await assert.rejects(tryQueues(stand({ fails: new Error('a bug') }).ports, admin, nothing), /^Error: a bug$/);
  });

  it('have their turn one after the other, and are turned away where too many wait', async () => {
    const { ports } = stand({ mostWaiting: 2 });
    const all = await Promise.allSettled([1, 2, 3].map(() => tryQueues(ports, admin, nothing)));
    assert.deepEqual(
      all.map((each) => (each.status === 'fulfilled' ? 'tried' : (each.reason as { code: string }).code)),
      ['tried', 'tried', 'OVERLOADED'],
    );
  });
});
