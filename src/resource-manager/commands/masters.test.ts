// Calls of masters: with two faults at once the first one wins, and nothing of a call that is refused is taken.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure } from '../../model/errors.ts';
import type { Attempt } from '../applications/attempt.ts';
import { aContainer, anAttempt } from '../test-support/builders.ts';
import { applicationOf, codeOf, queuePolicy, types } from '../test-support/commands.ts';
import { type AllocateAnswer, type AllocateCall, type AllocatePorts, allocate } from './allocate.ts';
import { finish } from './finish.ts';
import { type RegisterPorts, register } from './register.ts';

const master = (more: Partial<Attempt> = {}) => ({ application: applicationOf(), attempt: anAttempt(more) });
const refusalOf = async (run: () => Promise<unknown>): Promise<string> => {
  try {
    await run();
    return 'taken';
  } catch (error) {
    if (error instanceof Failure) return `${error.code} ${error.message}`;
    throw error;
  }
};

/** What registering works with, and what was registered. */
const stand = (options: { isExpected?: boolean; handlesConstraints?: boolean; isSuperseded?: boolean; ending?: Promise<void> } = {}) => {
  const { isExpected = true, handlesConstraints = true, isSuperseded = false, ending } = options;
  const registered: unknown[] = [];
  const ports: RegisterPorts = {
    masters: {
      register(_application, _attempt, at) {
        if (!isExpected) return undefined;
        registered.push(at);
        return { durable: Promise.resolve(), held: [aContainer({ id: 'c' })], over: [], responseId: 7 };
      },
      isSupersededRegistration: () => isSuperseded,
      ending: () => ending,
      tokenOf: (_application, { id }) => `token of ${id}`,
      notesOf: () => ['note'],
    },
    policy: queuePolicy(),
    handlesConstraints,
  };
  return { ports, registered };
};
const request = {
  host: undefined,
  rpcPort: undefined,
  trackingUrl: undefined,
  constraints: [],
  heardEnds: [],
  registrationId: undefined,
};

describe('registering', () => {
  it('tells what it may ask for, what runs already and what was kept', async () => {
    const { ports, registered } = stand();
    const constraints = [{ sourceTags: ['web'], constraint: 'notin,node,web' }];
    const told = await register(ports, master(), { ...request, constraints });
    assert.deepEqual([told.maximumResource, told.minimumResource, told.notes, told.responseId], [[8192, 4], [128, 1], ['note'], 7]);
    assert.deepEqual(
      told.containers.map(({ container, token }) => [container.id, token]),
      [['c', 'token of c']],
    );
    const [at] = registered as [{ host: string; rpcPort: number; constraints: ReadonlyMap<string, unknown> }];
    assert.deepEqual([at.host, at.rpcPort, [...at.constraints.keys()]], ['', -1, ['web']]);
  });

  it('refuses constraints that say more together than one call may', async () => {
    const { ports, registered } = stand();
    const constraint = { type: 'attribute', name: 'a', values: Array.from({ length: 1000 }, (_, index) => `v${index}`) };
    const tagged = (count: number) => Array.from({ length: count }, (_, index) => ({ sourceTags: [`t${index}`], constraint }));
    assert.match(
      await refusalOf(() => register(ports, master(), { ...request, constraints: tagged(21) })),
      /^PLACEMENT_CONSTRAINT_REFUSED .*more than 20000 tags, values and brackets in the constraints of one call/,
    );
    assert.deepEqual(registered, []);
    await register(ports, master(), { ...request, constraints: tagged(20) });
  });

  it('finds the first of two faults', async () => {
    const two = { ...request, constraints: [{ sourceTags: ['a', 'b'], constraint: 'nonsense' }] };
    const malformed = { ...request, constraints: [{ sourceTags: ['a'], constraint: 'nonsense' }] };
    const early = stand({ isExpected: false });
    assert.match(
      await refusalOf(() => register(stand({ isExpected: false, handlesConstraints: false }).ports, master(), two)),
      /^PLACEMENT_CONSTRAINTS_DISABLED Found non empty placement constraints map in RegisterApplicationMasterRequest/,
    );
    assert.match(await refusalOf(() => register(early.ports, master(), two)), /Only a single allocation tag .* found \[a, b\]$/);
    assert.match(await refusalOf(() => register(early.ports, master(), malformed)), /^PLACEMENT_CONSTRAINT_REFUSED /);
    assert.match(await refusalOf(() => register(early.ports, master(), request)), /^MASTER_NOT_EXPECTED .* its attempt is RUNNING\.$/);
    assert.deepEqual(early.registered, []);
    const late = stand({ isExpected: false, isSuperseded: true });
    const named = { ...request, registrationId: 'one' };
    assert.match(await refusalOf(() => register(late.ports, master(), { ...malformed, registrationId: 'one' })), /^PLACEMENT_CONSTRAINT_/);
    assert.match(await refusalOf(() => register(late.ports, master(), named)), /^REGISTRATION_SUPERSEDED .* since its registration one\.$/);
  });
});

