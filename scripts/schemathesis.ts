// npm run schemathesis: a public tool makes requests from what every server says of itself (/openapi.json) and
// sends them to a cluster of its own: no answer may be a 5xx. Python's packages go to a virtual environment below node_modules/.cache.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startProcesses } from '../test/support/processes.ts';
import { chosenNames, numberOption, readArguments } from './arguments.ts';

const servers = ['resourceManager', 'nodeManager', 'timeline', 'reader', 'history'];
const usage = `npm run schemathesis -- [options]
  --seconds N     for each server (default: 60)
  --server NAME   that one alone: ${servers.join(', ')}`;
const { values } = readArguments(usage, { options: { seconds: { type: 'string', default: '60' }, server: { type: 'string' } } });
const seconds = numberOption(usage, 'seconds', values.seconds);
const asked = chosenNames(usage, 'server', values.server === undefined ? [] : [values.server], servers);
const environment = join(import.meta.dirname, '../node_modules/.cache/schemathesis');
const tool = join(environment, 'bin/schemathesis');

function must(program: string, ...args: readonly string[]): void {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit' });
  if (error) throw new Error(`${program} is not on this machine: this check needs Python 3.10 or later`);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`);
}

if (!existsSync(tool)) {
  must('python3', '-m', 'venv', environment);
  must(join(environment, 'bin/pip'), 'install', '--quiet', 'schemathesis>=4,<5');
}

/** What ends nothing by itself (events, followed logs), empties the cluster, or changes how it logs. */
const left =
  '^(/api/v1/events|/logLevel|/stacks|/proxy.*|/api/v1/nodes/.*|/ws/v1/cluster/nodes/.*|/api/v1/token.*|.*/allocate|/ws/v1/cluster/delegation-token.*)$';

await using cluster = await startProcesses({ settings: { 'yarn.timeline-service.versions': '1.5,2.0' } });
const made = await fetch(`${cluster.urls.resourceManager}/api/v1/tokens?user.name=root`, {
  method: 'POST',
  body: JSON.stringify({ name: 'schemathesis', scope: 'admin' }),
});
const { text: token } = (await made.json()) as { text: string };
let failed = false;
for (const [name, url] of Object.entries(cluster.urls)) {
  if (!asked.includes(name)) continue;
  console.log(`== ${name} ${url}`);
  const { status } = spawnSync(
    tool,
    [
      'run',
      `${url}/openapi.json`,
      ...['--header', `Authorization: Bearer ${token}`],
      ...['--checks', 'not_a_server_error', '--phases', 'coverage,fuzzing', '--max-time', String(seconds), '--seed', '1'],
      ...['--exclude-path-regex', left, '--continue-on-failure', '--request-timeout', '20', '--warnings', 'off', '--max-redirects', '0'],
      ...['--suppress-health-check', 'all'],
    ],
    { stdio: 'inherit', cwd: cluster.home },
  );
  failed ||= status !== 0;
}
process.exitCode = failed ? 1 : 0;
