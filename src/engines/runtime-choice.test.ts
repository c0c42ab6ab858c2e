import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ContainerEngine } from './engine.ts';
import { createRuntimeChoice } from './runtime-choice.ts';

/** An engine that an earlier process of the node manager left with containers, and how often it looked for them. */
function engineWith(name: string, left: readonly string[]): ContainerEngine & { looks: number } {
  const remembered = new Set(left);
  return {
    name,
    looks: 0,
    start: async () => ({ pid: 1 }),
    signal: () => true,
    wait: async () => ({ exitCode: 0 }),
    recover: async (containerId) =>
      remembered.has(containerId) ? { state: 'running', pid: left.indexOf(containerId) + 2 } : { state: 'unknown' },
    rememberedContainers() {
      this.looks++;
      return [...remembered];
    },
    usage: async () => new Map(),
    forget: (containerId) => void remembered.delete(containerId),
    close: async () => {},
  };
}

it('finds the engine of each container that was left, and each engine looks through its folder once for all of them', async () => {
  const [first, second] = [engineWith('default', ['container_1', 'container_3']), engineWith('oci', ['container_2'])];
  const choice = createRuntimeChoice({
    engines: new Map([
      ['default', first],
      ['runc', second],
    ]),
    allowed: ['default', 'runc'],
    fallback: 'default',
  });
  assert.deepEqual(await choice.recover('container_1'), { state: 'running', pid: 2 });
  assert.deepEqual(await choice.recover('container_2'), { state: 'running', pid: 2 });
  assert.deepEqual(await choice.recover('container_3'), { state: 'running', pid: 3 });
  assert.deepEqual(await choice.recover('container_4'), { state: 'unknown' });
  choice.forget('container_3');
  assert.deepEqual(await choice.recover('container_3'), { state: 'unknown' });
  assert.deepEqual([first.looks, second.looks], [1, 1]);
});

it('asks each engine for a container of which none has anything: the machine may have been started anew since', async () => {
  const lost = { state: 'exited', exitCode: 154, machineLost: true } as const;
  const told: string[] = [];
  const first = { ...engineWith('default', []), recovered: () => void told.push('default') };
  const second = { ...engineWith('oci', []), recover: async () => lost, recovered: () => void told.push('oci') };
  const choice = createRuntimeChoice({
    engines: new Map<string, ContainerEngine>([
      ['default', first],
      ['runc', second],
      ['third', engineWith('third', [])],
    ]),
    allowed: ['default', 'runc'],
    fallback: 'default',
  });
  assert.deepEqual(await choice.recover('container_1'), lost);
  choice.recovered?.();
  assert.deepEqual(told, ['default', 'oci']);
});
