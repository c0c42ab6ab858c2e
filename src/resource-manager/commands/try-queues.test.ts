import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { PacedTurns } from '../../lib/paced-turns.ts';
import { ChangeRefused } from '../../scheduler/capacity/settings/mutation.ts';
import { ConfigurationRefused, type PolicyKind } from '../../scheduler/policy.ts';
import { QueueConfiguration } from '../queue-configuration.ts';
import { accessOf, callerNamed, codeOf, queuePolicy, RememberedAudit } from '../test-support/commands.ts';
import { type TryQueuesPorts, tryQueues } from './try-queues.ts';

const admin = callerNamed('admin');
const nothing = { remove: [], add: [], update: [], global: [] };

function stand({ kind = 'capacity' as PolicyKind, fails = undefined as Error | undefined, mostWaiting = 2 } = {}) {
  const policy = queuePolicy(kind);
  const clock = new ManualClock();
  let replaced = 0;
  const ports: TryQueuesPorts = {
    queues: {
      propose() {
        if (fails) throw fails;
        return { before: new Map([['a', '1']]), properties: new Map([['a', '2']]), replace: () => replaced++ };
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

  it('are tried for administrators', async () => {
    assert.equal(await codeOf(() => tryQueues(stand().ports, callerNamed('eve'), nothing)), 'ONLY_ADMINISTRATORS');
  });

  it('are those of a file where the policy reads one as a whole, and a change where it is changed key by key', async () => {
    const configured = (kind: PolicyKind): TryQueuesPorts => {
      const policy = queuePolicy(kind);
      const queues = new QueueConfiguration({
        policy,
        file: new Map(),
        storeClass: 'file',
        logger: silentLogger,
        changed: () => undefined,
      });
      return { ...stand({ kind }).ports, policy, queues };
    };
    const allocations = '<allocations><queue name="open"><weight>3</weight></queue></allocations>';
    const told = await tryQueues(configured('fair'), admin, { allocations });
    assert.equal(told.properties.after.get('root.open.weight'), '3');
    assert.ok(told.properties.before.has('root.closed'));
    assert.deepEqual(told.queues.find(({ path }) => path === 'root.closed')?.after, undefined);
    assert.equal(await codeOf(() => tryQueues(configured('fair'), admin, nothing)), 'QUEUES_NOT_CHANGEABLE');
    assert.equal(await codeOf(() => tryQueues(configured('fair'), admin, { allocations: '<allocations>' })), 'QUEUES_REFUSED');
    const bad = '<allocations><queue name="open"><weight>-1</weight></queue></allocations>';
    assert.equal(await codeOf(() => tryQueues(configured('fair'), admin, { allocations: bad })), 'QUEUES_REFUSED');
    assert.equal(await codeOf(() => tryQueues(configured('fair'), admin, { whole: new Map() })), 'BAD_REQUEST');
    for (const kind of ['capacity', 'fifo'] as const)
      assert.equal(await codeOf(() => tryQueues(configured(kind), admin, { allocations })), 'BAD_REQUEST');
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
