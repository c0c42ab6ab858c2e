// Every cell of docs/reference/access.md that callers of running servers can be in: what each route says of its callers is what they get.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { accessOf, type CallerKind, callerKinds } from '../../scripts/reference/access.ts';
import { ClusterClient } from '../../src/client/cluster-client.ts';
import { HistoryFixture } from '../../src/history/test-support/history-fixture.ts';
import type { DeclaredPath } from '../../src/http/route.ts';
import { type Service, serviceMade } from '../../src/http/service.ts';
import { writeAggregatedLog } from '../../src/wire/files/aggregated-log.ts';
import { aggregatedLogTree, applicationLogFolder } from '../../src/wire/files/aggregated-log-folder.ts';
import { operatorProof, startCluster, type TestCluster } from '../support/cluster.ts';
import { until } from '../support/processes.ts';

const users: Partial<Record<CallerKind, string>> = { owner: 'ann', listed: 'lis', stranger: 'eve', admin: 'boss' };

interface Answered {
  readonly status: number;
  readonly text: string;
}

/** How a route is tried where its path alone says too little. */
interface Trial {
  readonly path?: string;
  readonly query?: string;
  readonly body?: unknown | (() => unknown);
  /** How its refusal looks besides 401 and 403. */
  readonly refused?: (answer: Answered) => boolean;
  /** What only those see who may view: for routes that are answered to everybody in part. */
  readonly private?: RegExp;
  /** Kinds of callers for whom the thing is out of reach for another reason, which is named. */
  readonly leaveOut?: readonly [reason: string, ...kinds: CallerKind[]];
}

/** Methods that a client of HTTP cannot send here, and requests that no answer of HTTP ends. */
const untriedMethods = new Set(['TRACE', 'WebSocket']);

/** Routes that are tried elsewhere. */
const elsewhere: Readonly<Record<string, string>> = {
  'POST /api/v1/token-examinations': 'its proof is in its body: test/cluster/bearer.test.ts',
  'POST /api/v1/token-changes': 'the same',
  'POST /ws/v1/cluster/reservation/submit': 'needs a reservable queue: src/resource-manager/reservations',
  'POST /ws/v1/cluster/reservation/update': 'the same',
  'POST /ws/v1/cluster/reservation/delete': 'the same',
  'GET /ws/v1/cluster/reservation/list': 'the same',
  'POST /ws/v1/cluster/reservation/new-reservation': 'the same',
  'PUT /api/v1/staging/:user/:application/:name': 'every user has an own area: src/resource-manager/commands/belongings.test.ts',
  'GET /api/v1/staging/:user/:application/:name': 'the same',
  'DELETE /api/v1/staging/:user/:application': 'the same',
};

let cluster: TestCluster;
const services: Service[] = [];
const history = new HistoryFixture();
const made = (service: unknown): void => void services.push(service as Service);
/** What stands for the names in paths. */
let names: Record<string, string>;
let spare: string;
/** Ids for submissions. */
let fresh: string[];
let expired: string;
let readOnly: string;
let trials: Record<string, Trial>;

const as = (user: string) =>
  new ClusterClient({ url: cluster.urls.resourceManager, user, authorize: operatorProof(cluster.dataDir, user) });

