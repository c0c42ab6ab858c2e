import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertEveryFaultIsFound } from '../../../test/support/message-faults.ts';
import { checked } from '../../lib/json-shape.ts';
import { completeLaunch, launchContext, launchShape } from './launch-context.ts';
import {
  type AllocateRequest,
  type AllocateResponse,
  allocateRequest,
  allocateResponse,
  finishRequest,
  finishResponse,
  type RegisterResponse,
  registerRequest,
  registerResponse,
} from './master-protocol.ts';

const resource = { memoryMiB: 1024, vcores: 1 };
const container = {
  containerId: 'container_1_0001_01_000002',
  askId: 'map-1',
  nodeId: 'n1:45454',
  nodeHttpAddress: 'n1:8042',
  resource,
  priority: 1,
  containerToken: 'token',
};

describe('calls of masters', () => {
  it('to register are refused with the path of the member that is wrong', () => {
    const full = {
      host: 'n1',
      rpcPort: 1,
      trackingUrl: 'http://n1/',
      placementConstraints: [{ sourceTags: ['a'], constraint: 'notin,node,b' }],
      registrationId: 'one',
    };
    assertEveryFaultIsFound(registerRequest, full, {}, ['/placementConstraints/0/constraint']);
  });

  it('to allocate are refused with the path of the member that is wrong or missing', () => {
    const minimalAsk = { askId: 'map', resource, count: 1 };
    const full: AllocateRequest = {
      responseId: 1,
      progress: 0.5,
      asks: [
        {
          ...minimalAsk,
          priority: 1,
          nodes: ['n1'],
          racks: ['/r'],
          relaxLocality: false,
          labelExpression: 'fast',
          executionType: 'OPPORTUNISTIC',
          allocationTags: ['a'],
          placementConstraint: 'in,node,b',
          launch: {
            commands: ['true'],
            environment: { A: 'b' },
            localResources: { f: { resource: 'file:/x', type: 'FILE', visibility: 'PRIVATE', size: 1, timestamp: 2, pattern: '*' } },
            serviceData: { s: 'aGk=' },
            tokens: 'SERUUw==',
            secretEnvironment: { S: 's' },
            retry: {
              policy: 'NEVER_RETRY',
              errorCodes: [1],
              maximumRetries: 1,
              intervalMs: 1,
              failuresValidityIntervalMs: 1,
            },
          },
        },
      ],
      cancels: ['reduce'],
      releases: ['container_1_0001_01_000003'],
      updates: [{ containerId: 'container_1_0001_01_000004', updateType: 'INCREASE_RESOURCE', resource }],
      blacklistAdditions: ['n1'],
      blacklistRemovals: ['n2:45454', '/rack'],
      notes: ['note'],
    };
    const minimal: AllocateRequest = {
      responseId: 0,
      asks: [{ ...minimalAsk, launch: { commands: [] } }],
      updates: [{ containerId: 'c', updateType: 'PROMOTE_EXECUTION_TYPE' }],
    };
    const needed = { responseId: 0 };
    assertEveryFaultIsFound(allocateRequest, full, needed, ['/asks/0/placementConstraint']);
    for (const path of ['/asks/0/askId', '/asks/0/resource', '/asks/0/count', '/updates/0/updateType', '/asks/0/launch/commands']) {
      const without: unknown = JSON.parse(JSON.stringify(minimal), function (this: object, key: string, value: unknown) {
        return path.endsWith(`/${key}`) ? undefined : value;
      });
      assert.equal(checked(allocateRequest, without).fault, `${path} is missing`);
    }
  });

  it('to finish are refused with the path of the member that is wrong or missing', () => {
    assertEveryFaultIsFound(
      finishRequest,
      { finalStatus: 'SUCCEEDED', diagnostics: 'done', trackingUrl: 'http://n1/' },
      { finalStatus: 'FAILED' },
    );
  });
});

describe('answers to masters', () => {
  const registered: RegisterResponse = {
    maximumResource: resource,
    minimumResource: resource,
    queue: 'root.default',
    applicationAcls: {},
    runningContainers: [],
    clusterTimestamp: 1,
    notes: [],
  };
  const allocated: AllocateResponse = { responseId: 1, allocations: [], completed: [], headroom: resource };

  it('of register are refused with the path of the member that is wrong or missing', () => {
    const full: RegisterResponse = {
      ...registered,
      applicationAcls: { VIEW_APP: '*', MODIFY_APP: ' ' },
      runningContainers: [container],
      notes: ['note'],
      responseId: 1,
    };
    assertEveryFaultIsFound(registerResponse, full, registered);
    assertEveryFaultIsFound(registerResponse, full, { ...registered, runningContainers: [container] });
  });

  it('of allocate are refused with the path of the member that is wrong or missing', () => {
    const allocation = { ...container, executionType: 'GUARANTEED' as const };
    const completed = {
      containerId: 'c',
      state: 'COMPLETE' as const,
      exitCode: 0,
      diagnostics: '',
      resource,
      priority: 1,
      createdTime: 1,
      nodeId: 'n1:1',
      nodeHttpAddress: 'n1:2',
    };
    const lists = {
      allocations: [allocation],
      completed: [completed],
      updated: [{ containerId: 'c', executionType: 'GUARANTEED' as const, resource, containerToken: 't' }],
      updateErrors: [{ containerId: 'c', reason: 'INVALID_CONTAINER_ID' }],
      rejected: [{ askId: 'map', count: 1, reason: 'COULD_NOT_PLACE_ON_NODE' as const }],
    };
    const full: AllocateResponse = {
      ...allocated,
      ...lists,
      completed: [{ ...completed, askId: 'map', executionType: 'OPPORTUNISTIC', allocationTags: ['a'], startedTime: 2, finishedTime: 3 }],
      command: 'resync',
    };
    assertEveryFaultIsFound(allocateResponse, full, allocated);
    assertEveryFaultIsFound(allocateResponse, full, { ...allocated, allocations: [allocation], completed: [completed] });
    assert.equal(
      checked(allocateResponse, { ...allocated, completed: [{ ...completed, state: 'RUNNING' }] }).fault,
      '/completed/0/state is not one of COMPLETE',
    );
  });

  it('of finish are refused with the path of the member that is wrong or missing', () =>
    assertEveryFaultIsFound(finishResponse, { unregistered: true }, { unregistered: true }));
});

describe('launch contexts', () => {
  it('of masters get all parts, whatever they left out', () => {
    const name = fc.string({ maxLength: 20 });
    const sent = fc.record(
      {
        commands: fc.array(name, { maxLength: 3 }),
        environment: fc.dictionary(name, name),
        localResources: fc.dictionary(
          name,
          fc.record(
            { resource: name, type: fc.constantFrom('FILE' as const, 'ARCHIVE' as const), size: fc.integer(), timestamp: fc.integer() },
            { requiredKeys: ['resource'] },
          ),
        ),
        serviceData: fc.dictionary(name, name),
        tokens: name,
        secretEnvironment: fc.dictionary(name, name),
      },
      { requiredKeys: ['commands'] },
    );
    fc.assert(
      fc.property(sent, (launch) => {
        assert.equal(checked(launchShape, launch).fault, undefined);
        assert.equal(checked(launchContext, completeLaunch(launch)).fault, undefined);
      }),
      { seed: 20_260_118 },
    );
  });
});
