import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { lockFile } from './file-lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-lock-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('the lock of a file', () => {
  it('is held by one, until it is given back', () => {
    const path = join(folder, 'own');
    const lock = lockFile(path);
    assert.ok(lock);
    assert.equal(lockFile(path), undefined);
    lock.release();
    lockFile(path)?.release();
    assert.deepEqual([statSync(path).size, statSync(path).mode & 0o777, readdirSync(folder)], [0, 0o600, ['own']]);
  });

  it('ends with the process that held it, also when that is killed', async () => {
    const path = join(folder, 'killed');
    const source = `import { lockFile } from ${JSON.stringify(new URL('./file-lock.ts', import.meta.url).href)};
      const lock = lockFile(${JSON.stringify(path)}); console.log(lock !== undefined); setInterval(() => lock, 1000)`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
    assert.equal(String((await once(holder.stdout, 'data'))[0]).trim(), 'true');
    assert.equal(lockFile(path), undefined);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    lockFile(path)?.release();
    assert.ok(lockFile(path));
  });

  it('cannot be taken where no file can be made', () => {
    assert.throws(() => lockFile(join(folder, 'absent', 'lock')), { code: 'ENOENT' });
  });
});