async function submitted(context: object): Promise<string> {
  const client = as('ann');
  const id = await client.newApplication();
  await client.submit({
    'application-id': id,
    'application-name': 'kept private',
    'am-container-spec': {
      commands: { command: 'echo a word of ann > <LOG_DIR>/stdout; exec sleep 600' },
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

before(async () => {
  serviceMade.subscribe(made);
  cluster = await startCluster({
    settings: {
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
      'yarn.timeline-service.versions': '1.5f,2.0f',
      'yarn.timeline-service.read.allowed.users': 'lis ',
      'yarn.timeline-service.collector.bind-host': '127.0.0.1',
      'yarn.rm.system-metrics-publisher.emit-container-events': 'true',
      'yarn.nodemanager.aux-services.manifest.enabled': 'true',
      'heddle.node-manager.switch-users': 'false',
      'mapreduce.jobhistory.intermediate-done-dir': history.intermediate,
      'mapreduce.jobhistory.done-dir': history.done,
      'yarn.nodemanager.remote-app-log-dir': history.logs,
    },
  });
  const id = await submitted({});
  spare = await submitted({ 'unmanaged-AM': true });
  fresh = await Promise.all(Array.from({ length: 16 }, () => as('ann').newApplication()));
  const lists = { 'mapreduce.job.acl-view-job': 'lis', 'mapreduce.job.acl-modify-job': 'lis' };
  const { jobId } = await history.publish(1, { acls: lists });
  await aggregate();
  const digits = id.slice('application_'.length);
  const container = `container_${digits}_01_000001`;
  names = {
    ...{ appid: id, appattemptid: `appattempt_${digits}_000001`, attemptid: `appattempt_${digits}_000001`, containerid: container },
    ...{ container, user: 'ann', owner: 'ann', userid: 'ann', filename: 'stdout', file: 'stdout', type: 'LIFETIME', states: 'RUNNING' },
    ...{ state: 'running', command: 'OUTPUT_THREAD_DUMP', queue: 'root.default', jobid: jobId, name: 'x', application: id },
    ...{ clusterid: 'yarn_cluster', flowname: 'kept private', flowrunid: '1', entitytype: 'JOB', entityid: 'one', entity: jobId },
    ...{ entityType: 'own', entityId: 'one', domainId: 'anns', resourcename: 'yarn.io/gpu', attemptId: `appattempt_${digits}_000001` },
    ...{ taskid: `${jobId.replace('job', 'task')}_m_000000`, nodeId: await nodeId(), token: 'none' },
  };
  await until('the container to run', async () =>
    /word of ann/.test((await asked('nodeManager', `/api/v1/containers/${container}/logs/stdout`, 'ann')).text),
  );
  await until(
    'the timeline to know it',
    async () => (await asked('timeline', `/ws/v1/timeline/YARN_CONTAINER/${container}`, 'ann')).status === 200,
  );
  await until('its collector', async () => (await collected('ann')).status === 200);
  await asked('timeline', '/ws/v1/timeline/domain', 'ann', 'PUT', { id: 'anns', readers: 'lis', writers: 'lis' });
  await asked('timeline', '/ws/v1/timeline', 'ann', 'POST', {
    entities: [{ entity: 'one', entitytype: 'own', starttime: 1, domain: 'anns' }],
  });
  const boss = as('boss');
  const ended = await boss.createToken({ name: 'ended', scope: 'admin', queues: undefined });
  await boss.revokeToken('ended');
  expired = ended.text;
  readOnly = (await boss.createToken({ name: 'reads', scope: 'read', queues: undefined })).text;
  trials = trialsOf();
});
after(async () => {
  serviceMade.unsubscribe(made);
  await cluster?.[Symbol.asyncDispose]();
  await history.close();
});

/** Logs of a container of ann's that ended, as a node gathered them. */
async function aggregate(): Promise<void> {
  const folder = applicationLogFolder(aggregatedLogTree(history.logs, 'logs'), 'ann', 'application_1700000000000_0001');
  mkdirSync(folder, { recursive: true });
  const path = join(history.data, 'stdout');
  writeFileSync(path, 'a word of ann');
  const containers = [{ containerId: 'container_1700000000000_0001_01_000001', files: [{ name: 'stdout', path, size: 13 }] }];
  await writeAggregatedLog(join(folder, 'node_45454'), { applicationOwner: 'ann', acls: { VIEW_APP: 'lis' }, containers });
}

const nodeId = async (): Promise<string> => {
  const { nodes } = JSON.parse((await asked('resourceManager', '/ws/v1/cluster/nodes', 'boss')).text);
  return nodes.node[0].id;
};

async function send(url: string, method: string, body: unknown, headers: Record<string, string> = {}): Promise<Answered> {
  const typed = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { accept: 'application/json, */*;q=0.5', ...typed, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

const asked = (
  server: 'resourceManager' | 'nodeManager' | 'timeline' | 'reader' | 'history',
  path: string,
  user: string,
  method = 'GET',
  body?: unknown,
) => send(`${cluster.urls[server]}${path}${path.includes('?') ? '&' : '?'}user.name=${user}`, method, body);

const baseOf = ({ raw }: Service): string => `http://127.0.0.1:${(raw.server.address() as AddressInfo).port}`;
const collected = (user: string) =>
  send(
    `${baseOf(services.find(({ name }) => name === 'collector')!)}/ws/v2/timeline/entities?appid=${names['appid']}&user.name=${user}`,
    'PUT',
    {
      entities: [{ type: 'JOB', id: 'one' }],
    },
  );

/** How routes are tried, by method and path. */
function trialsOf(): Record<string, Trial> {
  const api = '/ws/v1/cluster';
  const change = (name: string) => ({ path: `${api}/apps/${spare}/${name}` });
  const nothing: Trial = { refused: ({ status }) => status >= 400 };
  const uid = (...parts: string[]) => encodeURIComponent(['yarn_cluster', ...parts].join('!'));
  const labels = { nodeLabelInfo: [{ name: 'x' }] };
  const node = names['nodeId'];
  const line = { refused: ({ text }: Answered) => /is not authorized|Cannot find this log/.test(text) && !/word of ann/.test(text) };
  const absent = { refused: ({ status }: Answered) => status === 404 };
  const attempt = `/jobs/${names['jobid']}/tasks/${names['taskid']}/attempts/${names['taskid']?.replace('task', 'attempt')}_0`;
  const one = `/ws/v1/history/mapreduce${attempt}`;
  const applications = { 'application-id': '', 'application-name': 'n', 'unmanaged-AM': true };
  const gathered = 'container_1700000000000_0001_01_000001';
  const filter = { private: new RegExp(names['appid']!) };
  return {
    [`GET ${api}/apps`]: filter,
    'GET /api/v1/applications': filter,
    [`GET ${api}/apps/:appid`]: { private: /"amContainerLogs"/ },
    'GET /api/v1/applications/:appid': { private: /masterContainerId/ },
    [`GET ${api}/apps/:appid/appattempts`]: {},
    'GET /api/v1/applications/:appid/master': {
      path: `/api/v1/applications/${spare}/master`,
      leaveOut: ['its token is for its owner alone', 'listed', 'admin'],
    },
    [`POST ${api}/apps`]: {
      body: () => ({ ...applications, 'application-id': fresh.pop() }),
      refused: ({ text }) => /AccessControlException/.test(text),
    },
    'POST /api/v1/applications': {
      body: () => ({ ...applications, 'application-id': fresh.pop() }),
      refused: ({ text }) => /AccessControlException/.test(text),
    },
    [`PUT ${api}/apps/:appid/state`]: { ...change('state'), body: { state: 'KILLED' } },
    [`PUT ${api}/apps/:appid/queue`]: { ...change('queue'), body: { queue: 'default' } },
    [`PUT ${api}/apps/:appid/priority`]: { ...change('priority'), body: { priority: 1 } },
    [`PUT ${api}/apps/:appid/timeout`]: {
      ...change('timeout'),
      body: { timeout: { type: 'LIFETIME', expiryTime: '2040-01-01T00:00:00.000+0000' } },
    },
    [`POST ${api}/nodes/:nodeId/resource`]: { body: { resource: { memory: 8192, vCores: 8 }, overCommitTimeout: -1 } },
    [`POST ${api}/replace-node-to-labels`]: { body: { nodeToLabels: [{ nodeId: node, labels: [] }] } },
    [`POST ${api}/add-node-labels`]: { body: labels },
    [`POST ${api}/remove-node-labels`]: { query: 'labels=x' },
    [`POST ${api}/nodes/:nodeId/replace-labels`]: { query: 'labels=' },
    [`POST ${api}/delegation-token`]: { body: { renewer: 'ann' } },
    [`GET ${api}/queues/:queue/access`]: { query: 'user=ann', leaveOut: ['a queue has administrators alone', 'owner', 'listed'] },
    [`PUT ${api}/scheduler-conf`]: { body: { 'global-updates': {} } },
    [`POST ${api}/scheduler-conf/validate`]: { body: { 'global-updates': {} } },
    'POST /api/v1/node-attributes': { body: { operation: 'add', nodes: [] } },
    'POST /api/v1/nodes/:nodeId/drain': { path: '/api/v1/nodes/none:1/drain' },
    'POST /api/v1/nodes/:nodeId/resume': { path: '/api/v1/nodes/none:1/resume' },
    'POST /api/v1/tokens': { body: { name: 'again', scope: 'read' } },
    'GET /cluster': filter,
    'GET /cluster/apps': filter,
    'GET /cluster/apps/:states': { ...filter, path: '/cluster/apps/ACCEPTED' },
    'GET /ws/v1/node/apps': filter,
    'GET /ws/v1/node/containers': { private: new RegExp(names['containerid']!) },
    'GET /ws/v1/node/containers/:containerid': { private: /directory\.info/ },
    'GET /node/allApplications': filter,
    'GET /node/allContainers': { private: new RegExp(names['containerid']!) },
    'GET /node/application/:id': { path: `/node/application/${names['appid']}` },
    'GET /node/container/:id': { path: `/node/container/${names['containerid']}` },
    'GET /node/containerlogs/:container/:user': line,
    'GET /node/containerlogs/:container/:user/:file': line,
    'PUT /ws/v1/node/auxiliaryservices': { body: { services: [] } },
    'POST /ws/v1/timeline': {
      body: { entities: [{ entity: 'two', entitytype: 'own', starttime: 1, domain: 'anns' }] },
      refused: ({ text }) => /"errorcode"/.test(text),
    },
    'PUT /ws/v1/timeline/domain': { body: { id: 'anns', readers: 'lis', writers: 'lis' }, leaveOut: ['a domain is its owner’s', 'listed'] },
    'GET /ws/v1/timeline/domain': { query: 'owner=ann', private: /"anns"/, leaveOut: ['the same', 'listed'] },
    'GET /ws/v1/timeline/domain/:domainId': { ...absent, leaveOut: ['the same', 'listed'] },
    'GET /ws/v1/timeline/:entityType': { private: /"one"/ },
    'GET /ws/v1/timeline/:entityType/events': {
      path: '/ws/v1/timeline/YARN_APPLICATION/events',
      query: `entityId=${names['appid']}`,
      private: /YARN_APPLICATION_CREATED/,
    },
    'GET /ws/v1/applicationhistory/containerlogs/:containerid/:filename': {
      path: `/ws/v1/applicationhistory/containerlogs/${gathered}/stdout`,
    },
    'GET /ws/v1/applicationhistory/containers/:containerid/logs': { path: `/ws/v1/applicationhistory/containers/${gathered}/logs` },
    'GET /ws/v1/applicationhistory/containers/:containerid/logs/:filename': {
      path: `/ws/v1/applicationhistory/containers/${gathered}/logs/stdout`,
    },
    'GET /applicationhistory/logs/:node/:containerid/:entity/:user': { path: `/applicationhistory/logs/node/${gathered}/${gathered}/ann` },
    'PUT /ws/v2/timeline/entities': {
      query: `appid=${names['appid']}`,
      body: { entities: [{ type: 'JOB', id: 'one' }] },
      leaveOut: ['an application is its owner’s', 'listed'],
    },
    'PUT /ws/v2/timeline/domain': { query: `appid=${names['appid']}`, body: { id: 'd' }, leaveOut: ['the same', 'listed'] },
    'GET /ws/v1/history/aggregatedlogs': { query: 'appid=application_1700000000000_0001' },
    'GET /ws/v1/history/containerlogs/:containerid/:filename': { path: `/ws/v1/history/containerlogs/${gathered}/stdout` },
    'GET /ws/v1/history/containers/:containerid/logs': { path: `/ws/v1/history/containers/${gathered}/logs` },
    'GET /ws/v1/history/mapreduce/jobs/:jobid/tasks/:taskid/attempts/:attemptid': { path: one },
    'GET /ws/v1/history/mapreduce/jobs/:jobid/tasks/:taskid/attempts/:attemptid/counters': { path: `${one}/counters` },
    'GET /api/v1/auxiliary/:name/*': nothing,
    'POST /api/v1/auxiliary/:name/*': nothing,
    'PUT /api/v1/auxiliary/:name/*': nothing,
    'DELETE /api/v1/auxiliary/:name/*': nothing,
    'GET /ws/v2/timeline/flow-uid/:uid/runs': { path: `/ws/v2/timeline/flow-uid/${uid('ann', 'f')}/runs` },
    'GET /ws/v2/timeline/run-uid/:uid': { path: `/ws/v2/timeline/run-uid/${uid('ann', 'f', '1')}` },
    'GET /ws/v2/timeline/run-uid/:uid/apps': { path: `/ws/v2/timeline/run-uid/${uid('ann', 'f', '1')}/apps` },
    'GET /ws/v2/timeline/app-uid/:uid': { path: `/ws/v2/timeline/app-uid/${uid(names['appid']!)}` },
    'GET /ws/v2/timeline/app-uid/:uid/entities/:entitytype': { path: `/ws/v2/timeline/app-uid/${uid(names['appid']!)}/entities/JOB` },
    'GET /ws/v2/timeline/entity-uid/:uid': { path: `/ws/v2/timeline/entity-uid/${uid(names['appid']!, 'JOB', '0', 'one')}` },
    'history GET /api/v1/containers/:containerid/logs': { path: `/api/v1/containers/${gathered}/logs` },
    'history GET /api/v1/containers/:containerid/logs/:filename': { path: `/api/v1/containers/${gathered}/logs/stdout` },
    'GET /jobhistory/logs/:node/:container/:entity/:owner': { path: `/jobhistory/logs/node%3A45454/${gathered}/${gathered}/ann`, ...line },
    'GET /jobhistory/logs/:node/:container/:entity/:owner/:file': {
      path: `/jobhistory/logs/node%3A45454/${gathered}/${gathered}/ann/stdout`,
      ...line,
    },
  };
}

/** Sends the request of a trial as a kind of caller. */
function tryAs(kind: CallerKind, service: Service, { method, path }: DeclaredPath, trial: Trial): Promise<Answered> {
  const filled = (trial.path ?? path)
    .replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(names[name] ?? `no-${name}`))
    .replace('*', names['appid']!);
  const query = new URLSearchParams(trial.query);
  const user = users[kind];
  if (user !== undefined) query.set('user.name', user);
  const bearing = kind === 'expired' ? expired : kind === 'wrong scope' ? readOnly : undefined;
  const text = query.toString();
  const body = typeof trial.body === 'function' ? (trial.body as () => unknown)() : trial.body;
  return send(
    `${baseOf(service)}${filled}${text === '' ? '' : `?${text}`}`,
    method,
    body,
    bearing === undefined ? {} : { authorization: `Bearer ${bearing}` },
  );
}

const isRefused = (answer: Answered, trial: Trial): boolean =>
  answer.status === 401 || answer.status === 403 || (trial.refused?.(answer) ?? false);

describe('every route of every server', () => {
  for (const server of ['resource-manager', 'node-manager', 'timeline', 'reader', 'collector', 'history'])
    it(`of the ${server} gives each caller what its declaration says`, async () => {
      const service = services.find(({ name }) => name === server)!;
      const wrong: string[] = [];
      for (const route of service.declared) {
        const key = `${route.method} ${route.path}`;
        if (route.access === undefined) wrong.push(`${key} declares no access`);
        if (untriedMethods.has(route.method) || elsewhere[key] !== undefined || route.access === undefined) continue;
        const trial = trials[`${server} ${key}`] ?? trials[key] ?? {};
        // Who is refused comes first: what others do may leave nothing to be refused.
        const cells = accessOf[route.access];
        for (const kind of callerKinds.toSorted((left, right) => Number(cells[left] !== 'no') - Number(cells[right] !== 'no'))) {
          // The static user stands in for nobody on the resource manager, as any user with a name.
          const expected = route.access === 'named' && kind === 'nobody' ? 'yes' : cells[kind];
          if (expected === '-' || expected === 'master' || trial.leaveOut?.slice(1).includes(kind)) continue;
          const answer = await tryAs(kind, service, route, trial);
          const got = isRefused(answer, trial) ? 'no' : trial.private && !trial.private.test(answer.text) ? 'part' : 'yes';
          const wanted = expected === 'ticket' ? 'no' : expected === 'part' && !trial.private ? 'yes' : expected;
          if (got !== wanted || answer.status >= 500)
            wrong.push(`${key} as ${kind}: ${got}, not ${wanted} (${answer.status} ${answer.text.slice(-160)})`);
        }
      }
      assert.deepEqual(wrong, []);
    });
});
