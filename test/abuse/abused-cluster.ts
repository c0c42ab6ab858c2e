// A whole cluster with something of everything in it, its services with all their routes, what it logs as errors, and a picture of
// all that must not change.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { loadConfiguration } from '../../src/config/load.ts';
import { type Service, serviceMade } from '../../src/http/service.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { applicationReport, commandApplication, submitApplication } from '../support/applications.ts';
import { aBatchMaster } from '../support/batch-master.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';
import { until } from '../support/processes.ts';
import { closeConnections, send } from './raw-request.ts';

/** A service with the port it listens on. */
export interface AbusedService {
  readonly name: string;
  readonly port: number;
  readonly routes: Service['routes'];
}

export interface AbusedCluster extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly services: readonly AbusedService[];
  readonly resourceManagerPort: number;
  readonly timelinePort: number;
  readonly nodeManagerPort: number;
  /** A running application with its master's token. */
  readonly running: { readonly id: string; readonly attemptId: string; readonly containerId: string; readonly token: string };
  readonly nodeId: string;
  /** Lines at error level since the last call. */
  errors(): string[];
  /** Applications, nodes, labels, queues, entities, domains. */
  picture(): Promise<object>;
}

const settings: Record<string, string> = {
  'yarn.node-labels.enabled': 'true',
  'yarn.scheduler.configuration.store.class': 'memory',
  'yarn.resourcemanager.reservation-system.enable': 'true',
  'yarn.timeline-service.versions': '1.5,2.0',
  'yarn.timeline-service.generic-application-history.enabled': 'true',
  'yarn.webapp.ui2.enable': 'false',
  'yarn.nodemanager.resource.memory-mb': '4096',
  'yarn.nodemanager.resource.cpu-vcores': '8',
  'yarn.nodemanager.delete.debug-delay-sec': '0',
};

const json = { 'content-type': 'application/json', accept: 'application/json' };

