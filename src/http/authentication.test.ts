import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Identity } from '../auth/authenticator.ts';
import { loadConfiguration } from '../config/load.ts';
import { ManualClock } from '../lib/clock.ts';
import { seededRandom } from '../lib/random.ts';
import { createAuthenticator, type ServerKind } from './authentication.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'heddle-authentication-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));

const filter = { 'hadoop.http.filter.initializers': 'org.apache.hadoop.security.AuthenticationFilterInitializer' };
const anonymous = 'hadoop.http.authentication.simple.anonymous.allowed';
const ofTimeline = 'yarn.timeline-service.http-authentication.simple.anonymous.allowed';
const kinds: readonly ServerKind[] = ['resourceManager', 'nodeManager', 'timeline', 'history', 'master', 'reader', 'collector'];

const identify = (kind: ServerKind, set: Record<string, string>, query: Record<string, string> = {}) =>
  createAuthenticator(kind, loadConfiguration({ dataDir, set }), {
    clock: new ManualClock(),
    random: seededRandom(1),
    mayImpersonate: (user) => user === 'root',
  }).identify({ method: 'GET', path: '/', query: (name) => query[name], headers: {}, remoteAddress: '127.0.0.1' }) as Identity;
const userOf = (identity: ReturnType<typeof identify>): string | undefined =>
  'caller' in identity ? identity.caller.user : 'refusal' in identity ? `refused: ${identity.refusal.code}` : 'answer';

describe('callers without a name', () => {
  it('are the static user at servers where one stands in, and served by all', () => {
    assert.deepEqual(
      kinds.map((kind) => [kind, userOf(identify(kind, { 'hadoop.http.staticuser.user': 'guest' }))]),
      [
        ['resourceManager', 'guest'],
        ['nodeManager', 'guest'],
        ['timeline', undefined],
        ['history', 'guest'],
        ['master', 'guest'],
        ['reader', 'guest'],
        ['collector', undefined],
      ],
    );
  });

  it('are no user where the filter is installed, and refused where it says so', () => {
    for (const kind of kinds) {
      assert.equal(userOf(identify(kind, filter)), undefined, kind);
      assert.equal(userOf(identify(kind, { ...filter, [anonymous]: 'false' })), 'refused: AUTHENTICATION_REQUIRED', kind);
    }
  });

  it('are refused by the timeline, its reader and its collector where their own setting says so, with and without the filter', () => {
    for (const set of [{ [ofTimeline]: 'false' }, { ...filter, [ofTimeline]: 'false' }]) {
      for (const kind of ['timeline', 'reader', 'collector'] as const) {
        assert.equal(userOf(identify(kind, set)), 'refused: AUTHENTICATION_REQUIRED', kind);
        assert.equal(userOf(identify(kind, set, { 'user.name': 'ada' })), 'ada', kind);
      }
      for (const kind of ['resourceManager', 'nodeManager', 'history', 'master'] as const)
        assert.notEqual(userOf(identify(kind, set)), 'refused: AUTHENTICATION_REQUIRED', kind);
    }
  });

  it('are no user at a resource manager without any filter, whatever they say', () => {
    assert.equal(
      userOf(identify('resourceManager', { 'hadoop.http.filter.initializers': 'org.example.Other' }, { 'user.name': 'ada' })),
      undefined,
    );
    assert.equal(userOf(identify('nodeManager', { 'hadoop.http.filter.initializers': '' }, { 'user.name': 'ada' })), 'ada');
  });
});

describe('callers who act for others', () => {
  it('may do so at the servers that know of it', () => {
    const query = { 'user.name': 'root', doAs: 'ada' };
    assert.deepEqual(
      kinds.map((kind) => [kind, userOf(identify(kind, {}, query))]),
      [
        ['resourceManager', 'ada'],
        ['nodeManager', 'root'],
        ['timeline', 'ada'],
        ['history', 'root'],
        ['master', 'root'],
        ['reader', 'root'],
        ['collector', 'ada'],
      ],
    );
    assert.equal(userOf(identify('timeline', filter, query)), 'ada');
    assert.equal(userOf(identify('resourceManager', filter, query)), 'root');
    assert.equal(userOf(identify('timeline', {}, { 'user.name': 'bob', doAs: 'ada' })), 'refused: IMPERSONATION_REFUSED');
  });
});

describe('cookies', () => {
  const cookieOf = (kind: ServerKind, set: Record<string, string> = {}) =>
    identify(kind, set, { 'user.name': 'ada' }).headers?.['set-cookie'];

  it('are of the kind of the server, or none', () => {
    assert.match(cookieOf('resourceManager') ?? '', /&t=simple-dt&/);
    assert.match(cookieOf('nodeManager') ?? '', /&t=simple&/);
    assert.match(cookieOf('timeline', filter) ?? '', /&t=simple-dt&/);
    assert.match(cookieOf('resourceManager', filter) ?? '', /&t=simple&/);
    assert.equal(cookieOf('history'), undefined);
    assert.match(cookieOf('history', filter) ?? '', /&t=simple&/);
  });

  it('have the time and domain of the settings', () => {
    const cookie = cookieOf('nodeManager', {
      'hadoop.http.authentication.token.validity': '60',
      'hadoop.http.authentication.cookie.domain': 'example.org',
    });
    assert.match(cookie ?? '', new RegExp(`&e=${new ManualClock().now() + 60_000}&.*; Domain=example\\.org;`));
  });

  it('are signed with a secret that all servers of a data folder share, or with that of the settings', () => {
    assert.equal(cookieOf('nodeManager'), cookieOf('reader'));
    assert.ok(existsSync(join(dataDir, 'secrets', 'http-cookie')));
    const file = join(dataDir, 'own', 'secret');
    assert.notEqual(cookieOf('nodeManager', { 'hadoop.http.authentication.signature.secret.file': file }), undefined);
    assert.ok(existsSync(file));
  });
});
