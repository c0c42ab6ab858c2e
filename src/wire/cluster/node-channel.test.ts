import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertEveryFaultIsFound } from '../../../test/support/message-faults.ts';
import { checked } from '../../lib/json-shape.ts';
import type { ContainerReport, ContainerStart } from './container-messages.ts';
import { type NodeCommand, type NodeMessage, nodeCommand, nodeMessage } from './node-channel.ts';

type Samples<Message extends { readonly type: string }> = {
  readonly [K in Message['type']]: readonly [full: Extract<Message, { readonly type: K }>, minimal: Extract<Message, { readonly type: K }>];
};

const resource = { memoryMiB: 1024, vcores: 1 };
const minimalReport: ContainerReport = {
  containerId: 'container_1_0001_01_000002',
  state: 'RUNNING',
  exitCode: -1000,
  diagnostics: '',
  resource,
  priority: 20,
  createdTime: 5,
};
const report: ContainerReport = {
  ...minimalReport,
  askId: 'map-1',
  resource: { ...resource, 'yarn.io/gpu': 2 },
  executionType: 'OPPORTUNISTIC',
  allocationTags: ['hbase'],
  startedTime: 6,
  finishedTime: 7,
};
const minimalStart: ContainerStart = {
  containerId: 'container_1_0001_01_000001',
  applicationId: 'application_1_0001',
  attemptId: 'appattempt_1_0001_000001',
  user: 'ada',
  resource,
  priority: 0,
  queue: 'root.default',
  isMaster: true,
  launch: { commands: [], environment: {}, localResources: {}, serviceData: {} },
  applicationAcls: {},
  submitTimeMs: 1,
  maxAttempts: 2,
};
const containerStart: ContainerStart = {
  ...minimalStart,
  askId: 'master',
  executionType: 'GUARANTEED',
  allocationTags: ['a'],
  applicationAcls: { VIEW_APP: '*', MODIFY_APP: 'ada' },
  launch: {
    commands: ['sleep 1'],
    environment: { A: 'b' },
    localResources: {
      file: { resource: 'file:/x', type: 'FILE', visibility: 'PUBLIC', size: 3, timestamp: 4, pattern: '*' },
    },
    serviceData: { shuffle: 'aGk=' },
    tokens: 'SERUUw==',
    secretEnvironment: { TOKEN: 'secret' },
    retry: {
      policy: 'RETRY_ON_SPECIFIC_ERROR_CODES',
      errorCodes: [1],
      maximumRetries: 3,
      intervalMs: 100,
      failuresValidityIntervalMs: -1,
    },
  },
  logAggregation: {
    includePattern: 'a',
    excludePattern: 'b',
    rolledLogsIncludePattern: 'c',
    rolledLogsExcludePattern: 'd',
    policyClassName: 'e',
    policyParameters: 'f',
  },
};
const usage = { physicalMemoryMiB: 100, virtualMemoryMiB: 200, cpuCores: 1.5 };
const health = { healthy: true, report: '', time: 9 };
const descriptors = { labels: ['fast'], attributes: [{ name: 'os', type: 'STRING', value: 'linux' }] };
const register: Extract<NodeMessage, { readonly type: 'register' }> = {
  type: 'register',
  nodeId: 'n1:45454',
  httpAddress: 'n1:8042',
  rack: '/default-rack',
  resource,
  version: '0.1.0',
  physicalMemoryMiB: 4096,
  physicalCores: 4,
  containers: [],
  applications: [],
  health,
};

const messages: Samples<NodeMessage> = {
  register: [
    { ...register, ...descriptors, memory: 'a1', opportunisticQueueLength: 3, containers: [report], applications: ['application_1_0001'] },
    register,
  ],
  containers: [
    { type: 'containers', reports: [report] },
    { type: 'containers', reports: [minimalReport] },
  ],
  usage: [
    {
      type: 'usage',
      node: usage,
      containers: usage,
      runningContainers: 2,
      opportunistic: { running: 1, memoryMiB: 2, vcores: 3, queued: 4, waiting: 5 },
    },
    { type: 'usage', node: usage, containers: usage, runningContainers: 0 },
  ],
  health: [
    { type: 'health', ...health },
    { type: 'health', ...health },
  ],
  descriptors: [{ type: 'descriptors', ...descriptors }, { type: 'descriptors' }],
  logAggregation: [
    { type: 'logAggregation', applicationId: 'application_1_0001', status: 'RUNNING', diagnostics: '' },
    { type: 'logAggregation', applicationId: 'application_1_0001', status: 'TIME_OUT', diagnostics: 'late' },
  ],
  signalled: [
    { type: 'signalled', containerId: 'c', command: 'OUTPUT_THREAD_DUMP', success: true },
    { type: 'signalled', containerId: 'c', command: 'GRACEFUL_SHUTDOWN', success: false },
  ],
  shutdown: [{ type: 'shutdown' }, { type: 'shutdown' }],
};

