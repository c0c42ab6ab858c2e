// A cluster with access lists on, and in every server something that is ann's: lis is on her lists, eve is a stranger, boss administers.
import { mkdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import type { CallerKind } from '../../scripts/reference/access.ts';
import { ClusterClient } from '../../src/client/cluster-client.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { HistoryFixture } from '../../src/history/test-support/history-fixture.ts';
import { type Service, serviceMade } from '../../src/http/service.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type Logger, silentLogger } from '../../src/lib/log.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { start as startProxy } from '../../src/proxy/server.ts';
import { writeAggregatedLog } from '../../src/wire/files/aggregated-log.ts';
import { aggregatedLogTree, applicationLogFolder } from '../../src/wire/files/aggregated-log-folder.ts';
import { operatorProof, startCluster, type TestCluster } from './cluster.ts';
import { until } from './processes.ts';

/** Who the kinds of callers are that have a name. */
export const guardedUsers: Partial<Record<CallerKind, string>> = { owner: 'ann', listed: 'lis', stranger: 'eve', admin: 'boss' };

/** What a container of ann's has written: for those who may read its logs. */
export const privateWord = 'a word of ann';

/** The container whose logs were gathered. */
export const gatheredContainer = 'container_1700000000000_0001_01_000001';

export interface Answered {
  readonly status: number;
  readonly text: string;
}

export interface GuardedCluster extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly services: readonly Service[];
  /** What stands for the names in paths. */
  readonly names: Readonly<Record<string, string>>;
  /** An unmanaged application of ann's, to be changed. */
  readonly spare: string;
  /** Ids for submissions. */
  readonly fresh: string[];
  /** Bearer tokens of boss: one that was revoked, and one that may read alone. */
  readonly expired: string;
  readonly readOnly: string;
}

const settings = (history: HistoryFixture): Record<string, string> => ({
  'heddle.security.authentication': 'bearer,simple',
  'yarn.acl.enable': 'true',
  'yarn.admin.acl': 'boss ',
  'mapreduce.cluster.acls.enabled': 'true',
  'mapreduce.cluster.administrators': 'boss ',
  'yarn.webapp.filter-entity-list-by-user': 'true',
  'yarn.scheduler.capacity.root.acl_submit_applications': ' ',
  'yarn.scheduler.capacity.root.acl_administer_queue': 'boss ',
  'yarn.scheduler.capacity.root.default.acl_submit_applications': 'ann,lis',
  'yarn.scheduler.capacity.root.default.acl_administer_queue': ' ',
  'yarn.node-labels.enabled': 'true',
  'yarn.scheduler.configuration.store.class': 'memory',
  'yarn.timeline-service.versions': '1.5f,2.0f',
  'yarn.timeline-service.read.allowed.users': 'lis ',
  'yarn.timeline-service.collector.bind-host': '127.0.0.1',
  'yarn.rm.system-metrics-publisher.emit-container-events': 'true',
  'yarn.nodemanager.aux-services.manifest.enabled': 'true',
  'heddle.node-manager.switch-users': 'false',
  'mapreduce.jobhistory.intermediate-done-dir': history.intermediate,
  'mapreduce.jobhistory.done-dir': history.done,
  // Its job ended long ago.
  'mapreduce.jobhistory.cleaner.enable': 'false',
  'yarn.nodemanager.remote-app-log-dir': history.logs,
});

/** Where a service listens. */
export const baseOf = ({ raw }: Service): string => `http://127.0.0.1:${(raw.server.address() as AddressInfo).port}`;

/** Sends JSON as it is asked for here. */
export async function sendJson(url: string, method: string, body: unknown, headers: Record<string, string> = {}): Promise<Answered> {
  const typed = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { accept: 'application/json, */*;q=0.5', ...typed, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** Asks for a WebSocket: status and text of the refusal, or 101 and with what it is closed, if it is within a moment. */
export async function openSocket(url: string, headers: Record<string, string> = {}): Promise<Answered> {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers });
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  socket.on('error', reject);
  socket.on('unexpected-response', (_request, answer) => {
    let text = '';
    answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
  });
  socket.on('close', (code, reason) => resolve({ status: 101, text: `${code} ${reason}` }));
  // What is not closed at once was taken: the pong comes behind the close of one that was not.
  socket.on('open', () => socket.ping());
  socket.on('pong', () => resolve({ status: 101, text: 'open' }));
  try {
    return await promise;
  } finally {
    socket.on('error', () => undefined).terminate();
  }
}

