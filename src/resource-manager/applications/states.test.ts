import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TransitionTable } from '../../lib/state-machine.ts';
import { applicationTransitions, isCompletedState, isFinalState, nextApplicationState } from './application-states.ts';
import { attemptTransitions, isEndedAttempt, nextAttemptState } from './attempt-states.ts';
import { containerTransitions, isEndedContainer, nextContainerState } from './container-states.ts';

/** States that can be reached from one, without those that only a restart brings about. */
function reachable<State extends string, Event extends string>(table: TransitionTable<State, Event>, from: State): Set<State> {
  const found = new Set<State>([from]);
  for (const state of found)
    for (const [event, next] of Object.entries(table[state]) as [string, State][]) if (event !== 'recovered') found.add(next);
  return found;
}

const statesOf = <State extends string>(table: Readonly<Record<State, unknown>>): State[] => Object.keys(table) as State[];

describe('the states of applications', () => {
  it('all follow from NEW, and from each a way leads to an end', () => {
    assert.deepEqual([...reachable(applicationTransitions, 'NEW')].sort(), statesOf(applicationTransitions).sort());
    for (const state of statesOf(applicationTransitions)) {
      const ends = [...reachable(applicationTransitions, state)].filter((one) => Object.keys(applicationTransitions[one]).length === 0);
      assert.ok(ends.length > 0, state);
    }
  });

  it('never lead back from an end, whatever happens', () => {
    for (const state of ['FINISHED', 'FAILED', 'KILLED'] as const) {
      assert.deepEqual(applicationTransitions[state], {});
      assert.ok(isFinalState[state] && isCompletedState[state]);
    }
  });

  it('are ended for good only through FINAL_SAVING, where the end is being made durable', () => {
    for (const state of statesOf(applicationTransitions))
      for (const [event, next] of Object.entries(applicationTransitions[state]))
        if (isFinalState[next])
          assert.ok(state === 'FINAL_SAVING' || state === 'FINISHING' || state === 'NEW', `${state} ${event} ${next}`);
  });

  it('can be killed until the end is decided', () => {
    for (const state of statesOf(applicationTransitions))
      assert.equal(nextApplicationState(state, 'kill') !== undefined, !isCompletedState[state], state);
  });
});

describe('the states of attempts', () => {
  it('all follow from NEW, and from each a way leads to an end', () => {
    assert.deepEqual([...reachable(attemptTransitions, 'NEW')].sort(), statesOf(attemptTransitions).sort());
    for (const state of statesOf(attemptTransitions))
      assert.ok(
        [...reachable(attemptTransitions, state)].some((one) => isEndedAttempt[one]),
        state,
      );
  });

  it('take the loss of their master until the end is decided', () => {
    for (const state of ['SCHEDULED', 'ALLOCATED_SAVING', 'ALLOCATED', 'LAUNCHED', 'RUNNING'] as const)
      for (const event of ['fail', 'kill', 'containerEnded'] as const) assert.equal(nextAttemptState(state, event), 'FINAL_SAVING');
    for (const state of statesOf(attemptTransitions).filter((one) => isEndedAttempt[one])) assert.deepEqual(attemptTransitions[state], {});
  });

  it('let masters register only once they were started, and again while they run', () => {
    const registering = statesOf(attemptTransitions).filter((state) => nextAttemptState(state, 'registered') !== undefined);
    assert.deepEqual(registering, ['ALLOCATED', 'LAUNCHED', 'RUNNING']);
  });
});

describe('the states of containers', () => {
  it('end each way once', () => {
    for (const state of statesOf(containerTransitions)) {
      assert.equal(isEndedContainer(state), Object.keys(containerTransitions[state]).length === 0, state);
      if (!isEndedContainer(state)) assert.equal(nextContainerState(state, 'kill'), 'KILLED');
    }
  });

  it('expire only before the container runs', () => {
    const expiring = statesOf(containerTransitions).filter((state) => nextContainerState(state, 'expire') !== undefined);
    assert.deepEqual(expiring, ['ALLOCATED', 'ACQUIRED']);
  });
});
