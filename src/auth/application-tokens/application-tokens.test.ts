import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { decode, encode } from '../../wire/rpc/codec.ts';
import { AMRMTokenIdentifierProto, ContainerTokenIdentifierProto } from '../../wire/rpc/tables/tokens.ts';
import type { ContainerTokenContent } from '../container-token.ts';
import { ContainerTokens, MasterTokens, NodeTokens } from './application-tokens.ts';
import { TokenKeys } from './token-keys.ts';

const attemptId = 'appattempt_1700000000000_0007_000002';
const rollingMs = 60_000;

function keysOf(clock: ManualClock, { kind = 'k', root = Buffer.alloc(32, 7), sinceMs = clock.now() } = {}): TokenKeys {
  return new TokenKeys({ root, kind, rollingMs, sinceMs, clock });
}

describe('keys of tokens', () => {
  it('are the same for whoever has the root, and differ by root, kind and turn', () => {
    const clock = new ManualClock();
    const identifier = Buffer.from('who');
    const id = keysOf(clock).currentId;
    const password = keysOf(clock).password(id, identifier);
    assert.equal(password.length, 20);
    assert.deepEqual(keysOf(clock).password(id, identifier), password);
    assert.notDeepEqual(keysOf(clock, { kind: 'other' }).password(id, identifier), password);
    assert.notDeepEqual(keysOf(clock, { root: Buffer.alloc(32, 8) }).password(id, identifier), password);
    clock.advance(rollingMs);
    assert.equal(keysOf(clock).currentId, id + rollingMs / 1000);
    assert.notDeepEqual(keysOf(clock).password(keysOf(clock).currentId, identifier), password);
  });

  it('count for two turns, those from before the process as if they had begun with it', () => {
    const clock = new ManualClock();
    const keys = keysOf(clock);
    const before = keys.currentId;
    assert.ok(keys.counts(before));
    clock.advance(100 * rollingMs);
    assert.equal(keys.counts(before), false);
    assert.ok(keys.counts(keys.currentId - rollingMs / 1000));
    assert.equal(keys.counts(keys.currentId - (2 * rollingMs) / 1000), false);
    const restarted = keysOf(clock);
    assert.ok(restarted.counts(before), 'its master could not get another one meanwhile');
    clock.advance(2 * rollingMs);
    assert.equal(restarted.counts(before), false);
  });

  it('count as long where the clock is set meanwhile, and where that of who signs is ahead', () => {
    for (const byMs of [100 * rollingMs, -100 * rollingMs]) {
      const clock = new ManualClock();
      const keys = keysOf(clock);
      clock.advance(10 * rollingMs);
      const before = keys.currentId;
      clock.set(byMs);
      assert.ok(keys.counts(before), `set by ${byMs}`);
      assert.ok(keys.counts(keys.currentId));
      clock.advance(rollingMs / 2);
      assert.ok(keys.counts(before));
    }
    const clock = new ManualClock();
    const keys = keysOf(clock);
    const inTime = keys.currentId;
    clock.set(100 * rollingMs);
    clock.advance(2 * rollingMs);
    assert.equal(keys.counts(inTime), false);
    const behind = new ManualClock();
    const ahead = new ManualClock();
    ahead.set(rollingMs);
    assert.ok(keysOf(behind).counts(keysOf(ahead).currentId));
  });

  it('fit an int32', () => {
    assert.ok(keysOf(new ManualClock(Date.UTC(2087, 0, 1))).currentId < 2 ** 31);
  });
});

