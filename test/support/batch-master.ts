import type { RunningJob, TaskAttemptView, TaskView } from '../../src/batch/application-master/job-view.ts';
import { Counters } from '../../src/batch/counters/counters.ts';
import { createMasterService, type MasterServiceOptions } from '../../src/batch/http/service.ts';
import type { Service } from '../../src/http/service.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Logger } from '../../src/lib/log.ts';

export const batchIds = {
  jobid: 'job_1700000000000_0005',
  taskid: 'task_1700000000000_0005_m_000000',
  attemptid: 'attempt_1700000000000_0005_m_000000_0',
};

const refuse = () => {
  throw new Error('nothing may be killed here');
};

/** The service of a batch master whose job stands still; without `job` nothing of it can be killed. */
export function aBatchMaster(
  logger: Logger,
  { job: more, ...options }: { readonly job?: Partial<RunningJob> } & Partial<MasterServiceOptions> = {},
): Service {
  const attempt: TaskAttemptView = {
    id: batchIds.attemptid,
    kind: 'MAP',
    state: 'RUNNING',
    progress: 0.5,
    statusText: '',
    startTimeMs: 1,
    finishTimeMs: 0,
    shuffleFinishTimeMs: 0,
    sortFinishTimeMs: 0,
    diagnostics: [],
    containerId: 'container_1700000000000_0005_01_000002',
    nodeId: 'localhost:1',
    nodeHttpAddress: 'localhost:2',
    rack: '/default-rack',
    counters: new Counters(),
  };
  const task: TaskView = {
    id: batchIds.taskid,
    kind: 'MAP',
    index: 0,
    state: 'RUNNING',
    progress: 0.5,
    statusText: '',
    startTimeMs: 1,
    finishTimeMs: 0,
    successfulAttempt: '',
    counters: new Counters(),
    attempts: [attempt],
  };
  const job: RunningJob = {
    id: batchIds.jobid,
    applicationId: 'application_1700000000000_0005',
    name: 'still',
    user: 'root',
    queue: 'root.default',
    state: 'RUNNING',
    submitTimeMs: 1,
    startTimeMs: 1,
    finishTimeMs: 0,
    uberized: false,
    diagnostics: [],
    tasks: [task],
    mapProgress: 0.5,
    reduceProgress: 0,
    masterStartTimeMs: 1,
    masters: [
      {
        number: 1,
        startTimeMs: 1,
        containerId: 'container_1700000000000_0005_01_000001',
        nodeId: 'localhost:1',
        nodeHttpAddress: 'localhost:2',
      },
    ],
    accessLists: undefined,
    configurationPath: '/job.xml',
    configuration: [{ name: 'a', value: 'b', sources: ['job.xml'] }],
    task: (id) => (id === task.id ? task : undefined),
    attempt: (id) => (id === attempt.id ? attempt : undefined),
    totalCounters: () => new Counters(),
    mapCounters: () => new Counters(),
    reduceCounters: () => new Counters(),
    killAttempt: refuse,
    failAttempt: refuse,
    killTask: refuse,
    killJob: refuse,
    ...more,
  };
  return createMasterService({ address: '127.0.0.1:0', logger, clock: systemClock, currentJob: () => job, ...options });
}
