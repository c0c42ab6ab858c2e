// A job for tests: everything around it is made of lists, its tasks live by the calls of the test.
import assert from 'node:assert/strict';
import { ManualClock } from '../../lib/clock.ts';
import type { HistoryEvent } from '../../wire/files/job-history.ts';
import { Job } from '../application-master/job.ts';
import type { JobPorts } from '../application-master/job-ports.ts';
import type { RecoveredTask } from '../application-master/recovery.ts';
import type { SkippingState } from '../application-master/task-skipping.ts';
import type { CounterData } from '../counters/counters.ts';
import { JobConfiguration } from '../tasks/job-configuration.ts';
import { formatAttemptId, formatTaskId } from '../tasks/task-ids.ts';
import type { StatusReport } from '../tasks/umbilical.ts';

export const jobId = 'job_1700000000000_0001';
export const applicationId = 'application_1700000000000_0001';
export const mapTask = (index: number) => formatTaskId(jobId, 'MAP', index);
export const reduceTask = (index: number) => formatTaskId(jobId, 'REDUCE', index);
export const map = (index: number, number = 0) => formatAttemptId(mapTask(index), number);
export const reduce = (index: number, number = 0) => formatAttemptId(reduceTask(index), number);

export interface JobFixtureOptions {
  readonly maps?: number;
  readonly reduces?: number;
  readonly settings?: Readonly<Record<string, string>>;
  readonly generation?: number;
  readonly recovered?: ReadonlyMap<string, RecoveredTask>;
  readonly skipping?: ReadonlyMap<string, SkippingState>;
  /** Instead of those of the fixture. */
  readonly ports?: Partial<JobPorts>;
  readonly clock?: ManualClock;
  readonly uberized?: boolean;
  /** False: the job is made and initialised, but not started. */
  readonly started?: boolean;
}

/** What a task reports while it runs. */
export const statusReport = (attemptId: string, progress = 0.5, counters: CounterData = {}): StatusReport => ({
  attemptId,
  progress,
  statusText: attemptId.includes('_m_') ? 'map' : 'reduce > reduce',
  phase: attemptId.includes('_m_') ? 'MAP' : 'REDUCE',
  counters,
});

/** A job with everything around it made of lists. Commit, setup and abort succeed at once. */
export function aJob(options: JobFixtureOptions = {}) {
  const { maps = 2, reduces = 1, settings = {}, generation = 1, recovered = new Map(), clock = new ManualClock() } = options;
  const asked: string[] = [];
  const cancelled: string[] = [];
  const stopped: string[] = [];
  const aborted: string[] = [];
  const events: HistoryEvent[] = [];
  let containers = 0;
  const ports: JobPorts = {
    history: (event) => events.push(event),
    ask: (attempt) => asked.push(attempt.id),
    cancelAsk: (attemptId) => cancelled.push(attemptId),
    headroom: () => ({ memoryMiB: 0, vcores: 0 }),
    stopContainer: ({ containerId }) => stopped.push(containerId),
    setup: () => job.setupDone(),
    commit: () => job.commitDone(),
    abort: () => job.abortDone(),
    attemptLost: (attempt) => aborted.push(attempt.id),
    rememberSkipping: () => {},
    shuffleUrl: (attempt) => `http://${attempt.nodeHttpAddress}/shuffle`,
    mapEvents: () => {},
    ended: () => {},
    ...options.ports,
  };
  const master = {
    number: generation,
    startTimeMs: clock.now(),
    containerId: 'container_1',
    nodeId: 'localhost:1',
    nodeHttpAddress: 'localhost:2',
  };
  const job = new Job({
    id: jobId,
    applicationId,
    user: 'ann',
    submitTimeMs: clock.now(),
    settings: new JobConfiguration({ 'mapreduce.job.reduces': String(reduces), 'mapreduce.job.name': 'test', ...settings }),
    configuration: [],
    configurationPath: '/job.xml',
    splits: Array.from({ length: maps }, (_, i) => ({ path: `/f${i}`, start: 0, length: 1, hosts: ['localhost'] })),
    generation,
    uberized: options.uberized,
    masters: [master],
    ...(options.skipping === undefined ? {} : { skipping: options.skipping }),
    clock,
    ports,
  });
  job.init(clock.now());
  if (options.started !== false) job.start(recovered);
  const report = (attemptId: string): StatusReport => statusReport(attemptId);
  /** Gives the attempt a container and lets its process ask what to run. */
  const launch = (attemptId: string) => {
    const containerId = `container_${++containers}`;
    assert.ok(
      job.attempts.allocated(attemptId, { containerId, nodeId: 'localhost:1', nodeHttpAddress: 'localhost:2', rack: '/default-rack' }),
      `${attemptId} takes a container`,
    );
    assert.equal(job.attempts.assignment(containerId)?.attemptId, attemptId);
    return containerId;
  };
  /** Lets the attempt run and succeed, its container too. */
  const finish = (attemptId: string, milliseconds = 100) => {
    const containerId = launch(attemptId);
    clock.advance(milliseconds);
    assert.ok(job.attempts.done(report(attemptId)));
    job.attempts.containerCompleted(containerId, 0, '');
  };
  /** Lets the attempt fail, its container too. */
  const fail = (attemptId: string) => {
    const containerId = launch(attemptId);
    assert.ok(job.attempts.failed({ ...report(attemptId), diagnostic: 'Error: it broke', failFast: false }));
    job.attempts.containerCompleted(containerId, 1, '');
  };
  return {
    job,
    clock,
    asked,
    cancelled,
    stopped,
    aborted,
    events,
    report,
    launch,
    finish,
    fail,
    types: () => events.map((event) => event.type),
  };
}
