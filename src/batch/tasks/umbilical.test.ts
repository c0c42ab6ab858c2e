import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertEveryFaultIsFound } from '../../../test/support/message-faults.ts';
import { checked } from '../../lib/json-shape.ts';
import * as umbilical from './umbilical.ts';

const attemptId = 'attempt_1700000000000_0001_m_000000_0';
const minimalStatus: umbilical.StatusReport = { attemptId, progress: 0, statusText: '', phase: 'MAP', counters: {} };
const status: umbilical.StatusReport = {
  ...minimalStatus,
  counters: { 'org.example.Counter': { LINES: 3 } },
  mapFinishTimeMs: 1,
  shuffleFinishTimeMs: 2,
  sortFinishTimeMs: 3,
  fetchFailures: [attemptId],
  nextRecords: { first: 3, count: 2 },
};
const minimalAssignment: umbilical.TaskAssignment = {
  attemptId,
  kind: 'MAP',
  index: 0,
  generation: 1,
  maps: 1,
  reduces: 0,
  configuration: {},
  user: 'ada',
};

describe('the messages of tasks and their master are refused with the path of the member that is wrong or missing', () => {
  it('what tasks send', () => {
    assertEveryFaultIsFound(umbilical.taskRequest, { containerId: 'c' }, { containerId: 'c' });
    assertEveryFaultIsFound(umbilical.statusReport, status, minimalStatus);
    assertEveryFaultIsFound(
      umbilical.failureReport,
      { ...status, diagnostic: 'no', failFast: false, trialPassed: true },
      { ...minimalStatus, diagnostic: '', failFast: true },
    );
    assertEveryFaultIsFound(umbilical.commitRequest, { attemptId }, { attemptId });
    assertEveryFaultIsFound(umbilical.eventsRequest, { attemptId, from: 1, waitMs: 2 }, { attemptId, from: 0, waitMs: 0 });
  });

  it('what the master answers', () => {
    assertEveryFaultIsFound(
      umbilical.taskAssignment,
      {
        ...minimalAssignment,
        split: { path: '/f', start: 0, length: 1, hosts: ['n1'] },
        configuration: { a: 'b' },
        skipping: { leftOut: [{ first: 0, count: 1 }], isTrial: false },
      },
      minimalAssignment,
    );
    assertEveryFaultIsFound(umbilical.statusAnswer, { known: true }, { known: false });
    assertEveryFaultIsFound(umbilical.commitAnswer, { known: true, permitted: true }, { known: true, permitted: false });
    assertEveryFaultIsFound(
      umbilical.eventsAnswer,
      { known: true, events: [{ attemptId, status: 'OBSOLETE', shuffleUrl: 'http://n1:13562' }] },
      { known: true, events: [] },
    );
  });
});

it('random statuses of tasks arrive as they were sent', () => {
  const time = fc.nat();
  const statuses = fc.record<umbilical.StatusReport>(
    {
      attemptId: fc.string({ minLength: 1, maxLength: 60 }),
      progress: fc.double({ min: 0, max: 1, noNaN: true }),
      statusText: fc.string(),
      phase: fc.constantFrom('STARTING', 'MAP', 'SHUFFLE', 'SORT', 'REDUCE', 'CLEANUP'),
      counters: fc.dictionary(fc.string(), fc.dictionary(fc.string(), fc.maxSafeInteger())),
      mapFinishTimeMs: time,
      shuffleFinishTimeMs: time,
      sortFinishTimeMs: time,
      fetchFailures: fc.array(fc.string({ maxLength: 60 })),
    },
    { requiredKeys: ['attemptId', 'progress', 'statusText', 'phase', 'counters'] },
  );
  fc.assert(
    fc.property(statuses, (sent) => {
      const received: unknown = JSON.parse(JSON.stringify(sent));
      assert.deepEqual(checked(umbilical.statusReport, received), { value: received });
    }),
    { seed: 20_260_119 },
  );
});
