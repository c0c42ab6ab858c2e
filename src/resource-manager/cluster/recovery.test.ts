import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../lib/log.ts';
import { type Application, currentAttempt } from '../applications/application.ts';
import { type ApplicationState, applicationStates, applicationTransitions, isFinalState } from '../applications/application-states.ts';
import { type AttemptState, attemptStates, attemptTransitions } from '../applications/attempt-states.ts';
import { anApplication, anAttempt, applicationIdOf } from '../test-support/builders.ts';
import { EventFigures } from './event-figures.ts';
import { recover } from './recovery.ts';
import { ClusterState } from './state.ts';

/** Recovers applications with ports that write down what is asked of them. */
function recovered(...stored: Application[]) {
  const state = new ClusterState();
  const asked: string[] = [];
  const events = new EventFigures({ steadyMs: () => 0 });
  const told: string[] = [];
  const applications = stored.filter(({ state }) => !isFinalState[state]);
  const unsettled = stored.filter(({ state }) => isFinalState[state]);
  recover(
    { applications, containers: [], unsettled },
    {
      state,
      policy: {
        addAttempt: ({ attemptId }) => void asked.push(`addAttempt ${attemptId.slice(-1)}`),
        updateBlacklist: (_attemptId, avoided) => void asked.push(`avoid ${avoided}`),
      },
      applications: {
        admit(application, _mapped, recovering) {
          assert.equal(recovering, true);
          asked.push(`admit ${application.state}`);
          application.admitted = application.queue !== 'gone';
        },
      },
      attempts: { create: () => void asked.push('create') },
      ends: {
        async kill(_application, diagnostics) {
          asked.push(`kill ${diagnostics}`);
        },
      },
      events,
      watch: { begin: (_application, attempt) => void asked.push(`watch ${attempt.state}`) },
      expected: { expect: ({ container }) => void asked.push(`expect ${container.id}`) },
      sessions: { toldBefore: () => undefined },
      effects: {
        persist: (write) => void asked.push(write.kind),
        publish: ({ about }) => void told.push(about),
      },
      logger: silentLogger,
    },
  );
  return { state, asked, told };
}

const withAttempt = (state: ApplicationState, attemptState: AttemptState) =>
  anApplication({
    state,
    diagnostics: 'why',
    attempts: [anAttempt({ state: attemptState, lastContainerNumber: 7, blacklistedNodes: new Set(['n1']) })],
  });

describe('an application that is recovered', () => {
  it('is in a state that its table names, from every state in which it can be stored', () => {
    for (const before of applicationStates) {
      if (isFinalState[before]) continue;
      const application = withAttempt(before, 'RUNNING');
      const { asked } = recovered(application);
      assert.equal(application.state, applicationTransitions[before].recovered, before);
      assert.equal(asked[0], `admit ${application.state}`);
    }
  });

  it('and was not accepted yet only asks to be admitted', () => {
    for (const before of ['NEW', 'NEW_SAVING', 'SUBMITTED'] as const)
      assert.deepEqual(recovered(anApplication({ state: before })).asked, ['admit NEW_SAVING']);
  });

  it('whose end was wished for ends now', () => {
    for (const before of ['KILLING', 'FINAL_SAVING'] as const)
      assert.deepEqual(recovered(withAttempt(before, 'FINAL_SAVING')).asked, ['admit ACCEPTED', 'kill why']);
  });

  it('goes on with the attempt whose master may run, and with another one else', () => {
    for (const before of attemptStates) {
      const application = withAttempt('RUNNING', before);
      const { asked, state } = recovered(application);
      const next = attemptTransitions[before].recovered;
      assert.deepEqual(asked.slice(1), next === undefined ? ['create'] : ['addAttempt 1', 'avoid n1', `watch ${next}`], before);
      const isPlaced = before !== 'NEW' && before !== 'SUBMITTED' && before !== 'SCHEDULED';
      assert.equal(currentAttempt(application)?.lastContainerNumber, isPlaced ? 0 : undefined, before);
      assert.equal(state.sizes().attempts, isPlaced ? 1 : 0);
    }
  });

  it('and is refused is left to that', () => {
    const application = anApplication({ queue: 'gone', attempts: [anAttempt()] });
    assert.deepEqual(recovered(application).asked, ['admit RUNNING']);
  });

  it('is told of, and stays counted where it was submitted, also where no queue takes it any more', () => {
    const queues = [
      { submittedQueue: 'root.before', queue: 'root.now' },
      { submittedQueue: '', queue: 'root.now' },
      { submittedQueue: '', queue: 'gone' },
    ].map((more) => {
      const application = anApplication(more);
      assert.deepEqual(recovered(application).told, ['applicationRecovered']);
      return application.submittedQueue;
    });
    assert.deepEqual(queues, ['root.before', 'root.now', 'gone']);
  });

  it('only to be told of, because its end is stored, is told of and written as settled', () => {
    const { asked, told, state } = recovered(anApplication({ state: 'FAILED' }));
    assert.deepEqual([told, asked, [...state.applications()]], [['endRecovered'], ['ended'], []]);
  });

  it('comes in the order of submission', () => {
    const [late, early] = [
      anApplication({ id: applicationIdOf(1), submittedMs: 9 }),
      anApplication({ id: applicationIdOf(2), submittedMs: 5 }),
    ];
    const { state } = recovered(late, early);
    assert.deepEqual([...state.applications()], [early, late]);
  });
});
