import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { settle } from './settle.ts';

const root = mkdtempSync(join(tmpdir(), 'settle-'));
after(() => rmSync(root, { recursive: true }));
const mode = (path: string) => statSync(path).mode & 0o777;

test('all that was brought becomes readable, and what links lead to stays as it is', async () => {
  const [brought, elsewhere] = ['brought', 'elsewhere'].map((name) => join(root, name)) as [string, string];
  mkdirSync(join(brought, 'closed'), { recursive: true });
  mkdirSync(join(elsewhere, 'folder'), { recursive: true, mode: 0o700 });
  for (const path of [join(brought, 'closed/file'), join(elsewhere, 'secret'), join(elsewhere, 'folder/secret')])
    writeFileSync(path, 'four', { mode: 0o600 });
  chmodSync(join(elsewhere, 'folder'), 0o700);
  symlinkSync(join(elsewhere, 'secret'), join(brought, 'link'));
  symlinkSync(join(elsewhere, 'folder'), join(brought, 'linked'));
  chmodSync(join(brought, 'closed/file'), 0);
  assert.equal(await settle(brought, true), 4);
  assert.deepEqual([brought, join(brought, 'closed'), join(brought, 'closed/file')].map(mode), [0o755, 0o755, 0o555]);
  assert.deepEqual(
    [join(elsewhere, 'secret'), join(elsewhere, 'folder'), join(elsewhere, 'folder/secret')].map(mode),
    [0o600, 0o700, 0o600],
  );
  assert.equal(await settle(join(brought, 'link'), true), 0);
  assert.equal(await settle(brought, false), 4);
  assert.deepEqual([brought, join(brought, 'closed/file')].map(mode), [0o700, 0o500]);
});
