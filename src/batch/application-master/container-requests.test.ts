// How a master's wishes for containers reach the resource manager, and what it makes of the answers.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { MasterRefused } from '../../client/master-client.ts';
import { silentLogger } from '../../lib/log.ts';
import type {
  AllocateRequest,
  AllocateResponse,
  Allocation,
  RegisterRequest,
  RunningContainer,
} from '../../wire/cluster/master-protocol.ts';
import { JobConfiguration } from '../tasks/job-configuration.ts';
import { ContainerRequests } from './container-requests.ts';
import { NodeAvoidance } from './node-avoidance.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122) });

type Ask = Parameters<ContainerRequests['ask']>[0];
const ask = (askId: string): Ask => ({ askId, priority: 20, resource: { memoryMiB: 1024, vcores: 1 }, count: 1 });
const resource = { memoryMiB: 1024, vcores: 1 };

const allocation = (askId: string, containerId = `container_of_${askId}`): Allocation => ({
  containerId,
  askId,
  nodeId: 'a:1',
  nodeHttpAddress: 'a:2',
  resource,
  priority: 20,
  executionType: 'GUARANTEED',
  containerToken: '',
});

/** A container that runs although the master does not wait for it. */
const runningContainer = (containerId: string): RunningContainer => ({
  containerId,
  askId: '',
  nodeId: 'a:1',
  nodeHttpAddress: 'a:2',
  resource,
  priority: 20,
  containerToken: '',
});

const completed = (containerId: string): AllocateResponse['completed'][number] => ({
  containerId,
  state: 'COMPLETE',
  exitCode: 0,
  diagnostics: '',
  resource,
  priority: 20,
  createdTime: 1,
  nodeId: 'a:1',
  nodeHttpAddress: 'a:2',
});

/** The resource manager's end: the test answers each call, or the master interrupts it. */
class Manager {
  /** Calls in their order, as they came. */
  readonly calls: { readonly request: AllocateRequest; readonly waitMs: number }[] = [];
  readonly registrations: RegisterRequest[] = [];
  running: RunningContainer[] = [];
  /** Of the first call after a registration. */
  responseId: number | undefined;
  #answer: ((response: AllocateResponse) => void) | undefined;
  #refuse: ((error: Error) => void) | undefined;

  register = (body: RegisterRequest) => {
    this.registrations.push(body);
    return Promise.resolve({
      ...(this.responseId === undefined ? {} : { responseId: this.responseId }),
      maximumResource: resource,
      minimumResource: resource,
      queue: 'root.default',
      applicationAcls: {},
      runningContainers: this.running,
      clusterTimestamp: 1,
      notes: [],
    });
  };

