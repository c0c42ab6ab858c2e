import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Route } from '../../src/http/service.ts';
import { batchIds } from '../support/batch-master.ts';
import { type AbusedCluster, type AbusedService, changesOf, startAbusedCluster } from './abused-cluster.ts';
import { type Abuse, brokenBodies, fill, type Ids, queryAbuses, requestAbuses, unknownParameter, wrongMembers } from './abuses.ts';
import { faultOfAnswer } from './check-answer.ts';
import { send } from './raw-request.ts';
import { samplesOf } from './samples.ts';

const clusterBase = '/ws/v1/cluster';

/** Sends the abuses; gives what is wrong with the answers. */
async function suffer(abused: AbusedCluster, { port, name }: AbusedService, abuses: readonly Abuse[]): Promise<string[]> {
  const faults: string[] = [];
  const waiting = [...abuses];
  const work = async () => {
    for (let abuse = waiting.shift(); abuse; abuse = waiting.shift()) {
      const { method, target } = abuse.request;
      const what = `${name} ${method} ${target.slice(0, 110)}: ${abuse.name}`;
      const fault = await send(port, abuse.request, true).then(
        (answer) => faultOfAnswer(abuse, answer),
        (error: Error) => error.message,
      );
      if (fault !== undefined) faults.push(`${what}: ${fault}`);
    }
  };
  await Promise.all([work(), work(), work()]);
  for (const line of abused.errors()) faults.push(`${name}: logged ${line.slice(0, 600)}`);
  return faults;
}

const listed = (faults: readonly string[]): string => `${faults.length} faults\n${faults.slice(0, 60).join('\n')}`;