/** Starts and fills it; `logger` hears all servers. */
export async function startGuardedCluster(logger?: Logger): Promise<GuardedCluster> {
  await using opened = new AsyncDisposableStack();
  const services: Service[] = [];
  const made = (service: unknown): void => void services.push(service as Service);
  serviceMade.subscribe(made);
  opened.defer(() => void serviceMade.unsubscribe(made));
  const history = new HistoryFixture();
  opened.defer(() => history.close());
  const cluster = opened.use(await startCluster({ settings: settings(history), ...(logger ? { logger } : {}) }));
  const proxy = await startProxy(
    loadConfiguration({
      dataDir: cluster.dataDir,
      set: {
        ...settings(history),
        'yarn.web-proxy.address': '127.0.0.1:0',
        'yarn.resourcemanager.webapp.address': new URL(cluster.urls.resourceManager).host,
      },
    }),
    { logger: logger ?? silentLogger, clock: systemClock, random: systemRandom },
  );
  opened.defer(() => proxy.close());
  const as = (user: string) =>
    new ClusterClient({ url: cluster.urls.resourceManager, user, authorize: operatorProof(cluster.dataDir, user) });
  const id = await submitted(as('ann'), {});
  const spare = await submitted(as('ann'), { 'unmanaged-AM': true });
  const fresh = await Promise.all(Array.from({ length: 16 }, () => as('ann').newApplication()));
  const lists = { 'mapreduce.job.acl-view-job': 'lis', 'mapreduce.job.acl-modify-job': 'lis' };
  const { jobId } = await history.publish(1, { acls: lists });
  await aggregate(history);
  const { nodes } = await cluster.get<{ nodes: { node: { id: string }[] } }>(`${cluster.urls.resourceManager}/ws/v1/cluster/nodes`, 'boss');
  const names = namesOf(id, jobId, nodes.node[0]!.id);
  await fillTimeline(cluster, services, names);
  const boss = as('boss');
  const { text: expired } = await boss.createToken({ name: 'ended', scope: 'admin', queues: undefined });
  await boss.revokeToken('ended');
  const { text: readOnly } = await boss.createToken({ name: 'reads', scope: 'read', queues: undefined });
  const owned = opened.move();
  return { ...{ cluster, services, names, spare, fresh, expired, readOnly }, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function submitted(client: ClusterClient, context: object): Promise<string> {
  const id = await client.newApplication();
  await client.submit({
    'application-id': id,
    'application-name': 'kept private',
    'am-container-spec': {
      commands: { command: `echo ${privateWord} > <LOG_DIR>/stdout; exec sleep 600` },
      'application-acls': {
        entry: [
          { key: 'VIEW_APP', value: 'lis' },
          { key: 'MODIFY_APP', value: 'lis' },
        ],
      },
    },
    resource: { memory: 128, vCores: 1 },
    ...context,
  } as never);
  return id;
}

/** Names in paths, by what stands there. */
function namesOf(id: string, jobId: string, nodeId: string): Record<string, string> {
  const digits = id.slice('application_'.length);
  const container = `container_${digits}_01_000001`;
  return {
    ...{ appid: id, appattemptid: `appattempt_${digits}_000001`, attemptid: `appattempt_${digits}_000001`, containerid: container },
    ...{ container, user: 'ann', owner: 'ann', userid: 'ann', filename: 'stdout', file: 'stdout', type: 'LIFETIME', states: 'RUNNING' },
    ...{ state: 'running', command: 'OUTPUT_THREAD_DUMP', queue: 'root.default', jobid: jobId, name: 'x', application: id },
    ...{ clusterid: 'yarn_cluster', flowname: 'kept private', flowrunid: '1', entitytype: 'JOB', entityid: 'one', entity: jobId },
    ...{ entityType: 'own', entityId: 'one', domainId: 'anns', resourcename: 'yarn.io/gpu', attemptId: `appattempt_${digits}_000001` },
    ...{ taskid: `${jobId.replace('job', 'task')}_m_000000`, nodeId, token: 'none' },
  };
}

/** Waits until the timeline knows what runs, and tells it of things of ann's. */
async function fillTimeline({ urls }: TestCluster, services: readonly Service[], { container, appid }: Readonly<Record<string, string>>) {
  const asAnn = (server: 'nodeManager' | 'timeline', path: string, method = 'GET', body?: unknown) =>
    sendJson(`${urls[server]}${path}?user.name=ann`, method, body);
  await until('the container to run', async () =>
    (await asAnn('nodeManager', `/api/v1/containers/${container}/logs/stdout`)).text.includes(privateWord),
  );
  await until(
    'the timeline to know it',
    async () => (await asAnn('timeline', `/ws/v1/timeline/YARN_CONTAINER/${container}`)).status === 200,
  );
  const collector = baseOf(services.find(({ name }) => name === 'collector')!);
  await until('its collector', async () => {
    const told = { entities: [{ type: 'JOB', id: 'one' }] };
    return (await sendJson(`${collector}/ws/v2/timeline/entities?appid=${appid}&user.name=ann`, 'PUT', told)).status === 200;
  });
  await asAnn('timeline', '/ws/v1/timeline/domain', 'PUT', { id: 'anns', readers: 'lis', writers: 'lis' });
  await asAnn('timeline', '/ws/v1/timeline', 'POST', {
    entities: [{ entity: 'one', entitytype: 'own', starttime: 1, domain: 'anns' }],
  });
}

/** Logs of a container of ann's that ended, as a node gathered them. */
async function aggregate(history: HistoryFixture): Promise<void> {
  const folder = applicationLogFolder(aggregatedLogTree(history.logs, 'logs'), 'ann', 'application_1700000000000_0001');
  mkdirSync(folder, { recursive: true });
  const path = join(history.data, 'stdout');
  writeFileSync(path, privateWord);
  const containers = [{ containerId: gatheredContainer, files: [{ name: 'stdout', path, size: privateWord.length }] }];
  await writeAggregatedLog(join(folder, 'node_45454'), { applicationOwner: 'ann', acls: { VIEW_APP: 'lis' }, containers });
}
