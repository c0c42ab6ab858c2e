import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ResourceManagerStandIn } from '../../src/node-manager/test-support/stand.ts';
import type { ContainerStart } from '../../src/wire/cluster/node-channel.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

/** A node manager in a process of its own that can be killed and started again. */
interface Daemon {
  readonly resourceManager: ResourceManagerStandIn;
  readonly dataDir: string;
  start(): Promise<void>;
  kill(): Promise<void>;
}

async function withDaemon(use: (daemon: Daemon) => Promise<void>): Promise<void> {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'node-')));
  const resourceManager = new ResourceManagerStandIn();
  const port = await resourceManager.listen();
  let daemon: ChildProcess | undefined;
  const start = async () => {
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
  const kill = async () => {
    daemon!.kill('SIGKILL');
    await once(daemon!, 'exit');
  };
  try {
    await start();
    await use({ resourceManager, dataDir, start, kill });
  } finally {
    if (daemon?.exitCode === null && daemon.signalCode === null) {
      daemon.kill('SIGTERM');
      await once(daemon, 'exit');
    }
    resourceManager.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const order = (number: number, command: string, localResources: ContainerStart['launch']['localResources'] = {}): ContainerStart => ({
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
  launch: { commands: [command], environment: {}, localResources, serviceData: {} },
});

test('a node manager killed with -9 comes back with its containers and learns how others ended meanwhile', () =>
  withDaemon(async ({ resourceManager, dataDir, start, kill }) => {
    const gated = (number: number) => order(number, 'mkfifo gate; echo ready > <LOG_DIR>/stdout; read -r code < gate; exit \\$code');
    const [first, second] = [gated(1), gated(2)];
    resourceManager.send({ type: 'startContainers', containers: [first, second] });
    const gate = ({ applicationId, containerId }: ContainerStart) =>
      join(dataDir, 'node-manager/local/usercache/ada/appcache', applicationId, containerId, 'gate');
    for (const { containerId } of [first, second]) await resourceManager.running(containerId);
    while (!existsSync(gate(first)) || !existsSync(gate(second))) await new Promise((resolve) => setImmediate(resolve));

    await kill();
    writeFileSync(gate(first), '5\n');
    while (!existsSync(join(dataDir, 'node-manager/recovery/processes', `${first.containerId}.exit`)))
      await new Promise((resolve) => setImmediate(resolve));
    await start();

    assert.equal((await resourceManager.complete(first.containerId)).exitCode, 5);
    const states = resourceManager
      .registrations()
      .at(-1)!
      .containers.map(({ containerId, state }) => `${containerId.slice(-1)} ${state}`);
    assert.ok(states.includes('2 RUNNING'), states.join(', '));
    writeFileSync(gate(second), '6\n');
    assert.equal((await resourceManager.complete(second.containerId)).exitCode, 6);
  }));

test('a node manager killed with -9 in the middle of a download brings the whole file when it comes back', () =>
  withDaemon(async ({ resourceManager, start, kill }) => {
    const content = 'words '.repeat(100_000);
    let requests = 0;
    let begun: () => void = () => undefined;
    const half = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': String(content.length) });
      if (++requests > 1) response.end(content);
      else response.write(content.slice(0, content.length / 2), begun);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const resource = `http://127.0.0.1:${(server.address() as AddressInfo).port}/words.txt`;
      const words = { resource, type: 'FILE', visibility: 'PUBLIC', size: -1, timestamp: 0 } as const;
      const container = order(1, `test $(cat words | wc -c) = ${content.length}`, { words });
      resourceManager.send({ type: 'startContainers', containers: [container] });
      await half;
      await kill();
      await start();
      const { exitCode, diagnostics } = await resourceManager.complete(container.containerId);
      assert.equal(exitCode, 0, diagnostics);
      assert.equal(requests, 2);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }));
