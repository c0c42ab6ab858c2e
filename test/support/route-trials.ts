// A request for each route of a guarded cluster that its owner may send: path, query and body.
import type { CallerKind } from '../../scripts/reference/access.ts';
import { type Answered, type GuardedCluster, gatheredContainer } from './guarded-cluster.ts';

/** How a route is tried where its path alone says too little. */
export interface Trial {
  readonly path?: string;
  readonly query?: string;
  readonly body?: unknown | (() => unknown);
  /** How its refusal looks besides 401 and 403. */
  readonly refused?: (answer: Answered) => boolean;
  /** There is nothing of the kind here: that is no refusal, and nobody writes it down. */
  readonly isAbsent?: boolean;
  /** What only those see who may view: for routes that are answered to everybody in part. */
  readonly private?: RegExp;
  /** Kinds of callers for whom the thing is out of reach for another reason, which is named. */
  readonly leaveOut?: readonly [reason: string, ...kinds: CallerKind[]];
}

/** The path of a trial with names for its parts; `nameOf` gives what stands for each. */
export const filledPath = (path: string, nameOf: (part: string) => string): string =>
  path.replace(/:(\w+)/g, (_all, name: string) => nameOf(name)).replace('*', nameOf('appid'));

/** The names of a guarded cluster; what has none is called by what it is not. */
export const namesIn =
  ({ names }: GuardedCluster) =>
  (part: string): string =>
    encodeURIComponent(names[part] ?? `no-${part}`);

/** How routes are tried, by method and path. */
export function trialsOf({ names, spare, fresh }: GuardedCluster): Record<string, Trial> {
  const api = '/ws/v1/cluster';
  const change = (name: string) => ({ path: `${api}/apps/${spare}/${name}` });
  const nothing: Trial = { refused: ({ status }) => status >= 400, isAbsent: true };
  const uid = (...parts: string[]) => encodeURIComponent(['yarn_cluster', ...parts].join('!'));
  const labels = { nodeLabelInfo: [{ name: 'x' }] };
  const node = names['nodeId'];
  const line = { refused: ({ text }: Answered) => /is not authorized|Cannot find this log/.test(text) && !/word of ann/.test(text) };
  // Pages say so with 200, as Hadoop's do.
  const onPage = { refused: ({ text }: Answered) => text.includes('does not have privilege') };
  const absent = { refused: ({ status }: Answered) => status === 404 };
  const attempt = `/jobs/${names['jobid']}/tasks/${names['taskid']}/attempts/${names['taskid']?.replace('task', 'attempt')}_0`;
  const one = `/ws/v1/history/mapreduce${attempt}`;
  const applications = { 'application-id': '', 'application-name': 'n', 'unmanaged-AM': true };
  const gathered = gatheredContainer;
  const filter = { private: new RegExp(names['appid']!) };
  return {
    [`GET ${api}/apps`]: filter,
    'GET /cluster/appattempt/:appattemptid': onPage,
    'GET /cluster/container/:containerid': onPage,
    'GET /cluster/logaggregationstatus/:appid': onPage,
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
    'PUT /api/v1/applications/:appid/instances': { body: { instances: 1 } },
    [`POST ${api}/nodes/:nodeId/resource`]: { body: { resource: { memory: 8192, vCores: 8 }, overCommitTimeout: -1 } },
    [`POST ${api}/replace-node-to-labels`]: { body: { nodeToLabels: [{ nodeId: node, labels: [] }] } },
    [`POST ${api}/add-node-labels`]: { body: labels },
    [`POST ${api}/remove-node-labels`]: { query: 'labels=x' },
    [`POST ${api}/nodes/:nodeId/replace-labels`]: { query: 'labels=' },
    [`POST ${api}/delegation-token`]: { body: { renewer: 'ann' } },
    [`GET ${api}/queues/:queue/access`]: { query: 'user=ann', leaveOut: ['a queue has administrators alone', 'owner', 'listed'] },
    [`PUT ${api}/scheduler-conf`]: { body: { 'global-updates': {} } },
    [`POST ${api}/scheduler-conf/validate`]: { body: { 'global-updates': {} } },
    'POST /api/v1/queues/what-if': { body: { 'global-updates': {} } },
    'POST /api/v1/node-attributes': { body: { operation: 'add', nodes: [] } },
    'POST /api/v1/nodes/:nodeId/drain': { path: '/api/v1/nodes/none:1/drain' },
    'POST /api/v1/nodes/:nodeId/resume': { path: '/api/v1/nodes/none:1/resume' },
    'POST /api/v1/tokens': { body: { name: 'again', scope: 'read' } },
    'POST /api/v1/webhooks': { body: { url: 'https://hooks.invalid/', kinds: ['node'] } },
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
    'GET /applicationhistory/logs/:node/:containerid/:entity/:user/:file': {
      path: `/applicationhistory/logs/node/${gathered}/${gathered}/ann/stdout`,
    },
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
    ...Object.fromEntries(
      ['logs', 'nmlogs'].flatMap((root) =>
        [
          ['', ''],
          ['/:file', '/stdout'],
        ].map(([end = '', file = '']): [string, Trial] => [
          `GET /jobhistory/${root}/:node/:container/:entity/:owner${end}`,
          { path: `/jobhistory/${root}/node%3A45454/${gathered}/${gathered}/ann${file}`, ...line },
        ]),
      ),
    ),
  };
}
