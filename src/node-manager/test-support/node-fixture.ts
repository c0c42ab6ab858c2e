// A node manager with a stand-in for the resource manager, for the tests of this folder.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { ClusterSecret } from '../../auth/cluster-secret.ts';
import { loadConfiguration } from '../../config/load.ts';
import { ProvenConnections, wantsProven } from '../../http/proven-connections.ts';
import { systemClock } from '../../lib/clock.ts';
import { checked } from '../../lib/json-shape.ts';
import { silentLogger } from '../../lib/log.ts';
import { systemRandom } from '../../lib/random.ts';
import { acceptChannels, type ReliableChannel } from '../../lib/reliable-channel.ts';
import type { RunningRole } from '../../lib/role.ts';
import { exitStatus } from '../../model/exit-status.ts';
import type { ContainerReport, ContainerStart } from '../../wire/cluster/container-messages.ts';
import type { LaunchContext } from '../../wire/cluster/launch-context.ts';
import { type NodeCommand, type NodeMessage, nodeMessage, type RegisterMessage } from '../../wire/cluster/node-channel.ts';
import { start } from '../server.ts';
import type { NodeManagerDependencies } from '../start/start-options.ts';

/** The order for container `number` of ada's first application: its master where `number` is 1. */
export const anOrder = (number: number, command: string, launch: Partial<LaunchContext> = {}): ContainerStart => ({
  containerId: `container_1700000000000_0001_01_${String(number).padStart(6, '0')}`,
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
  launch: { commands: [command], environment: {}, localResources: {}, serviceData: {}, ...launch },
});

/** The stand-in: remembers what it heard, sends what a test says. */
export class StubResourceManager {
  readonly heard: NodeMessage[] = [];
  /** Applications to keep at the next registration; undefined: all of them. */
  keep: readonly string[] | undefined;
  /** Answers registrations by itself; otherwise the test calls `answerRegistration`. */
  answersRegistrations = true;
  #channel: ReliableChannel<unknown> | undefined;
  #waiters: { condition: () => unknown; resolve: () => void }[] = [];
  readonly #server = createServer();
  readonly #sockets = new Set<Duplex>();
  /** The secret that its nodes have to know; undefined: it believes what connects without a proof. */
  readonly #secret: ClusterSecret | undefined;
  readonly #proven = new ProvenConnections({
    server: this.#server,
    hint: () => this.#secret?.nodeKeys.map(({ identity }) => identity).join(',') ?? '',
    keyOf: (identity) => this.#secret?.nodeKeys.find((each) => each.identity === identity)?.key,
    logger: silentLogger,
  });
  readonly #acceptor = acceptChannels<unknown>({
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    onSession: (channel) => {
      this.#channel = channel;
      return {
        onMessage: (received) => {
          const { value: message, fault } = checked(nodeMessage, received);
          if (fault !== undefined) throw new Error(`the node sent what is no message: ${fault}`);
          this.heard.push(message);
          if (message.type === 'register' && this.answersRegistrations) this.answerRegistration(message);
          for (const waiter of this.#waiters.filter(({ condition }) => condition())) {
            this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
            waiter.resolve();
          }
        },
      };
    },
  });

  constructor(secret?: ClusterSecret) {
    this.#secret = secret;
  }

  async listen(): Promise<number> {
    this.#server.on('upgrade', (request, socket, head) => {
      this.#sockets.add(socket);
      if (wantsProven(request)) this.#proven.handle(request, socket, head);
      else if (this.#secret && this.#proven.identityOf(request) === undefined) socket.destroy();
      else this.#acceptor.handleUpgrade(request, socket, head);
    });
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }
  answerRegistration({ applications }: RegisterMessage): void {
    this.send({
      type: 'registered',
      rmSession: '1',
      containerTokenKey: Buffer.alloc(32, 7).toString('base64'),
      clusterTimestamp: 1,
      keepApplications: this.keep ?? applications,
    });
  }
  send(command: NodeCommand): void {
    this.#channel?.send(command);
  }
  /** Sends what may be no command at all. */
  sendAnything(message: unknown): void {
    this.#channel?.send(message);
  }
  /** Breaks every connection, and takes new ones. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }
  /** Resolves with the first truthy value that `find` gives; looks after each message. */
  async until<T>(find: () => T | undefined | false): Promise<T> {
    for (;;) {
      const found = find();
      if (found) return found;
      await new Promise<void>((resolve) => this.#waiters.push({ condition: find, resolve }));
    }
  }
  registrations(): RegisterMessage[] {
    return this.heard.filter((message) => message.type === 'register');
  }
  /** What was said of a container, in registrations too. */
  reports(containerId: string): ContainerReport[] {
    return this.heard
      .flatMap((message) => (message.type === 'containers' ? message.reports : message.type === 'register' ? message.containers : []))
      .filter((report) => report.containerId === containerId);
  }
  running(containerId: string): Promise<ContainerReport> {
    return this.until(() => this.reports(containerId).find(({ state }) => state === 'RUNNING'));
  }
  complete(containerId: string): Promise<ContainerReport> {
    return this.until(() => this.reports(containerId).find(({ state }) => state === 'COMPLETE'));
  }
  close(): void {
    this.#acceptor.close();
    this.#proven.close();
    this.#server.close();
  }
}

