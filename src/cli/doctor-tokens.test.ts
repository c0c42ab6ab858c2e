import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { claimDataDirectory } from './cluster-file.ts';
import { findInCluster } from './doctor-cluster.ts';
import { findIssuer } from './doctor-issuer.ts';
import { findInSettings } from './doctor-settings.ts';
import type { Finding } from './finding.ts';

let data = '';
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'heddle-doctor-tokens-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const told = (found: readonly Finding[]) => found.map(({ level, what }) => `${level}: ${what}`);
/** A server whose answers are made by `listener`; closed in the end. */
async function serving(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.dispose]: close };
}

describe('bearer tokens of a running cluster', () => {
  const dayMs = 86_400_000;
  const nowMs = 1_800_000_000_000;
  const token = (name: string, more: object) => ({
    ...{ id: name, name, user: 'ann', scope: 'submit', proved: true },
    ...{ createdMs: nowMs - 40 * dayMs, expiresMs: nowMs + 50 * dayMs, lastUsedMs: nowMs - dayMs },
    ...more,
  });
  /** What is found where the resource manager has these tokens. */
  async function found(...tokens: object[]): Promise<string[]> {
    using server = await serving((request, response) => {
      response.writeHead(200, { date: new Date(nowMs).toUTCString(), 'content-type': 'application/json' });
      response.end(request.url?.startsWith('/api/v1/tokens?') ? JSON.stringify({ tokens }) : '{}');
    });
    const claim = claimDataDirectory(data, { command: 'heddle up', roles: ['resource-manager'], isCluster: true });
    claim.write({ 'resource-manager': { web: server.url } });
    try {
      return told(await findInCluster(loadConfiguration({ dataDir: data, set: {} }), () => nowMs)).filter((each) => each.includes('token'));
    } finally {
      claim.remove();
    }
  }

  it('are told of that ended, that nobody uses, that end soon, and that may everything for long', async () => {
    assert.deepEqual(
      await found(
        token('well', {}),
        token('ended', { expiresMs: nowMs - 3 * dayMs }),
        token('mighty', { scope: 'admin', expiresMs: nowMs + 300 * dayMs }),
        token('short', { scope: 'admin', expiresMs: nowMs + 30 * dayMs }),
        token('never', { lastUsedMs: undefined }),
        token('new', { lastUsedMs: undefined, createdMs: nowMs - dayMs }),
        token('idle', { lastUsedMs: nowMs - 31 * dayMs }),
        token('soon', { expiresMs: nowMs + 2 * dayMs }),
      ),
      [
        'note: the bearer token ended (ended) of ann ended 3 days ago: what uses it is refused',
        'problem: the bearer token mighty (mighty) of ann may do everything that its user may, for 300 days more',
        'note: the bearer token never (never) of ann was never used, for 40 days',
        'note: the bearer token idle (idle) of ann was not used for 31 days',
        'note: the bearer token soon (soon) of ann is in use and ends in 2 days',
      ],
    );
  });

  it('steer no terminal by their names', async () => {
    assert.ok(!(await found(token('x\u001b[2J', { lastUsedMs: undefined }))).join().includes('\u001b'));
  });
});

