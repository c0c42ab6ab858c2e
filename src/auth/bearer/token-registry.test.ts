import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { seededRandom } from '../../lib/random.ts';
import { type KeptToken, TokenRegistry } from './token-registry.ts';
import { digestOfBearer } from './token-text.ts';

/** A store in memory; what it holds is what a thief of the database would have. */
function aStore() {
  const kept = new Map<string, string>();
  return {
    kept,
    load: () => [...kept.values()].map((text) => JSON.parse(text) as KeptToken),
    put: async (token: KeptToken) => void kept.set(token.id, JSON.stringify(token)),
    remove: async (id: string) => void kept.delete(id),
  };
}

function aRegistry(store = aStore(), seed = 1) {
  const clock = new ManualClock();
  const open = () => new TokenRegistry({ store, clock, random: seededRandom(seed++), failed: (error) => assert.fail(String(error)) });
  return { store, clock, open, registry: open() };
}
const asked = { user: 'ann', name: 'ci', scope: 'submit', lifetimeMs: 1000, proved: true } as const;

it('keeps no token, only what it is known by, and knows it again after a restart', async () => {
  const { registry, store, open } = aRegistry();
  const { text, token } = await registry.create({ ...asked, queues: ['root.a'] });
  assert.match(text, /^heddle_[0-9a-f]{16}_[\w-]{43}$/);
  assert.ok(![...store.kept.values()].join().includes(text.slice(24)));
  for (const each of [registry, open()]) {
    const { token: found } = each.judge(digestOfBearer(text));
    assert.deepEqual(found, { id: token.id, user: 'ann', scope: 'submit', queues: ['root.a'], expiresMs: token.expiresMs, proved: true });
    assert.equal(each.judge(digestOfBearer(text.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')))).refused, 'unknown');
    assert.equal(each.judge(digestOfBearer(token.digest)).refused, 'unknown', 'what is kept is no token');
  }
});
it('ends a token with its time, and forgets it when the next one is made', async () => {
  const { registry, clock, store } = aRegistry();
  const { token } = await registry.create(asked);
  clock.advance(999);
  assert.equal(registry.judge(token.digest).token?.user, 'ann');
  clock.advance(1);
  assert.equal(registry.judge(token.digest).refused, 'expired');
  assert.equal(registry.list().length, 1);
  await registry.create(asked);
  assert.equal(registry.list().length, 1);
  assert.equal(store.kept.size, 1);
});
it('ends a revoked token at once, for good, and tells who waits', async () => {
  const { registry, store, open } = aRegistry();
  const { token } = await registry.create(asked);
  registry.judge(token.digest);
  const before = registry.version;
  const told = registry.changed(before, new AbortController().signal);
  const done = registry.revoke(token);
  assert.equal(registry.judge(token.digest).refused, 'unknown');
  await Promise.all([told, done]);
  assert.notEqual(registry.version, before);
  assert.equal(store.kept.size, 0);
  assert.equal(open().judge(token.digest).refused, 'unknown');
  await registry.changed(before, new AbortController().signal);
});
it('leaves those who wait when they go', async () => {
  const { registry } = aRegistry();
  const going = new AbortController();
  const waiting = registry.changed(registry.version, going.signal);
  going.abort();
  await waiting;
});
it('is of another version after a restart', () => {
  const { registry, open } = aRegistry();
  assert.notEqual(registry.version, open().version);
});
it('notes when a token was used, not more often than once a minute', async () => {
  const { registry, clock } = aRegistry();
  const { token } = await registry.create({ ...asked, lifetimeMs: 1e9 });
  const used = () => registry.list('ann')[0]?.lastUsedMs;
  assert.equal(used(), undefined);
  registry.judge(token.digest);
  const first = used();
  assert.equal(first, clock.now());
  clock.advance(59_000);
  registry.judge(token.digest);
  assert.equal(used(), first);
  clock.advance(1_000);
  registry.judge(token.digest);
  assert.equal(used(), clock.now());
});
