import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import type { ContainerStart, ExecutionType } from '../../wire/cluster/container-messages.ts';
import { Admission } from './admission.ts';
import { Container } from './container.ts';

const order = (containerId: string, executionType: ExecutionType, memoryMiB: number): ContainerStart =>
  ({ containerId, executionType, resource: { memoryMiB, vcores: 1 }, launch: {} }) as unknown as ContainerStart;

/** A node of 4096 MiB and 16 vcores whose containers end as soon as they are asked to. */
function node(maximumQueueLength = 2) {
  const ended: string[] = [];
  const queued: string[] = [];
  const started: string[] = [];
  const containers = new Map<string, Container>();
  const capacity = { memoryMiB: 4096, vcores: 16 };
  const admission: Admission = new Admission({
    capacity: () => capacity,
    maximumQueueLength,
    kill: (container, exitCode, diagnostics) => {
      ended.push(`${container.id} ${exitCode} ${diagnostics}`);
      container.ending.abort();
    },
    queued: ({ id }) => queued.push(id),
  });
  return {
    admission,
    ended,
    queued,
    started,
    capacity,
    async start(id: string, type: 'O' | 'G', memoryMiB = 1024) {
      const container = new Container(order(id, type === 'O' ? 'OPPORTUNISTIC' : 'GUARANTEED', memoryMiB), new ManualClock(), 1000);
      containers.set(id, container);
      void admission.admit(container).then((admitted) => {
        if (admitted) started.push(id);
      });
      await turn();
    },
    async release(id: string) {
      admission.release(containers.get(id)!);
      await turn();
    },
    async change(id: string, type: ExecutionType) {
      admission.change(containers.get(id)!, type);
      await turn();
    },
    async kill(id: string) {
      containers.get(id)!.ending.abort();
      await turn();
    },
  };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('which containers start on a node', () => {
  it('opportunistic ones take what is left and wait for more', async () => {
    const { admission, start, release, started, queued } = node();
    await start('g1', 'G', 2048);
    for (const id of ['o1', 'o2', 'o3']) await start(id, 'O');
    assert.deepEqual(started, ['g1', 'o1', 'o2']);
    assert.deepEqual(queued, ['o3']);
    assert.deepEqual(admission.figures, { running: 2, memoryMiB: 2048, vcores: 2, queued: 1, waiting: 1 });
    await release('o1');
    assert.deepEqual(started, ['g1', 'o1', 'o2', 'o3']);
    assert.equal(admission.figures.queued, 0);
  });

  it('no more wait than may', async () => {
    const { start, ended, queued } = node(2);
    for (let i = 0; i < 7; i++) await start(`o${i}`, 'O');
    assert.deepEqual(queued, ['o4', 'o5']);
    assert.deepEqual(ended, ['o6 -108 Opportunistic container queue is full.']);
  });

  it('a guaranteed one ends the youngest opportunistic ones for its room, and starts when they are gone', async () => {
    const { start, release, started, ended, admission } = node();
    for (const id of ['o1', 'o2', 'o3', 'o4']) await start(id, 'O');
    await start('g1', 'G', 2048);
    const words = 'Container Killed to make room for Guaranteed Container.';
    assert.deepEqual(ended, [`o4 -108 ${words}`, `o3 -108 ${words}`]);
    await start('g2', 'G', 1024);
    assert.deepEqual(ended.slice(2), [`o2 -108 ${words}`]);
    assert.equal(started.includes('g1'), false);
    await release('o4');
    await release('o3');
    assert.deepEqual(started.slice(4), ['g1']);
    await release('o2');
    assert.deepEqual(started.slice(4), ['g1', 'g2']);
    assert.equal(admission.figures.running, 1);
  });

  it('guaranteed ones never wait for each other', async () => {
    const { start, started } = node();
    await start('g1', 'G', 4096);
    await start('g2', 'G', 4096);
    assert.deepEqual(started, ['g1', 'g2']);
  });

  it('without a queue no opportunistic one starts, and guaranteed ones start at once', async () => {
    const { start, started, ended } = node(0);
    await start('o1', 'O');
    await start('g1', 'G', 8192);
    assert.deepEqual(started, ['g1']);
    assert.equal(ended.length, 1);
  });

  it('a promoted one that waits gets its room; one that runs is safe', async () => {
    const { start, change, release, started, ended, admission } = node();
    for (const id of ['o1', 'o2', 'o3', 'o4', 'o5']) await start(id, 'O');
    await change('o4', 'GUARANTEED');
    await change('o5', 'GUARANTEED');
    assert.deepEqual(ended, ['o3 -108 Container Killed to make room for Guaranteed Container.']);
    await release('o3');
    assert.deepEqual(started, ['o1', 'o2', 'o3', 'o4', 'o5']);
    assert.deepEqual(admission.figures, { running: 2, memoryMiB: 2048, vcores: 2, queued: 0, waiting: 0 });
  });

  it('one that is not wanted any more leaves the queue', async () => {
    const { start, kill, release, started, admission } = node();
    for (const id of ['o1', 'o2', 'o3', 'o4', 'o5', 'o6']) await start(id, 'O');
    await kill('o5');
    assert.equal(admission.figures.queued, 1);
    await release('o1');
    assert.deepEqual(started.at(-1), 'o6');
  });
});
