import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { aContainer, aNode, anApplication, anAttempt, aSubmission, timestampMs } from '../test-support/builders.ts';
import { clusterEvents, type EventFilter, passesEventFilter, shownEvent } from './cluster-events.ts';

const everything: EventFilter = { applications: undefined, users: undefined, queues: undefined, nodes: undefined, kinds: undefined };
const seenBy = (may: boolean, listsOnlyVisible = false) => ({ user: 'eve', access: { mayView: () => may }, listsOnlyVisible });

function told() {
  const { log, observer } = clusterEvents(new ManualClock(timestampMs));
  const kept = () => log.read(0, 100).events;
  return { observer, kept, kinds: () => kept().map(({ event }) => event.kind) };
}

describe('events of the cluster', () => {
  it('tell the states that clients see, each once, also while an end is written', () => {
    const { observer, kept } = told();
    const application = anApplication({ stateBefore: 'RUNNING' });
    for (const [from, to] of [
      ['ACCEPTED', 'RUNNING'],
      ['RUNNING', 'FINAL_SAVING'],
      ['FINAL_SAVING', 'FINISHING'],
      ['FINISHING', 'FINISHED'],
    ] as const)
      observer.applicationStateChanged?.(application, { event: 'registered', from, to });
    assert.deepEqual(
      kept().map(({ event }) => [event.facts['from'], event.facts['to']]),
      [
        ['ACCEPTED', 'RUNNING'],
        ['RUNNING', 'FINISHED'],
      ],
    );
  });

  it('show all to who may view, applications without their texts to others, and nothing where lists leave them out', () => {
    const { observer, kept } = told();
    const application = anApplication({ state: 'FAILED', diagnostics: 'no such file', submission: aSubmission({ viewAcl: 'bob' }) });
    observer.applicationFinished?.(application);
    observer.attemptFinished?.(application, anAttempt({ state: 'FAILED', diagnostics: 'secret' }));
    observer.containerCreated?.(application, aContainer());
    const shown = (may: boolean, only = false) =>
      kept().map((one) => {
        const text = shownEvent(`x-${one.number}`, one, seenBy(may, only));
        return text === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>);
      });
    assert.equal(shown(true)[0]?.['diagnostics'], 'no such file');
    assert.equal(shown(true).filter(Boolean).length, 3);
    const [finished, attempt, container] = shown(false);
    assert.deepEqual([finished?.['state'], finished?.['diagnostics'], attempt, container], ['FAILED', undefined, undefined, undefined]);
    assert.deepEqual(shown(false, true), [undefined, undefined, undefined]);
  });

  it('are judged by whose they were when they happened', () => {
    const { observer, kept } = told();
    const application = anApplication({ queue: 'root.a', submission: aSubmission({ viewAcl: 'bob' }) });
    observer.containerCreated?.(application, aContainer());
    application.queue = 'root.b';
    observer.containerFinished?.(application, aContainer({ exitCode: 3 }));
    assert.deepEqual(
      kept().map(({ event }) => [event.subject?.queue, event.subject?.user, event.subject?.submission.viewAcl]),
      [
        ['root.a', 'ann', 'bob'],
        ['root.b', 'ann', 'bob'],
      ],
    );
  });

  it('say of containers of a run which instance they are for, and which try of it; of others nothing', () => {
    const { observer, kept } = told();
    const run = anApplication({ submission: aSubmission({ type: 'HEDDLE-RUN' }) });
    observer.containerCreated?.(run, aContainer({ isMaster: true, requestId: 'master' }));
    observer.containerCreated?.(run, aContainer({ isMaster: false, requestId: '3-2' }));
    observer.containerFinished?.(run, aContainer({ isMaster: false, requestId: '12-1', exitCode: 0 }));
    observer.containerCreated?.(anApplication(), aContainer({ isMaster: false, requestId: '3-2' }));
    assert.deepEqual(
      kept().map(({ event }) => [event.facts['instance'], event.facts['tryNumber']]),
      [
        [undefined, undefined],
        [3, 2],
        [12, 1],
        [undefined, undefined],
      ],
    );
  });

  it('pass filters of nodes, by id and by host: the nodes themselves and containers there', () => {
    const { observer, kept } = told();
    const application = anApplication();
    observer.applicationFinished?.(application);
    observer.containerCreated?.(application, aContainer({ nodeId: 'host1:45454' }));
    observer.nodeStateChanged?.(aNode('host2:45454'), 'RUNNING', 'LOST');
    const passing = (...names: string[]) => kept().map(({ event }) => passesEventFilter({ ...everything, nodes: new Set(names) }, event));
    assert.deepEqual(passing('host1:45454'), [false, true, false]);
    assert.deepEqual(passing('host2'), [false, false, true]);
    assert.deepEqual(passing('host1', 'host2:45454'), [false, true, true]);
    assert.deepEqual(passing('host1:1', 'host', '45454'), [false, false, false]);
  });

  it('pass filters of kinds, applications, users, and queues with those below', () => {
    const { observer, kept } = told();
    const application = anApplication({ queue: 'b' });
    observer.applicationCreated?.(application);
    assert.deepEqual(kept(), []);
    application.queue = 'root.a.b';
    observer.applicationStateChanged?.(application, { event: 'stored', from: 'NEW_SAVING', to: 'SUBMITTED' });
    const [created] = kept();
    const passes = (filter: Partial<EventFilter>) => passesEventFilter({ ...everything, ...filter }, created!.event);
    assert.ok(passes({ kinds: new Set(['application']) }) && passes({ kinds: new Set(['application.created']) }));
    assert.ok(!passes({ kinds: new Set(['application.state', 'node']) }));
    assert.ok(passes({ queues: ['root.a'] }) && passes({ queues: ['root.a.b'] }) && !passes({ queues: ['root.a.b.c', 'root.a.'] }));
    assert.ok(passes({ users: new Set(['ann']) }) && !passes({ users: new Set(['bob']) }));
    assert.ok(passes({ applications: new Set([anApplication().id]) }) && !passes({ applications: new Set(['application_1_1']) }));
  });
});