  allocate = (request: AllocateRequest, waitMs: number, signal?: AbortSignal): Promise<AllocateResponse> => {
    this.calls.push({ request, waitMs });
    return new Promise((resolve, reject) => {
      this.#answer = resolve;
      this.#refuse = reject;
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  };

  get last(): AllocateRequest {
    return this.calls.at(-1)!.request;
  }

  /** Answers the call that waits. The number of the answer follows that of the request. */
  async answer(parts: Partial<AllocateResponse> = {}): Promise<void> {
    this.#answer!({ responseId: this.last.responseId + 1, allocations: [], completed: [], headroom: resource, ...parts });
    await settle();
  }

  async refuse(error: Error): Promise<void> {
    this.#refuse!(error);
    await settle();
  }
}

/** Lets the loop of the requests go on until it waits again. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await turn();
}

/** A master's requests with a manager, the loop running. */
async function started(options: { readonly wants?: (askId: string) => boolean } = {}) {
  const manager = new Manager();
  const events: string[] = [];
  const requests = new ContainerRequests({
    client: manager,
    registration: { host: 'here', rpcPort: 1 },
    logger: silentLogger,
    avoidance: new NodeAvoidance(new JobConfiguration({ 'mapreduce.job.maxtaskfailures.per.tracker': '2' })),
    progress: () => 0.5,
    allocated: ({ askId, containerId }) => {
      events.push(`allocated ${containerId}`);
      return options.wants?.(askId) ?? true;
    },
    completed: ({ containerId }) => events.push(`completed ${containerId}`),
    refused: (reason) => events.push(`refused: ${reason}`),
    shutdown: () => events.push('shutdown'),
    changed: () => events.push('changed'),
  });
  const ended = requests.run();
  await settle();
  return { manager, events, requests, ended };
}

const ids = (request: AllocateRequest) => (request.asks ?? []).map(({ askId }) => askId);

describe('asking', () => {
  test('what can never be had is told and not asked for again, and everything else goes on', async () => {
    const { manager, events, requests, ended } = await started();
    requests.ask(ask('a'));
    requests.release('container_9');
    await settle();
    await manager.answer();
    await manager.refuse(new MasterRefused(400, '{"message":"no such label"}'));
    assert.deepEqual(events, ['changed', 'refused: no such label']);
    assert.deepEqual([ids(manager.last), manager.last.releases, manager.last.responseId], [[], ['container_9'], 1]);
    assert.ok(!requests.mayCome('container_1'), 'nothing is waited for any more');
    await manager.answer({ command: 'resync' });
    assert.deepEqual(ids(manager.last), [], 'a restarted resource manager is not asked for it either');
    requests.stop();
    await ended;
  });

  test('a master that is refused itself ends', async () => {
    const { manager, requests, ended } = await started();
    const refusal = new MasterRefused(400, 'none of ours');
    await Promise.all([assert.rejects(ended, refusal), manager.refuse(refusal)]);
    requests.stop();
    const other = await started();
    other.requests.ask(ask('a'));
    await settle();
    await other.manager.answer();
    const forbidden = new MasterRefused(403, 'another token');
    await Promise.all([assert.rejects(other.ended, forbidden), other.manager.refuse(forbidden)]);
  });

  test('a master without wishes polls, and tells its progress', async () => {
    const { manager, requests, ended } = await started();
    assert.deepEqual(manager.calls, [{ request: { responseId: 0, progress: 0.5, asks: [], cancels: [], releases: [] }, waitMs: 3000 }]);
    await manager.answer();
    assert.equal(manager.last.responseId, 1);
    requests.stop();
    await ended;
  });

  test('wishes of one turn go together, and at once: they interrupt the poll, which is repeated unchanged first', async () => {
    const { manager, requests, ended } = await started();
    for (const askId of ['a', 'b']) requests.ask(ask(askId));
    requests.release('container_9');
    await settle();
    assert.equal(manager.calls.length, 2);
    assert.deepEqual(
      manager.calls[1],
      { ...manager.calls[0], waitMs: 0 },
      'it may have been carried out: the same number, the same content',
    );
    await manager.answer();
    assert.deepEqual(ids(manager.last), ['a', 'b']);
    assert.deepEqual(manager.last.releases, ['container_9']);
    assert.equal(manager.last.responseId, 1);
    await manager.answer();
    assert.deepEqual(ids(manager.last), [], 'a wish is told once');
    assert.equal(manager.calls.at(-1)!.waitMs, 3000);
    requests.stop();
    await ended;
  });

  test('many wishes go in parts that the resource manager takes, one right after the other, also after it was started again', async () => {
    const { manager, requests, ended } = await started();
    const wishes = Array.from({ length: 12_000 }, (_, index) => `a${index}`);
    for (const askId of wishes) requests.ask(ask(askId));
    await settle();
    const told = async (): Promise<string[]> => {
      const before = manager.calls.length;
      do await manager.answer();
      while (manager.calls.at(-1)!.waitMs === 0);
      const parts = manager.calls.slice(before).map(({ request }) => ids(request));
      assert.deepEqual(
        parts.map(({ length }) => length),
        [5000, 5000, 2000],
      );
      return parts.flat();
    };
    assert.deepEqual(await told(), wishes);
    await manager.answer();
    await manager.answer({ command: 'resync' });
    assert.equal(ids(manager.last).length, 5000);
    await manager.answer();
    await manager.answer();
    assert.deepEqual(
      manager.calls.slice(-3).flatMap(({ request }) => ids(request)),
      wishes,
    );
    requests.stop();
    await ended;
  });

  test('a wish that is cancelled before it was told is not told', async () => {
    const { manager, requests, ended } = await started();
    requests.ask(ask('a'));
    requests.cancel('a');
    requests.cancel('unknown');
    await settle();
    await manager.answer();
    assert.deepEqual(ids(manager.last), []);
    assert.deepEqual(manager.last.cancels, ['a']);
    assert.equal(requests.mayCome('container_1'), false);
    requests.stop();
    await ended;
  });

  test('a container may come while a wish is open, and later while it is held', async () => {
    const { manager, requests, ended } = await started();
    assert.equal(requests.mayCome('container_of_a'), false);
    requests.ask(ask('a'));
    assert.equal(requests.mayCome('container_of_a'), true, 'its process may ask before the allocation is heard of');
    await settle();
    await manager.answer();
    await manager.answer({ allocations: [allocation('a')] });
    assert.equal(requests.mayCome('container_of_a'), true);
    assert.equal(requests.mayCome('container_other'), false);
    await manager.answer({ completed: [completed('container_of_a')] });
    assert.equal(requests.mayCome('container_of_a'), false);
    requests.stop();
    await ended;
  });
});

describe('answers', () => {
  test('allocations are told before completions, then that something changed', async () => {
    const { manager, events, requests, ended } = await started();
    requests.ask(ask('a'));
    await settle();
    await manager.answer();
    events.length = 0;
    await manager.answer({ allocations: [allocation('a')], completed: [completed('container_of_a')] });
    assert.deepEqual(events, ['allocated container_of_a', 'completed container_of_a', 'changed']);
    requests.stop();
    await ended;
  });

  test('a container that is not wanted any more is given back with the next call', async () => {
    const { manager, requests, ended } = await started({ wants: () => false });
    requests.ask(ask('a'));
    await settle();
    await manager.answer();
    await manager.answer({ allocations: [allocation('a')] });
    assert.deepEqual(manager.last.releases, ['container_of_a']);
    requests.stop();
    await ended;
  });

  test('the headroom is that of the last answer, without limit before the first', async () => {
    const { manager, requests, ended } = await started();
    assert.deepEqual(requests.headroom, { memoryMiB: Number.MAX_SAFE_INTEGER, vcores: Number.MAX_SAFE_INTEGER });
    await manager.answer({ headroom: { memoryMiB: 512, vcores: 1 } });
    assert.deepEqual(requests.headroom, { memoryMiB: 512, vcores: 1 });
    requests.stop();
    await ended;
  });

  test('a manager that wants the master to end is obeyed, and asked no more', async () => {
    const { manager, events, ended } = await started();
    await manager.answer({ command: 'shutdown', allocations: [allocation('a')] });
    await ended;
    assert.deepEqual(events, ['shutdown']);
    assert.equal(manager.calls.length, 1);
  });

  test('a manager that refuses the master ends the loop with its error', async () => {
    const { manager, ended } = await started();
    const refused = assert.rejects(ended, /no such attempt/);
    await manager.refuse(new Error('no such attempt'));
    await refused;
  });

  test('a stop ends a waiting poll', async () => {
    const { manager, requests, ended } = await started();
    requests.stop();
    await ended;
    assert.equal(manager.calls.length, 1);
  });
});

describe('after a restart of the resource manager', () => {
  test('the master registers again, by a name of its own each time, and repeats every open wish, from number 0', async () => {
    const { manager, requests, ended } = await started();
    for (const askId of ['a', 'b', 'c']) requests.ask(ask(askId));
    await settle();
    await manager.answer();
    await manager.answer({ allocations: [allocation('a')] });
    requests.cancel('b');
    await settle();
    await manager.answer({ command: 'resync' });
    const [{ registrationId = '', ...registration } = {}] = manager.registrations;
    assert.deepEqual(registration, { host: 'here', rpcPort: 1, heardEnds: [] });
    assert.deepEqual(ids(manager.last), ['c'], 'a has its container, b is not wanted any more');
    assert.equal(manager.last.responseId, 0);
    manager.responseId = 8000;
    await manager.answer({ command: 'resync' });
    assert.equal(manager.last.responseId, 8000, 'the number that the registration was answered with');
    assert.notEqual(manager.registrations[1]?.registrationId, registrationId);
    requests.stop();
    await ended;
  });

  test('what was given and not told of is taken over, and not asked for again', async () => {
    const { manager, requests, events, ended } = await started();
    for (const askId of ['a', 'b']) requests.ask(ask(askId));
    await settle();
    await manager.answer();
    manager.running = [{ ...runningContainer('container_of_a'), askId: 'a' }];
    await manager.answer({ command: 'resync' });
    assert.deepEqual(ids(manager.last), ['b']);
    assert.ok(events.includes('allocated container_of_a'));
    assert.deepEqual(manager.last.releases, []);
    requests.stop();
    await ended;
  });

  test('the ends of the last answer are not told again, and what is held and listed nowhere is given back', async () => {
    const { manager, requests, ended } = await started();
    for (const askId of ['a', 'b']) requests.ask(ask(askId));
    await settle();
    await manager.answer({ allocations: [allocation('a'), allocation('b')] });
    await manager.answer({ completed: [completed('container_of_a')] });
    await manager.answer({ command: 'resync' });
    assert.deepEqual(manager.registrations[0]?.heardEnds, ['container_of_a']);
    assert.deepEqual(manager.last.releases, ['container_of_b']);
    requests.stop();
    await ended;
  });

  test('a wish that the manager was not told of yet is told once', async () => {
    const { manager, requests, ended } = await started();
    requests.ask(ask('a'));
    await settle();
    requests.ask(ask('b'));
    requests.cancel('a');
    await settle();
    await manager.answer({ command: 'resync' });
    assert.deepEqual(ids(manager.last), ['b']);
    await manager.answer();
    assert.deepEqual(ids(manager.last), []);
    assert.deepEqual(manager.last.cancels, [], 'the restarted manager never heard of it');
    requests.stop();
    await ended;
  });

  test('containers that run there without this master’s knowledge are given back; those on their way back stay so', async () => {
    const { manager, requests, ended } = await started();
    requests.ask(ask('a'));
    await settle();
    await manager.answer();
    await manager.answer({ allocations: [allocation('a')] });
    manager.running = [runningContainer('container_of_a'), runningContainer('container_stranger')];
    requests.release('container_given_back');
    await settle();
    await manager.answer(); // the interrupted poll
    await manager.answer({ command: 'resync' });
    assert.deepEqual(manager.last.releases, ['container_given_back', 'container_stranger']);
    requests.stop();
    await ended;
  });
});

describe('a host on which attempts fail', () => {
  test('gets nothing more of this master, also after a restart of the resource manager, and what came meanwhile goes back', async () => {
    const { manager, events, requests, ended } = await started();
    await manager.answer({ clusterNodes: 4 });
    requests.failedOn('a:1');
    await settle();
    await manager.answer();
    assert.equal(manager.last.blacklistAdditions, undefined, 'one failure is none');
    requests.failedOn('a:7');
    requests.ask(ask('again'));
    await settle();
    await manager.answer(); // the interrupted poll
    assert.deepEqual(manager.last.blacklistAdditions, ['a']);
    assert.deepEqual(ids(manager.last), ['again'], 'in the same call');
    await manager.answer({ allocations: [allocation('again', 'container_late')] });
    assert.deepEqual(manager.last.releases, ['container_late']);
    assert.deepEqual(ids(manager.last), ['again']);
    assert.equal(manager.last.blacklistAdditions, undefined, 'told once');
    assert.ok(!events.includes('allocated container_late'));
    await manager.answer({ command: 'resync' });
    assert.deepEqual(manager.last.blacklistAdditions, ['a'], 'told again');
    await manager.answer({ allocations: [{ ...allocation('again', 'container_b'), nodeId: 'b:1' }] });
    assert.ok(events.includes('allocated container_b'));
    requests.stop();
    await ended;
  });

  test('is used all the same where all nodes are on it', async () => {
    const { manager, requests, ended } = await started();
    await manager.answer({ clusterNodes: 4, clusterHosts: 1 });
    for (const nodeId of ['a:1', 'a:2']) requests.failedOn(nodeId);
    await settle();
    await manager.answer();
    assert.equal(manager.last.blacklistAdditions, undefined, 'nothing could run any more');
    requests.stop();
    await ended;
  });

  test('is used all the same while too much of the cluster would be avoided', () => {
    const avoidance = (settings: Record<string, string>) =>
      new NodeAvoidance(new JobConfiguration({ 'mapreduce.job.maxtaskfailures.per.tracker': '1', ...settings }));
    const one = avoidance({});
    one.clusterHas(3);
    assert.ok(one.failedOn('a:1'));
    assert.deepEqual([one.hosts, one.takeNews()], [[], undefined], 'a third of the nodes');
    one.clusterHas(4);
    assert.deepEqual(one.takeNews(), { blacklistAdditions: ['a'], blacklistRemovals: [] });
    assert.ok(one.avoids('a:2') && !one.avoids('ab:2'));
    one.failedOn('b:1');
    assert.deepEqual(one.takeNews(), { blacklistAdditions: [], blacklistRemovals: ['a'] }, 'half of them');
    const unknown = avoidance({});
    unknown.failedOn('a:1');
    assert.deepEqual(unknown.hosts, [], 'the size of the cluster is not known');
    const always = avoidance({ 'yarn.app.mapreduce.am.job.node-blacklisting.ignore-threshold-node-percent': '-1' });
    always.failedOn('a:1');
    assert.deepEqual(always.hosts, ['a']);
    const never = avoidance({ 'yarn.app.mapreduce.am.job.node-blacklisting.enable': 'false' });
    assert.equal(never.failedOn('a:1'), false);
  });
});

/** A manager as it should be: it keeps wishes by their id, knows repeated requests by their number, and forgets all when it restarts. */
class Model {
  readonly wishes = new Map<string, Ask>();
  readonly released: string[] = [];
  #lastId = 0;
  #lastAnswer: AllocateResponse | undefined;
  #serial = 0;
  #restarted = false;

  restart(): void {
    this.wishes.clear();
    this.#lastId = 0;
    this.#lastAnswer = undefined;
    this.#restarted = true;
  }

  /** @param grant how many wishes get a container */
  take(request: AllocateRequest, grant: number): AllocateResponse {
    const nothing = { allocations: [], completed: [], headroom: resource };
    if (this.#restarted && request.responseId !== 0) return { responseId: 0, command: 'resync', ...nothing };
    this.#restarted = false;
    if (this.#lastAnswer !== undefined && request.responseId === this.#lastId - 1) return this.#lastAnswer;
    assert.equal(request.responseId, this.#lastId, 'numbers follow one another');
    for (const wish of request.asks ?? []) this.wishes.set(wish.askId, wish);
    for (const askId of request.cancels ?? []) this.wishes.delete(askId);
    this.released.push(...(request.releases ?? []));
    const granted = [...this.wishes.keys()].slice(0, grant);
    for (const askId of granted) this.wishes.delete(askId);
    this.#lastAnswer = {
      responseId: ++this.#lastId,
      ...nothing,
      allocations: granted.map((askId) => allocation(askId, `container_${++this.#serial}`)),
    };
    return this.#lastAnswer;
  }
}

test('whatever is asked, cancelled, interrupted and restarted: in the end every wish that stood has one container, and no other', async () => {
  const step = fc.record({
    kind: fc.constantFrom('ask', 'ask', 'cancel', 'answer', 'answer', 'lostAnswer', 'restart'),
    pick: fc.nat(100),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
      const model = new Model();
      const wanted = new Set<string>();
      const got = new Map<string, string[]>();
      let serial = 0;
      let pending: { request: AllocateRequest; resolve: (answer: AllocateResponse) => void } | undefined;
      const requests = new ContainerRequests({
        client: {
          register: new Manager().register,
          allocate: (request, _waitMs, signal) =>
            new Promise((resolve, reject) => {
              pending = { request, resolve };
              signal?.addEventListener('abort', () => reject(signal.reason));
            }),
        },
        registration: {},
        logger: silentLogger,
        avoidance: new NodeAvoidance(new JobConfiguration({})),
        progress: () => 0,
        allocated: ({ askId, containerId }) => {
          if (!wanted.delete(askId)) return false;
          got.set(askId, [...(got.get(askId) ?? []), containerId]);
          return true;
        },
        completed: () => {},
        refused: () => {},
        shutdown: () => {},
        changed: () => {},
      });
      const ended = requests.run();
      await settle();
      for (const { kind, pick } of steps) {
        if (kind === 'ask') {
          const askId = `ask_${++serial}`;
          wanted.add(askId);
          requests.ask(ask(askId));
        } else if (kind === 'cancel') {
          const askId = [...wanted][pick % Math.max(1, wanted.size)];
          if (askId === undefined) continue;
          wanted.delete(askId);
          requests.cancel(askId);
        } else if (kind === 'restart') model.restart();
        else if (kind === 'lostAnswer')
          model.take(pending!.request, pick % 3); // carried out, but the master never hears of it
        else pending!.resolve(model.take(pending!.request, pick % 3));
        if (pick % 2 === 0) await settle();
      }
      const stood = serial;
      for (let i = 0; (i < 4 || wanted.size > 0) && i < 30; i++) {
        await settle();
        pending!.resolve(model.take(pending!.request, 10));
      }
      await settle();
      assert.equal(wanted.size, 0, `${wanted.size} of ${stood} wishes never got a container`);
      assert.deepEqual([...model.wishes.keys()], [], 'nothing is open that is not wanted');
      for (const [askId, containers] of got) assert.equal(containers.length, 1, askId);
      requests.stop();
      await ended;
    }),
    { numRuns: 60 },
  );
});
