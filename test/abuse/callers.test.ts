// Every route with every kind of caller, and requests that are wrong at random: nothing fails inside a server, and nobody changes, or is
// shown, what is not theirs. What right requests get is tried cell by cell in test/cluster/access.test.ts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { pino } from 'pino';
import { accessOf, callerKinds } from '../../scripts/reference/access.ts';
import type { DeclaredPath } from '../../src/http/route.ts';
import type { Service } from '../../src/http/service.ts';
import { type Random, seededRandom } from '../../src/lib/random.ts';
import { baseOf, type GuardedCluster, guardedUsers, privateWord, sendJson, startGuardedCluster } from '../support/guarded-cluster.ts';
import { filledPath, namesIn, type Trial, trialsOf } from '../support/route-trials.ts';
import { changesOf } from './abused-cluster.ts';
import { hostileParts, hostileValues, queryNames, wrongValues } from './abuses.ts';
import { faultOfAnswer } from './check-answer.ts';
import { closeConnections, type RawAnswer, type RawRequest, send } from './raw-request.ts';
import { freshApplicationId } from './samples.ts';

const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122);
/** Requests of each kind of caller to each route. */
const runs = Number(process.env['HEDDLE_TEST_RUNS'] ?? 1);

/** Those of the table of access, and who pretends: to be sent by a page of boss's browser, to be boss by forged credentials, to act for others. */
const kinds = [...callerKinds, 'foreign page', 'forger', 'impersonator'] as const;
type Kind = (typeof kinds)[number];
/** Who may read what ann wrote. */
const readers: ReadonlySet<Kind> = new Set(['owner', 'listed', 'admin', 'wrong scope', 'foreign page']);
/** Who may change nothing but what is their own, and eve owns nothing of what is looked at. */
const powerless: ReadonlySet<Kind> = new Set(['stranger', 'nobody', 'expired', 'wrong scope', 'foreign page', 'forger', 'impersonator']);
const reading = new Set(['GET', 'HEAD', 'OPTIONS']);
/** How many routes are tried between two pictures. */
const routesAtOnce = 12;

interface Sent {
  readonly what: string;
  readonly kind: Kind;
  readonly request: RawRequest;
}

