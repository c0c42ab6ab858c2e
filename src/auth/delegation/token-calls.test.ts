import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { seededRandom } from '../../lib/random.ts';
import { failure } from '../../model/errors.ts';
import type { AuditedCaller } from '../audit-log.ts';
import { type AuthenticationRequest, type Identity, type Proof, shortName } from '../authenticator.ts';
import { composeAuthenticator } from '../composition.ts';
import { anonymousCaller } from '../simple.ts';
import { type TokenCallsOptions, tokenCalls } from './token-calls.ts';
import { decodeIdentifier } from './token-identifier.ts';
import { type MasterKey, type StoredToken, TokenManager, type TokenStore } from './token-manager.ts';
import { decodeToken } from './token-text.ts';

/** A store that counts what it is told; `keys` and `tokens` are what a restart would find. */
function aStore() {
  const keys = new Map<number, MasterKey>();
  const tokens = new Map<number, StoredToken>();
  let lastSequenceNumber = 0;
  const store: TokenStore = {
    load: () => ({ keys: [...keys.values()], tokens: [...tokens.values()], lastSequenceNumber }),
    putKey: async (key) => void keys.set(key.id, key),
    removeKey: async (id) => void keys.delete(id),
    putToken: async (token) => {
      lastSequenceNumber = Math.max(lastSequenceNumber, token.identifier.sequenceNumber);
      tokens.set(token.identifier.sequenceNumber, token);
    },
    removeToken: async (sequenceNumber) => void tokens.delete(sequenceNumber),
  };
  return { store, keys, tokens };
}

let clock: ManualClock;
let stored: ReturnType<typeof aStore>;
let tokens: TokenManager;
const optionsOf = (store: TokenStore, seed: number) => ({
  kind: 'TEST',
  mechanism: 'simple',
  nameOf: shortName,
  store,
  clock,
  random: seededRandom(seed),
  keyUpdateIntervalMs: 1000,
  renewIntervalMs: 500,
  maximumLifetimeMs: 2000,
});
const managerOf = (store: TokenStore, seed = 1) => new TokenManager(optionsOf(store, seed));
beforeEach(() => {
  clock = new ManualClock();
  stored = aStore();
  tokens = managerOf(stored.store);
});

const ask = (
  method: string,
  query: Record<string, string>,
  { named, headers = {}, ...options }: { named?: string; headers?: AuthenticationRequest['headers'] } & Partial<TokenCallsOptions> = {},
): ReturnType<Proof> => {
  const calls = tokenCalls({ tokens, anyHolderCancels: false, ...options });
  const caller = (user: string, remoteAddress: string) =>
    ({ user, principal: user, anonymous: false, authentication: 'simple', remoteAddress }) as const;
  let found: ReturnType<Proof>;
  const composed = composeAuthenticator({
    tokens: (request, prove, session) => {
      found = calls(request, prove, session);
      return found;
    },
    proofs: [({ remoteAddress }) => (named === undefined ? undefined : { caller: caller(named, remoteAddress) })],
    nobody: anonymousCaller(undefined),
    mayImpersonate: (user) => user === 'knox',
  });
  void composed.identify({ method, path: '/ws', query: (name) => query[name], headers, remoteAddress: '10.0.0.5', requestId: 'r1' });
  return found;
};
const answerOf = (identity: Identity | undefined) =>
  identity && 'answer' in identity ? identity.answer : assert.fail(JSON.stringify(identity));
const callerOf = (identity: Identity | undefined) =>
  identity && 'caller' in identity ? identity.caller : assert.fail(JSON.stringify(identity));
const refusalOf = (identity: Identity | undefined) =>
  identity && 'refusal' in identity ? identity.refusal : assert.fail(JSON.stringify(identity));
const issued = async (query: Record<string, string> = {}, named = 'ann'): Promise<string> =>
  JSON.parse(answerOf(await ask('GET', { op: 'GETDELEGATIONTOKEN', ...query }, { named })).body).Token.urlString;
const identifierOf = (token: string) => decodeIdentifier(decodeToken(token)!.identifier)!;