describe('the issuer of the settings', () => {
  const jwks = { keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: 'one', use: 'sig' }] };
  interface Answers {
    readonly issuer?: string;
    readonly keys?: unknown;
    readonly more?: object;
  }
  /** What is found where it answers so. */
  async function found({ issuer, keys = jwks, more = {} }: Answers, set: Record<string, string> = {}): Promise<string> {
    let url = '';
    using server = await serving((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const description = { issuer: issuer ?? url, jwks_uri: `${url}/keys`, ...more };
      response.end(JSON.stringify(request.url === '/keys' ? keys : description));
    });
    url = server.url;
    return told(await findIssuer(configured(url, set))).join('\n');
  }
  const configured = (url: string, set: Record<string, string> = {}) =>
    loadConfiguration({
      dataDir: data,
      set: {
        'heddle.security.authentication': 'oidc',
        'heddle.security.oidc.issuer': url,
        'heddle.security.oidc.audience': 'heddle',
        ...set,
      },
    });

  it('is not looked for where none is believed, and nothing is wrong with one that is well', async () => {
    assert.equal(await found({}, { 'heddle.security.authentication': 'bearer' }), '');
    assert.equal(await found({}), '');
  });

  it('is told of that does not answer, is another, has no keys, or lets nobody sign in', async () => {
    assert.match(
      told(await findIssuer(configured('http://127.0.0.1:1'))).join(),
      /^problem: nobody is known by a token of the issuer http:\/\/127\.0\.0\.1:1: fetch failed: /,
    );
    assert.match(await found({ issuer: 'http://other' }), /^problem: nobody is known .*: \S+ describes http:\/\/other$/);
    assert.match(await found({ keys: { keys: [] } }), /: \S+\/keys has no key for signatures$/);
    assert.match(await found({ keys: { keys: [{ kty: 'oct', k: 'AA' }] } }), /: \S+\/keys has no key for signatures$/);
    const signsIn = { 'heddle.security.oidc.client-id': 'pages' };
    assert.match(
      await found({}, signsIn),
      /^problem: nobody can sign in: the issuer \S+ does not say its authorization_endpoint and token_endpoint$/,
    );
    const complete = { authorization_endpoint: 'http://x/a', token_endpoint: 'http://x/t' };
    assert.equal(await found({ more: complete }, signsIn), '');
    assert.match(
      await found({ more: complete }, { ...signsIn, 'heddle.security.oidc.audience': '' }),
      /^note: people can sign in, and no program/,
    );
    assert.match(await found({}, { 'heddle.security.oidc.issuer': 'http://far.example' }), /^problem: .*is no https address/);
  });

  it('made the token of who looks, for this cluster, and it counts', async () => {
    const file = join(data, 'token');
    const withToken = async (claims: object | string) => {
      const text = typeof claims === 'string' ? claims : `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
      writeFileSync(file, text, { mode: 0o600 });
      return found({}, { 'heddle.security.token-file': file });
    };
    assert.match(await withToken({ iss: 'http://other', aud: 'heddle' }), /^problem: the token in \S+ is of http:\/\/other, not of http:/);
    const url = 'http://127.0.0.1:1';
    const of = async (claims: object) => {
      writeFileSync(file, `x.${Buffer.from(JSON.stringify({ iss: url, ...claims })).toString('base64url')}.x`, { mode: 0o600 });
      return told(await findIssuer(configured(url, { 'heddle.security.token-file': file }))).filter((each) =>
        each.includes('the token in'),
      );
    };
    assert.match((await of({ aud: ['spark', 'x'] })).join(), /is for spark, x, not for heddle$/);
    assert.deepEqual(await of({ aud: ['spark', 'heddle'], exp: 4_000_000_000 }), []);
    assert.match((await of({ aud: 'heddle', exp: 1_000_000_000 })).join(), /ended at 2001-09-09 01:46:40Z$/);
    assert.equal(await withToken('heddle_abc'), '');
    chmodSync(file, 0o644);
    assert.match(await found({}, { 'heddle.security.token-file': file }), /^problem: others can read \S+/);
  });
});

describe('the stores', () => {
  it('hold keys of delegation tokens, which others are not to read', async () => {
    mkdirSync(join(data, 'resource-manager'));
    const state = join(data, 'resource-manager/state.sqlite');
    writeFileSync(state, '', { mode: 0o600 });
    const found = async () =>
      told(await findInSettings(loadConfiguration({ dataDir: data, set: {} }))).filter((each) => each.includes('state.sqlite'));
    assert.deepEqual(await found(), []);
    chmodSync(state, 0o644);
    assert.deepEqual(await found(), [
      `problem: ${state}, which has the keys of delegation tokens and secrets of applications, can be read by others`,
    ]);
  });
});