describe('allocating', () => {
  const answer: AllocateAnswer = { responseId: 1, allocations: [], completed: [], headroom: { memoryMiB: 0, vcores: 0 } };
  const stand = (handlesConstraints = true) => {
    const taken: {
      wait: Parameters<AllocatePorts['masters']['allocate']>[3];
      call: Parameters<AllocatePorts['masters']['allocate']>[2];
    }[] = [];
    const ports: AllocatePorts = {
      masters: {
        mayKeepNotes: (_id, notes) => notes.join('').length <= 10,
        beyondAsks: () => undefined,
        async allocate(_application, _attempt, call, wait) {
          taken.push({ wait, call });
          return answer;
        },
      },
      policy: queuePolicy(),
      types,
      handlesConstraints,
      mostNotesCharacters: 10,
    };
    return { ports, taken };
  };
  const request = { askId: 'a', resource: { memoryMiB: 128, vcores: 1 }, count: 1 };

  it('asks for what there is room for, or for nothing at all', async () => {
    const { ports, taken } = stand();
    const beyond = { ...ports, masters: { ...ports.masters, beyondAsks: () => 'it is too much' } };
    const call = { responseId: 0, requests: [request] };
    assert.match(await refusalOf(() => allocate(beyond, master(), call, 0, signal)), /^ASK_REFUSED Ask a cannot be served: it is too much/);
    await allocate(beyond, master(), { responseId: 0 }, 0, signal);
    assert.equal(taken.length, 1);
  });

  const { signal } = new AbortController();
  const withGpu = { memoryMiB: 9000, vcores: 1, gpu: 1 };
  /** Faults in the order in which they are found. */
  const faults: readonly (readonly [fault: Partial<AllocateCall>, refusal: RegExp])[] = [
    [
      { requests: [{ ...request, resource: withGpu }] },
      /^ASK_REFUSED .*Unknown resource 'gpu'\. Known resources are \[memory-mb, vcores\]/,
    ],
    [
      { requests: [{ ...request, resource: { memoryMiB: 9000, vcores: 1 }, labelExpression: 'x' }] },
      /^ASK_REFUSED .*greater than the maximum allowed allocation, requested <memory:9000, vCores:1>, maximum <memory:8192, vCores:4>/,
    ],
    [{ requests: [{ ...request, labelExpression: 'x', placementConstraint: 'nonsense' }] }, /^ASK_REFUSED .*node label not enabled/],
    [{ blacklistAdditions: ['n1', '*', ''] }, /^BLACKLIST_REFUSED Cannot add \* to the blacklist!$/],
    [
      { releases: ['container_1_0001_02_000001'], foreignReleases: 'refused' },
      /^RELEASE_REFUSED Cannot release container : container_1_0001_02_000001 not belonging to this application attempt : appattempt_\d+_0001_000001$/,
    ],
    [{ notes: ['more than ten letters'] }, /^BAD_REQUEST .*more than 10 characters of notes/],
    [{ requests: [{ ...request, placementConstraint: 'nonsense' }] }, /^PLACEMENT_CONSTRAINT_REFUSED /],
  ];

  it('finds the first of two faults, and takes nothing then', async () => {
    const { ports, taken } = stand();
    for (const [at, [fault, refusal]] of faults.entries())
      for (const [later] of faults.slice(at))
        assert.match(await refusalOf(() => allocate(ports, master(), { responseId: 0, ...later, ...fault }, 0, signal)), refusal);
    assert.deepEqual(taken, []);
  });

  it('refuses tags and constraints where their handler is off, and no other request', async () => {
    const { ports } = stand(false);
    const call = (more: object) =>
      codeOf(() => allocate(ports, master(), { responseId: 0, requests: [{ ...request, ...more }] }, 0, signal));
    assert.equal(await call({ allocationTags: ['web'] }), 'PLACEMENT_CONSTRAINTS_DISABLED');
    assert.equal(await call({ placementConstraint: 'notin,node,web' }), 'PLACEMENT_CONSTRAINTS_DISABLED');
    assert.equal(await call({ allocationTags: [] }), 'done');
  });

  it('reads constraints, and waits for a minute at most', async () => {
    const { ports, taken } = stand();
    const requests = [{ ...request, placementConstraint: 'notin,node,web' }];
    assert.equal(await allocate(ports, master(), { responseId: 0, requests, cancels: ['b'] }, 3_600_000, signal), answer);
    await allocate(ports, master(), { responseId: 1 }, 10, signal);
    assert.deepEqual(
      taken.map(({ wait, call }) => [
        wait,
        call.cancels,
        call.requests?.map(({ placementConstraint }) => placementConstraint !== undefined),
      ]),
      [
        [60_000, ['b'], [true]],
        [10, undefined, undefined],
      ],
    );
  });

  it('bounds the blacklist by what stays of it', async () => {
    const { ports } = stand();
    const many = Array.from({ length: 10_000 }, (_, i) => `n${i}`);
    const call = (blacklistAdditions: string[], blacklistRemovals: string[], before: string[] = []) =>
      refusalOf(() =>
        allocate(ports, master({ blacklistedNodes: new Set(before) }), { responseId: 0, blacklistAdditions, blacklistRemovals }, 0, signal),
      );
    assert.equal(await call(many, []), 'taken');
    assert.equal(await call(['n1', 'more'], ['n2'], many), 'taken');
    assert.equal(await call(['more'], [], many), 'BLACKLIST_REFUSED A blacklist has at most 10000 names.');
    assert.equal(await call([''], []), 'BLACKLIST_REFUSED A name in the blacklist is empty.');
    // What can only shrink is never refused.
    assert.equal(await call([], ['n1'], [...many, 'more', 'yet more']), 'taken');
  });
});

