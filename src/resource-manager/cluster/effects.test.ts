import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import type { NodeCommand } from '../../wire/cluster/node-channel.ts';
import { anApplication } from '../test-support/builders.ts';
import { type Effect, Effects, type Write } from './effects.ts';

const application = anApplication();
const live: Write = { kind: 'live', application };
const refuse = (reason: string): NodeCommand => ({ type: 'refuse', reason });
const turn = () => new Promise<void>((done) => setImmediate(done));
const givenUp = { failed: () => 'given up' as const };

function executor(more: Partial<ConstructorParameters<typeof Effects>[0]> = {}) {
  const clock = new ManualClock();
  const done: string[] = [];
  const effects = new Effects({
    clock,
    logger: silentLogger,
    write: async ({ kind }) => void done.push(`write ${kind}`),
    observers: [{ applicationUpdated: () => void done.push('updated'), applicationFinished: () => void done.push('finished') }],
    ...more,
  });
  const sender = (command: NodeCommand) => void done.push(command.type === 'refuse' ? `send ${command.reason}` : command.type);
  effects.connect('n1', sender);
  return { clock, done, effects, sender };
}

describe('effects of a change', () => {
  it('are carried out after it: writes, then messages to nodes, then news, then what is woken', () => {
    const { done, effects } = executor();
    effects.scheduler.wake = () => void done.push('scheduler');
    effects.change(() => {
      effects.wakeScheduler();
      effects.wake({ wake: () => void done.push('poll') });
      effects.publish({ about: 'applicationUpdated', application });
      effects.send('n1', refuse('a'));
      effects.persist(live, givenUp);
      effects.send('n1', refuse('b'));
      effects.publish({ about: 'applicationFinished', application });
      effects.persist({ kind: 'ended', application }, givenUp);
      effects.wakeScheduler();
      assert.deepEqual(done, [], 'nothing happens inside the change');
    });
    assert.deepEqual(done, ['write live', 'write ended', 'send a', 'send b', 'updated', 'finished', 'poll', 'scheduler']);
  });

  it('belong to one change, counted once however many it has inside', () => {
    const { effects } = executor();
    const before = effects.changes;
    effects.change(() => effects.change(() => effects.wakeScheduler()));
    assert.equal(effects.changes, before + 1);
  });

  it('reach a node in the order of the changes, by the channel that it had then', () => {
    const { done, effects } = executor();
    effects.change(() => effects.send('n1', refuse('first')));
    effects.change(() => {
      effects.send('n1', refuse('second'));
      // The node leaves: what was sent to it before still goes.
      effects.connect('n1', undefined);
      assert.equal(effects.send('n1', refuse('too late')), false);
    });
    assert.deepEqual(done, ['send first', 'send second']);
  });

  it('of a change inside another one belong to that', () => {
    const { done, effects } = executor();
    effects.change(() => {
      effects.publish({ about: 'applicationUpdated', application });
      effects.change(() => effects.persist(live, givenUp));
      assert.deepEqual(done, []);
    });
    assert.deepEqual(done, ['write live', 'updated']);
  });

  it('that an observer sets off come after what is being carried out', () => {
    const { done, effects } = executor();
    effects.observe({ applicationUpdated: () => effects.change(() => effects.send('n1', refuse('answer'))) });
    effects.change(() => {
      effects.publish({ about: 'applicationUpdated', application });
      effects.publish({ about: 'applicationFinished', application });
    });
    assert.deepEqual(done, ['updated', 'finished', 'send answer']);
  });

  it('are not left outside of a change', () => {
    const { effects } = executor();
    assert.throws(() => effects.publish({ about: 'applicationUpdated', application }), /outside of a change/);
    assert.throws(() => effects.send('n1', refuse('x')), /outside of a change/);
  });

  it('are all carried out although one fails, which is told in the end', () => {
    const { done, effects } = executor({
      observers: [
        {
          applicationUpdated() {
            throw new Error('an observer fails');
          },
        },
      ],
    });
    effects.observe({ applicationFinished: () => void done.push('finished') });
    const change = () =>
      effects.change(() => {
        effects.publish({ about: 'applicationUpdated', application });
        effects.publish({ about: 'applicationFinished', application });
      });
    assert.throws(change, /an observer fails/);
    assert.deepEqual(done, ['finished']);
    effects.change(() => effects.send('n1', refuse('next')));
    assert.deepEqual(done, ['finished', 'send next']);
  });

  it('of a change that fails half-way are carried out as far as it came', () => {
    const { done, effects } = executor();
    const change = () =>
      effects.change(() => {
        effects.send('n1', refuse('before'));
        throw new Error('half-way');
      });
    assert.throws(change, /half-way/);
    assert.deepEqual(done, ['send before']);
  });

  it('can be watched, or kept from happening, one by one', () => {
    const seen: Effect['kind'][] = [];
    const around = (effect: Effect, carryOut: () => void) => {
      seen.push(effect.kind);
      if (effect.kind !== 'send') carryOut();
    };
    const { done, effects } = executor({ around });
    effects.change(() => {
      effects.send('n1', refuse('lost'));
      effects.persist(live, givenUp);
      effects.wakeScheduler();
    });
    assert.deepEqual([seen, done], [['persist', 'send', 'wake'], ['write live']]);
  });
});

describe('a write', () => {
  it('goes on from its answer as a change of its own', async () => {
    const { done, effects } = executor();
    effects.change(() => {
      effects.persist(live, {
        stored() {
          done.push('stored');
          effects.send('n1', refuse('durable'));
        },
        failed: () => 'given up',
      });
    });
    assert.deepEqual(done, ['write live']);
    await turn();
    assert.deepEqual(done, ['write live', 'stored', 'send durable']);
  });

  it('that fails is tried again each second for as long as its owner wants that', async () => {
    let failures = 2;
    const done: string[] = [];
    const { clock, effects } = executor({
      write: async () => {
        done.push('try');
        if (failures-- > 0) throw new Error('the disk is full');
      },
    });
    effects.change(() => effects.persist(live, { stored: () => void done.push('stored'), failed: () => 'again' }));
    await turn();
    clock.advance(999);
    await turn();
    assert.deepEqual(done, ['try']);
    clock.advance(1);
    await turn();
    assert.deepEqual(done, ['try', 'try']);
    clock.advance(1000);
    await turn();
    assert.deepEqual(done, ['try', 'try', 'try', 'stored']);
  });

  it('that fails and is given up tells its owner once', async () => {
    const { clock, done, effects } = executor({ write: () => Promise.reject(new Error('the disk is full')) });
    const durable = effects.change(() => effects.durable(live));
    await assert.rejects(durable, /the disk is full/);
    clock.advance(10_000);
    await turn();
    assert.deepEqual(done, []);
  });

  it('is not tried again after the cluster closed', async () => {
    let tries = 0;
    const { clock, effects } = executor({
      write: async () => {
        tries++;
        throw new Error('the disk is full');
      },
    });
    effects.change(() => effects.persist(live, { failed: () => 'again' }));
    effects.close();
    await turn();
    clock.advance(10_000);
    await turn();
    assert.equal(tries, 1);
  });
});

describe('a timer', () => {
  it('runs a change', () => {
    const { clock, done, effects } = executor();
    effects.timers().set('later', 10, () => effects.publish({ about: 'applicationUpdated', application }));
    clock.advance(10);
    assert.deepEqual(done, ['updated']);
  });
});
