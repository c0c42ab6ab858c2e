import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { seededRandom, systemRandom } from '../lib/random.ts';
import { exposureOf } from '../lib/secret-rules.ts';
import { syncedBy } from '../lib/test-support/synced-files.ts';
import { ensureSecretFile, readOrCreateSignatureSecret, readSecretFile, secretOfBase64 } from './secret-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-secret-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('a secret in a file', () => {
  it('is made at the first start, in a folder and a file that only the owner reads', () => {
    const path = join(folder, 'secrets', 'deeper', 'cluster');
    ensureSecretFile(path, systemRandom);
    const text = readFileSync(path, 'utf8');
    assert.equal(secretOfBase64(text)?.length, 32);
    assert.deepEqual([modeOf(path), modeOf(join(folder, 'secrets', 'deeper')), modeOf(join(folder, 'secrets'))], ['600', '700', '700']);
    assert.deepEqual(readdirSync(join(folder, 'secrets', 'deeper')), ['cluster'], 'no draft is left');
    ensureSecretFile(path, systemRandom);
    assert.equal(readFileSync(path, 'utf8'), text);
  });

  it('outlives the machine from then on, with its name and that of its folder', async () => {
    const own = join(folder, 'durable');
    const synced = await syncedBy(() => ensureSecretFile(join(own, 'cluster'), systemRandom));
    assert.match(synced[0] ?? '', /durable\/cluster\.[0-9a-f]{16}$/);
    assert.deepEqual(synced.slice(1), [own, folder]);
    assert.equal((await syncedBy(() => ensureSecretFile(join(own, 'another'), systemRandom))).length, 2);
    assert.deepEqual(await syncedBy(() => ensureSecretFile(join(own, 'cluster'), systemRandom)), []);
  });

  it('is the one that was there first, where two roles make it at once', () => {
    const path = join(folder, 'both');
    const random = seededRandom(1);
    // The other role links its secret between the look and the link of this one.
    const racing = {
      ...random,
      bytes: (length: number) => {
        if (length === 32) writeFileSync(path, 'the other one', { mode: 0o600 });
        return random.bytes(length);
      },
    };
    ensureSecretFile(path, racing);
    assert.equal(readFileSync(path, 'utf8'), 'the other one');
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('both')),
      ['both'],
    );
  });

  it('is all its bytes where cookies are signed with it, as Hadoop reads it', () => {
    const path = join(folder, 'signature');
    const bytes = Buffer.from('a passphrase of many words\n\u00e9');
    writeFileSync(path, bytes, { mode: 0o600 });
    assert.deepEqual(readOrCreateSignatureSecret(path, systemRandom), bytes);
    assert.equal(readOrCreateSignatureSecret(join(folder, 'made'), systemRandom).length, 44);
  });

  it('that is easy to guess is refused with what to do', () => {
    for (const [index, bytes] of [Buffer.alloc(0), Buffer.from('hadoop'), Buffer.alloc(64), Buffer.alloc(64, 'ab')].entries()) {
      const path = join(folder, `weak-${index}`);
      writeFileSync(path, bytes, { mode: 0o600 });
      assert.throws(() => readOrCreateSignatureSecret(path, systemRandom), /is easy to guess: write at least 16 random bytes/);
      assert.equal(secretOfBase64(bytes.toString('base64')), undefined);
    }
    assert.equal(secretOfBase64('a passphrase of many words'), undefined, 'no base64');
  });

  it('that others can read or write is refused with what to do', () => {
    const path = join(folder, 'open');
    writeFileSync(path, systemRandom.bytes(32).toString('base64'), { mode: 0o600 });
    for (const mode of [0o604, 0o606, 0o620, 0o666, 0o644]) {
      chmodSync(path, mode);
      assert.throws(
        () => readSecretFile(path),
        /by others: its secret may be known\. Write a new one there and say "chmod 600/,
        mode.toString(8),
      );
    }
    chmodSync(path, 0o400);
    assert.equal(readSecretFile(path).length, 44);
  });

  it('may be given to a group by another user, and belongs to nobody but its reader and root', () => {
    const [own, other] = [1000, 1001];
    assert.equal(exposureOf({ mode: 0o100440, uid: 0 }, own), undefined);
    assert.equal(exposureOf({ mode: 0o100640, uid: own }, own), 'can be read by others');
    assert.equal(exposureOf({ mode: 0o100460, uid: 0 }, own), 'can be written by others');
    assert.equal(exposureOf({ mode: 0o100600, uid: other }, own), 'belongs to the unix user 1001');
    assert.equal(exposureOf({ mode: 0o100600, uid: other }, 0), undefined);
  });

  it('that is a folder cannot be read', () => {
    const path = join(folder, 'a-folder');
    mkdirSync(path);
    assert.throws(() => readSecretFile(path), { name: 'SecretUnusable', message: /a-folder is a folder; .*remove the folder$/ });
  });
});
