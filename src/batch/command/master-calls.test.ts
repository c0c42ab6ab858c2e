import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AllocateRequest, AllocateResponse, RegisterRequest, RegisterResponse } from '../../wire/cluster/master-protocol.ts';
import { masterCalls } from './master-calls.ts';

const resource = { memoryMiB: 1, vcores: 1 };
const registered = (containers: { containerId: string; askId: string }[] = []) =>
  ({ maximumResource: resource, runningContainers: containers, notes: [] }) as unknown as RegisterResponse;
const answer = (over: object): AllocateResponse => ({ responseId: 1, allocations: [], completed: [], headroom: resource, ...over });

describe('calls of a master', () => {
  it('register again after a restart, repeat open asks and give back containers that the master never heard of', async () => {
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
        return registered(registrations === 2 ? ['c1', 'c2'].map((containerId) => ({ containerId, askId: '' })) : []);
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
      [0, 1, 0, 5, 6],
    );
    assert.deepEqual(
      requests[3]?.asks?.map(({ askId }) => askId),
      ['b'],
    );
    assert.deepEqual(requests[2]?.releases, ['c2']);
  });

  it('begin by the number that a registration is answered with, each time by another name', async () => {
    const numbers: number[] = [];
    const names = new Set<string | undefined>();
    const answers = [answer({ responseId: 11 }), answer({ command: 'resync' }), answer({ responseId: 21 }), answer({ responseId: 22 })];
    const calls = masterCalls({
      register: async ({ registrationId }) => ({ ...registered(), responseId: 10 * names.add(registrationId).size }),
      allocate: async ({ responseId }) => {
        numbers.push(responseId);
        return answers[numbers.length - 1]!;
      },
      finish: async () => ({ unregistered: true }),
    });
    await calls.register({});
    const nothing = { progress: 0, asks: [], cancels: [], releases: [] };
    for (let i = 0; i < 2; i++) await calls.allocate(nothing, 10);
    assert.deepEqual([numbers, names.size], [[10, 11, 20, 21], 2]);
  });

  it('take over after a restart what was given or is over already, and ask for the rest alone', async () => {
    const requests: AllocateRequest[] = [];
    const answers = [
      answer({}),
      answer({ command: 'resync' }),
      answer({ responseId: 1, completed: [{ containerId: 'c2', askId: 'b', exitCode: 3, diagnostics: '', nodeHttpAddress: 'n:1' }] }),
      answer({ responseId: 2 }),
    ];
    let registrations = 0;
    const calls = masterCalls({
      register: async () => registered(++registrations === 2 ? [{ containerId: 'c1', askId: 'a' }] : []),
      allocate: async (request) => {
        requests.push(request);
        return answers[requests.length - 1] ?? answer({});
      },
      finish: async () => ({ unregistered: true }),
    });
    const asks = ['a', 'b', 'c'].map((askId) => ({ askId, priority: 1, resource, count: 1 }));
    await calls.register({ host: 'h', rpcPort: -1, trackingUrl: '' });
    await calls.allocate({ progress: 0, asks, cancels: [], releases: [] }, 10);
    const heard = await calls.allocate({ progress: 0, asks: [], cancels: [], releases: [], notes: ['n'] }, 10);
    assert.deepEqual(
      heard.allocations.map(({ containerId, askId }) => [containerId, askId]),
      [
        ['c1', 'a'],
        ['c2', 'b'],
      ],
    );
    assert.deepEqual(
      heard.completed.map(({ containerId, exitCode }) => [containerId, exitCode]),
      [['c2', 3]],
    );
    assert.deepEqual(requests[2]?.asks, []);
    assert.deepEqual(requests[2]?.notes, ['n']);
    assert.deepEqual(
      requests[3]?.asks?.map(({ askId }) => askId),
      ['c'],
    );
    assert.deepEqual(
      requests.flatMap(({ releases }) => releases ?? []),
      [],
    );
  });

  it('name after a restart the ends that the last answer told', async () => {
    const end = { containerId: 'c1', askId: 'a', exitCode: 0, diagnostics: '', nodeHttpAddress: 'n:1' };
    const answers = [
      answer({ responseId: 1, completed: [end] }),
      answer({ command: 'resync' }),
      answer({ responseId: 1 }),
      answer({ responseId: 2 }),
    ];
    const registrations: RegisterRequest[] = [];
    const calls = masterCalls({
      register: async (request) => {
        registrations.push(request);
        return registered([]);
      },
      allocate: async () => answers.shift() ?? answer({}),
      finish: async () => ({ unregistered: true }),
    });
    await calls.register({ host: 'h' });
    for (let i = 0; i < 2; i++) await calls.allocate({ progress: 0, asks: [], cancels: [], releases: [] }, 10);
    assert.deepEqual(
      registrations.map(({ registrationId: _, ...said }) => said),
      [{ host: 'h' }, { host: 'h', heardEnds: ['c1'] }],
    );
  });
});
