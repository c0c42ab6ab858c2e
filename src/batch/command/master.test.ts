import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { ManualClock, systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import type { CommandJob } from '../../wire/cluster/command-job.ts';
import { runCommandMaster } from './master.ts';
import type { AllocateAnswer, AllocateRequest, MasterCalls } from './master-calls.ts';

const job: CommandJob = {
  command: ['true'],
  instances: 2,
  memoryMiB: 128,
  vcores: 1,
  environment: { A: 'b' },
  files: {},
  retries: 1,
  attached: false,
};

/** A cluster that gives every request a container at once; `exitCodes` are those of the containers in order. */
function fakeCluster(exitCodes: number[]) {
  const asked: AllocateRequest[] = [];
  const finished: { finalStatus: string; diagnostics: string }[] = [];
  let number = 0;
  const calls: MasterCalls = {
    register: async () => ({ maximumResource: { memoryMiB: 1024, vcores: 4 }, runningContainers: [], notes: [] }),
    allocate: async (request): Promise<AllocateAnswer> => {
      if (request.asks.length > 0) asked.push(request);
      const allocations = request.asks.map(({ askId }) => ({ askId, containerId: `c${number++}`, nodeHttpAddress: 'n:1' }));
      const completed = allocations.map(({ containerId, nodeHttpAddress }) => ({
        containerId,
        nodeHttpAddress,
        exitCode: exitCodes[Number(containerId.slice(1))] ?? 0,
        diagnostics: 'said no',
      }));
      return { allocations, completed };
    },
    finish: async (request) => finished.push(request),
  };
  return { calls, asked, finished };
}

describe('the master of a command', () => {
  it('starts every instance and succeeds', async () => {
    const { calls, asked, finished } = fakeCluster([]);
    assert.equal(await runCommandMaster({ job, calls, clock: systemClock, logger: silentLogger, host: '127.0.0.1' }), 0);
    assert.deepEqual(
      asked[0]?.asks.map(({ launch }) => launch?.environment),
      [
        { A: 'b', HEDDLE_INSTANCE: '0', HEDDLE_INSTANCES: '2', HEDDLE_TRY: '1' },
        { A: 'b', HEDDLE_INSTANCE: '1', HEDDLE_INSTANCES: '2', HEDDLE_TRY: '1' },
      ],
    );
    assert.equal(finished[0]?.finalStatus, 'SUCCEEDED');
  });

  it('asks for many instances in parts, for each once', async () => {
    const { calls, asked } = fakeCluster([]);
    const many = { ...job, instances: 600 };
    assert.equal(await runCommandMaster({ job: many, calls, clock: systemClock, logger: silentLogger, host: '127.0.0.1' }), 0);
    assert.deepEqual(
      asked.map(({ asks }) => asks.length),
      [250, 250, 100],
    );
    assert.equal(new Set(asked.flatMap(({ asks }) => asks.map(({ askId }) => askId))).size, 600);
  });

  it('tries a failed instance again', async () => {
    const { calls, asked } = fakeCluster([0, 7, 0]);
    assert.equal(await runCommandMaster({ job, calls, clock: systemClock, logger: silentLogger, host: '127.0.0.1' }), 0);
    assert.equal(asked[1]?.asks[0]?.launch?.environment?.['HEDDLE_TRY'], '2');
  });

  it('waits before it tries an instance again that failed twice, and hears of others meanwhile', async () => {
    const { calls, asked } = fakeCluster([1, 1, 1, 1, 0]);
    const clock = new ManualClock(0);
    const times: number[] = [];
    const waiting: MasterCalls = {
      ...calls,
      allocate: async (request, waitMs) => {
        if (request.asks.length > 0) times.push(clock.steadyMs());
        const answer = await calls.allocate(request, waitMs);
        if (answer.completed.length === 0) clock.advance(waitMs);
        return answer;
      },
    };
    const service = { ...job, instances: 1, retries: -1 };
    assert.equal(await runCommandMaster({ job: service, calls: waiting, clock, logger: silentLogger, host: '127.0.0.1' }), 0);
    assert.deepEqual(times, [0, 0, 1000, 3000, 7000]);
    assert.equal(asked.at(-1)?.asks[0]?.launch?.environment?.['HEDDLE_TRY'], '5');
  });

  it('fails with the code of an instance that failed too often', async () => {
    const { calls, finished } = fakeCluster([0, 7, 8]);
    assert.equal(await runCommandMaster({ job, calls, clock: systemClock, logger: silentLogger, host: '127.0.0.1' }), 8);
    assert.deepEqual(finished[0], {
      finalStatus: 'FAILED',
      diagnostics: 'Instance 1 failed with exit code 8 after 2 tries. said no',
      trackingUrl: '',
    });
  });

  it('waits for a client that reads the output, and says so when it waits no longer', async () => {
    const { calls, finished } = fakeCluster([]);
    const clock = new ManualClock(0);
    const lines: string[] = [];
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const code = runCommandMaster({ job: { ...job, attached: true }, calls, clock, logger, host: '127.0.0.1' });
    while (finished.length === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(250);
    }
    assert.equal(await code, 0);
    assert.ok(clock.steadyMs() > 10_000);
    assert.match(lines.join(''), /waits no longer/);
  });

  it('refuses containers that no node may have', async () => {
    const { calls, finished } = fakeCluster([]);
    assert.equal(
      await runCommandMaster({ job: { ...job, memoryMiB: 4096 }, calls, clock: systemClock, logger: silentLogger, host: '127.0.0.1' }),
      1,
    );
    assert.match(finished[0]?.diagnostics ?? '', /more than the largest allowed/);
  });

  it('gives instances back and asks for them again as their user wants', async () => {
    const wanted = [undefined, undefined, 1, 3];
    const told: { asks: string[]; cancels: readonly string[]; releases: readonly string[] }[] = [];
    const environments: unknown[] = [];
    let isRoom = false;
    const calls: MasterCalls = {
      register: async () => ({ maximumResource: { memoryMiB: 1024, vcores: 4 }, runningContainers: [], notes: [], instances: 4 }),
      allocate: async ({ asks, cancels, releases }): Promise<AllocateAnswer> => {
        told.push({ asks: asks.map(({ askId }) => askId), cancels, releases });
        environments.push(...asks.map(({ launch }) => launch?.environment?.['HEDDLE_INSTANCES']));
        // Two get a container, the others wait; those of the second wave succeed at once.
        const given = asks.filter(({ askId }) => isRoom || Number(askId.split('-')[0]) < 2);
        const ended = (containerId: string, exitCode: number) => ({ containerId, nodeHttpAddress: 'n:1', exitCode, diagnostics: '' });
        const isLast = isRoom;
        if (told.length === 4) isRoom = true;
        const instances = wanted[told.length - 1];
        return {
          allocations: given.map(({ askId }) => ({ askId, containerId: `c${askId}`, nodeHttpAddress: 'n:1' })),
          completed: [
            ...releases.map((containerId) => ended(containerId, -105)),
            ...(isLast ? given.map(({ askId }) => ended(`c${askId}`, 0)) : []),
            ...(isLast ? [ended('c0-1', 0)] : []),
          ],
          ...(instances === undefined ? {} : { instances }),
        };
      },
      finish: async () => undefined,
    };
    assert.equal(await runCommandMaster({ job, calls, clock: systemClock, logger: silentLogger, host: '127.0.0.1' }), 0);
    assert.deepEqual(told.slice(0, 5), [
      { asks: [], cancels: [], releases: [] },
      { asks: ['0-1', '1-1', '2-1', '3-1'], cancels: [], releases: [] },
      { asks: [], cancels: [], releases: [] },
      { asks: [], cancels: ['2-1', '3-1'], releases: ['c1-1'] },
      { asks: ['1-2', '2-1'], cancels: [], releases: [] },
    ]);
    assert.deepEqual(environments, ['4', '4', '4', '4', '3', '3']);
  });
});