const commands: Samples<NodeCommand> = {
  registered: [
    { type: 'registered', rmSession: '1', containerTokenKey: 'a2V5', clusterTimestamp: 1, keepApplications: ['application_1_0001'] },
    { type: 'registered', rmSession: '1', containerTokenKey: 'a2V5', clusterTimestamp: 1, keepApplications: [] },
  ],
  startContainers: [
    { type: 'startContainers', containers: [containerStart] },
    { type: 'startContainers', containers: [minimalStart] },
  ],
  stopContainers: [
    { type: 'stopContainers', containers: [{ containerId: 'c', exitCode: -105, diagnostics: 'enough' }] },
    { type: 'stopContainers', containers: [] },
  ],
  updateContainers: [
    { type: 'updateContainers', containers: [{ containerId: 'c', executionType: 'GUARANTEED', resource }] },
    { type: 'updateContainers', containers: [{ containerId: 'c' }] },
  ],
  signalContainers: [
    { type: 'signalContainers', containers: [{ containerId: 'c', command: 'FORCEFUL_SHUTDOWN' }] },
    { type: 'signalContainers', containers: [] },
  ],
  finishApplications: [
    { type: 'finishApplications', applicationIds: ['application_1_0001'] },
    { type: 'finishApplications', applicationIds: [] },
  ],
  updateResource: [
    { type: 'updateResource', resource: { ...resource, 'yarn.io/gpu': 1 } },
    { type: 'updateResource', resource },
  ],
  refuse: [
    { type: 'refuse', reason: 'no' },
    { type: 'refuse', reason: '' },
  ],
  resync: [{ type: 'resync' }, { type: 'resync' }],
};

describe('messages of nodes', () => {
  for (const [type, [full, minimal]] of Object.entries(messages))
    it(`are refused with the path of the member that is wrong or missing: ${type}`, () =>
      assertEveryFaultIsFound<NodeMessage>(nodeMessage, full, minimal));
});

describe('commands to nodes', () => {
  for (const [type, [full, minimal]] of Object.entries(commands))
    it(`are refused with the path of the member that is wrong or missing: ${type}`, () =>
      assertEveryFaultIsFound<NodeCommand>(nodeCommand, full, minimal));

  it('are refused where their type is unknown, inherited or absent', () => {
    const known =
      'registered, startContainers, stopContainers, updateContainers, signalContainers, finishApplications, updateResource, refuse, resync';
    for (const type of ['pause', 'constructor', '__proto__', 7, null])
      assert.equal(checked(nodeCommand, { type }).fault, `/type is not one of ${known}`);
    assert.equal(checked(nodeCommand, {}).fault, '/type is missing');
    for (const value of [undefined, null, 'resync', ['resync']])
      assert.equal(checked(nodeCommand, value).fault, 'the body is not an object');
  });
});

describe('random messages', () => {
  const name = fc.string({ maxLength: 30 });
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
  const amounts = fc.record({ memoryMiB: fc.nat(), vcores: fc.nat(), 'yarn.io/gpu': fc.nat() }, { requiredKeys: ['memoryMiB', 'vcores'] });
  const type = fc.constantFrom('GUARANTEED' as const, 'OPPORTUNISTIC' as const);
  const reports = fc.array(
    fc.record<ContainerReport>(
      {
        containerId: name,
        askId: name,
        state: fc.constantFrom('NEW', 'RUNNING', 'COMPLETE'),
        exitCode: fc.integer(),
        diagnostics: fc.string(),
        resource: amounts,
        priority: fc.integer(),
        executionType: type,
        allocationTags: fc.array(name),
        createdTime: finite,
        startedTime: finite,
        finishedTime: finite,
      },
      { requiredKeys: ['containerId', 'state', 'exitCode', 'diagnostics', 'resource', 'priority', 'createdTime'] },
    ),
    { maxLength: 4 },
  );
  const updates = fc.array(fc.record({ containerId: name, executionType: type, resource: amounts }, { requiredKeys: ['containerId'] }), {
    maxLength: 4,
  });
  const starts = fc.array(
    fc
      .record({ containerId: name, user: name, resource: amounts, environment: fc.dictionary(name, fc.string()), isMaster: fc.boolean() })
      .map(
        ({ environment, ...order }): ContainerStart => ({
          ...containerStart,
          ...order,
          launch: { ...containerStart.launch, environment },
        }),
      ),
    { maxLength: 4 },
  );
  /** As it arrives: members without a value are gone, -0 is 0. */
  const travelled = (message: unknown): unknown => JSON.parse(JSON.stringify(message));

  it('of nodes arrive as they were sent', () => {
    const any: fc.Arbitrary<NodeMessage> = fc.oneof(
      reports.map((reports): NodeMessage => ({ type: 'containers', reports })),
      reports.map((containers): NodeMessage => ({ ...register, containers })),
      fc.constantFrom(...Object.values(messages).flat()),
    );
    fc.assert(
      fc.property(any, (message) => assert.deepEqual(checked(nodeMessage, travelled(message)), { value: travelled(message) })),
      { seed: 20_260_115 },
    );
  });

  it('to nodes arrive as they were sent', () => {
    const any: fc.Arbitrary<NodeCommand> = fc.oneof(
      starts.map((containers): NodeCommand => ({ type: 'startContainers', containers })),
      updates.map((containers): NodeCommand => ({ type: 'updateContainers', containers })),
      fc.constantFrom(...Object.values(commands).flat()),
    );
    fc.assert(
      fc.property(any, (command) => assert.deepEqual(checked(nodeCommand, travelled(command)), { value: travelled(command) })),
      { seed: 20_260_116 },
    );
  });

  it('that are any JSON are refused or taken, never an error', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(commands), ...Object.keys(messages)), (value, type) => {
        for (const shape of [nodeMessage, nodeCommand])
          for (const one of [value, { ...(value as object | null), type }]) {
            const { value: taken, fault } = checked<unknown>(shape, one);
            assert.ok((fault === undefined) !== (taken === undefined));
          }
      }),
      { seed: 20_260_117, numRuns: 300 },
    );
  });
});
