import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { isAuditedRefusal } from '../auth/audit-log.ts';
import type { Identity } from '../auth/authenticator.ts';
import { loadConfiguration } from '../config/load.ts';
import { ManualClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { seededRandom } from '../lib/random.ts';
import { createAuthenticator } from './authentication.ts';
import type { ServerKind } from './server-kind.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'heddle-authentication-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));

const filter = { 'hadoop.http.filter.initializers': 'org.apache.hadoop.security.AuthenticationFilterInitializer' };
const anonymous = 'hadoop.http.authentication.simple.anonymous.allowed';
const ofTimeline = 'yarn.timeline-service.http-authentication.simple.anonymous.allowed';
const kinds: readonly ServerKind[] = ['resourceManager', 'nodeManager', 'timeline', 'history', 'proxy', 'reader', 'collector'];

const identify = async (
  kind: ServerKind,
  set: Record<string, string>,
  query: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Identity> => {
  const authenticator = await createAuthenticator(kind, loadConfiguration({ dataDir, set }), {
    clock: new ManualClock(),
    random: seededRandom(1),
    logger: silentLogger,
    mayImpersonate: (user) => user === 'root',
  });
  return authenticator.identify({ method: 'GET', path: '/', query: (name) => query[name], headers, remoteAddress: '127.0.0.1' });
};
const userOf = async (identity: Promise<Identity>): Promise<string | undefined> => {
  const found = await identity;
  return 'caller' in found ? found.caller.user : 'refusal' in found ? `refused: ${found.refusal.code}` : 'answer';
};
const usersOf = (set: Record<string, string>, query: Record<string, string> = {}) =>
  Promise.all(kinds.map(async (kind) => [kind, await userOf(identify(kind, set, query))]));

describe('the audit log', () => {
  it('has a line for what was shown that proves nothing, and none for who only comes without', async () => {
    const bearer = { 'heddle.security.authentication': 'bearer' };
    const auditedAs = async (query: Record<string, string>, headers: Record<string, string>) => {
      const found = await identify('nodeManager', bearer, query, headers);
      assert.ok('refusal' in found);
      return isAuditedRefusal(found.refusal) ? found.refusal.parameters['mechanism'] : undefined;
    };
    assert.equal(await auditedAs({}, {}), undefined);
    assert.equal(await auditedAs({ 'user.name': 'ada' }, { cookie: 'theme=dark; hadoop.auth=' }), undefined);
    for (const [mechanism, query, headers] of [
      ['bearer-token', {}, { authorization: 'Basic YTpi' }],
      ['bearer-token', {}, { authorization: 'Bearer other' }],
      ['bearer-token', {}, { authorization: `Bearer heddle_${'0'.repeat(16)}_x` }],
      ['cookie', {}, { cookie: 'hadoop.auth="u=ada&p=ada&t=simple&e=9999999999999&s=x"' }],
      ['delegation-token', { delegation: 'abc' }, {}],
      ['delegation-token', {}, { 'x-hadoop-delegation-token': 'abc' }],
    ] as const)
      assert.equal(await auditedAs(query, headers), mechanism, JSON.stringify([query, headers]));
  });
});

describe('callers without a name', () => {
  it('are the static user at servers where one stands in, and served by all', async () => {
    assert.deepEqual(await usersOf({ 'hadoop.http.staticuser.user': 'guest' }), [
      ['resourceManager', 'guest'],
      ['nodeManager', 'guest'],
      ['timeline', undefined],
      ['history', 'guest'],
      ['proxy', 'guest'],
      ['reader', 'guest'],
      ['collector', undefined],
    ]);
  });

  it('are no user where the filter is installed, and refused where it says so', async () => {
    for (const kind of kinds) {
      assert.equal(await userOf(identify(kind, filter)), undefined, kind);
      assert.equal(await userOf(identify(kind, { ...filter, [anonymous]: 'false' })), 'refused: AUTHENTICATION_REQUIRED', kind);
    }
  });

  it('are refused by the timeline, its reader and its collector where their own setting says so, with and without the filter', async () => {
    for (const set of [{ [ofTimeline]: 'false' }, { ...filter, [ofTimeline]: 'false' }]) {
      for (const kind of ['timeline', 'reader', 'collector'] as const) {
        assert.equal(await userOf(identify(kind, set)), 'refused: AUTHENTICATION_REQUIRED', kind);
        assert.equal(await userOf(identify(kind, set, { 'user.name': 'ada' })), 'ada', kind);
      }
      for (const kind of ['resourceManager', 'nodeManager', 'history', 'proxy'] as const)
        assert.notEqual(await userOf(identify(kind, set)), 'refused: AUTHENTICATION_REQUIRED', kind);
    }
  });

  it('are no user at a resource manager without any filter, whatever they say', async () => {
    assert.equal(
      await userOf(identify('resourceManager', { 'hadoop.http.filter.initializers': 'org.example.Other' }, { 'user.name': 'ada' })),
      undefined,
    );
    assert.equal(await userOf(identify('nodeManager', { 'hadoop.http.filter.initializers': '' }, { 'user.name': 'ada' })), 'ada');
  });
});

describe('callers who act for others', () => {
  it('may do so at the servers that know of it', async () => {
    const query = { 'user.name': 'root', doAs: 'ada' };
    assert.deepEqual(await usersOf({}, query), [
      ['resourceManager', 'ada'],
      ['nodeManager', 'root'],
      ['timeline', 'ada'],
      ['history', 'root'],
      ['proxy', 'root'],
      ['reader', 'root'],
      ['collector', 'ada'],
    ]);
    assert.equal(await userOf(identify('timeline', filter, query)), 'ada');
    assert.equal(await userOf(identify('resourceManager', filter, query)), 'root');
    assert.equal(await userOf(identify('timeline', {}, { 'user.name': 'bob', doAs: 'ada' })), 'refused: IMPERSONATION_REFUSED');
  });
});

describe('cookies', () => {
  const cookieOf = async (kind: ServerKind, set: Record<string, string> = {}) =>
    (await identify(kind, set, { 'user.name': 'ada' })).headers?.['set-cookie'];

  it('are of the kind of the server, or none', async () => {
    assert.match((await cookieOf('resourceManager')) ?? '', /&t=simple-dt&/);
    assert.match((await cookieOf('nodeManager')) ?? '', /&t=simple&/);
    assert.match((await cookieOf('timeline', filter)) ?? '', /&t=simple-dt&/);
    assert.match((await cookieOf('resourceManager', filter)) ?? '', /&t=simple&/);
    assert.equal(await cookieOf('history'), undefined);
    assert.match((await cookieOf('history', filter)) ?? '', /&t=simple&/);
  });

  it('have the time and domain of the settings', async () => {
    const cookie = await cookieOf('nodeManager', {
      'hadoop.http.authentication.token.validity': '60',
      'hadoop.http.authentication.cookie.domain': 'example.org',
    });
    assert.match(cookie ?? '', new RegExp(`&e=${new ManualClock().now() + 60_000}&.*; Domain=example\\.org;`));
  });

  it('are signed with a secret that all servers of a data folder share, or with that of the settings', async () => {
    assert.equal(await cookieOf('nodeManager'), await cookieOf('reader'));
    assert.ok(existsSync(join(dataDir, 'secrets', 'http-cookie')));
    const file = join(dataDir, 'own', 'secret');
    assert.notEqual(await cookieOf('nodeManager', { 'hadoop.http.authentication.signature.secret.file': file }), undefined);
    assert.ok(existsSync(file));
  });
});
