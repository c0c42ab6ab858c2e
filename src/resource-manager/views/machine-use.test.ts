// What the machines of the nodes really use.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useOfMachines } from './machine-use.ts';

const node = (host: string, physicalMemoryMiB: number, cpuCores: number, state: 'RUNNING' | 'LOST' | 'DECOMMISSIONING' = 'RUNNING') => ({
  host,
  state,
  usage: {
    node: { physicalMemoryMiB, virtualMemoryMiB: 0, cpuCores },
    containers: { physicalMemoryMiB: 0, virtualMemoryMiB: 0, cpuCores: 0 },
  },
});

describe('what machines use', () => {
  it('counts once where several nodes are on one, by what says most', () => {
    const nodes = [node('one', 4096, 1.5), node('one', 4200, 1.25), node('two', 1000, 0.5), node('three', 500, 2, 'DECOMMISSIONING')];
    assert.deepEqual(useOfMachines(nodes), { memoryMiB: 5700, cores: 4 });
  });

  it('leaves out nodes that are gone', () => {
    assert.deepEqual(useOfMachines([node('one', 4096, 1.5, 'LOST')]), { memoryMiB: 0, cores: 0 });
  });
});