/** Starts the cluster and fills it. */
export async function startAbusedCluster(): Promise<AbusedCluster> {
  const made: Service[] = [];
  const hear = (service: unknown): void => void made.push(service as Service);
  const lines: string[] = [];
  // What is audited comes whatever the level.
  const write = (line: string) => {
    if ((JSON.parse(line) as { level: number }).level >= pino.levels.values['error']!) lines.push(line);
  };
  const logger = pino({ level: 'error' }, { write });
  serviceMade.subscribe(hear);
  const cluster = await startCluster({ settings, logger });
  const proxy = await (await import('../../src/proxy/server.ts')).start(
    loadConfiguration({
      dataDir: join(cluster.dataDir, 'proxy'),
      set: {
        'yarn.web-proxy.address': '127.0.0.1:0',
        'yarn.resourcemanager.webapp.address': new URL(cluster.urls.resourceManager).host,
      },
    }),
    { logger, clock: systemClock, random: systemRandom },
  );
  const master = aBatchMaster(logger);
  await master.listen();
  serviceMade.unsubscribe(hear);
  const portOf = (url: string) => Number(new URL(url).port);
  const names = new Map(Object.entries(cluster.urls).map(([name, url]) => [portOf(url), name]));
  const services = made.flatMap((service): AbusedService[] => {
    const address = service.raw.server.address() as AddressInfo | null;
    if (!address) return [];
    const name =
      names.get(address.port) ??
      (service === master ? 'batchMaster' : service.routes.some(({ path }) => path.startsWith('/proxy')) ? 'proxy' : 'collector');
    return [{ name, port: address.port, routes: service.routes }];
  });
  const resourceManagerPort = portOf(cluster.urls.resourceManager);
  const timelinePort = portOf(cluster.urls.timeline);
  const nodeManagerPort = portOf(cluster.urls.nodeManager);
  const post = async (port: number, target: string, body: unknown, method = 'POST') => {
    const answer = await send(port, { method, target: `${target}?user.name=root`, headers: json, body: JSON.stringify(body) });
    assert.ok(answer.status < 300, `${target}: ${answer.status} ${answer.text}`);
  };
  const tokenFile = join(cluster.dataDir, 'attempt-token');
  const id = await submitApplication(
    cluster.urls.resourceManager,
    commandApplication(`cp "$HEDDLE_ATTEMPT_TOKEN_FILE" ${tokenFile}.new && mv ${tokenFile}.new ${tokenFile} && exec sleep 600`),
  );
  await post(resourceManagerPort, '/ws/v1/cluster/add-node-labels', { nodeLabelInfo: [{ name: 'fast', exclusivity: 'true' }] });
  // What is old is gone after a while.
  const nowMs = Date.now();
  await post(timelinePort, '/ws/v1/timeline', {
    entities: [{ entity: 'thing_1', entitytype: 'THING', starttime: nowMs, events: [{ timestamp: nowMs, eventtype: 'made' }] }],
  });
  await post(timelinePort, '/ws/v1/timeline/domain', { id: 'domain_1', readers: '*', writers: 'root' }, 'PUT');
  await until('the master to run', async () => existsSync(tokenFile));
  const attemptId = id.replace('application', 'appattempt').concat('_000001');
  await until('the application to run', async () => (await applicationReport(cluster.urls.resourceManager, id)).state !== 'SUBMITTED');
  const { nodes } = await cluster.get<{ nodes: { node: { id: string }[] } }>(`${cluster.urls.resourceManager}/ws/v1/cluster/nodes`);

  return {
    cluster,
    services,
    resourceManagerPort,
    timelinePort,
    nodeManagerPort,
    running: {
      id,
      attemptId,
      containerId: `${attemptId.replace('appattempt', 'container').replace(/_0000(\d\d)$/, '_$1')}_000001`,
      token: readFileSync(tokenFile, 'utf8').trim(),
    },
    nodeId: nodes.node[0]?.id ?? '',
    errors: () => lines.splice(0),
    async picture() {
      const read = async (port: number, target: string): Promise<unknown> =>
        JSON.parse(withoutSpecialNumbers((await send(port, { method: 'GET', target: `${target}?user.name=root`, headers: json })).text));
      const cluster = '/ws/v1/cluster';
      const [apps, nodes, labels, labelled, queues, queue, timeouts, things, domains] = await Promise.all([
        read(resourceManagerPort, `${cluster}/apps`) as Promise<{ apps: { app: Record<string, unknown>[] } }>,
        read(resourceManagerPort, `${cluster}/nodes`) as Promise<{ nodes: { node: Record<string, unknown>[] } }>,
        read(resourceManagerPort, `${cluster}/get-node-labels`),
        read(resourceManagerPort, `${cluster}/get-node-to-labels`),
        read(resourceManagerPort, `${cluster}/scheduler-conf`),
        read(resourceManagerPort, `${cluster}/apps/${id}/queue`),
        read(resourceManagerPort, `${cluster}/apps/${id}/timeouts`),
        read(timelinePort, '/ws/v1/timeline/THING'),
        read(timelinePort, '/ws/v1/timeline/domain'),
      ]);
      return {
        apps: apps.apps.app
          .map((app) => [
            app['id'],
            app['name'],
            app['user'],
            app['queue'],
            app['priority'],
            app['applicationTags'],
            app['id'] === id && app['state'],
          ])
          .sort((a, b) => String(a[0]).localeCompare(String(b[0]))),
        nodes: nodes.nodes.node.map((node) => [node['id'], node['state'], node['nodeLabels'], node['totalResource']]),
        ...{ labels, labelled, queues, queue, timeouts, things, domains },
      };
    },
    async [Symbol.asyncDispose]() {
      closeConnections();
      await master.close();
      await proxy.close();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

/** Shares of nothing are written as Hadoop writes them, which is not JSON. */
const withoutSpecialNumbers = (text: string): string => text.replace(/:(NaN|-?Infinity)\b/g, ':null');

/** The parts of two pictures that differ. */
export function changesOf(before: object, now: object): string {
  const piecesOf = (picture: object) =>
    Object.entries(picture).flatMap(([name, part]) =>
      (Array.isArray(part) ? part : [part]).map((piece) => `${name} ${JSON.stringify(piece)}`),
    );
  const [old, fresh] = [piecesOf(before), piecesOf(now)];
  const only = (pieces: string[], others: string[]) =>
    pieces.filter((piece) => !others.includes(piece)).map((piece) => piece.slice(0, 500));
  return `${old.length} parts to ${fresh.length}: ${only(old, fresh).join('; ')} to ${only(fresh, old).join('; ')}`;
}
