// Every cell of docs/reference/access.md that callers of running servers can be in: what each route says of its callers is what they get.
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { accessOf, type CallerKind, callerKinds } from '../../scripts/reference/access.ts';
import type { DeclaredPath } from '../../src/http/route.ts';
import type { Service } from '../../src/http/service.ts';
import {
  type Answered,
  baseOf,
  type GuardedCluster,
  guardedUsers,
  openSocket,
  sendJson,
  startGuardedCluster,
} from '../support/guarded-cluster.ts';
import { type GuardedMaster, startGuardedMaster } from '../support/guarded-master.ts';
import { filledPath, namesIn, type Trial, trialsOf } from '../support/route-trials.ts';

/** Methods that a client of HTTP cannot send here. */
const untriedMethods = new Set(['TRACE']);

/** Routes that are tried elsewhere. */
const elsewhere: Readonly<Record<string, string>> = {
  'POST /api/v1/token-examinations': 'its proof is in its body: test/cluster/bearer.test.ts',
  'POST /api/v1/token-changes': 'the same',
  'WebSocket /api/v1/connection': 'both sides prove a key there: test/cluster/proven-connections.test.ts',
  'POST /ws/v1/cluster/reservation/submit': 'needs a reservable queue: src/resource-manager/reservations',
  'POST /ws/v1/cluster/reservation/update': 'the same',
  'POST /ws/v1/cluster/reservation/delete': 'the same',
  'GET /ws/v1/cluster/reservation/list': 'the same',
  'POST /ws/v1/cluster/reservation/new-reservation': 'the same',
  'PUT /api/v1/staging/:user/:application/:name': 'every user has an own area: src/resource-manager/commands/belongings.test.ts',
  'GET /api/v1/staging/:user/:application/:name': 'the same',
  'DELETE /api/v1/staging/:user/:application': 'the same',
  // Of addresses that end before the id.
  ...Object.fromEntries(
    ['job', 'conf', 'jobcounters', 'tasks', 'attempts', 'singlejobcounter', 'task', 'taskcounters', 'singletaskcounter'].map((page) => [
      `GET /mapreduce/${page}`,
      'asks everybody for an id: src/batch/http/routes.test.ts',
    ]),
  ),
};

let guarded: GuardedCluster;
let master: GuardedMaster;
let trials: Record<string, Trial>;

/** What all servers have written into their audit logs, by the id of the request. */
const audited = new Map<string, string[]>();
const log = new Writable({
  write: (line, _encoding, done) => {
    const { audit, request, msg } = JSON.parse(String(line)) as { audit?: boolean; request?: string; msg: string };
    if (audit && request !== undefined) audited.set(request, [...(audited.get(request) ?? []), msg]);
    done();
  },
});

before(async () => {
  const logger = pino({ level: 'info' }, log);
  guarded = await startGuardedCluster(logger);
  master = await startGuardedMaster(guarded, logger);
  trials = { ...trialsOf(guarded), ...socketTrials(guarded), ...master.trials };
});
after(async () => {
  await master?.[Symbol.asyncDispose]();
  await guarded?.[Symbol.asyncDispose]();
});

/** How WebSockets are tried: who is refused a shell hears so when the socket is there, as from Hadoop's nodes. */
const socketTrials = ({ names }: GuardedCluster): Record<string, Trial> => ({
  'WebSocket /container/': { path: `/container/${names['containerid']}`, refused: ({ text }) => text === '1008 Forbidden' },
  'WebSocket /proxy/': { path: `/proxy/${names['appid']}/` },
});

/** Requests that change nothing although they are no GET, by what they do; of the others at least one is tried that does. */
const changesNothing: Readonly<Record<string, string>> = {
  'POST /ws/v1/cluster/apps/new-application': 'an id is nobody’s before it is submitted',
  'POST /ws/v1/cluster/scheduler-conf/validate': 'says what would be',
  'POST /api/v1/queues/what-if': 'the same',
  'PUT /ws/v1/cluster/apps/:appid/priority': 'the application has ended by then',
  'PUT /ws/v1/cluster/apps/:appid/timeout': 'the same',
  'POST /logLevel': 'without a level it shows the one that there is',
};

