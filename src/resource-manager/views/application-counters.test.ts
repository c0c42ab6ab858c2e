// Counters of applications: by queue and those above it, the same after a restart (docs/protocol.md, P15).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anApplication } from '../test-support/builders.ts';
import { ApplicationCounters } from './application-counters.ts';

const counts = (submitted: number, completed: number, failed: number, killed: number) => ({ submitted, completed, failed, killed });

describe('counters of applications', () => {
  it('count a submission where it was admitted and an end where it was, and both in the queues above', () => {
    const counters = new ApplicationCounters([]);
    const application = anApplication({ queue: 'root.a.x', submittedQueue: 'root.a.x' });
    counters.applicationAdmitted(application);
    application.queue = 'root.b';
    application.state = 'KILLED';
    counters.applicationFinished(application);
    assert.deepEqual(counters.ofQueue('root.a.x'), counts(1, 0, 0, 0));
    assert.deepEqual(counters.ofQueue('root.a'), counts(1, 0, 0, 0));
    assert.deepEqual(counters.ofQueue('root.b'), counts(0, 0, 0, 1));
    assert.deepEqual(counters.ofQueue('root'), counts(1, 0, 0, 1));
    assert.deepEqual(counters.ofQueue('other'), counts(0, 0, 0, 0));
    assert.deepEqual(counters.ofAll(), counts(1, 0, 0, 1));
  });

  it('leave out what no queue ever took', () => {
    const counters = new ApplicationCounters([]);
    counters.applicationFinished(anApplication({ state: 'FAILED', submittedQueue: '' }));
    assert.deepEqual(counters.ofAll(), counts(0, 0, 0, 0));
  });

  it('are after a restart what they were before it', () => {
    const counters = new ApplicationCounters([
      { queue: 'root.a', kind: 'SUBMITTED', count: 5 },
      { queue: 'root.a', kind: 'FINISHED', count: 3 },
      { queue: 'root.b', kind: 'FAILED', count: 2 },
    ]);
    counters.applicationRecovered(anApplication({ submittedQueue: 'root.a' }));
    assert.deepEqual(counters.ofAll(), counts(6, 3, 2, 0));
    assert.deepEqual(counters.ofQueue('root.a'), counts(6, 3, 0, 0));
  });
});
