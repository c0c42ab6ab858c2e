// npm run python-client: runs the tests of the client for Python, and the examples of its README, on a cluster of its own. HEDDLE_PYTHON names another
// Python than python3.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { startProcesses } from '../test/support/processes.ts';
import { readArguments } from './arguments.ts';

readArguments('npm run python-client', {});

const folder = join(import.meta.dirname, '../clients/python');
const python = process.env['HEDDLE_PYTHON'] ?? 'python3';
const found = spawnSync(python, ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']);
if (found.error || found.status !== 0) {
  console.error(`${python} is ${found.error ? 'not on this machine' : 'older than Python 3.9'}: nothing was tested`);
  process.exitCode = 1;
} else {
  await using cluster = await startProcesses();
  const { status } = spawnSync(
    python,
    ['-B', '-W', 'error::ResourceWarning', '-m', 'unittest', 'discover', '-v', '-s', 'tests', '-t', '.'],
    {
      cwd: folder,
      stdio: 'inherit',
      env: { ...process.env, HEDDLE_CLUSTER: cluster.urls.resourceManager, HADOOP_USER_NAME: 'root' },
    },
  );
  process.exitCode = status ?? 1;
}
