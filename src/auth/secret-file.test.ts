import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { seededRandom, systemRandom } from '../lib/random.ts';
import { readOrCreateSecret } from './secret-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-secret-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('a secret in a file', () => {
  it('is made at the first start, in a folder and a file that only the owner reads', () => {
    const path = join(folder, 'secrets', 'deeper', 'cluster');
    const secret = readOrCreateSecret(path, systemRandom);
    assert.equal(secret.length, 32);
    assert.deepEqual([modeOf(path), modeOf(join(folder, 'secrets', 'deeper')), modeOf(join(folder, 'secrets'))], ['600', '700', '700']);
    assert.deepEqual(readdirSync(join(folder, 'secrets', 'deeper')), ['cluster'], 'no draft is left');
    assert.deepEqual(readOrCreateSecret(path, systemRandom), secret);
    assert.equal(readFileSync(path, 'utf8'), secret.toString('base64'));
  });

  it('is the one that was there first, where two roles make it at once', () => {
    const path = join(folder, 'both');
    const random = seededRandom(1);
    // The other role links its secret between the look and the link of this one.
    const racing = {
      ...random,
      bytes: (length: number) => {
        if (length === 32) writeFileSync(path, Buffer.alloc(32, 9).toString('base64'), { mode: 0o600 });
        return random.bytes(length);
      },
    };
    assert.deepEqual(readOrCreateSecret(path, racing), Buffer.alloc(32, 9));
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('both')),
      ['both'],
    );
  });

  it('may be put there by an administrator, with blanks around it', () => {
    const path = join(folder, 'given');
    writeFileSync(path, `\n ${Buffer.alloc(16, 5).toString('base64')}\n`);
    assert.deepEqual(readOrCreateSecret(path, systemRandom), Buffer.alloc(16, 5));
  });

  it('that is too short is refused with what to do', () => {
    for (const text of ['', 'c2hvcnQ=', Buffer.alloc(15).toString('base64')]) {
      const path = join(folder, `short-${text.length}`);
      writeFileSync(path, text);
      assert.throws(
        () => readOrCreateSecret(path, systemRandom),
        new Error(`${path} holds no secret of at least 16 bytes: delete the file, a new one is made at the next start`),
      );
    }
  });

  it('that is a folder cannot be read', () => {
    const path = join(folder, 'a-folder');
    mkdirSync(path);
    assert.throws(() => readOrCreateSecret(path, systemRandom), { code: 'EISDIR' });
  });
});
