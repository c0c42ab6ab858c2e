import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { configuredSize } from '../config/node-size.ts';
import { nodeManagerSettings } from '../config/settings/node-manager.ts';
import { isSizeLeftOpen, largestContainer, sizeOfNode, usableMachine } from './node-size.ts';
import { planNodes } from './several-nodes.ts';

const memory = 'yarn.nodemanager.resource.memory-mb';
const vcores = 'yarn.nodemanager.resource.cpu-vcores';
const configured = (set: Record<string, string> = {}, confDir?: string) =>
  loadConfiguration({ dataDir: '/nowhere', set, ...(confDir !== undefined && { confDir }) });
const machine = { memoryMiB: 10_000, processors: 80 };

describe('what a node offers where nobody said it', () => {
  it('is four fifths of the memory, or what is not reserved, and all processors, or the part that containers may use', () => {
    assert.deepEqual(sizeOfNode(configured(), 1, machine), { [memory]: '8000', [vcores]: '80' });
    const told = {
      'yarn.nodemanager.resource.system-reserved-memory-mb': '100',
      'yarn.nodemanager.resource.percentage-physical-cpu-limit': '50',
    };
    assert.deepEqual(sizeOfNode(configured(told), 1, machine), { [memory]: '9900', [vcores]: '40' });
  });

  it('is no fewer cores than small commands need before the memory is given, and YARN’s where time is cut by cores', () => {
    const small = { ...machine, processors: 2 };
    assert.deepEqual(sizeOfNode(configured(), 1, small), { [memory]: '8000', [vcores]: '32' });
    assert.deepEqual(sizeOfNode(configured(), 3, small), { [memory]: '2666', [vcores]: '10' });
    const strict = configured({ 'yarn.nodemanager.linux-container-executor.cgroups.strict-resource-usage': 'true' });
    assert.equal(sizeOfNode(strict, 1, small)[vcores], '8');
    assert.equal(sizeOfNode(strict, 1, machine)[vcores], '80');
  });

  it('is what a container may have at most, where that is more than YARN’s and nothing else is said', () => {
    const largest = (set: Record<string, string>, size: Record<string, string>) => largestContainer(configured(set), size);
    const [mostMiB, mostCores] = ['yarn.scheduler.maximum-allocation-mb', 'yarn.scheduler.maximum-allocation-vcores'] as const;
    assert.deepEqual(largest({}, { [memory]: '20000', [vcores]: '16' }), { [mostMiB]: '20000', [mostCores]: '16' });
    assert.deepEqual(largest({}, { [memory]: '2000', [vcores]: '2' }), {});
    assert.deepEqual(largest({ [mostMiB]: '1024' }, { [memory]: '20000', [vcores]: '4' }), {});
  });

  it('is divided among several, each with enough for a master', () => {
    assert.deepEqual(sizeOfNode(configured(), 4, machine), { [memory]: '2000', [vcores]: '20' });
    assert.deepEqual(sizeOfNode(configured(), 20, machine), { [memory]: '1024', [vcores]: '4' });
  });

  it('is no more than the control group may have', () => {
    assert.equal(usableMachine(2 ** 30, 2 ** 34).memoryMiB, 1024);
    assert.equal(usableMachine(0, 2 ** 34).memoryMiB, 16_384);
    assert.equal(usableMachine(2 ** 64, 2 ** 34).memoryMiB, 16_384);
    assert.ok(usableMachine().processors >= 1);
  });

  it('is what the settings say where they say it, and what YARN has where there is a folder of them', async () => {
    assert.ok(isSizeLeftOpen(configured()));
    assert.deepEqual(sizeOfNode(configured({ [memory]: '512' }), 1, machine), { [vcores]: '80' });
    assert.deepEqual(sizeOfNode(configured({ [memory]: '512', [vcores]: '2' }), 3, machine), {});
    assert.ok(!isSizeLeftOpen(configured({ 'yarn.nodemanager.resource.detect-hardware-capabilities': 'false' })));
    const folder = mkdtempSync(join(tmpdir(), 'heddle-size-'));
    try {
      writeFileSync(join(folder, 'yarn-site.xml'), '<configuration/>');
      assert.ok(!isSizeLeftOpen(configured({}, folder)));
      assert.deepEqual((await planNodes(configured({}, folder), 1, undefined))[0]?.settings, {});
      assert.deepEqual((await planNodes(configured({}, folder), 2, undefined))[0]?.settings, { [memory]: '4096', [vcores]: '4' });
      // What is detected is divided as it would be detected for one.
      const told = {
        'yarn.nodemanager.resource.detect-hardware-capabilities': 'true',
        'yarn.nodemanager.resource.pcores-vcores-multiplier': '100',
        'yarn.nodemanager.resource.percentage-physical-cpu-limit': '50',
      };
      const whole = configuredSize(configured(told, folder).values(nodeManagerSettings));
      assert.ok(whole.vcores >= 50);
      const halves = (await planNodes(configured(told, folder), 2, undefined)).map(({ settings }) => settings[vcores]);
      assert.deepEqual(halves, Array(2).fill(String(Math.floor(whole.vcores / 2))));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    assert.deepEqual((await planNodes(configured(), 2, undefined))[0]?.settings, sizeOfNode(configured(), 2));
  });
});
