// Who may view an application and its attempts, and which of two faults is found first.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anAttempt } from '../test-support/builders.ts';
import { applicationOf, codeOf, lookupOf } from '../test-support/commands.ts';
import { findAttempt, findViewable } from './application-lookup.ts';
import type { Parts } from './parts.ts';

const application = applicationOf({ attempts: [anAttempt({ id: 'appattempt_1_0001_000001' })] });
const cluster = lookupOf(application);
const access = { mayView: ({ user: owner }: { readonly user: string }, user: string | undefined) => user === owner };
const parts = { cluster, access } as unknown as Parts;

describe('an application that is viewed', () => {
  it('is found by its id, however many zeros that is written with, for who may view it', async () => {
    assert.equal(findViewable({ cluster, access }, 'application_1_0001', 'ada'), application);
    assert.equal(findViewable({ cluster, access }, 'application_1_1', 'ada'), application);
    for (const user of ['eve', undefined])
      assert.equal(await codeOf(() => findViewable({ cluster, access }, 'application_1_0001', user)), 'APPLICATION_VIEW_REFUSED');
    assert.equal(await codeOf(() => findViewable({ cluster, access }, 'application_1_0002', 'eve')), 'APPLICATION_NOT_FOUND');
    assert.equal(await codeOf(() => findViewable({ cluster, access }, 'job_1_0001', 'eve')), 'ID_MALFORMED');
  });
});

describe('an attempt that is viewed', () => {
  const find = (named: { application?: string; attempt?: string }, user: string, what: 'attempt' | 'application' = 'attempt') =>
    codeOf(() => findAttempt(parts, { application: 'application_1_0001', attempt: 'appattempt_1_0001_000001', ...named }, user, what));

  it('is one of the application that is named beside it, for who may view that', async () => {
    assert.equal(await find({}, 'ada'), 'done');
    assert.equal(await find({ application: 'x', attempt: 'y' }, 'eve'), 'ID_MALFORMED');
    assert.equal(await find({ attempt: 'appattempt_1_0002_000001' }, 'eve'), 'ATTEMPT_OF_ANOTHER');
    assert.equal(await find({ application: 'application_1_0002', attempt: 'appattempt_1_0002_000001' }, 'eve'), 'APPLICATION_UNKNOWN');
    assert.equal(await find({ attempt: 'appattempt_1_0001_000009' }, 'eve'), 'ATTEMPT_VIEW_REFUSED');
    assert.equal(await find({ attempt: 'appattempt_1_0001_000009' }, 'eve', 'application'), 'APPLICATION_VIEW_REFUSED');
    assert.equal(await find({ attempt: 'appattempt_1_0001_000009' }, 'ada'), 'ATTEMPT_NOT_FOUND');
  });
});