/** A node under test. `restart` stops it and starts it again over the same data. */
export interface NodeFixture extends AsyncDisposable {
  readonly resourceManager: StubResourceManager;
  readonly dataDir: string;
  readonly url: () => string;
  /** `changed` lies over the settings, for this start alone. @throws what the start throws; then the node stands still. */
  restart(changed?: Record<string, string>, changedDependencies?: Partial<NodeManagerDependencies>): Promise<void>;
  /** An order for the next container; `command` is its first command. */
  order(command: string, more?: Partial<Omit<ContainerStart, 'launch'>> & { launch?: Partial<ContainerStart['launch']> }): ContainerStart;
  start(order: ContainerStart): void;
  get(path: string, options?: RequestInit): Promise<Response>;
}

/** Starts both; `settings` lie over the defaults. */
export async function startNode(settings: Record<string, string> = {}, more: Partial<NodeManagerDependencies> = {}): Promise<NodeFixture> {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'node-')));
  const resourceManager = new StubResourceManager(
    new ClusterSecret(join(dataDir, 'secrets/cluster'), { clock: systemClock, random: systemRandom }),
  );
  const port = await resourceManager.listen();
  const configuration = (changed: Record<string, string> = {}) =>
    loadConfiguration({
      dataDir,
      set: {
        'yarn.resourcemanager.webapp.address': `127.0.0.1:${port}`,
        'yarn.nodemanager.webapp.address': '127.0.0.1:0',
        'yarn.nodemanager.address': '127.0.0.1:45454',
        // Tests of several files run side by side: where nothing listens, the id may be the same.
        'heddle.rpc.enabled': 'false',
        'yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage': '100',
        ...settings,
        ...changed,
      },
    });
  const dependencies = { logger: silentLogger, clock: systemClock, random: systemRandom, ...more };
  let role: RunningRole;
  try {
    role = await start(configuration(), dependencies);
  } catch (error) {
    resourceManager.close();
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
  await resourceManager.until(() => resourceManager.registrations().length > 0);
  let count = 0;
  return {
    resourceManager,
    dataDir,
    url: () => role.addresses['web']!,
    async restart(changed, changedDependencies) {
      await role.close();
      const before = resourceManager.registrations().length;
      role = await start(configuration(changed), { ...dependencies, ...changedDependencies });
      await resourceManager.until(() => resourceManager.registrations().length > before);
    },
    order(command, { launch, ...fields } = {}) {
      return { ...anOrder(++count, command, launch), ...fields };
    },
    start: (order) => resourceManager.send({ type: 'startContainers', containers: [order] }),
    get: (path, options) => fetch(`${role.addresses['web']}${path}`, { redirect: 'manual', ...options }),
    async [Symbol.asyncDispose]() {
      const heard = resourceManager.heard.flatMap((m) => (m.type === 'containers' ? m.reports.map((r) => r.containerId) : []));
      const hasEnded = (id: string) => resourceManager.reports(id).some(({ state }) => state === 'COMPLETE');
      const running = [...new Set(heard)].filter((id) => !hasEnded(id));
      const stop = (containerId: string) => ({ containerId, exitCode: exitStatus.aborted, diagnostics: 'the test is over' });
      resourceManager.send({ type: 'stopContainers', containers: running.map(stop) });
      await resourceManager.until(() => running.every(hasEnded)).catch(() => undefined);
      await role.close();
      resourceManager.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
