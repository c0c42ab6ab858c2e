import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AllocateRequest, AllocateResponse, RegisterResponse } from '../../wire/cluster/master-protocol.ts';
import { masterCalls } from './master-calls.ts';

const resource = { memoryMiB: 1, vcores: 1 };
const registered = (containers: string[] = []) =>
  ({ maximumResource: resource, runningContainers: containers.map((containerId) => ({ containerId })) }) as unknown as RegisterResponse;
const answer = (over: object): AllocateResponse => ({ responseId: 1, allocations: [], completed: [], headroom: resource, ...over });

describe('calls of a master', () => {
  it('register again after a restart, repeat open asks and give back containers that nobody heard of', async () => {
    const requests: AllocateRequest[] = [];
    const answers = [
      answer({ allocations: [{ askId: 'a', containerId: 'c1' }] }),
      answer({ command: 'resync' }),
      answer({ responseId: 5 }),
      answer({ responseId: 6 }),
    ];
    let registrations = 0;
    const calls = masterCalls({
      register: async () => {
        registrations++;
        return registered(registrations === 2 ? ['c1', 'c2'] : []);
      },
      allocate: async (request) => {
        requests.push(request);
        return answers[requests.length - 1] ?? answer({});
      },
      finish: async () => ({ unregistered: true }),
    });
    const ask = (askId: string) => ({ askId, priority: 1, resource, count: 1 });
    await calls.register({ host: 'h', rpcPort: -1, trackingUrl: '' });
    await calls.allocate({ progress: 0, asks: [ask('a'), ask('b')], cancels: [], releases: [] }, 10);
    await calls.allocate({ progress: 0, asks: [], cancels: [], releases: [] }, 10);
    await calls.allocate({ progress: 0, asks: [], cancels: [], releases: [] }, 10);
    assert.equal(registrations, 2);
    assert.deepEqual(
      requests.map(({ responseId }) => responseId),
      [0, 1, 0, 5],
    );
    assert.deepEqual(
      requests[2]?.asks?.map(({ askId }) => askId),
      ['b'],
    );
    assert.deepEqual(requests[2]?.releases, ['c2']);
  });
});
