import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { handedSecret, takeSecret } from './handed-secret.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-handed-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'A');

it('a secret is read from its file, or from the variable of a node that hands it so', () => {
  writeFileSync(path, 'from the file');
  assert.equal(handedSecret('A', { A_FILE: path, A: 'from the environment' }), 'from the file');
  assert.equal(handedSecret('A', { A: 'from the environment' }), 'from the environment');
  assert.equal(handedSecret('A', { A: '' }), undefined);
  assert.throws(() => handedSecret('A', { A_FILE: join(folder, 'none') }), { code: 'ENOENT' });
});

it('a secret that is taken leaves nothing', () => {
  writeFileSync(path, 's');
  const environment: NodeJS.ProcessEnv = { A_FILE: path, A: 's', B: 'b' };
  assert.equal(takeSecret('A', environment), 's');
  assert.deepEqual([environment, existsSync(path)], [{ B: 'b' }, false]);
});
