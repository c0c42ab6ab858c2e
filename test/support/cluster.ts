import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auxiliaryServices } from '../../src/auxiliary-services.ts';
import { type Authorize, serving } from '../../src/client/credentials.ts';
import { type Configuration, loadConfiguration } from '../../src/config/load.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Closer } from '../../src/lib/closer.ts';
import { type Logger, silentLogger } from '../../src/lib/log.ts';
import { systemRandom } from '../../src/lib/random.ts';
import type { RoleDependencies, RunningRole } from '../../src/lib/role.ts';
import { shareCompiledCode } from './compiled-code.ts';
import { freePorts } from './ports.ts';
import { type ClusterUrls, until } from './processes.ts';

type Start = (configuration: Configuration, dependencies: RoleDependencies) => Promise<RunningRole>;

/** A cluster whose servers all run in the calling thread. */
export interface TestCluster extends AsyncDisposable {
  readonly urls: ClusterUrls;
  readonly dataDir: string;
  /** What the roles say they listen at, by role and name; of node managers the first. */
  readonly addresses: Readonly<Record<keyof typeof starters, RunningRole['addresses']>>;
  /** The port of the shuffle of the first node. */
  readonly shufflePort: number;
  /** A request with a JSON answer; `user` becomes `user.name`. */
  get<T>(url: string, user?: string): Promise<T>;
}

const starters = {
  timeline: async (): Promise<Start> => (await import('../../src/timeline/server.ts')).start,
  resourceManager: async (): Promise<Start> => (await import('../../src/resource-manager/server.ts')).start,
  nodeManager: async (): Promise<Start> => (await import('../../src/node-manager/server.ts')).start,
  history: async (): Promise<Start> => (await import('../../src/history/server.ts')).start,
};

/**
 * Starts resource manager, timeline, `nodes` node managers and history server on free ports with an empty data folder;
 * returns when all nodes run. `settings` are laid over the defaults; `logger` hears all of them.
 */
export async function startCluster(
  options: { nodes?: number; settings?: Record<string, string>; logger?: Logger } = {},
): Promise<TestCluster> {
  const nodes = options.nodes ?? 1;
  const dataDir = mkdtempSync(join(tmpdir(), 'heddle-test-'));
  const closer = new Closer();
  closer.add('data', () => rmSync(dataDir, { recursive: true, force: true }));
  shareCompiledCode(dataDir);
  const [rm, timeline, reader, collector, history, historyRpc, ...nodePorts] = await freePorts(6 + 4 * nodes);
  const common = {
    'yarn.resourcemanager.webapp.address': `127.0.0.1:${rm}`,
    'yarn.timeline-service.enabled': 'true',
    'yarn.timeline-service.webapp.address': `127.0.0.1:${timeline}`,
    'yarn.timeline-service.address': '127.0.0.1:0',
    'yarn.timeline-service.reader.webapp.address': `127.0.0.1:${reader}`,
    'yarn.timeline-service.collector.bind-port-ranges': `${collector}`,
    'mapreduce.jobhistory.webapp.address': `127.0.0.1:${history}`,
    'mapreduce.jobhistory.address': `127.0.0.1:${historyRpc}`,
    'mapreduce.jobhistory.admin.address': '127.0.0.1:0',
    'heddle.cluster.secret-file': join(dataDir, 'secrets/cluster'),
    'yarn.nodemanager.remote-app-log-dir': join(dataDir, 'aggregated-logs'),
    ...options.settings,
  };
  const dependencies = { logger: options.logger ?? silentLogger, clock: systemClock, random: systemRandom };
  const addresses: Partial<Record<keyof typeof starters, RunningRole['addresses']>> = {};
  const run = async (name: keyof typeof starters, folder = '', set: Record<string, string> = {}) => {
    const start = await starters[name]();
    const configuration = loadConfiguration({ dataDir: join(dataDir, folder), set: { ...common, ...set } });
    const joined =
      name === 'nodeManager' ? { ...dependencies, auxiliaryServices: auxiliaryServices(configuration, dependencies) } : dependencies;
    const role = await start(configuration, joined);
    closer.add(name, () => role.close());
    addresses[name] ??= role.addresses;
  };
  try {
    // In the order in which the least is there yet for who starts: nobody may depend on another having been first.
    await run('resourceManager');
    await run('timeline');
    for (let node = 0; node < nodes; node++) {
      const [web, id, localizer, shuffle] = nodePorts.slice(4 * node);
      await run('nodeManager', `node-manager-${node}`, {
        'yarn.nodemanager.webapp.address': `127.0.0.1:${web}`,
        'yarn.nodemanager.address': `127.0.0.1:${id}`,
        'yarn.nodemanager.localizer.address': `127.0.0.1:${localizer}`,
        'mapreduce.shuffle.port': `${shuffle}`,
      });
    }
    await run('history');
    const urls: ClusterUrls = {
      resourceManager: `http://127.0.0.1:${rm}`,
      nodeManager: `http://127.0.0.1:${nodePorts[0]}`,
      timeline: `http://127.0.0.1:${timeline}`,
      reader: `http://127.0.0.1:${reader}`,
      history: `http://127.0.0.1:${history}`,
    };
    const namesCount = !options.settings?.['heddle.security.authentication'];
    const get = async <T>(url: string, user = 'root'): Promise<T> => {
      const address = new URL(url);
      address.searchParams.set('user.name', user);
      // Where a name is not enough, as the operator.
      const proof = namesCount ? {} : await operatorProof(dataDir, user)('GET', address);
      return (await fetch(address, { headers: { accept: 'application/json', ...proof } })).json() as Promise<T>;
    };
    await until('all nodes to run', async () => {
      const { clusterMetrics } = await get<{ clusterMetrics: { activeNodes: number } }>(`${urls.resourceManager}/ws/v1/cluster/metrics`);
      return clusterMetrics.activeNodes === nodes;
    });
    const whole = addresses as TestCluster['addresses'];
    return { urls, dataDir, addresses: whole, shufflePort: nodePorts[3]!, get, [Symbol.asyncDispose]: () => closer.close() };
  } catch (error) {
    await closer.close();
    throw error;
  }
}

/** What commands of who runs the cluster prove themselves with, in the name of a user. */
export function operatorProof(dataDir: string, user: string): Authorize {
  const secret = Buffer.from(readFileSync(join(dataDir, 'secrets/services'), 'utf8').trim(), 'base64');
  return serving(() => ({ secret }), user, systemClock);
}
