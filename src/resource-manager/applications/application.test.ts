import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { publicApplicationStates } from '../../model/application-states.ts';
import { aContainer, aNode, anApplication, anAttempt, timestampMs } from '../test-support/builders.ts';
import { currentAttempt, diagnosticsOf, finalStatus, publicState, usedResourceSeconds } from './application.ts';
import { applicationStates } from './application-states.ts';
import { avoids, publicAttemptState } from './attempt.ts';
import { attemptStates } from './attempt-states.ts';
import { dated, killedByUser, masterContainerExited, outOfAttempts, unmanagedFailed } from './diagnostics.ts';

describe('an application as clients see it', () => {
  it('is in a state that they know, the one before while its end is being written', () => {
    for (const state of applicationStates) {
      const shown = publicState(anApplication({ state, stateBefore: 'RUNNING' }));
      assert.ok((publicApplicationStates as readonly string[]).includes(shown), state);
      if (state === 'FINAL_SAVING' || state === 'KILLING') assert.equal(shown, 'RUNNING');
    }
    assert.equal(publicState(anApplication({ state: 'FINISHING' })), 'FINISHED');
  });

  it('ended as its last master said, or as its state says where none did', () => {
    const said = anAttempt({ finalStatus: 'SUCCEEDED' });
    assert.equal(finalStatus(anApplication({ state: 'FINISHED', attempts: [anAttempt({ finalStatus: 'FAILED' }), said] })), 'SUCCEEDED');
    for (const [state, status] of [
      ['RUNNING', 'UNDEFINED'],
      ['FINAL_SAVING', 'UNDEFINED'],
      ['FINISHING', 'FAILED'],
      ['FINISHED', 'FAILED'],
      ['FAILED', 'FAILED'],
      ['KILLED', 'KILLED'],
    ] as const)
      assert.equal(finalStatus(anApplication({ state, attempts: [anAttempt()] })), status, state);
  });

  it('says why: its own words, else those of its last attempt, else where the launch stands', () => {
    const attempt = anAttempt({ launchDiagnostics: 'launched' });
    const application = anApplication({ attempts: [anAttempt({ diagnostics: 'of an earlier one' }), attempt] });
    assert.equal(diagnosticsOf(application), 'launched');
    attempt.diagnostics = 'bye';
    assert.equal(diagnosticsOf(application), 'bye');
    application.diagnostics = 'killed';
    assert.equal(diagnosticsOf(application), 'killed');
    assert.equal(diagnosticsOf(anApplication()), '');
  });

  it('used what ended containers used, and what live ones used until now', () => {
    const live = aContainer({ resource: [1024, 2, 1], createdMs: timestampMs });
    const later = aContainer({ id: 'c3', resource: [512, 1, 0], createdMs: timestampMs + 5000 });
    const attempts = [anAttempt({ containers: new Map([['c2', live]]) }), anAttempt({ containers: new Map([['c3', later]]) })];
    const resourceSeconds = { used: [10_000, 999], preempted: [], preemptedResource: [], preemptedMasters: 0, preemptedOthers: 0 };
    const application = anApplication({ attempts, resourceSeconds });
    assert.deepEqual(usedResourceSeconds(application, timestampMs + 2500), [10 + 2560, 5, 2]);
    assert.deepEqual(usedResourceSeconds(application, timestampMs + 6000), [10 + 6144 + 512, 13, 6]);
    assert.deepEqual(application.resourceSeconds.used, [10_000, 999], 'nothing was counted for good');
  });

  it('has its last attempt as the current one', () => {
    const [first, second] = [anAttempt({ number: 1 }), anAttempt({ number: 2 })];
    assert.equal(currentAttempt(anApplication({ attempts: [first, second] })), second);
    assert.equal(currentAttempt(anApplication()), undefined);
  });
});

describe('an attempt as clients see it', () => {
  it('is in no state that only the cluster knows', () => {
    for (const state of attemptStates) {
      const shown = publicAttemptState(anAttempt({ state, stateBefore: 'RUNNING' }));
      assert.ok(shown !== ('FINAL_SAVING' as string) && shown !== ('LAUNCHED_UNMANAGED_SAVING' as string), state);
    }
    assert.equal(publicAttemptState(anAttempt({ state: 'LAUNCHED_UNMANAGED_SAVING' })), 'ALLOCATED_SAVING');
  });

  it('avoids nodes by their host, id or rack', () => {
    const node = aNode('n1:45454', { rack: '/r1' });
    for (const name of ['n1', 'n1:45454', '/r1']) assert.ok(avoids(anAttempt({ blacklistedNodes: new Set([name]) }), node), name);
    assert.ok(!avoids(anAttempt({ blacklistedNodes: new Set(['n2', 'n1:1', '/r2']) }), node));
  });
});

describe('what diagnostics say', () => {
  it('names who killed an application, and why where a reason is given', () => {
    assert.equal(killedByUser('a1', 'ann', undefined), 'Application a1 was killed by user ann');
    assert.equal(killedByUser('a1', undefined, ' '), 'Application a1 was killed by user UNKNOWN');
    assert.equal(killedByUser('a1', 'ann', 'too slow'), 'Application a1 was killed by user ann with diagnostic message: too slow');
    const byRpc = 'Application a1 was killed by user ann at 10.0.0.1 with diagnostic message: too slow';
    assert.equal(killedByUser('a1', 'ann', 'too slow', '10.0.0.1'), byRpc);
  });

  it('counts failures, with the limits where they differ and the interval where there is one', () => {
    const text = (own: number, intervalMs: number) => outOfAttempts('a1', 2, { own, global: 2, intervalMs }, 'it broke');
    assert.equal(text(2, -1), 'Application a1 failed 2 times due to it broke. Failing the application.');
    assert.equal(
      text(1, 1000),
      'Application a1 failed 2 times (global limit =2; local limit is =1) in previous 1000 milliseconds due to it broke. Failing the application.',
    );
    assert.equal(unmanagedFailed('a1', 'it broke'), 'Unmanaged application a1 failed due to it broke. Failing the application.');
  });

  it('leads from the exit of a master to its page', () => {
    const text = masterContainerExited('at1', 7, 'bad. ', 'http://rm/app');
    assert.match(text, /^AM Container for at1 exited with {2}exitCode: 7\nFailing this attempt\.Diagnostics: bad\. For more/);
    assert.match(text, /http:\/\/rm\/app Then click/);
  });

  it('has its date in front, as Java writes dates', () => {
    assert.match(dated(timestampMs, 'no room'), /^\[\w{3} \w{3} \d\d \d\d:\d\d:\d\d [+-]\d{4} \d{4}\] no room$/);
  });
});
