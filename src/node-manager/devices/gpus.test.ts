import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { listedGpus } from '../../config/engine-rules.ts';
import { loadConfiguration } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { startNode } from '../test-support/node-fixture.ts';
import { parseGpuReport } from './gpu-discovery.ts';
import { openGpus } from './gpus.ts';

const gpu = (minor: number) => `
  <gpu id="00000000:0${minor}:00.0">
    <product_name>Tesla P100-PCIE-12GB</product_name>
    <uuid>GPU-28604e81-21ec-cc48-6759-bf2648b22e1${minor}</uuid>
    <minor_number>${minor}</minor_number>
    <fb_memory_usage><total>12193 MiB</total><used>${minor} MiB</used><free>12193 MiB</free></fb_memory_usage>
    <utilization><gpu_util>${minor} %</gpu_util><memory_util>0 %</memory_util></utilization>
    <temperature><gpu_temp>3${minor} C</gpu_temp><gpu_temp_max_threshold>85 C</gpu_temp_max_threshold><gpu_temp_slow_threshold>82 C</gpu_temp_slow_threshold></temperature>
    <processes><process_info><pid>1</pid></process_info></processes>
  </gpu>`;
const report = (...minors: number[]) => `<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v8.dtd">
<nvidia_smi_log>
  <timestamp>Wed Sep  6 21:52:51 2017</timestamp>
  <driver_version>375.66</driver_version>
  <attached_gpus>${minors.length}</attached_gpus>${minors.map(gpu).join('')}
</nvidia_smi_log>
`;

const root = realpathSync(mkdtempSync(join(tmpdir(), 'gpus-')));
after(() => rmSync(root, { recursive: true, force: true }));
/** A stand-in for nvidia-smi that prints `text`. */
function program(name: string, text: string, code = 0): string {
  const file = join(root, name);
  writeFileSync(`${file}.xml`, text);
  writeFileSync(file, `#!/bin/bash\n[ "$*" = "-q -x" ] && cat '${file}.xml'\nexit ${code}\n`);
  chmodSync(file, 0o755);
  return file;
}
const smi = program('nvidia-smi', report(0, 1, 3));
const plugin = {
  'yarn.nodemanager.resource-plugins': 'yarn.io/gpu',
  'yarn.nodemanager.resource-plugins.gpu.path-to-discovery-executables': root,
};
const store = { saveDevices: () => undefined, removeDevices: () => undefined };
const common = { store, recovered: new Map<string, number[]>(), clock: systemClock, logger: silentLogger };

test('reads what the driver says, one GPU or many, also without figures', async () => {
  const { driverVersion, gpus } = await parseGpuReport(report(0, 1));
  assert.equal(driverVersion, '375.66');
  assert.deepEqual(gpus[1], {
    productName: 'Tesla P100-PCIE-12GB',
    uuid: 'GPU-28604e81-21ec-cc48-6759-bf2648b22e11',
    minorNumber: 1,
    utilizationPercent: 1,
    usedMemoryMiB: 1,
    freeMemoryMiB: 12_193,
    temperatureCelsius: 31,
    maximumTemperatureCelsius: 85,
    slowTemperatureCelsius: 82,
  });
  const bare = '<nvidia_smi_log><gpu><utilization><gpu_util>N/A</gpu_util></utilization></gpu></nvidia_smi_log>';
  const [only] = (await parseGpuReport(bare)).gpus;
  assert.deepEqual([only!.productName, only!.minorNumber, only!.utilizationPercent], ['N/A', -1, undefined]);
  assert.deepEqual((await parseGpuReport(report())).gpus, []);
  for (const text of ['', '<html/>', 'NVIDIA-SMI has failed', '<nvidia_smi_log><gpu></nvidia_smi_log>'])
    await assert.rejects(parseGpuReport(text));
});

test('wrong settings are told with a remedy', async () => {
  const open = (text: string, discoveryPath: string) => {
    const set = { 'yarn.nodemanager.resource-plugins.gpu.allowed-gpu-devices': text };
    return openGpus({ ...common, allowed: listedGpus(loadConfiguration({ dataDir: root, set })), discoveryPath });
  };
  await assert.rejects(
    open('auto', join(root, 'nowhere')),
    /GPUs of this machine could not be found: nvidia-smi was not found\. Name nvidia-smi/,
  );
  const failing = join(program('broken', '', 3));
  chmodSync(failing, 0o755);
  assert.throws(() => open('0:0,1', root), /'1' is not the index and minor number of a GPU/);
  assert.throws(() => open('0:0,0:1', root), /listed twice/);
  // A list stands for itself where the driver says nothing.
  assert.deepEqual((await open('0:0,2:4', join(root, 'nowhere'))).all, [
    { index: 0, minorNumber: 0 },
    { index: 2, minorNumber: 4 },
  ]);
  await assert.rejects(startNode({ 'yarn.nodemanager.resource-plugins': 'yarn.io/fpga' }), /there is no plug-in for 'yarn\.io\/fpga'/);
});