describe('finishing', () => {
  const last = { finalStatus: 'SUCCEEDED' as const, diagnostics: '', trackingUrl: undefined };

  it('is said once and again by a master that registered, by no other', async () => {
    let said = 0;
    const taking = { masters: { unregister: () => Promise.resolve(void said++), ending: () => undefined } };
    const over = { masters: { unregister: () => undefined, ending: () => undefined } };
    assert.equal(await codeOf(() => finish(taking, master({ registered: true }), last)), 'done');
    const ended = { ...master({ registered: true }), application: applicationOf({ state: 'FINISHED' }) };
    assert.equal(await codeOf(() => finish(over, ended, last)), 'done');
    assert.equal(await codeOf(() => finish(over, master({ registered: false }), last)), 'MASTER_NOT_EXPECTED');
    assert.equal(said, 1);
  });

  it('is refused when it is durable that the application ends, and not at all where that cannot be stored', async () => {
    const ending = Promise.withResolvers<void>();
    const ports = { masters: { unregister: () => undefined, ending: () => ending.promise } };
    let isAnswered = false;
    const refused = codeOf(() => finish(ports, master({ registered: false }), last)).finally(() => {
      isAnswered = true;
    });
    await new Promise((done) => setImmediate(done));
    assert.equal(isAnswered, false);
    ending.resolve();
    assert.equal(await refused, 'MASTER_NOT_EXPECTED');
    const full = { masters: { unregister: () => undefined, ending: () => Promise.reject(new Error('full')) } };
    await assert.rejects(finish(full, master({ registered: false }), last), /full/);
    await assert.rejects(register(stand({ isExpected: false, ending: full.masters.ending() }).ports, master(), request), /full/);
  });

  it('is refused to a master whose attempt failed while its application goes on', async () => {
    const failed = { attempt: anAttempt({ registered: true, state: 'FAILED' }), application: applicationOf({ state: 'RUNNING' }) };
    assert.equal(
      await codeOf(() => finish({ masters: { unregister: () => undefined, ending: () => undefined } }, failed, last)),
      'MASTER_NOT_EXPECTED',
    );
  });
});
