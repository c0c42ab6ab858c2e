// Applications, attempts and containers for tests: a test states only what matters to it.
import { exitStatus } from '../../model/exit-status.ts';
import { ResourceTypes } from '../../model/resource.ts';
import type { Application } from '../applications/application.ts';
import { type Attempt, newAttempt } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import type { Submission } from '../applications/submission.ts';
import { type Node, newNode } from '../nodes/node.ts';

export const timestampMs = 1_795_000_000_000;

/** `application_…_0007` for 7. */
export const applicationIdOf = (sequence: number): string => `application_${timestampMs}_${String(sequence).padStart(4, '0')}`;

/** A submission with every default. */
export const aSubmission = (more: Partial<Submission> = {}): Submission => ({
  applicationId: applicationIdOf(1),
  name: 'job',
  queue: undefined,
  priority: -1,
  type: 'YARN',
  tags: [],
  unmanaged: false,
  maximumAttempts: 0,
  keepContainers: false,
  failuresValidityIntervalMs: -1,
  resource: [1024, 1],
  launch: { commands: ['true'], environment: { PLAIN: 'x' }, localResources: {}, serviceData: {}, secretEnvironment: { SECRET: 's3cret' } },
  viewAcl: undefined,
  modifyAcl: undefined,
  applicationLabelExpression: undefined,
  masterLabelExpression: undefined,
  logAggregation: undefined,
  reservationId: undefined,
  lifetimeSeconds: undefined,
  ...more,
});

/** An attempt that runs. */
export const anAttempt = (more: Partial<Attempt> = {}): Attempt => ({
  ...newAttempt({
    id: `appattempt_${timestampMs}_0001_000001`,
    applicationId: applicationIdOf(1),
    number: 1,
    startedMs: timestampMs,
    token: 't0ken',
  }),
  state: 'RUNNING',
  ...more,
});

/** An application that runs, of the submission of `more` or a usual one. */
export const anApplication = (more: Partial<Application> = {}): Application => {
  const id = more.id ?? applicationIdOf(1);
  return {
    id,
    submission: aSubmission({ applicationId: id }),
    user: 'ann',
    queue: 'root.default',
    priority: 0,
    state: 'RUNNING',
    stateBefore: 'NEW',
    submittedMs: timestampMs,
    startedMs: timestampMs,
    launchedMs: 0,
    finishedMs: 0,
    diagnostics: '',
    target: undefined,
    attempts: [],
    maximumAttempts: 2,
    failures: [],
    lifetimeExpiryMs: undefined,
    maximumLifetimeSeconds: -1,
    wantedInstances: undefined,
    resourceSeconds: { used: [], preempted: [], preemptedResource: [], preemptedMasters: 0, preemptedOthers: 0 },
    endedContainers: { succeeded: 0, failed: 0, stopped: 0 },
    uncountedEnds: new Set(),
    logAggregation: new Map(),
    logAggregationEnabled: false,
    blacklistedBySystem: [],
    version: 0,
    submittedQueue: 'root.default',
    admitted: true,
    scheduled: true,
    ...more,
  };
};

/** A container of the first application that runs. */
export const aContainer = (more: Partial<Container> = {}): Container => ({
  id: `container_${timestampMs}_0001_01_000002`,
  applicationId: applicationIdOf(1),
  attemptId: `appattempt_${timestampMs}_0001_000001`,
  nodeId: 'n1:45454',
  nodeHttpAddress: 'n1:8042',
  resource: [512, 1],
  priority: 1,
  isMaster: false,
  requestId: 'a',
  allocationRequestId: -1,
  allocationTags: [],
  executionType: 'GUARANTEED',
  version: 0,
  state: 'RUNNING',
  kept: true,
  told: true,
  counted: false,
  givenMs: 0,
  createdMs: timestampMs,
  startedMs: timestampMs,
  finishedMs: 0,
  exitCode: exitStatus.invalid,
  diagnostics: '',
  ...more,
});

/** A node of 4 GiB and 8 vcores that runs, with nothing on it. */
export const aNode = (id = 'n1:45454', more: Partial<Node> = {}): Node => ({
  ...newNode(id, new ResourceTypes()),
  httpAddress: `${id.split(':')[0]}:8042`,
  version: '3.4.2',
  state: 'RUNNING',
  resource: [4096, 8],
  lastSeenMs: timestampMs,
  physicalMemoryMiB: 8192,
  physicalCores: 8,
  ...more,
});
