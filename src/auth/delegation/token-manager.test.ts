import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { seededRandom } from '../../lib/random.ts';
import { shortName } from '../authenticator.ts';
import { decodeIdentifier, encodeIdentifier } from './token-identifier.ts';
import { type MasterKey, type StoredToken, TokenManager, type TokenStore } from './token-manager.ts';
import type { TokenRefused } from './token-refused.ts';
import { decodeToken, encodeToken } from './token-text.ts';

function inMemory(): TokenStore {
  const keys = new Map<number, MasterKey>();
  const tokens = new Map<number, StoredToken>();
  let lastSequenceNumber = 0;
  return {
    load: () => ({ keys: [...keys.values()], tokens: [...tokens.values()], lastSequenceNumber }),
    putKey: async (key) => void keys.set(key.id, key),
    removeKey: async (id) => void keys.delete(id),
    putToken: async (token) => {
      lastSequenceNumber = Math.max(lastSequenceNumber, token.identifier.sequenceNumber);
      tokens.set(token.identifier.sequenceNumber, token);
    },
    removeToken: async (sequenceNumber) => void tokens.delete(sequenceNumber),
  };
}

function aManager(store = inMemory(), clock = new ManualClock()) {
  const options = {
    kind: 'TEST',
    mechanism: 'simple',
    nameOf: shortName,
    store,
    clock,
    random: seededRandom(1),
    keyUpdateIntervalMs: 1_000,
    renewIntervalMs: 500,
    maximumLifetimeMs: 2_000,
  };
  return { manager: new TokenManager(options), store, clock };
}

const reason = (expected: TokenRefused['reason']) => (error: TokenRefused) => error.reason === expected;

test('texts of any length survive', async () => {
  const identifier = {
    owner: 'ö'.repeat(200),
    renewer: '',
    realUser: 'r',
    issueDate: 1_795_000_000_000,
    maxDate: 2,
    sequenceNumber: 70_000,
    masterKeyId: -1,
  };
  const bytes = encodeIdentifier(identifier);
  const token = decodeToken(encodeToken({ identifier: bytes, password: Buffer.alloc(20, 7), kind: 'K', service: 'h:1' }))!;
  assert.deepEqual(decodeIdentifier(token.identifier), identifier);
  assert.deepEqual([token.kind, token.service, token.password.length], ['K', 'h:1', 20]);
  assert.equal(decodeToken('garbage'), undefined);
});

test('a token stands for its owner until its time is over, also after a restart', async () => {
  const { manager, store, clock } = aManager();
  const { token } = await manager.issue('ann', 'bob');
  assert.equal(manager.verify(token).owner, 'ann');
  const again = aManager(store, clock).manager;
  assert.equal(again.verify(token).owner, 'ann');
  assert.equal((await again.issue('ann', '')).identifier.sequenceNumber, 2);
  clock.advance(501);
  assert.throws(() => manager.verify(token), reason('expired'));
});

test('only the renewer renews, up to the longest life', async () => {
  const { manager, clock } = aManager();
  const { token, identifier } = await manager.issue('ann', 'bob');
  await assert.rejects(() => manager.renew(token, 'ann'), reason('not-renewer'));
  for (let i = 0; i < 4; i++) {
    clock.advance(450);
    assert.ok((await manager.renew(token, 'bob')) <= identifier.maxDate);
  }
  clock.advance(450);
  await assert.rejects(() => manager.renew(token, 'bob'), reason('expired'));
  const other = await manager.issue('ann', '');
  await assert.rejects(() => manager.renew(other.token, 'bob'), reason('not-renewer'));
});

test('owner and renewer cancel, others do not, and a cancelled or forged token is unknown', async () => {
  const { manager } = aManager();
  const { token } = await manager.issue('ann', 'bob');
  await assert.rejects(() => manager.cancel(token, { user: 'carl', principal: 'carl' }), reason('not-allowed'));
  await manager.cancel(token, { user: 'bob', principal: 'bob' });
  assert.throws(() => manager.verify(token), reason('unknown'));
  await assert.rejects(() => manager.cancel(token, { user: 'ann', principal: 'ann' }), reason('unknown'));
  const other = decodeToken((await manager.issue('ann', 'bob')).token)!;
  assert.throws(() => manager.verify(encodeToken({ ...other, password: Buffer.alloc(20) })), reason('unknown'));
  assert.throws(() => manager.verify('garbage'), reason('undecodable'));
});

test('counts what is done to tokens, and what the store refuses', async () => {
  const store = inMemory();
  const { manager } = aManager(store);
  const { token } = await manager.issue('ann', 'bob');
  await manager.renew(token, 'bob');
  await manager.cancel(token, undefined);
  const { times } = manager.figures;
  assert.deepEqual([times.store.count, times.update.count, times.remove.count, manager.figures.failures], [1, 1, 1, 0]);
  store.putToken = () => Promise.reject(new Error('the disk is full'));
  await assert.rejects(manager.issue('ann', 'bob'), /the disk is full/);
  assert.deepEqual([times.store.count, manager.figures.failures], [1, 1]);
});
