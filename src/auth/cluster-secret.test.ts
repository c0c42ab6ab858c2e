import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ManualClock } from '../lib/clock.ts';
import { seededRandom } from '../lib/random.ts';
import { syncedBy } from '../lib/test-support/synced-files.ts';
import { ClusterSecret, isNodeIdentity, rotateSecret } from './cluster-secret.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-cluster-secret-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const dayMs = 86_400_000;
const parts = () => ({ clock: new ManualClock(), random: seededRandom(3) });
const names = (secret: ClusterSecret) => secret.nodeKeys.map(({ identity }) => identity);

describe("the cluster's secret", () => {
  it('is made where there is none, and shown by no key or name that comes from it', () => {
    const path = join(folder, 'made');
    const [{ identity, key }, ...more] = new ClusterSecret(path, parts()).nodeKeys as [{ identity: string; key: Buffer }];
    const text = readFileSync(path, 'utf8').trim();
    assert.equal(more.length, 0);
    assert.match(identity, /^node [0-9a-f]{16}$/);
    assert.ok(isNodeIdentity(identity) && !isNodeIdentity('attempt x') && !isNodeIdentity(undefined));
    assert.notEqual(key.toString('base64'), text);
    assert.ok(!Buffer.from(text, 'base64').toString('hex').includes(identity.slice(5)));
  });

  it('changes while it is used: the new one counts at once, the old one for its time', async () => {
    const path = join(folder, 'rotated');
    const { clock, random } = parts();
    const secret = new ClusterSecret(path, { clock, random });
    const [old] = names(secret);
    const synced = await syncedBy(() => assert.equal(rotateSecret(path, dayMs, { clock, random }), 2));
    assert.deepEqual([synced.length, synced.at(-1)], [2, folder], 'its name is on the disk, too');
    const [first, second] = names(secret);
    assert.notEqual(first, old);
    assert.equal(second, old);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    clock.advance(dayMs / 2);
    // The oldest keeps its own end.
    assert.equal(rotateSecret(path, dayMs, { clock, random }), 3);
    assert.equal(names(secret).length, 3);
    clock.advance(dayMs / 2);
    assert.deepEqual(names(secret).slice(1), [first]);
    assert.equal(rotateSecret(path, 0, { clock, random }), 1);
    assert.equal(names(secret).length, 1);
  });

  it('stays what it was while the file cannot be read', () => {
    const path = join(folder, 'broken');
    const secret = new ClusterSecret(path, parts());
    const before = names(secret);
    writeFileSync(path, 'x until tomorrow');
    assert.deepEqual(names(secret), before);
    rmSync(path);
    assert.deepEqual(names(secret), before);
  });

  it('refuses a file with a line that is none, and one with too many', () => {
    const good = seededRandom(4).bytes(32).toString('base64');
    const cases: [string, RegExp][] = [
      [`${good}\nshort`, /line 2 is no secret of at least 16 random bytes/],
      [Buffer.alloc(32, 1).toString('base64'), /line 1 is no secret/],
      ['a passphrase of many words', /line 1 is no secret/],
      [`${good} until soon`, /line 1 is no secret/],
      [`${good} since 2026-01-01`, /line 1 is no secret/],
      [`${good}\n`.repeat(7), /more than 6 secrets/],
    ];
    for (const [index, [text, message]] of cases.entries()) {
      const path = join(folder, `bad-${index}`);
      writeFileSync(path, text, { mode: 0o600 });
      assert.throws(() => new ClusterSecret(path, parts()), message);
    }
  });
});