describe('getting a token', () => {
  it('gives one to who is named, whatever the capitals of the operation', async () => {
    const token = await issued({ op: 'getDelegationToken', renewer: 'bob', service: 'host:1' });
    const { owner, renewer, realUser, issueDate, maxDate } = identifierOf(token);
    assert.deepEqual([owner, renewer, realUser, issueDate, maxDate], ['ann', 'bob', '', clock.now(), clock.now() + 2000]);
    assert.deepEqual([decodeToken(token)?.kind, decodeToken(token)?.service], ['TEST', 'host:1']);
  });

  it('gives one for another user to who may act for that one', async () => {
    const token = await issued({ doas: 'ann@REALM' }, 'knox');
    assert.deepEqual([identifierOf(token).owner, identifierOf(token).realUser], ['ann@REALM', 'knox']);
    assert.equal(refusalOf(await ask('GET', { op: 'GETDELEGATIONTOKEN', doAs: 'ann' }, { named: 'bob' })).code, 'IMPERSONATION_REFUSED');
  });

  it('gives none for a user without a name', async () => {
    for (const doAs of ['', ' ', '@REALM', 'a\nb'])
      assert.equal(
        refusalOf(await ask('GET', { op: 'GETDELEGATIONTOKEN', doAs }, { named: 'knox' })).code,
        'ILLEGAL_ARGUMENT',
        JSON.stringify(doAs),
      );
    assert.equal(stored.tokens.size, 0);
  });

  it('gives none to callers without a name, nor to those who have no other proof than a token', async () => {
    for (const named of [undefined, '']) {
      const identity = await ask('GET', { op: 'GETDELEGATIONTOKEN' }, named === undefined ? {} : { named });
      assert.deepEqual([refusalOf(identity).code, identity?.headers], ['UNAUTHENTICATED', { 'www-authenticate': 'PseudoAuth' }]);
    }
    const token = await issued();
    assert.equal(refusalOf(await ask('GET', { op: 'GETDELEGATIONTOKEN', delegation: token })).code, 'UNAUTHENTICATED');
    for (const delegation of [token, 'garbage', '']) assert.equal(identifierOf(await issued({ delegation }, 'carl')).owner, 'carl');
    const custom = await ask('GET', { op: 'GETDELEGATIONTOKEN' }, { nobody: () => ({ answer: { status: 401, body: 'who?' } }) });
    assert.deepEqual(answerOf(custom), { status: 401, body: 'who?' });
  });
});

describe('operations', () => {
  it('have one method each', async () => {
    for (const [operation, method] of [
      ['GETDELEGATIONTOKEN', 'PUT'],
      ['RENEWDELEGATIONTOKEN', 'GET'],
      ['CANCELDELEGATIONTOKEN', 'POST'],
    ] as const) {
      const refusal = refusalOf(await ask(method, { op: operation }, { named: 'ann' }));
      assert.deepEqual([refusal.code, refusal.entry.status], ['TOKEN_CALL_WRONG_METHOD', 400]);
      assert.equal(await ask('OPTIONS', { op: operation }, { named: 'ann' }), undefined);
      assert.match(refusal.message, new RegExp(`Wrong HTTP method \\[${method}\\] for operation \\[${operation}\\]`));
    }
  });

  it('are not carried out for who asks for the methods of a path', async () => {
    assert.equal(await ask('OPTIONS', { op: 'GETDELEGATIONTOKEN', renewer: 'bob' }, { named: 'ann' }), undefined);
  });

  it('that are others are none of these calls', async () => {
    for (const op of ['LISTSTATUS', '', 'constructor', 'toString']) assert.equal(await ask('GET', { op }, { named: 'ann' }), undefined, op);
    assert.equal(await ask('GET', {}, { named: 'ann' }), undefined);
  });

  it('are told to who listens, when they changed something', async () => {
    const heard: string[] = [];
    const changed = ({ user, realUser, remoteAddress, requestId }: AuditedCaller, operation: string) =>
      void heard.push(`${operation} ${user} ${realUser} ${remoteAddress} ${requestId}`);
    const token = JSON.parse(answerOf(await ask('GET', { op: 'GETDELEGATIONTOKEN', renewer: 'bob' }, { named: 'ann', changed })).body).Token
      .urlString;
    await ask('PUT', { op: 'RENEWDELEGATIONTOKEN', token }, { named: 'bob', changed });
    await ask('PUT', { op: 'RENEWDELEGATIONTOKEN', token }, { named: 'eve', changed });
    await ask('PUT', { op: 'CANCELDELEGATIONTOKEN', token }, { named: 'ann', changed });
    await ask('GET', { op: 'GETDELEGATIONTOKEN', renewer: 'bob', doAs: 'ann' }, { named: 'knox', changed });
    assert.deepEqual(heard, [
      'GETDELEGATIONTOKEN ann undefined 10.0.0.5 r1',
      'RENEWDELEGATIONTOKEN bob undefined 10.0.0.5 r1',
      'CANCELDELEGATIONTOKEN ann undefined 10.0.0.5 r1',
      'GETDELEGATIONTOKEN ann knox 10.0.0.5 r1',
    ]);
  });

  it('that are refused say for the audit log who asked for them', async () => {
    const token = await issued({ renewer: 'bob' });
    for (const op of ['RENEWDELEGATIONTOKEN', 'CANCELDELEGATIONTOKEN'])
      for (const named of ['eve', 'mallory']) {
        const refusal = refusalOf(await ask('PUT', { op, token }, { named }));
        assert.deepEqual([refusal.code, refusal.parameters['auditedUser']], ['TOKEN_CALL_REFUSED', named]);
      }
    const unknown = refusalOf(await ask('PUT', { op: 'CANCELDELEGATIONTOKEN', token: 'x' }, { named: 'eve' }));
    assert.equal(unknown.parameters['auditedUser'], 'eve');
  });
});