describe('the token of a master for the resource manager', () => {
  it('says the attempt, is signed, and has a password while its key counts', () => {
    const clock = new ManualClock();
    const tokens = new MasterTokens(keysOf(clock));
    const { identifier, password, kind, service } = tokens.issue(attemptId);
    assert.deepEqual([kind, service], ['YARN_AM_RM_TOKEN', '']);
    assert.deepEqual(tokens.read(identifier), { attemptId, keyId: tokens.currentKeyId });
    assert.deepEqual(tokens.passwordOf(identifier), password);
    const keyId = tokens.currentKeyId + rollingMs / 1000;
    const early = encode(AMRMTokenIdentifierProto, { ...decode(AMRMTokenIdentifierProto, identifier), keyId });
    assert.notDeepEqual(tokens.passwordOf(early), password, 'the password is of the key that the identifier names');
    clock.advance(2 * rollingMs);
    assert.equal(tokens.passwordOf(identifier), undefined);
    assert.notEqual(tokens.currentKeyId, tokens.read(identifier)?.keyId);
  });

  it('is the same for as long as its key has its turn, signed once, and another one then', () => {
    const clock = new ManualClock();
    let signed = 0;
    class CountedKeys extends TokenKeys {
      override password(id: number, identifier: Uint8Array): Buffer {
        signed++;
        return super.password(id, identifier);
      }
    }
    const tokens = new MasterTokens(new CountedKeys({ root: Buffer.alloc(32, 7), kind: 'k', rollingMs, sinceMs: clock.now(), clock }));
    const first = tokens.issue(attemptId);
    assert.deepEqual([tokens.issue(attemptId), signed], [first, 1]);
    assert.notDeepEqual(tokens.issue('appattempt_1700000000000_0007_000003'), first);
    clock.advance(rollingMs);
    const next = tokens.issue(attemptId);
    assert.notDeepEqual([next.identifier, next.password], [first.identifier, first.password]);
    assert.deepEqual(tokens.passwordOf(next.identifier), next.password);
  });

  it('is none where the bytes are another message', () => {
    const tokens = new MasterTokens(keysOf(new ManualClock()));
    for (const bytes of [Buffer.alloc(0), Buffer.from([0xff]), Buffer.from('appattempt')]) {
      assert.equal(tokens.read(bytes), undefined, bytes.toString('hex'));
      assert.equal(tokens.passwordOf(bytes), undefined, bytes.toString('hex'));
    }
  });
});

describe('the token of a master for a node', () => {
  it('counts on a node that works for its attempt, however old its key is', () => {
    const clock = new ManualClock();
    const tokens = new NodeTokens(keysOf(clock));
    const { identifier, password, service } = tokens.issue({ attemptId, nodeId: 'localhost:45454', user: 'ada' });
    assert.equal(service, '127.0.0.1:45454');
    assert.deepEqual(tokens.read(identifier), { attemptId, nodeId: 'localhost:45454', user: 'ada', keyId: tokens.currentKeyId });
    assert.deepEqual(
      tokens.passwordOf(identifier, () => false),
      password,
    );
    clock.advance(9 * rollingMs);
    assert.equal(
      tokens.passwordOf(identifier, () => false),
      undefined,
    );
    assert.deepEqual(
      tokens.passwordOf(identifier, (id) => id === attemptId),
      password,
    );
  });
});

describe('the token of a container', () => {
  const content: ContainerTokenContent = {
    containerId: 'container_e03_1700000000000_0007_02_000004',
    applicationId: 'application_1700000000000_0007',
    attemptId,
    user: 'ada',
    resource: { memoryMiB: 1024, vcores: 2, 'yarn.io/gpu': 1 },
    priority: 20,
    queue: 'root.default',
    isMaster: false,
    applicationAcls: { VIEW_APP: '*' },
    submitTimeMs: 1,
    maxAttempts: 2,
    nodeId: 'n1:45454',
    expiresMs: 10,
  };
  const facts = { resourceManagerStartedMs: 5, createdMs: 6, version: 3, allocationRequestId: 12 };

  it('says to Hadoop what the container is, to its node the order, and no byte of it can be changed', () => {
    const clock = new ManualClock();
    const tokens = new ContainerTokens(keysOf(clock));
    const { identifier, password } = tokens.issue(content, facts);
    const said = decode(ContainerTokenIdentifierProto, identifier);
    assert.equal(said.nmHostAddr, 'n1:45454');
    assert.deepEqual([said.resource?.memory, said.resource?.virtual_cores], [1024, 2]);
    assert.deepEqual(
      [said.rmIdentifier, said.creationTime, said.expiryTimeStamp, said.version, said.allocation_request_id],
      [5, 6, 10, 3, 12],
    );
    assert.deepEqual(tokens.read(identifier, password), { content, version: 3, resourceManagerStartedMs: 5 });
    assert.equal(tokens.claimedId(identifier), content.containerId);
    for (let at = 0; at < identifier.length; at++) {
      const changed = Buffer.from(identifier);
      changed[at] = (changed[at] ?? 0) ^ 1;
      assert.equal(tokens.read(changed, password), undefined, `byte ${at}`);
    }
    assert.equal(tokens.read(identifier, createHmac('sha1', 'x').update(identifier).digest()), undefined);
    assert.equal(new ContainerTokens(keysOf(clock, { kind: 'other' })).read(identifier, password), undefined);
  });
});
