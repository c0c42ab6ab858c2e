// `heddle` begins on a Node.js that is too old for it: the one installed with the project takes over.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');
/** Another node on the way to programs, the machine's own. */
const older = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find(
    (program) =>
      !program.startsWith(root) && existsSync(program) && Number(spawnSync(program, ['-p', 'parseInt(process.versions.node)']).stdout) < 24,
  );

test('an older Node.js hands over', { skip: older ? false : 'this machine has no Node.js older than 24' }, () => {
  const { stdout, stderr, status } = spawnSync(older ?? '', [join(root, 'bin', 'heddle.js'), '--version'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
});