describe('renewing a token', () => {
  it("tells Hadoop's words apart: not its renewer, cancelled, past its last day", async () => {
    const { token } = await tokens.issue('ann@REALM', 'bob');
    await tokens.cancel(token, { user: 'ann', principal: 'ann@REALM' });
    const renewed = async (renewer: string) => tokens.renew(token, renewer).catch((error: Error) => error.message);
    assert.match(String(await renewed('eve')), /^eve tries to renew a token .* with non-matching renewer bob$/);
    assert.match(String(await renewed('bob')), /^Renewal request for unknown token \(TEST owner=ann@REALM, renewer=bob, realUser=, /);
    clock.advance(2001);
    assert.match(
      String(await renewed('bob')),
      /bob tried to renew an expired token \(TEST .*\) max expiration date: \d{4}-.* currentTime: \d{4}-/,
    );
  });

  it('is for its renewer, and tells until when it is valid', async () => {
    const token = await issued({ renewer: 'bob' });
    clock.advance(400);
    assert.deepEqual(JSON.parse(answerOf(await ask('PUT', { op: 'RENEWDELEGATIONTOKEN', token }, { named: 'bob' })).body), {
      long: clock.now() + 500,
    });
    const refusal = await ask('PUT', { op: 'RENEWDELEGATIONTOKEN', token }, { named: 'ann' });
    assert.match(refusalOf(refusal).message, /^ann tries to renew a token \(TEST owner=ann, renewer=bob.*with non-matching renewer bob$/);
    assert.deepEqual(refusal?.headers, { 'set-cookie': 'hadoop.auth=; Path=/; HttpOnly' });
  });

  it('needs the token', async () => {
    assert.equal(
      refusalOf(await ask('PUT', { op: 'RENEWDELEGATIONTOKEN' }, { named: 'bob' })).message,
      'Operation [RENEWDELEGATIONTOKEN] requires the parameter [token]',
    );
    assert.equal(refusalOf(await ask('PUT', { op: 'RENEWDELEGATIONTOKEN', token: 'x' }, { named: 'bob' })).code, 'TOKEN_CALL_REFUSED');
  });

  it('never goes beyond the longest life', async () => {
    const token = await issued({ renewer: 'bob' });
    const { maxDate } = identifierOf(token);
    for (let step = 0; step < 4; step++) {
      clock.advance(450);
      const until = JSON.parse(answerOf(await ask('PUT', { op: 'RENEWDELEGATIONTOKEN', token }, { named: 'bob' })).body).long;
      assert.equal(until, Math.min(maxDate, clock.now() + 500));
    }
    clock.advance(maxDate - clock.now() + 1);
    assert.match(
      refusalOf(await ask('PUT', { op: 'RENEWDELEGATIONTOKEN', token }, { named: 'bob' })).message,
      /tried to renew an expired token/,
    );
  });
});

describe('cancelling a token', () => {
  it('is for its owner and its renewer', async () => {
    for (const named of ['ann', 'bob']) {
      const token = await issued({ renewer: 'bob' });
      assert.deepEqual(answerOf(await ask('PUT', { op: 'CANCELDELEGATIONTOKEN', token }, { named })), {
        status: 200,
        contentType: 'text/plain;charset=utf-8',
        body: '',
      });
      assert.equal(refusalOf(await ask('PUT', { op: 'CANCELDELEGATIONTOKEN', token }, { named })).code, 'TOKEN_CALL_UNKNOWN');
    }
    const token = await issued({ renewer: 'bob' });
    const refusal = refusalOf(await ask('PUT', { op: 'CANCELDELEGATIONTOKEN', token }, { named: 'eve' }));
    assert.match(refusal.message, /^eve is not authorized to cancel the token/);
    assert.equal(refusalOf(await ask('PUT', { op: 'CANCELDELEGATIONTOKEN', token: 'x' }, { named: 'ann' })).entry.status, 404);
    assert.equal(refusalOf(await ask('PUT', { op: 'CANCELDELEGATIONTOKEN' }, { named: 'ann' })).code, 'TOKEN_CALL_PARAMETER_MISSING');
  });

  it("is for every holder where Hadoop's way is set", async () => {
    const token = await issued({ renewer: 'bob' });
    assert.equal(answerOf(await ask('PUT', { op: 'CANCELDELEGATIONTOKEN', token }, { anyHolderCancels: true })).status, 200);
    assert.equal(stored.tokens.size, 0);
  });
});

describe('a caller with a token', () => {
  it('is its owner, by header or parameter', async () => {
    const token = await issued({ doAs: 'ann@REALM' }, 'knox');
    const expected = { user: 'ann', principal: 'ann@REALM', anonymous: false, authentication: 'token', remoteAddress: '10.0.0.5' };
    for (const identity of [
      await ask('GET', { delegation: token }),
      await ask('GET', {}, { headers: { 'x-hadoop-delegation-token': token } }),
      await ask('GET', { delegation: 'other' }, { headers: { 'x-hadoop-delegation-token': [token, 'more'] } }),
    ])
      assert.deepEqual(identity, { caller: expected });
  });

  it('is refused with one that is unknown, expired or none', async () => {
    const token = await issued();
    for (const [text, message] of [
      ['', /EOFException/],
      ['garbage', /EOFException/],
    ] as const)
      assert.match(refusalOf(await ask('GET', { delegation: text }, { named: 'ann' })).message, message);
    clock.advance(501);
    const refusal = refusalOf(await ask('GET', { delegation: token }, { named: 'ann' }));
    assert.deepEqual([refusal.code, refusal.entry.status], ['TOKEN_REFUSED', 403]);
    assert.match(refusal.message, /InvalidToken: Token has expired, current time: \d+ expected renewal time: \d+$/);
  });

  it('of another server is unknown', async () => {
    const { token } = await managerOf(aStore().store, 2).issue('ann', 'bob');
    await issued();
    assert.match(refusalOf(await ask('GET', { delegation: token })).message, /can't be found in cache/);
  });
});

describe('names of principals', () => {
  const nameOf = (principal: string) => ({ 'ann@REALM': 'ann', 'ann@OTHER': 'stranger', 'bob@REALM': 'bob' })[principal];

  it('are those of the rules, for owners and renewers alike', async () => {
    const { token } = await tokens.issue('ann@OTHER', '');
    assert.equal(callerOf(await ask('GET', { delegation: token }, { nameOf })).user, 'stranger');
    const other = await tokens.issue('eve@NOWHERE', '');
    assert.equal(refusalOf(await ask('GET', { delegation: other.token }, { nameOf })).code, 'TOKEN_REFUSED');
    const manager = new TokenManager({ ...optionsOf(stored.store, 2), nameOf });
    const renewers = ['bob@REALM', 'bob', 'eve@NOWHERE', ''].map(
      async (renewer) => (await manager.issue('ann', renewer)).identifier.renewer,
    );
    assert.deepEqual(await Promise.all(renewers), ['bob', 'bob', 'eve@NOWHERE', '']);
  });

  it('of a canceller are the whole principal for the owner, and the user for the renewer', async () => {
    const { token } = await tokens.issue('ann@REALM', 'bob');
    for (const [user, principal] of [
      ['ann', 'ann@OTHER'],
      ['carl', 'bob'],
    ] as const)
      await assert.rejects(
        tokens.cancel(token, { user, principal }),
        new RegExp(`^TokenRefused: ${principal} is not authorized to cancel`),
      );
    await tokens.cancel(token, { user: 'bob', principal: 'bob@REALM' });
    const own = await tokens.issue('', '');
    await assert.rejects(tokens.cancel(own.token, { user: '', principal: 'eve' }), /not authorized/);
  });
});

describe('calls that change tokens', () => {
  it('keep the proof of the server and set no cookie', async () => {
    const calls = tokenCalls({ tokens, anyHolderCancels: false });
    const caller = { user: 'ann', principal: 'ann@REALM', anonymous: false, authentication: 'kerberos', remoteAddress: '' } as const;
    const request = (method: string, query: Record<string, string>) => ({
      method,
      path: '/',
      query: (name: string) => query[name],
      headers: {},
      remoteAddress: '',
    });
    const proven = { 'www-authenticate': 'Negotiate x', 'set-cookie': 'hadoop.auth="u=ann"' };
    const none = () => undefined;
    const issuing = await calls(request('GET', { op: 'GETDELEGATIONTOKEN' }), async () => ({ caller, headers: proven }), none);
    assert.deepEqual([answerOf(issuing).status, issuing?.headers], [200, { 'www-authenticate': 'Negotiate x' }]);
    const refused = await calls(
      request('GET', { op: 'GETDELEGATIONTOKEN' }),
      () => ({
        refusal: failure('BAD_USER_NAME'),
        headers: proven,
      }),
      none,
    );
    assert.deepEqual([refusalOf(refused).code, refused?.headers], ['BAD_USER_NAME', { 'www-authenticate': 'Negotiate x' }]);
  });
});

describe('keys and tokens', () => {
  it('end when callers come to prove themselves another way', async () => {
    const token = await issued({ renewer: 'bob' });
    tokens = new TokenManager({ ...optionsOf(stored.store, 2), mechanism: 'kerberos' });
    assert.throws(() => tokens.verify(token), /can't be found in cache/);
    assert.deepEqual([stored.keys.size, stored.tokens.size], [0, 0]);
    const { identifier } = await tokens.issue('ann@REALM', 'bob');
    assert.equal(identifier.sequenceNumber, 2);
    tokens = managerOf(stored.store, 3);
    assert.deepEqual([stored.keys.size, stored.tokens.size], [0, 0], 'nor do they come back');
  });

  it('roll on: an old token stays valid under its key, a new one has a new key', async () => {
    const first = await issued({ renewer: 'bob' });
    clock.advance(400);
    await tokens.renew(first, 'bob');
    clock.advance(400);
    await tokens.renew(first, 'bob');
    clock.advance(300);
    const second = await issued();
    assert.deepEqual([identifierOf(first).masterKeyId, identifierOf(second).masterKeyId], [1, 2]);
    assert.equal(tokens.verify(first).owner, 'ann');
    assert.equal(tokens.verify(second).owner, 'ann');
    assert.equal(stored.keys.size, 2);
  });

  it('are forgotten when no token can need them any more', async () => {
    await issued();
    const first = [...stored.keys.values()][0]?.secret;
    clock.advance(3001);
    await issued();
    assert.deepEqual([stored.keys.size, [...stored.tokens.keys()]], [1, [2]]);
    assert.notDeepEqual([...stored.keys.values()][0]?.secret, first);
  });

  it('are found again after a restart, and numbers go on', async () => {
    const token = await issued({ renewer: 'bob' });
    tokens = managerOf(stored.store, 2);
    assert.equal(tokens.verify(token).owner, 'ann');
    assert.equal(identifierOf(await issued()).sequenceNumber, 2);
    await tokens.cancel(token, { user: 'bob', principal: 'bob' });
    tokens = managerOf(stored.store, 3);
    assert.throws(() => tokens.verify(token), /can't be found in cache/);
    assert.equal(identifierOf(await issued()).sequenceNumber, 3);
  });

  it('are written down before they are given out', async () => {
    const failing = aStore();
    tokens = managerOf({
      ...failing.store,
      putToken: () => Promise.reject(new Error('the disk is full')),
    });
    await assert.rejects(tokens.issue('ann', 'bob'), /the disk is full/);
    assert.equal(failing.tokens.size, 0);
  });
});
