import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ResourceManagerStandIn } from '../../src/node-manager/test-support/stand.ts';
import type { ContainerStart } from '../../src/wire/cluster/node-channel.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

test('a node manager killed with -9 comes back with its containers and learns how others ended meanwhile', async () => {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'node-')));
  const resourceManager = new ResourceManagerStandIn();
  const port = await resourceManager.listen();
  let daemon: ChildProcess | undefined;
  const startDaemon = async () => {
    const before = resourceManager.registrations().length;
    const settings = {
      'yarn.resourcemanager.webapp.address': `127.0.0.1:${port}`,
      'yarn.nodemanager.webapp.address': '127.0.0.1:0',
      'mapreduce.shuffle.port': '0',
      'yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage': '100',
    };
    const parameters = Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
    daemon = spawn(process.execPath, [main, 'start', 'node-manager', '--data', dataDir, ...parameters], { stdio: 'ignore' });
    await resourceManager.until(() => resourceManager.registrations().length > before);
  };
  const order = (number: number, command: string): ContainerStart => ({
    containerId: `container_1700000000000_0001_01_00000${number}`,
    applicationId: 'application_1700000000000_0001',
    attemptId: 'appattempt_1700000000000_0001_000001',
    user: 'ada',
    resource: { memoryMiB: 128, vcores: 1 },
    priority: 0,
    queue: 'root.default',
    isMaster: number === 1,
    applicationAcls: {},
    submitTimeMs: 1,
    maxAttempts: 2,
    launch: { commands: [command], environment: {}, localResources: {}, serviceData: {} },
  });
  try {
    await startDaemon();
    const gated = (number: number) => order(number, 'mkfifo gate; echo ready > <LOG_DIR>/stdout; read -r code < gate; exit \\$code');
    const [first, second] = [gated(1), gated(2)];
    resourceManager.send({ type: 'startContainers', containers: [first, second] });
    const gate = ({ applicationId, containerId }: ContainerStart) =>
      join(dataDir, 'node-manager/local/usercache/ada/appcache', applicationId, containerId, 'gate');
    for (const { containerId } of [first, second]) await resourceManager.running(containerId);
    while (!existsSync(gate(first)) || !existsSync(gate(second))) await new Promise((resolve) => setImmediate(resolve));

    daemon!.kill('SIGKILL');
    await once(daemon!, 'exit');
    writeFileSync(gate(first), '5\n');
    while (!existsSync(join(dataDir, 'node-manager/recovery/processes', `${first.containerId}.exit`)))
      await new Promise((resolve) => setImmediate(resolve));
    await startDaemon();

    assert.equal((await resourceManager.complete(first.containerId)).exitCode, 5);
    const states = resourceManager
      .registrations()
      .at(-1)!
      .containers.map(({ containerId, state }) => `${containerId.slice(-1)} ${state}`);
    assert.ok(states.includes('2 RUNNING'), states.join(', '));
    writeFileSync(gate(second), '6\n');
    assert.equal((await resourceManager.complete(second.containerId)).exitCode, 6);
  } finally {
    if (daemon?.exitCode === null) {
      daemon.kill('SIGTERM');
      await once(daemon, 'exit');
    }
    resourceManager.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
