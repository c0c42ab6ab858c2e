// What there is to choose from in lists of applications, with how many each choice has.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anApplication } from '../test-support/builders.ts';
import { type FacetCount, facetsOf, LiveFacets } from './application-facets.ts';

const of = (state: string, user: string, queue: string, count: number, more: Partial<FacetCount> = {}): FacetCount => ({
  state,
  finalStatus: state === 'FINISHED' ? 'SUCCEEDED' : 'UNDEFINED',
  user,
  queue,
  type: 'YARN',
  count,
  isLive: state !== 'FINISHED',
  ...more,
});
const named = ({ values }: { readonly values: readonly { readonly name: string; readonly count: number }[] }) =>
  values.map(({ name, count }) => `${name} ${count}`);

describe('choices of lists of applications', () => {
  const counts = [
    of('RUNNING', 'ann', 'root.a', 3),
    of('ACCEPTED', 'ann', 'root.b', 2, { type: 'SPARK' }),
    of('RUNNING', 'bob', 'root.a.x', 1),
    of('FINISHED', 'ann', 'root.a', 10),
    of('FINISHED', 'cy', 'root.a.x', 5, { finalStatus: 'FAILED' }),
  ];

  it('have as many as the list would have with the choices of the other kinds', () => {
    const all = facetsOf(counts, {}, { most: 10 });
    assert.equal(all.total, 21);
    assert.deepEqual(named(all.states), ['FINISHED 15', 'RUNNING 4', 'ACCEPTED 2']);
    assert.deepEqual(named(all.finalStatuses), ['SUCCEEDED 10', 'UNDEFINED 6', 'FAILED 5']);
    assert.deepEqual(named(all.types), ['YARN 19', 'SPARK 2']);
    const chosen = facetsOf(counts, { states: new Set(['RUNNING']), users: new Set(['ann']) }, { most: 10 });
    assert.equal(chosen.total, 3);
    assert.deepEqual(named(chosen.states), ['FINISHED 10', 'RUNNING 3', 'ACCEPTED 2']);
    assert.deepEqual(named(chosen.users), ['ann 3', 'bob 1']);
    assert.deepEqual(named(chosen.queues), ['root.a 3']);
    const failed = facetsOf(counts, { finalStatus: 'FAILED', types: new Set(['yarn']) }, { most: 10 });
    assert.deepEqual([failed.total, ...named(failed.users)], [5, 'cy 5']);
  });

  it('count what lives below a queue, and what ended in it, as the list has them', () => {
    const { total, users } = facetsOf(counts, { queues: new Set(['root.a']) }, { most: 10 });
    assert.equal(total, 14);
    assert.deepEqual(named(users), ['ann 13', 'bob 1']);
  });

  it('leave out the smallest, never what is chosen, and what the caller may not have', () => {
    const { users } = facetsOf(counts, { users: new Set(['bob', 'zoe']) }, { most: 1 });
    assert.deepEqual([named(users), users.more], [['ann 15', 'bob 1', 'zoe 0'], 1]);
    const own = facetsOf(counts, {}, { most: 10, isShown: ({ user }) => user === 'bob' });
    assert.deepEqual([own.total, named(own.users)], [1, ['bob 1']]);
  });

  it('follow applications until they end', () => {
    const live = new LiveFacets();
    const application = anApplication({ queue: 'root.a', state: 'SUBMITTED' });
    const told = () => live.counts().map(({ state, queue, count }) => `${state} ${queue} ${count}`);
    live.applicationCreated(application);
    live.applicationCreated(anApplication({ id: 'application_1_2', queue: 'root.a', state: 'SUBMITTED' }));
    assert.deepEqual(told(), ['SUBMITTED root.a 2']);
    application.state = 'ACCEPTED';
    live.applicationStateChanged(application);
    application.queue = 'root.b';
    live.applicationUpdated(application);
    live.applicationUpdated(application);
    assert.deepEqual(told(), ['SUBMITTED root.a 1', 'ACCEPTED root.b 1']);
    application.state = 'FINISHING';
    live.applicationStateChanged(application);
    live.applicationFinished(application);
    assert.deepEqual(told(), ['SUBMITTED root.a 1']);
  });
});
