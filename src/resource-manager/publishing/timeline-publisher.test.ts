// What the timeline is told of an application from its submission to its end, in which order, and with which facts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SystemMetricsPublisher } from '../../client/system-metrics-publisher.ts';
import { ManualClock } from '../../lib/clock.ts';
import { aContainer, anApplication, anAttempt, aSubmission, timestampMs } from '../test-support/builders.ts';
import { timelinePublisher } from './timeline-publisher.ts';

function published() {
  const told: [string, ...unknown[]][] = [];
  const publisher = new Proxy({} as SystemMetricsPublisher, {
    get:
      (_target, name) =>
      (...facts: unknown[]) =>
        void told.push([String(name), ...facts]),
  });
  const observer = timelinePublisher({
    publisher,
    clock: new ManualClock(timestampMs),
    trackingUrl: (id) => `http://p/${id}`,
    scheme: 'http',
  });
  return {
    told,
    observer,
    names: () => told.map(([name]) => name),
    /** The facts of one call. */
    facts: (call: number) => (told[call] as [string, Record<string, unknown>])[1],
  };
}

describe('the timeline', () => {
  it('hears that an application was created once its queue is known, once', () => {
    const { observer, told, names, facts } = published();
    const application = anApplication({ state: 'NEW_SAVING', queue: 'default', submission: aSubmission({ viewAcl: 'bob' }) });
    observer.applicationCreated?.(application);
    observer.applicationStateChanged?.(application, { event: 'start', from: 'NEW', to: 'NEW_SAVING' });
    assert.deepEqual(names(), []);
    application.queue = 'root.default';
    observer.applicationStateChanged?.(application, { event: 'accepted', from: 'SUBMITTED', to: 'ACCEPTED' });
    observer.applicationStateChanged?.(application, { event: 'registered', from: 'ACCEPTED', to: 'RUNNING' });
    assert.deepEqual(names(), ['applicationCreated', 'applicationAclsUpdated', 'applicationStateUpdated']);
    assert.deepEqual([facts(0)['queue'], told[1]?.[2]], ['root.default', 'bob']);
  });

  it('hears of one that was refused at once, at its end', () => {
    const { observer, names } = published();
    const application = anApplication({ state: 'NEW' });
    observer.applicationCreated?.(application);
    application.state = 'FAILED';
    observer.applicationFinished?.(application);
    assert.deepEqual(names(), ['applicationCreated', 'applicationAclsUpdated', 'applicationFinished']);
  });

  it('hears of one that was recovered again when it goes on, as it was first told of', () => {
    const first = published();
    const application = anApplication({ attempts: [anAttempt({ masterContainerId: 'container_1' })], startedMs: 7 });
    const begins = { event: 'accepted', from: 'SUBMITTED', to: 'ACCEPTED' } as const;
    first.observer.applicationCreated?.(application);
    first.observer.applicationStateChanged?.(application, begins);
    const again = published();
    again.observer.applicationRecovered?.(application);
    again.observer.applicationStateChanged?.(application, begins);
    assert.deepEqual(again.told, first.told);
    again.observer.containerCreated?.(application, aContainer({ isMaster: true }));
    assert.deepEqual(again.names().slice(2), ['containerCreated'], 'its launch was told before');
  });

  it('hears of an end that was stored before a restart', () => {
    const named = (submittedQueue: string) => {
      const { observer, names } = published();
      observer.endRecovered?.(anApplication({ state: 'FAILED', submittedQueue, attempts: [anAttempt({ state: 'FAILED' })] }));
      return names();
    };
    assert.deepEqual(named('root.default'), ['attemptFinished', 'applicationFinished']);
    assert.deepEqual(named(''), ['applicationCreated', 'applicationAclsUpdated', 'attemptFinished', 'applicationFinished']);
  });

  it('hears of the launch once, with the first master', () => {
    const { observer, names } = published();
    const application = anApplication();
    for (const isMaster of [true, false, true]) observer.containerCreated?.(application, aContainer({ isMaster }));
    assert.deepEqual(names(), ['applicationLaunched', 'containerCreated', 'containerCreated', 'containerCreated']);
  });

  it('shows masters through the proxy, and those outside of the cluster as they say', () => {
    const urls = (unmanaged: boolean, originalTrackingUrl: string | undefined) => {
      const { observer, facts } = published();
      const application = anApplication({ submission: aSubmission({ unmanaged }) });
      observer.attemptRegistered?.(application, anAttempt({ originalTrackingUrl }));
      const { trackingUrl, originalTrackingUrl: original } = facts(0);
      return [trackingUrl, original];
    };
    assert.deepEqual(urls(false, 'n1:1'), [`http://p/${anApplication().id}`, 'n1:1']);
    assert.deepEqual(urls(true, 'n1:1'), ['n1:1', 'n1:1']);
    assert.deepEqual(urls(false, undefined)[1], 'N/A');
  });

  it('keeps the final status of a master that said it, and none of an end that the cluster decided', () => {
    const finished = (state: 'FINISHED' | 'KILLED') => {
      const { observer, told } = published();
      const application = anApplication({ state, finishedMs: timestampMs, attempts: [anAttempt({ finalStatus: 'SUCCEEDED' })] });
      application.resourceSeconds.used = [5_000_000, 9000];
      observer.applicationFinished?.(application);
      return told.at(-1)?.[1];
    };
    assert.deepEqual(finished('FINISHED'), {
      applicationId: anApplication().id,
      finishedTimeMs: timestampMs,
      diagnostics: '',
      finalStatus: 'SUCCEEDED',
      state: 'FINISHED',
      latestAttemptId: anAttempt().id,
      memoryMiBSeconds: 5000,
      vcoreSeconds: 9,
    });
    assert.equal((finished('KILLED') as { finalStatus: string }).finalStatus, 'UNDEFINED');
  });

  it("hears the resource manager's own words of containers that it ended, the node's of others", () => {
    const ended = (exitCode: number) => {
      const { observer, facts } = published();
      observer.containerFinished?.(anApplication(), aContainer({ exitCode, diagnostics: 'of the node', finishedMs: timestampMs }));
      const { exitStatus, diagnostics, host, port } = facts(0);
      return [exitStatus, diagnostics, host, port];
    };
    assert.deepEqual(ended(-106), [-100, 'Container of a completed application', 'n1', 45454]);
    assert.deepEqual(ended(137), [137, 'of the node', 'n1', 45454]);
  });

  it('shows a failed attempt without a final status, and its launch where it has no other words', () => {
    const { observer, facts } = published();
    observer.attemptFinished?.(
      anApplication(),
      anAttempt({ state: 'FAILED', finalStatus: 'FAILED', launchDiagnostics: 'launched', originalTrackingUrl: 'x' }),
    );
    const { finalStatus, diagnostics, trackingUrl, state } = facts(0);
    assert.deepEqual([finalStatus, diagnostics, trackingUrl, state], ['UNDEFINED', 'launched', 'x', 'FAILED']);
  });
});