describe('every route survives every wrong request', () => {
  let abused: AbusedCluster;
  /** By server and path the names of a query that are read there, as the servers describe themselves. */
  const readBy = new Map<string, ReadonlySet<string>>();
  before(async () => {
    abused = await startAbusedCluster();
    for (const service of abused.services) {
      const { status, text } = await send(service.port, { method: 'GET', target: '/openapi.json' });
      if (status !== 200) continue;
      const { paths } = JSON.parse(text) as { paths: Record<string, { get?: { parameters?: { in: string; name: string }[] } }> };
      for (const [path, { get }] of Object.entries(paths)) {
        const names = (get?.parameters ?? []).flatMap((parameter) => (parameter.in === 'query' ? [parameter.name] : []));
        if (get) readBy.set(`${service.name} ${path.replace(/\{(\w+)\}/g, ':$1')}`, new Set(names));
      }
    }
    assert.ok(readBy.size > 100, `${readBy.size} described routes`);
  });
  after(() => abused[Symbol.asyncDispose]());

  const ids = (service: string): Ids => {
    const { running, nodeId } = abused;
    if (service === 'batchMaster') return { ...batchIds, type: 'm' };
    return {
      ...{ appid: running.id, attemptId: running.attemptId, appattemptid: running.attemptId, attemptid: running.attemptId },
      ...{ containerid: running.containerId, container: running.containerId, id: running.id, nodeId, node: nodeId },
      ...{
        type: 'LIFETIME',
        command: 'OUTPUT_THREAD_DUMP',
        queue: 'default',
        filename: 'stdout',
        file: 'stdout',
        user: 'root',
        owner: 'root',
      },
      ...{ states: 'RUNNING', entityType: 'THING', entityId: 'thing_1', domainId: 'domain_1', entity: running.containerId },
      ...{ clusterid: 'yarn_cluster', userid: 'root', flowname: 'flow', flowrunid: '1', uid: 'a!b!c', entitytype: 'T', entityid: 'e' },
      ...{ jobid: 'job_1_0001', taskid: 'task_1_0001_m_000001', resourcename: 'x' },
    };
  };
  const methodsOf = (service: AbusedService, path: string) =>
    new Set<string>(service.routes.filter((route) => route.path === path).map(({ method }) => method));
  /** One of the servlets that answer every method alike needs no test for each. */
  const isRepeated = (service: AbusedService, route: Route<never>) => methodsOf(service, route.path).size > 4 && route.method !== 'GET';
  const tame = (service: AbusedService) => service.routes.filter((route) => !isRepeated(service, route) && route.path !== '/logLevel');

  test('services of all kinds are there', () => {
    const names = new Set(abused.services.map(({ name }) => name));
    assert.deepEqual([...names].sort(), [
      'batchMaster',
      'collector',
      'history',
      'nodeManager',
      'proxy',
      'reader',
      'resourceManager',
      'timeline',
    ]);
  });

  for (const [what, abusesOf] of [
    [
      'wrong methods, headers and ids',
      (service: AbusedService, route: Route<never>, turn: number) =>
        requestAbuses(route, {
          methods: methodsOf(service, route.path),
          ids: ids(service.name),
          pagesFor: service.name === 'batchMaster' ? ['POST', 'DELETE'] : [],
          turn,
        }),
    ],
    [
      'wrong queries',
      (service: AbusedService, route: Route<never>, turn: number) =>
        route.method === 'GET' ? queryAbuses(route, ids(service.name), turn, readBy.get(`${service.name} ${route.path}`)) : [],
    ],
    [
      'parameters that the own interface does not have',
      (service: AbusedService, route: Route<never>) =>
        route.path.startsWith('/api/v1/') ? [unknownParameter(route, fill(route.path, ids(service.name)))] : [],
    ],
    [
      'bodies nobody can read',
      (service: AbusedService, route: Route<never>) => {
        if (route.body === undefined) return [];
        // Heddle's own interface would refuse the parameter first.
        const more = route.path.startsWith('/api/') ? '' : `&appid=${abused.running.id}`;
        const target = `${fill(route.path, ids(service.name))}?user.name=root${more}`;
        const sample = samplesOf(abused)[route.path.replace(clusterBase, '')]?.() ?? { a: [1] };
        return brokenBodies(route, target, sample);
      },
    ],
  ] as const) {
    test(what, async () => {
      const before = await abused.picture();
      const faults: string[] = [];
      for (const service of abused.services)
        for (const [turn, route] of tame(service).entries())
          faults.push(...(await suffer(abused, service, abusesOf(service, route, turn))));
      assert.equal(faults.length, 0, listed(faults));
      assert.deepEqual(await abused.picture(), before);
    });
  }

  test('members of the wrong kind', async () => {
    const service = abused.services.find(({ name }) => name === 'resourceManager')!;
    const samples = samplesOf(abused);
    const faults: string[] = [];
    for (const route of service.routes) {
      const sample = samples[route.path.replace(clusterBase, '')] ?? (() => ({}));
      const abuses = wrongMembers(route, () => `${fill(route.path, ids(service.name))}?user.name=root`, sample);
      const tell = (abuse: Abuse, fault: string) => faults.push(`${route.method} ${route.path}: ${abuse.name}: ${fault}`);
      const refused: Abuse[] = [];
      for (const abuse of abuses) {
        const answer = await send(service.port, abuse.request);
        const fault = faultOfAnswer(abuse, answer);
        if (fault !== undefined) tell(abuse, fault);
        for (const line of abused.errors()) tell(abuse, `logged ${line.slice(0, 600)}`);
        if (answer.status >= 400) refused.push(abuse);
      }
      // What was refused is sent once more, all of it between two looks; only where these differ there is a look after each.
      const before = await abused.picture();
      for (const abuse of refused) await send(service.port, abuse.request);
      if (isDeepStrictEqual(await abused.picture(), before)) continue;
      let last = await abused.picture();
      for (const abuse of refused) {
        const { status } = await send(service.port, abuse.request);
        const now = await abused.picture();
        if (status >= 400 && !isDeepStrictEqual(now, last)) tell(abuse, `${status} changed ${changesOf(last, now)}`);
        last = now;
      }
    }
    const inXml = { method: 'GET', target: `${clusterBase}/apps`, headers: { accept: 'application/xml' } };
    const fault = faultOfAnswer({ name: 'the list afterwards', request: inXml }, await send(service.port, inXml));
    if (fault !== undefined) faults.push(`the list afterwards: ${fault}`);
    assert.equal(faults.length, 0, listed(faults));
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });
});
