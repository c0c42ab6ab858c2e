import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterSecret } from '../../src/auth/cluster-secret.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { anOrder, StubResourceManager } from '../../src/node-manager/test-support/node-fixture.ts';
import type { ContainerStart } from '../../src/wire/cluster/container-messages.ts';
import type { LaunchContext } from '../../src/wire/cluster/launch-context.ts';

const main = join(import.meta.dirname, '../../bin/heddle.js');

/** A node manager in a process of its own (`heddle start node-manager`) with a stand-in for its resource manager. */
export interface NodeProcess extends AsyncDisposable {
  readonly resourceManager: StubResourceManager;
  /** Its own folder, with the data folder in it; containers may leave files there, but not in the data folder. */
  readonly home: string;
  readonly dataDir: string;
  readonly pid: () => number;
  /** Its web address, as the last registration said. */
  readonly url: () => string;
  /** Starts it (again) and resolves when it has registered. */
  start(): Promise<void>;
  /** Sends a signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<void>;
  /** The order for container `number`. */
  order(number: number, command: string, launch?: Partial<LaunchContext>): ContainerStart;
  /** Sends orders. */
  send(...orders: readonly ContainerStart[]): void;
  /** The working folder of an order's container. */
  folder(order: ContainerStart): string;
  /** Whether the engine has a file of this kind of an order's container. */
  hasEngineFile(order: ContainerStart, kind: 'pid' | 'exit'): boolean;
}

/** Prepares it with an empty data folder and starts it; `settings` lie over defaults that suit tests. */
export async function startNodeProcess(
  settings: Readonly<Record<string, string>> = {},
  environment: NodeJS.ProcessEnv = process.env,
): Promise<NodeProcess> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'node-')));
  const dataDir = join(home, 'data');
  const secret = new ClusterSecret(join(dataDir, 'secrets/cluster'), { clock: systemClock, random: systemRandom });
  const resourceManager = new StubResourceManager(secret);
  const port = await resourceManager.listen();
  let daemon: ChildProcess | undefined;
  const all = {
    'yarn.resourcemanager.webapp.address': `127.0.0.1:${port}`,
    'yarn.nodemanager.webapp.address': '127.0.0.1:0',
    'mapreduce.shuffle.port': '0',
    'heddle.log.level': 'warn',
    'yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage': '100',
    ...settings,
  };
  const parameters = Object.entries(all).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  const node: NodeProcess = {
    resourceManager,
    home,
    dataDir,
    pid: () => daemon?.pid ?? 0,
    url: () => `http://${resourceManager.registrations().at(-1)!.httpAddress}`,
    async start() {
      const before = resourceManager.registrations().length;
      daemon = spawn(process.execPath, [main, 'start', 'node-manager', '--data', dataDir, ...parameters], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: environment,
      });
      const ended = once(daemon, 'exit').then(([code, signal]) => {
        throw new Error(`the node manager ended with ${code ?? signal} while it started`);
      });
      const registered = resourceManager.until(() => resourceManager.registrations().length > before);
      ended.catch(() => undefined);
      await Promise.race([registered, ended]);
    },
    async stop(signal) {
      if (!daemon || daemon.exitCode !== null || daemon.signalCode !== null) return;
      const ended = once(daemon, 'exit');
      daemon.kill(signal);
      await ended;
    },
    order: anOrder,
    send: (...orders) => resourceManager.send({ type: 'startContainers', containers: orders }),
    folder: ({ user, applicationId, containerId }) =>
      join(dataDir, 'node-manager/local/usercache', user, 'appcache', applicationId, containerId),
    hasEngineFile: ({ containerId }, kind) =>
      readdirSync(join(dataDir, 'node-manager/recovery/processes')).some(
        (name) => name.startsWith(`${containerId}.`) && name.endsWith(`.${kind}`),
      ),
    async [Symbol.asyncDispose]() {
      await node.stop('SIGTERM');
      resourceManager.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
  await node.start();
  return node;
}
