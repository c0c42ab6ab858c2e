// A node's machine for tests of what outlives its node manager: the disk with its records, which may have no room, and an engine that
// remembers what it started.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { ContainerEngine, EngineExit, Recovered } from '../../engines/engine.ts';
import { ManualClock } from '../../lib/clock.ts';
import { Histogram } from '../../lib/histogram.ts';
import { silentLogger } from '../../lib/log.ts';
import type { ContainerReport } from '../../wire/cluster/container-messages.ts';
import type { LocalResource } from '../../wire/cluster/launch-context.ts';
import type { ApplicationRecord } from '../applications/application.ts';
import { AuxiliaryServices } from '../auxiliary/services.ts';
import type { ContainerRecord } from '../containers/container.ts';
import { ContainerManager } from '../containers/container-manager.ts';
import { NodeFolders } from '../folders.ts';
import type { LocalCache } from '../localization/cache.ts';
import type { NodeStore } from '../store/node-store.ts';
import { RecordWriter } from '../store/record-writer.ts';
import { anOrder } from './node-fixture.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'container-manager-')));
after(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

/** What outlives a node manager: the disk with its records, which may have no room, and the engine's memory of what it started. */
export function machine({ debug = false }: { readonly debug?: boolean } = {}) {
  const disk = { full: false, applications: new Map<string, ApplicationRecord>(), containers: new Map<string, ContainerRecord>() };
  const past = new Map<string, number>();
  const ended = new Set<string>();
  const starts: string[] = [];
  /** Claimed starts: running until they are given an exit. */
  const claimed = new Map<string, PromiseWithResolvers<EngineExit> & { exit?: EngineExit }>();
  const failing = new Set<string>();
  /** Signals that containers were sent, in their order. */
  const signals: string[] = [];
  /** Files that nodes were asked for, in their order: they come when they are let through, unless `isQuick`. */
  const files = { isQuick: true, asked: [] as { readonly resource: string; readonly done: PromiseWithResolvers<string> }[] };
  /** What nodes asked the engine for when they started, in their order; `all` where they had asked for everything. */
  const recoveries: string[] = [];
  let lastPid = 0;
  let boots = 0;
  const home = join(root, String(++count));
  const folders = new NodeFolders([join(home, 'local')], [join(home, 'logs')], home);

  const store = (clock: ManualClock): NodeStore => {
    const database = {
      hurry: () => undefined,
      write: async (change: () => void) => {
        await new Promise((resolve) => setImmediate(resolve));
        if (disk.full) throw new Error('database or disk is full');
        change();
      },
    };
    const writer = new RecordWriter(database, { clock, logger: silentLogger });
    return {
      commitTimes: new Histogram('commits', 'Commits.'),
      memory: '0',
      load: () => ({
        applications: [...disk.applications.values()],
        containers: [...disk.containers.values()],
        localized: [],
        devices: new Map(),
        left: [],
      }),
      saveApplication: (record) => writer.write(`a ${record.applicationId}`, () => disk.applications.set(record.applicationId, record)),
      rememberEnd: (id) => void writer.write(`end ${id}`, () => ended.add(id)),
      hasEnded: (id) => ended.has(id),
      removeApplication: (id) => void writer.write(`a ${id}`, () => disk.applications.delete(id)),
      saveContainer: (record) => writer.write(`c ${record.order.containerId}`, () => disk.containers.set(record.order.containerId, record)),
      forgetContainer: ({ containerId, exitCode }) =>
        writer.write(`c ${containerId}`, () => {
          past.set(containerId, exitCode);
          disk.containers.delete(containerId);
        }),
      pastExitCode: (id) => past.get(id),
      durable: () => writer.durable(),
      get trouble() {
        return writer.trouble;
      },
      onTrouble: (listener) => writer.onTrouble(listener),
      saveLocalized() {},
      removeLocalized() {},
      saveDevices() {},
      removeDevices() {},
      saveLeft() {},
      removeLeft() {},
      close: () => writer.close(),
    };
  };
  const engine: ContainerEngine = {
    name: 'remembering',
    async start({ containerId }) {
      if (claimed.has(containerId)) throw new Error('was started before');
      if (failing.has(containerId)) throw new Error('no room for its pid file');
      starts.push(containerId);
      claimed.set(containerId, Promise.withResolvers<EngineExit>());
      return { pid: ++lastPid };
    },
    signal: (containerId, signal) => signals.push(`${containerId} ${signal}`) > 0,
    wait(containerId) {
      const own = boots;
      // A process that is dead hears of nothing.
      return new Promise((resolve) => void claimed.get(containerId)!.promise.then((exit) => own === boots && resolve(exit)));
    },
    async recover(containerId): Promise<Recovered> {
      recoveries.push(containerId);
      const known = claimed.get(containerId);
      if (!known) return { state: 'unknown' };
      return known.exit ? { state: 'exited', ...known.exit } : { state: 'running', pid: lastPid };
    },
    recovered: () => void recoveries.push('all'),
    rememberedContainers: () => [...claimed.keys()],
    usage: async () => new Map(),
    forget: (containerId) => void claimed.delete(containerId),
    close: async () => undefined,
  };
  const cache = {
    release() {},
    applicationEnded() {},
    adopt() {},
    acquire({ resource }: LocalResource) {
      const done = Promise.withResolvers<string>();
      if (files.isQuick) return Promise.resolve(`/cache/${resource}`);
      files.asked.push({ resource, done });
      return done.promise;
    },
  };
  return {
    disk,
    past,
    starts,
    claimed,
    failing,
    signals,
    recoveries,
    files,
    /** The log folder of a container. */
    logs: (containerId: string, { applicationId } = anOrder(2, '')) => folders.containerLogs(applicationId, containerId)[0]!,
    /** The working folder of a container. */
    work: (containerId: string, { user, applicationId } = anOrder(2, '')) => folders.work(user, applicationId, containerId),
    /** The process of a container ends. */
    exit(containerId: string, exitCode: number) {
      const known = claimed.get(containerId)!;
      known.exit = { exitCode };
      known.resolve({ exitCode });
    },
    /** A node manager; the one before counts as killed. */
    async boot() {
      boots++;
      const clock = new ManualClock();
      const told: ContainerReport[] = [];
      const records = store(clock);
      const manager = new ContainerManager(
        {
          engine,
          folders,
          cache: cache as unknown as LocalCache,
          store: records,
          auxiliary: new AuxiliaryServices({
            available: [],
            names: [],
            folder: join(home, 'auxiliary'),
            context: { applicationFolders: () => [], nodeHttpAddress: () => '' },
            clock,
            logger: silentLogger,
          }),
          clock,
          logger: silentLogger,
          node: {
            nodeHost: 'n',
            nodePort: 1,
            nodeHttpPort: 2,
            homeFolder: '/home',
            confDir: '/conf',
            administrator: new Map(),
            inherited: [],
            debug,
          },
          sleepBeforeKillMs: 10,
          retryMinimumIntervalMs: 10,
          maximumDiagnostics: 1000,
          errorFiles: { pattern: '*', tailBytes: 10 },
          deleteDelayMs: 0,
          processUser: 'me',
          disksFailed: () => undefined,
        },
        { containerChanged: (report) => void told.push(report), applicationEnded: async () => true, signalled() {} },
      );
      await manager.recover(records.load());
      return {
        manager,
        clock,
        told,
        store: records,
        ends: (id: string) =>
          told.filter(({ containerId, state }) => containerId === id && state === 'COMPLETE').map((each) => each.exitCode),
        /** What the resource manager hears when the node registers. */
        registered: (id: string) => manager.reports().find(({ containerId }) => containerId === id)?.state,
      };
    },
  };
}

/** Waits for what happens soon. */
export async function until(condition: () => unknown): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
/** Lets all happen that needs no time to pass. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
}
