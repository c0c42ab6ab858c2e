import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '../..');
const shared = join(root, '../shared');

const scenario = `
import { RM } from '../kit-apps.mjs';
export default { name: 'own', cluster: 'capacity', about: 'a folder of its own', async run(c) {
  await c.record('unknown', 'rm', 'GET', RM + '/apps/application_1_0001', { loose: ['message'] });
  await c.record('changed', 'rm', 'GET', RM + '/nodes?states=LOST');
} };`;

const recording = (id: string, path: string, status: number, body: string, loose?: string[]) => ({
  id,
  ...(loose ? { loose } : {}),
  server: 'rm',
  request: { method: 'GET', path },
  response: { status, headers: { 'content-type': 'application/json;charset=utf-8' }, body },
});

/** The small kit that every clone has, and the whole one where it is at hand. */
const kits = [join(root, 'test/compatibility/kit'), shared].filter((folder) => existsSync(join(folder, 'conformance')));

for (const kit of kits)
  test(`conformance plays scenarios of any folder with ${kit === shared ? 'the whole kit' : 'a small kit'} and tells same from different`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'conformance-test-'));
    try {
      for (const name of ['scenarios', 'golden']) mkdirSync(join(folder, name));
      writeFileSync(join(folder, 'scenarios/own.mjs'), scenario);
      const error =
        '{"RemoteException":{"exception":"NotFoundException","message":"","javaClassName":"org.apache.hadoop.yarn.webapp.NotFoundException"}}';
      const records = [
        recording('unknown', '/ws/v1/cluster/apps/application_1_0001', 404, error, ['message']),
        recording('changed', '/ws/v1/cluster/nodes?states=LOST', 200, '{"nodes":{"other":1}}'),
      ];
      writeFileSync(join(folder, 'golden/own.json'), JSON.stringify({ scenario: 'own', cluster: 'capacity', records }));
      const folders = ['--scenarios', join(folder, 'scenarios'), '--golden', join(folder, 'golden'), '--out', join(folder, 'out')];
      const run = spawnSync(process.execPath, [join(root, 'scripts/conformance.ts'), '--shared', kit, ...folders], {
        encoding: 'utf8',
        env: { ...process.env, HEDDLE_TEST_COMPARISON: pathToFileURL(join(root, 'test/compatibility/compare.ts')).href },
      });
      assert.equal(
        run.stdout.trim().split('\n').at(-1),
        '1 of 2 recordings the same (50.0 %), 0 better, 0 accepted, 1 different',
        run.stdout + run.stderr + readFileSync(join(folder, 'out/differences/own.txt'), 'utf8'),
      );
      assert.match(readFileSync(join(folder, 'out/differences/own.txt'), 'utf8'), /own changed\n/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