/** Sends the request of a trial, under an id, as a kind of caller. */
function tryAs(id: string, kind: CallerKind, service: Service, { method, path }: DeclaredPath, trial: Trial): Promise<Answered> {
  const isMaster = service === master.service;
  const filled = filledPath(trial.path ?? path, isMaster ? (part) => master.names[part] ?? `no-${part}` : namesIn(guarded));
  const query = new URLSearchParams(trial.query);
  const user = guardedUsers[kind];
  if (user !== undefined) query.set('user.name', user);
  const bearing = kind === 'expired' ? guarded.expired : kind === 'wrong scope' ? guarded.readOnly : undefined;
  const text = query.toString();
  const body = typeof trial.body === 'function' ? (trial.body as () => unknown)() : trial.body;
  const url = `${isMaster ? master.url : baseOf(service)}${filled}${text === '' ? '' : `?${text}`}`;
  const headers = { 'x-request-id': id, ...(bearing === undefined ? {} : { authorization: `Bearer ${bearing}` }) };
  return method === 'WebSocket' ? openSocket(url, headers) : sendJson(url, method, body, headers);
}

const isRefused = (answer: Answered, trial: Trial): boolean =>
  answer.status === 401 || answer.status === 403 || (trial.refused?.(answer) ?? false);

/** Whether what an answer says of it is written down: a refusal of a caller who said who he is, and a change. */
function auditOf(id: string, { method }: DeclaredPath, answer: Answered, trial: Trial): 'written' | 'missing' | 'nothing to write' {
  const said = audited.get(id) ?? [];
  if (isRefused(answer, trial)) {
    if (trial.isAbsent || (answer.status === 401 && /Authentication required/.test(answer.text))) return 'nothing to write';
    return said.includes('an operation was refused') ? 'written' : 'missing';
  }
  if (answer.status >= 300 || ['GET', 'HEAD', 'OPTIONS', 'WebSocket'].includes(method)) return 'nothing to write';
  return said.includes('an operation was carried out') ? 'written' : 'missing';
}

describe('every route of every server', () => {
  let trialCount = 0;
  for (const server of ['resource-manager', 'node-manager', 'timeline', 'reader', 'collector', 'history', 'proxy', 'batch-master'])
    it(`of the ${server} gives each caller what its declaration says`, async () => {
      const service = guarded.services.find(({ name }) => name === server)!;
      const wrong: string[] = [];
      for (const route of service.declared) {
        const key = `${route.method} ${route.path}`;
        if (route.access === undefined) wrong.push(`${key} declares no access`);
        if (untriedMethods.has(route.method) || elsewhere[key] !== undefined || route.access === undefined) continue;
        const trial = trials[`${server} ${key}`] ?? trials[key] ?? {};
        // Who is refused comes first: what others do may leave nothing to be refused.
        const cells = accessOf[route.access];
        const changes = new Set<string>();
        for (const kind of callerKinds.toSorted((left, right) => Number(cells[left] !== 'no') - Number(cells[right] !== 'no'))) {
          // The static user stands in for nobody on the resource manager, as any user with a name.
          const expected = route.access === 'named' && kind === 'nobody' ? 'yes' : cells[kind];
          if (expected === '-' || expected === 'master' || trial.leaveOut?.slice(1).includes(kind)) continue;
          const id = `trial-${++trialCount}`;
          const answer = await tryAs(id, kind, service, route, trial);
          const audit = auditOf(id, route, answer, trial);
          if (isRefused(answer, trial)) {
            if (audit === 'missing') wrong.push(`${key} as ${kind}: its refusal is not audited (${answer.status})`);
          } else if (audit !== 'nothing to write') changes.add(audit);
          const got = isRefused(answer, trial) ? 'no' : trial.private && !trial.private.test(answer.text) ? 'part' : 'yes';
          const wanted = expected === 'ticket' ? 'no' : expected === 'part' && !trial.private ? 'yes' : expected;
          // Of the job everything that its paths name is there.
          const mostStatus = service === master.service && got !== 'no' ? 399 : 499;
          if (got !== wanted || answer.status > mostStatus)
            wrong.push(`${key} as ${kind}: ${got}, not ${wanted} (${answer.status} ${answer.text.slice(-160)})`);
        }
        if (changes.has('missing') && !changes.has('written') && changesNothing[key] === undefined)
          wrong.push(`${key}: no change is audited`);
      }
      assert.deepEqual(wrong, []);
    });
});
