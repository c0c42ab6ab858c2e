// Every cell of docs/reference/access.md that callers of running servers can be in: what each route says of its callers is what they get.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { accessOf, type CallerKind, callerKinds } from '../../scripts/reference/access.ts';
import type { DeclaredPath } from '../../src/http/route.ts';
import type { Service } from '../../src/http/service.ts';
import { type Answered, baseOf, type GuardedCluster, guardedUsers, sendJson, startGuardedCluster } from '../support/guarded-cluster.ts';
import { filledPath, namesIn, type Trial, trialsOf } from '../support/route-trials.ts';

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

let guarded: GuardedCluster;
let trials: Record<string, Trial>;

before(async () => {
  guarded = await startGuardedCluster();
  trials = trialsOf(guarded);
});
after(() => guarded?.[Symbol.asyncDispose]());

/** Sends the request of a trial as a kind of caller. */
function tryAs(kind: CallerKind, service: Service, { method, path }: DeclaredPath, trial: Trial): Promise<Answered> {
  const filled = filledPath(trial.path ?? path, namesIn(guarded));
  const query = new URLSearchParams(trial.query);
  const user = guardedUsers[kind];
  if (user !== undefined) query.set('user.name', user);
  const bearing = kind === 'expired' ? guarded.expired : kind === 'wrong scope' ? guarded.readOnly : undefined;
  const text = query.toString();
  const body = typeof trial.body === 'function' ? (trial.body as () => unknown)() : trial.body;
  return sendJson(
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
      const service = guarded.services.find(({ name }) => name === server)!;
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
