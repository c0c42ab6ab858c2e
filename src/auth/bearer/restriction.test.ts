import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { RouteAccess } from '../route-access.ts';
import { reachesQueue, scopeRefusal, type TokenScope } from './restriction.ts';

const passes = (scope: TokenScope, access: RouteAccess | undefined, method = 'POST') =>
  scopeRefusal({ user: 'ann', restriction: { scope } }, access, method) === undefined;

it('lets each scope do what those below it may, and no more', () => {
  const rows: [RouteAccess | undefined, boolean, boolean, boolean][] = [
    ['open', true, true, true],
    ['facts', true, true, true],
    ['view', true, true, true],
    ['named', false, true, true],
    ['submit', false, true, true],
    ['modify', false, true, true],
    ['owner', false, true, true],
    ['proven', false, false, false],
    ['admin', false, false, true],
    [undefined, false, false, true],
  ];
  for (const [access, ...expected] of rows)
    assert.deepEqual([passes('read', access), passes('submit', access), passes('admin', access)], expected, String(access));
});
it('lets none that is kept to queues administer the cluster, in which they are a part', () => {
  const refusal = (access: RouteAccess | undefined, method: string) =>
    scopeRefusal({ user: 'boss', restriction: { scope: 'admin', queues: ['root.a'] } }, access, method)?.message;
  for (const access of ['admin', undefined] as const)
    for (const method of ['GET', 'PUT'])
      assert.equal(
        refusal(access, method),
        'The token of boss has the scope admin for some queues; this needs the scope admin for all queues.',
      );
  for (const access of ['view', 'submit', 'modify', 'owner', 'named', 'relayed'] as const) assert.equal(refusal(access, 'PUT'), undefined);
});
it('lets read look at what is passed on to masters, and not change it', () => {
  assert.ok(passes('read', 'relayed', 'GET') && passes('read', 'relayed', 'HEAD'));
  assert.ok(!passes('read', 'relayed', 'POST') && passes('submit', 'relayed', 'DELETE'));
});
it('narrows nobody without a token', () => {
  assert.equal(scopeRefusal({ user: 'ann' }, 'admin', 'POST'), undefined);
});
it('reaches the queues that it names and those below, by whole names', () => {
  const queues = ['root.a', 'root.b.c'];
  const reached = ['root.a', 'root.a.x', 'root.b.c'].every((queue) => reachesQueue({ scope: 'submit', queues }, queue));
  const others = ['root', 'root.ab', 'root.b', 'root.b.cd', 'a'].some((queue) => reachesQueue({ scope: 'submit', queues }, queue));
  assert.deepEqual([reached, others], [true, false]);
  assert.ok(reachesQueue({ scope: 'read' }, 'root.any'));
  assert.ok(!reachesQueue({ scope: 'admin', queues: [] }, 'root.any'));
});
