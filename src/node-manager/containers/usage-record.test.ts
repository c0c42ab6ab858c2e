// What is kept of the use of containers and the node, and how much of it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UsageRecord } from './usage-record.ts';

const MiB = 1024 * 1024;
const look = (containerId: string, atMs: number, memoryMiB = 100, cores = 0.5) => ({
  containerId,
  atMs,
  memoryBytes: memoryMiB * MiB,
  cpuPercent: cores * 100,
});
const machine = (physicalMemoryMiB: number, cpuCores: number) => ({ physicalMemoryMiB, virtualMemoryMiB: 0, cpuCores });

describe('a record of use', () => {
  it('has the looks at each container, oldest first, and nothing of others', () => {
    const record = new UsageRecord();
    record.addContainers([look('a', 3000, 100.25, 0.25), look('b', 3000)]);
    record.addContainers([look('a', 6000, 200, 1.5)]);
    assert.deepEqual(record.ofContainer('a'), [
      { timeMs: 3000, memoryMiB: 100.25, cpuCores: 0.25 },
      { timeMs: 6000, memoryMiB: 200, cpuCores: 1.5 },
    ]);
    assert.equal(record.ofContainer('b').length, 1);
    assert.deepEqual(record.ofContainer('c'), []);
  });

  it('has the looks at the machine, beside what all containers used', () => {
    const record = new UsageRecord();
    record.addNode(1000, machine(4096, 2), machine(1024, 0.75), 3);
    assert.deepEqual(record.ofNode(), [
      { timeMs: 1000, memoryMiB: 4096, cpuCores: 2, containersMemoryMiB: 1024, containersCpuCores: 0.75, containers: 3 },
    ]);
  });

  it('leaves out looks that are close to each other, and keeps the latest of many', () => {
    const record = new UsageRecord();
    for (let i = 0; i < 1000; i++) record.addContainers([look('a', i * 1000, i)]);
    const times = record.ofContainer('a').map(({ timeMs }) => timeMs);
    assert.equal(times.length, 200);
    assert.deepEqual([times[0], times.at(-1)], [999_000 - 199 * 3000, 999_000]);
    assert.ok(times.every((time, i) => i === 0 || time - times[i - 1]! === 3000));
    for (let i = 0; i < 500; i++) record.addNode(i * 3000, machine(i, 0), machine(0, 0), 0);
    assert.deepEqual([record.ofNode().length, record.ofNode().at(-1)?.memoryMiB], [200, 499]);
  });

  it('tells of a container in few numbers: the most of several looks, and the latest as it is', () => {
    const record = new UsageRecord();
    record.addContainers([look('a', 0, 1, 0.5)]);
    assert.deepEqual(record.briefOf('a'), { timesMs: [0], usedMemoryMiB: [1], usedCores: [0.5] });
    for (let i = 1; i < 30; i++) record.addContainers([look('a', i * 3000, i, 0.5)]);
    assert.deepEqual(record.briefOf('a').usedMemoryMiB, [1, ...Array.from({ length: 29 }, (_, i) => i + 1)]);
    for (let i = 30; i < 200; i++) record.addContainers([look('a', i * 3000, i % 50 === 0 ? 900 : 100, i % 50 === 1 ? 4 : 0.5)]);
    const { timesMs, usedMemoryMiB, usedCores } = record.briefOf('a');
    assert.deepEqual([timesMs.length, usedMemoryMiB.length, usedCores.length], [30, 30, 30]);
    assert.deepEqual([timesMs.at(-1), usedMemoryMiB.at(-1), usedMemoryMiB.filter((used) => used === 900).length], [199 * 3000, 100, 3]);
    assert.equal(usedCores.filter((used) => used === 4).length, 3);
    assert.deepEqual(record.briefOf('b'), { timesMs: [], usedMemoryMiB: [], usedCores: [] });
  });

  it('forgets the containers that were looked at longest ago where there are many', () => {
    const record = new UsageRecord();
    const names = Array.from({ length: 1000 }, (_, i) => `c${i}`);
    record.addContainers(names.map((name) => look(name, 0)));
    record.addContainers([look('c0', 3000)]);
    record.addContainers([look('new', 3000)]);
    assert.equal(record.ofContainer('c0').length, 2);
    assert.deepEqual(record.ofContainer('c1'), []);
    assert.equal(record.ofContainer('new').length, 1);
  });
});