describe(`every route with every kind of caller (HEDDLE_TEST_SEED=${seed})`, () => {
  let guarded: GuardedCluster;
  let trials: Record<string, Trial>;
  let random: Random;
  /** What nobody is shown who may not read ann's logs, and what nobody is shown at all. */
  let ofMasters: string;
  let ofCluster: readonly string[];
  const errors: string[] = [];

  before(async () => {
    const write = (line: string) => {
      if ((JSON.parse(line) as { level: number }).level >= pino.levels.values['error']!) errors.push(line);
    };
    guarded = await startGuardedCluster(pino({ level: 'error' }, { write }));
    trials = { ...trialsOf(guarded), ...changesOfOthers(guarded) };
    random = seededRandom(seed);
    const { cluster, spare } = guarded;
    const labels = { nodeLabelInfo: [{ name: 'fast' }] };
    const labelled = `${cluster.urls.resourceManager}/ws/v1/cluster/add-node-labels?user.name=boss`;
    assert.equal((await sendJson(labelled, 'POST', labels)).status, 200);
    const staged = `${cluster.urls.resourceManager}/api/v1/staging/ann/${spare}/kept?user.name=ann`;
    assert.equal((await fetch(staged, { method: 'PUT', body: privateWord })).status, 201);
    const access = await sendJson(`${cluster.urls.resourceManager}/api/v1/applications/${spare}/master?user.name=ann`, 'GET', undefined);
    ofMasters = (JSON.parse(access.text) as { token: string }).token;
    ofCluster = ['services', 'cluster'].map((name) => readFileSync(join(cluster.dataDir, 'secrets', name), 'utf8').trim());
    assert.ok([ofMasters, ...ofCluster].every((secret) => secret.length >= 16));
  });
  after(async () => {
    closeConnections();
    await guarded?.[Symbol.asyncDispose]();
  });

  const pick = <T>(from: readonly T[]): T => from[random.int(from.length)]!;
  const oneIn = (count: number): boolean => random.int(count) === 0;

  /** What is ann's, boss's and the cluster's, as boss sees it. */
  async function picture(): Promise<object> {
    const { cluster, names, spare } = guarded;
    const { resourceManager, timeline, nodeManager, history } = cluster.urls;
    const read = async (server: string, path: string) => {
      const { status, text } = await sendJson(`${server}${path}${path.includes('?') ? '&' : '?'}user.name=boss`, 'GET', undefined);
      assert.equal(status, 200, `${path}: ${text.slice(0, 200)}`);
      return JSON.parse(text.replace(/:(NaN|-?Infinity)\b/g, ':null')) as Record<string, never>;
    };
    const api = '/ws/v1/cluster';
    const { apps, nodes, ...whole } = {
      apps: (await read(resourceManager, `${api}/apps?user=ann`)) as unknown as Apps,
      nodes: (await read(resourceManager, `${api}/nodes`)) as unknown as Nodes,
      timeouts: await read(resourceManager, `${api}/apps/${spare}/timeouts`),
      labels: await read(resourceManager, `${api}/get-node-labels`),
      labelled: await read(resourceManager, `${api}/get-node-to-labels`),
      attributes: await read(resourceManager, '/api/v1/node-attributes'),
      queues: await read(resourceManager, `${api}/scheduler-conf`),
      tokens: await read(resourceManager, '/api/v1/tokens'),
      staged: await (await fetch(`${resourceManager}/api/v1/staging/ann/${spare}/kept?user.name=ann`)).text(),
      entities: await read(timeline, '/ws/v1/timeline/own'),
      domains: await read(timeline, '/ws/v1/timeline/domain?owner=ann'),
      services: await read(nodeManager, '/ws/v1/node/auxiliaryservices'),
      jobs: await read(history, '/ws/v1/history/mapreduce/jobs'),
      log: (await fetch(`${nodeManager}/api/v1/containers/${names['container']}/logs/stdout?user.name=ann`)).status,
    };
    return {
      ...whole,
      apps: apps.apps.app.map(({ id, user, queue, priority, state }) => ({ id, user, queue, priority, state })),
      nodes: nodes.nodes.node.map(({ id, state, totalResource }) => ({ id, state, totalResource })),
      ...{ tokens: (whole.tokens as unknown as Tokens).tokens.map(({ name, user, scope }) => ({ name, user, scope })) },
    };
  }

  /** Sends the requests in order of their making, some at a time; gives what is wrong with the answers. */
  async function answersOf(port: number, requests: readonly Sent[]): Promise<string[]> {
    const faults: string[] = [];
    const waiting = [...requests];
    const work = async () => {
      for (let one = waiting.shift(); one; one = waiting.shift()) {
        const { what, request, kind } = one;
        const fault = await send(port, request, true).then(
          (answer) => faultOfAnswer({ name: what, request }, answer) ?? leakOf(kind, request, answer),
          (error: Error) => error.message,
        );
        if (fault !== undefined) faults.push(`${what}: ${fault}`);
      }
    };
    await Promise.all([work(), work(), work(), work()]);
    for (const line of errors.splice(0)) faults.push(`logged ${line.slice(0, 600)}`);
    return faults;
  }

  /** What an answer gives away. */
  function leakOf(kind: Kind, { method }: RawRequest, { status, headers, text }: RawAnswer): string | undefined {
    const whole = `${JSON.stringify(headers)}${text}`;
    if (ofCluster.some((secret) => whole.includes(secret))) return 'a secret of the cluster';
    if (kind !== 'owner' && whole.includes(ofMasters)) return 'the token of a master';
    if (!readers.has(kind) && whole.includes(privateWord)) return `a word of ann's: ${status}`;
    if (status === 101) return 'an upgrade';
    if (kind === 'foreign page' && headers['access-control-allow-origin'] !== undefined) return 'a page of another origin may read it';
    if (kind === 'foreign page' && !reading.has(method) && status < 400) return `a change by a page of another origin: ${status}`;
    return undefined;
  }

  /** A request to a route, right but for its caller or wrong at random. */
  function requestOf(kind: Kind, service: Service, { method, path }: DeclaredPath): Sent {
    const isUpgrade = method === 'WebSocket';
    const trial = trials[`${service.name} ${method} ${path}`] ?? trials[`${method} ${path}`] ?? {};
    const isSpoiled = oneIn(2);
    const nameOf = namesIn(guarded);
    const target = filledPath(trial.path ?? path, (part) => (isSpoiled && oneIn(3) ? pick(hostileParts) : nameOf(part)));
    const query = [trial.query, ...namesOf(kind)].filter((part) => part !== undefined && part !== '');
    if (isSpoiled && oneIn(2)) query.push(`${pick(harmlessNames)}=${pick(hostileValues)}`);
    const body = reading.has(method) || isUpgrade ? undefined : bodyOf(trial, isSpoiled);
    const sent = isUpgrade ? 'GET' : method === 'GET' && oneIn(8) ? 'HEAD' : method;
    const request: RawRequest = {
      method: sent,
      target: `${target}${query.length === 0 ? '' : `?${query.join('&')}`}`,
      headers: {
        accept: oneIn(5) ? pick(['application/xml', 'text/html', '*/*', 'image/png']) : 'application/json',
        ...(body === undefined ? {} : { 'content-type': oneIn(8) ? pick(['text/plain', 'application/xml']) : 'application/json' }),
        ...(isUpgrade ? { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': key } : {}),
        ...credentialsOf(kind),
      },
      body,
    };
    return { what: `${service.name} ${sent} ${request.target.slice(0, 200)} as ${kind} with ${body?.slice(0, 120)}`, kind, request };
  }

  const key = Buffer.alloc(16, 1).toString('base64');
  /** Parameters that make nobody another caller and are none of a servlet that changes something when it is asked. */
  const harmlessNames = queryNames.filter((name) => !['user.name', 'doAs', 'log', 'level', 'op'].includes(name));

  function bodyOf({ body: given }: Trial, isSpoiled: boolean): string | undefined {
    const right = typeof given === 'function' ? { 'application-id': freshApplicationId(guarded.spare), 'unmanaged-AM': true } : given;
    if (!isSpoiled) return right === undefined ? undefined : JSON.stringify(right);
    if (oneIn(4)) return pick(['', '{', '[]', 'null', '<a/>', 'hello']);
    const members = Object.keys((right ?? { a: 1 }) as object);
    return JSON.stringify({ ...(right as object | undefined), [pick(members)]: pick(wrongValues) });
  }

  /** How a kind of caller names itself in the query. */
  function namesOf(kind: Kind): string[] {
    if (kind === 'foreign page') return ['user.name=boss'];
    if (kind === 'impersonator') return ['user.name=eve', `doAs=${pick(['ann', 'boss', 'root', 'lis'])}`];
    if (kind === 'forger') return oneIn(2) ? [] : [`delegation=${pick(['x', 'AAAA', 'KmFubg'])}`];
    // A name beside a token that counts no more, or not for this, helps nobody.
    if ((kind === 'expired' || kind === 'wrong scope') && oneIn(2)) return ['user.name=boss'];
    const user = (guardedUsers as Partial<Record<Kind, string>>)[kind];
    return user === undefined ? [] : [`user.name=${user}`];
  }

  function credentialsOf(kind: Kind): Record<string, string> {
    const { expired, readOnly } = guarded;
    if (kind === 'expired') return { authorization: `Bearer ${expired}` };
    if (kind === 'wrong scope') return { authorization: `Bearer ${readOnly}` };
    if (kind === 'foreign page')
      return pick<Record<string, string>>([
        { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' },
        { origin: 'http://evil.example' },
        { origin: 'null', 'sec-fetch-site': 'cross-site' },
      ]);
    if (kind !== 'forger') return {};
    return pick<Record<string, string>>([
      { cookie: 'hadoop.auth="u=boss&p=boss&t=simple&e=99999999999999&s=AAAA"' },
      { cookie: 'proxy-user=boss; heddle.session=boss', 'x-forwarded-user': 'boss', 'x-remote-user': 'boss' },
      { authorization: `Bearer ${readOnly.slice(0, -4)}AAAA` },
      { authorization: 'Basic Ym9zczpib3Nz' },
      { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJib3NzIn0.' },
      { authorization: `Negotiate ${Buffer.from('NTLMSSP\0boss').toString('base64')}` },
      { 'x-http-method-override': 'DELETE', 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1;by=boss' },
    ]);
  }

  /** Every route of the servers, in an order of chance. */
  function shuffledRoutes(): { service: Service; route: DeclaredPath }[] {
    const all = guarded.services
      .filter(({ raw }) => raw.server.listening)
      .flatMap((service) => service.declared.filter(({ method }) => method !== 'TRACE').map((route) => ({ service, route })));
    for (let i = all.length - 1; i > 0; i--) {
      const j = random.int(i + 1);
      [all[i], all[j]] = [all[j]!, all[i]!];
    }
    return all;
  }

  const portOf = ({ raw }: Service): number => (raw.server.address() as AddressInfo).port;
  const shown = (faults: readonly string[]): string => `${faults.length} faults\n${faults.slice(0, 40).join('\n')}`;

  it('changes nothing for who may not, and tells them nothing', async () => {
    const before = await picture();
    const routes = shuffledRoutes();
    assert.ok(routes.length > 200 && new Set(routes.map(({ service }) => baseOf(service))).size >= 6);
    while (routes.length > 0) {
      const faults: string[] = [];
      const tried: string[] = [];
      for (const { service, route } of routes.splice(0, routesAtOnce)) {
        const cells = accessOf[route.access ?? 'admin'];
        const may = (kind: Kind): boolean => !powerless.has(kind) && cells[kind as keyof typeof cells] !== 'no';
        const callers = kinds.filter((kind) => reading.has(route.method) || !may(kind));
        const requests = callers.flatMap((kind) => Array.from({ length: runs }, () => requestOf(kind, service, route)));
        if (!reading.has(route.method)) tried.push(...requests.map(({ what }) => what));
        faults.push(...(await answersOf(portOf(service), requests)));
      }
      assert.equal(faults.length, 0, shown(faults));
      const now = await picture();
      if (!isDeepStrictEqual(now, before)) assert.fail(`${changesOf(before, now)}\nby one of\n${tried.join('\n')}`);
    }
  });

  it('fails inside no server, whoever asks', async () => {
    const faults: string[] = [];
    for (const { service, route } of shuffledRoutes().filter(({ route: { method } }) => !reading.has(method))) {
      const requests = kinds.filter((kind) => !powerless.has(kind)).map((kind) => requestOf(kind, service, route));
      faults.push(...(await answersOf(portOf(service), requests)));
    }
    assert.equal(faults.length, 0, shown(faults));
  });
});

/** Requests that would be seen in the picture, for routes whose trials of access leave all as it is. */
function changesOfOthers({ names, spare }: GuardedCluster): Record<string, Trial> {
  const api = '/ws/v1/cluster';
  const node = names['nodeId']!;
  const container = names['containerid']!;
  const attempt = `appattempt_${spare.slice('application_'.length)}_000001`;
  const domain = { id: 'anns', readers: '*', writers: '*' };
  return {
    [`POST ${api}/nodes/:nodeId/resource`]: { body: { resource: { memory: 1024, vCores: 1 }, overCommitTimeout: -1 } },
    [`POST ${api}/replace-node-to-labels`]: { body: { nodeToLabels: [{ nodeId: node, labels: ['fast'] }] } },
    [`POST ${api}/add-node-labels`]: { body: { nodeLabelInfo: [{ name: 'evil' }] } },
    [`POST ${api}/remove-node-labels`]: { query: 'labels=fast' },
    [`POST ${api}/nodes/:nodeId/replace-labels`]: { query: 'labels=fast' },
    [`PUT ${api}/scheduler-conf`]: {
      body: { 'global-updates': { entry: [{ key: 'yarn.scheduler.capacity.node-locality-delay', value: '7' }] } },
    },
    [`POST ${api}/containers/:containerid/signal/:command`]: { path: `${api}/containers/${container}/signal/FORCEFUL_SHUTDOWN` },
    'POST /api/v1/node-attributes': {
      body: { operation: 'add', nodes: [{ host: 'evil.example', attributes: [{ name: 'evil', value: '1' }] }] },
    },
    'POST /api/v1/nodes/:nodeId/drain': {},
    'DELETE /api/v1/tokens/:token': { path: '/api/v1/tokens/reads' },
    'POST /api/v1/attempts/:attemptId/finish': { path: `/api/v1/attempts/${attempt}/finish`, body: { finalStatus: 'FAILED' } },
    'PUT /api/v1/staging/:user/:application/:name': { path: `/api/v1/staging/ann/${spare}/kept`, body: 'evil' },
    'GET /api/v1/staging/:user/:application/:name': { path: `/api/v1/staging/ann/${spare}/kept` },
    'DELETE /api/v1/staging/:user/:application': { path: `/api/v1/staging/ann/${spare}` },
    'PUT /ws/v1/timeline/domain': { body: domain },
    'POST /ws/v1/timeline': {
      body: { entities: [{ entity: 'two', entitytype: 'own', starttime: 1, domain: 'anns' }] },
    },
  };
}

interface Apps {
  readonly apps: { readonly app: readonly Record<'id' | 'user' | 'queue' | 'priority' | 'state', unknown>[] };
}
interface Nodes {
  readonly nodes: { readonly node: readonly Record<'id' | 'state' | 'totalResource', unknown>[] };
}
interface Tokens {
  readonly tokens: readonly Record<'name' | 'user' | 'scope', unknown>[];
}
