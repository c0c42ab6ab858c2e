import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commandLine, shellQuote } from '../../wire/cluster/command-job.ts';
import { Instances } from './instances.ts';

const failing = (instances: Instances, count: number, ranMs = 0): number[] =>
  Array.from({ length: count }, () => {
    const containerId = `c${instances.nextTry(0)}`;
    instances.started(0, containerId, 'n:1');
    const outcome = instances.ended(containerId, 1, 'no', ranMs);
    return outcome.kind === 'failed' ? outcome.pauseMs / 1000 : Number.NaN;
  });

describe('instances of a command', () => {
  it('succeed when all do', () => {
    const instances = new Instances({ instances: 2, retries: 0 });
    assert.deepEqual(instances.waiting, [0, 1]);
    assert.equal(instances.started(0, 'a', 'n:1'), true);
    assert.equal(instances.started(1, 'b', 'n:1'), true);
    assert.equal(instances.started(1, 'c', 'n:1'), false);
    assert.equal(instances.ended('a', 0, '').kind, 'succeeded');
    assert.equal(instances.isOver, false);
    assert.deepEqual(instances.running, ['b']);
    instances.ended('b', 0, '');
    assert.equal(instances.isOver, true);
    const { state, exitCode } = instances.view();
    assert.deepEqual({ state, exitCode }, { state: 'SUCCEEDED', exitCode: 0 });
  });

  it('are not taken over from notes that cannot be read: an instance could run twice', () => {
    const next = new Instances({ instances: 1, retries: 0 });
    for (const [note, fault] of [
      ['{}', /the body is not a list/],
      ['[0,"a","n:1","0",""]', /\/3 is not a whole number/],
      ['[0,"a"]', /has not 5 items/],
    ] as const)
      assert.throws(() => next.replay([note]), fault);
    assert.deepEqual(next.waiting, [0]);
  });

  it('are taken over from the notes of a former master', () => {
    const former = new Instances({ instances: 3, retries: 1 });
    ['a', 'b', 'c'].forEach((containerId, index) => void former.started(index, containerId, 'n:1'));
    former.ended('a', 0, '');
    former.ended('b', 3, 'no');
    assert.equal(former.noteOf('c'), undefined);
    const next = new Instances({ instances: 3, retries: 1 });
    next.replay([former.noteOf('a') ?? '', former.noteOf('b') ?? '']);
    assert.deepEqual(next.waiting, [1, 2]);
    assert.equal(next.nextTry(1), 2);
    assert.equal(next.knows('b'), true);
    assert.equal(next.started(2, 'c', 'n:1'), true);
    assert.deepEqual(next.ended('a', 0, ''), { kind: 'unknown' });
  });

  it('are tried again as often as asked, then fail with their exit code', () => {
    const instances = new Instances({ instances: 1, retries: 1 });
    instances.started(0, 'a', 'n:1');
    assert.deepEqual(instances.ended('a', 3, 'no'), { kind: 'failed', index: 0, exitCode: 3, triesLeft: 1, pauseMs: 0 });
    assert.deepEqual(instances.waiting, [0]);
    assert.equal(instances.nextTry(0), 2);
    instances.started(0, 'b', 'n:1');
    assert.deepEqual(instances.ended('b', 4, 'no'), { kind: 'failed', index: 0, exitCode: 4, triesLeft: 0, pauseMs: 0 });
    assert.equal(instances.view().state, 'FAILED');
    assert.equal(instances.view().exitCode, 4);
  });

  it('fail as the first one did, whatever becomes of the others', () => {
    const instances = new Instances({ instances: 2, retries: 0 });
    instances.started(0, 'a', 'n:1');
    instances.started(1, 'b', 'n:1');
    instances.ended('b', 7, 'no');
    instances.ended('a', -105, 'released');
    const { exitCode, instances: views } = instances.view();
    assert.deepEqual([exitCode, views[0]?.state], [7, 'STOPPED']);
    assert.deepEqual(instances.waiting, []);
  });

  it('do not count containers that were lost', () => {
    const instances = new Instances({ instances: 1, retries: 0 });
    instances.started(0, 'a', 'n:1');
    assert.equal(instances.ended('a', -100, 'node lost').kind, 'lost');
    instances.started(0, 'b', 'n:2');
    assert.equal(instances.ended('b', 0, '').kind, 'succeeded');
    assert.equal(instances.ended('b', 0, '').kind, 'unknown');
    assert.equal(instances.isOver, true);
  });

  it('are given back from the highest number on when fewer are wanted, and come back when more are', () => {
    const instances = new Instances({ instances: 3, retries: 0 });
    instances.started(0, 'a', 'n:1');
    instances.started(1, 'b', 'n:1');
    assert.deepEqual(instances.resize(1), ['b']);
    assert.deepEqual(instances.waiting, []);
    assert.deepEqual(instances.resize(1), [], 'what was given back is not given back again');
    assert.equal(instances.isOver, false);
    // What is told to end may end as it likes: it has neither failed nor succeeded.
    assert.equal(instances.ended('b', 0, '').kind, 'unknown');
    assert.equal(instances.noteOf('b'), undefined);
    assert.deepEqual(
      instances.view().instances.map(({ state }) => state),
      ['RUNNING', 'STOPPED', 'STOPPED'],
    );
    assert.deepEqual(instances.resize(4), []);
    assert.deepEqual(instances.waiting, [1, 2, 3]);
    assert.equal(instances.nextTry(1), 2);
    assert.equal(instances.wanted, 4);
  });

  it('begin anew when they are wanted again before their container has ended', () => {
    const instances = new Instances({ instances: 2, retries: 0 });
    instances.started(0, 'a', 'n:1');
    instances.started(1, 'b', 'n:1');
    instances.resize(1);
    instances.resize(2);
    assert.deepEqual(instances.waiting, []);
    assert.deepEqual(instances.ended('b', -105, ''), { kind: 'lost', index: 1, exitCode: -105 });
    assert.deepEqual(instances.waiting, [1]);
    instances.started(1, 'c', 'n:1');
    assert.deepEqual(instances.ended('c', 1, ''), { kind: 'failed', index: 1, exitCode: 1, triesLeft: 0, pauseMs: 0 });
  });

  it('are over when those that are wanted have succeeded; what succeeded stays done', () => {
    const instances = new Instances({ instances: 3, retries: 0 });
    for (const [index, containerId] of ['a', 'b', 'c'].entries()) instances.started(index, containerId, 'n:1');
    instances.ended('a', 0, '');
    instances.ended('c', 0, '');
    assert.deepEqual(instances.resize(1), ['b']);
    assert.equal(instances.isOver, true);
    assert.equal(instances.progress, 1);
    instances.ended('b', -105, '');
    assert.equal(instances.view().state, 'SUCCEEDED');
    instances.resize(3);
    assert.deepEqual(instances.waiting, [1]);
  });

  it('that are not wanted may end as they like, and are known to a later master when they are again', () => {
    const former = new Instances({ instances: 2, retries: 3 });
    former.started(1, 'b', 'n:1');
    former.ended('b', 0, '');
    const next = new Instances({ instances: 1, retries: 3 });
    next.replay([former.noteOf('b') ?? '']);
    next.resize(1);
    assert.deepEqual(next.waiting, [0]);
    next.resize(2);
    assert.deepEqual(next.waiting, [0]);
  });

  it('that came later keep their failures and their success over a restart of the master', () => {
    const former = new Instances({ instances: 1, retries: 1 });
    former.resize(3);
    const notes: string[] = [];
    for (const [index, containerId, exitCode] of [
      [1, 'b', 4],
      [2, 'c', 3],
      [2, 'd', 0],
    ] as const) {
      former.started(index, containerId, 'n:1');
      former.ended(containerId, exitCode, '');
      notes.push(former.noteOf(containerId) ?? '');
    }
    const next = new Instances({ instances: 1, retries: 1 });
    next.replay(notes);
    next.resize(3);
    assert.deepEqual(next.waiting, [0, 1], 'what succeeded is not run again');
    next.started(1, 'e', 'n:1');
    assert.deepEqual(next.ended('e', 4, ''), { kind: 'failed', index: 1, exitCode: 4, triesLeft: 0, pauseMs: 0 });
  });

  it('are tried again at once, then after growing pauses, until one ran for ten minutes', () => {
    const instances = new Instances({ instances: 1, retries: 1000 });
    assert.deepEqual(failing(instances, 10), [0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
    assert.equal(instances.view().instances[0]?.pauseMs, 60_000);
    assert.deepEqual(failing(instances, 1, 599_999), [60]);
    assert.deepEqual(failing(instances, 2, 600_000), [0, 0]);
    assert.deepEqual(failing(instances, 2), [1, 2]);
    instances.started(0, 'last', 'n:1');
    assert.equal(instances.view().instances[0]?.pauseMs, undefined);
  });

  it('that are lost again and again count as failed, but for one that ran for long in between', () => {
    const lose = (instances: Instances, ranMs: number) => {
      const containerId = `c${instances.nextTry(0)}`;
      instances.started(0, containerId, 'n:1');
      return instances.ended(containerId, -100, 'node lost', ranMs).kind;
    };
    const unlucky = new Instances({ instances: 1, retries: 0 });
    assert.deepEqual(new Set(Array.from({ length: 10 }, () => lose(unlucky, 0))), new Set(['lost']));
    assert.equal(lose(unlucky, 0), 'failed');
    const service = new Instances({ instances: 1, retries: 0 });
    assert.deepEqual(new Set(Array.from({ length: 30 }, () => lose(service, 600_000))), new Set(['lost']));
  });

  it('can be tried for ever, which takes no more room than the latest tries', () => {
    const service = new Instances({ instances: 1, retries: -1 });
    failing(service, 3000);
    const [instance] = service.view().instances;
    assert.deepEqual([instance?.state, instance?.tries.length, instance?.earlierTries], ['WAITING', 100, 2900]);
    assert.equal(service.noteOf('c3000'), undefined);
    assert.equal(service.knows('c2900'), false);
    assert.equal(service.nextTry(0), 3001);
    service.started(0, 'c3001', 'n:1');
    service.ended('c3001', 0, '');
    assert.deepEqual([service.isOver, service.noteOf('c3001')], [true, '[0,"c3001","n:1",0,""]']);
  });
});

describe('command lines', () => {
  it('quote what a shell would change', () => {
    assert.equal(shellQuote('a-b/c.d'), 'a-b/c.d');
    assert.equal(shellQuote("it's $HOME"), `'it'\\''s $HOME'`);
    assert.equal(commandLine(['echo', '$A {{B}} <LOG_DIR>']), `echo '\\$A {""{B}""} <""LOG_DIR>' 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr`);
    assert.equal(commandLine(['echo', 'a b']), "echo 'a b' 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr");
  });
});