test('GPUs are given once, waited for while others end, and kept from all others', async () => {
  const gpus = await openGpus({ ...common, allowed: undefined, discoveryPath: smi, recovered: new Map([['c0', [1]]]) });
  const ending = new AbortController();
  await gpus.acquire('c1', 2, ending.signal);
  assert.deepEqual(gpus.variables('c1').slice(1), [
    ['CUDA_VISIBLE_DEVICES', '0,2'],
    ['NVIDIA_VISIBLE_DEVICES', '0,2'],
  ]);
  assert.deepEqual(gpus.denied('c1'), [{ type: 'c', major: 195, minor: 1 }]);
  await assert.rejects(
    gpus.acquire('c2', 4, ending.signal),
    /Failed to find enough GPUs, requestor=c2, #RequestedGPUs=4, #AvailableGPUs=0/,
  );
  const waiting = gpus.acquire('c2', 1, ending.signal);
  gpus.release('c1');
  await waiting;
  assert.deepEqual(
    gpus.assigned().map(({ index, containerId }) => [index, containerId]),
    [
      [0, 'c2'],
      [1, 'c0'],
    ],
  );
  const abandoned = gpus.acquire('c3', 3, ending.signal);
  ending.abort();
  await assert.rejects(abandoned);
  gpus.keepOnly((containerId) => containerId === 'c2');
  assert.equal(gpus.assigned().length, 1);
});

test('a node with GPUs offers them, gives them to containers over a restart and takes them back', async () => {
  await using node = await startNode({ ...plugin, 'yarn.nodemanager.recovery.supervised': 'true' });
  assert.equal(node.resourceManager.registrations()[0]!.resource['yarn.io/gpu'], 3);
  const information = async () =>
    (await (await node.get('/ws/v1/node/resources/yarn.io%2Fgpu')).json()) as {
      gpuDeviceInformation: { driverVersion: string; gpus: { gpuMemoryUsage: { usedMemoryMiB: number } }[] };
      totalGpuDevices: unknown[];
      assignedGpuDevices?: unknown[];
    };
  const before = await information();
  assert.equal(before.gpuDeviceInformation.driverVersion, '375.66');
  assert.equal(before.gpuDeviceInformation.gpus[2]!.gpuMemoryUsage.usedMemoryMiB, 3);
  assert.deepEqual(before.totalGpuDevices, [
    { index: 0, minorNumber: 0 },
    { index: 1, minorNumber: 1 },
    { index: 2, minorNumber: 3 },
  ]);
  assert.deepEqual(before.assignedGpuDevices ?? [], []);
  const order = node.order('echo \\$CUDA_VISIBLE_DEVICES > <LOG_DIR>/stdout; mkfifo gate; read -r line < gate', {
    resource: { memoryMiB: 64, vcores: 1, 'yarn.io/gpu': 2 },
  });
  node.start(order);
  await node.resourceManager.running(order.containerId);
  const { containerId } = order;
  const given = [
    { containerId, index: 0, minorNumber: 0 },
    { containerId, index: 1, minorNumber: 1 },
  ];
  assert.deepEqual((await information()).assignedGpuDevices, given);
  await node.restart();
  assert.deepEqual((await information()).assignedGpuDevices, given);
  const xml = await (await node.get('/ws/v1/node/resources/yarn.io%2Fgpu', { headers: { accept: 'application/xml' } })).text();
  assert.match(
    xml,
    /<nmGpuResourceInfo>.*<uuid>GPU-28604e81-21ec-cc48-6759-bf2648b22e10<\/uuid>.*<used>0 MiB<\/used>.*<gpu_temp>30\.0<\/gpu_temp>/,
  );
  const other = node.order('echo [\\$CUDA_VISIBLE_DEVICES] > <LOG_DIR>/stdout');
  node.start(other);
  await node.resourceManager.complete(other.containerId);
  const logs = (id: string) => node.get(`/ws/v1/node/containers/${id}/logs/stdout`).then((answer) => answer.text());
  assert.match(await logs(other.containerId), /LogContents:\n\[\]\n/);
  assert.match(await logs(containerId), /LogContents:\n0,1\n/);
  node.resourceManager.send({ type: 'stopContainers', containers: [{ containerId, exitCode: -105, diagnostics: 'enough' }] });
  await node.resourceManager.complete(containerId);
  // The next one may have them at once.
  const next = node.order('exit 0', { resource: { memoryMiB: 64, vcores: 1, 'yarn.io/gpu': 3 } });
  node.start(next);
  assert.equal((await node.resourceManager.complete(next.containerId)).exitCode, 0);
});
