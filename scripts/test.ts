// npm test: Biome, types and knip, and beside them, because they wait for much, all tests.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { testFiles } from '../test/support/test-files.ts';
import { readArguments } from './arguments.ts';

readArguments('npm test', {});
const root = join(import.meta.dirname, '..');
process.chdir(root);
process.env['NODE_COMPILE_CACHE'] = join(root, 'node_modules/.cache/compile');

/** A test that hangs ends with its name. A file may take longer: on a busy machine a room does. */
const longestTestMs = 300_000;
const longestFileMs = 600_000;
/** More than cores: tests of processes wait for most of their time. */
const processesAtOnce = 3;

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    process.exitCode = 1;
    stop.abort();
  });

/** Runs the checks, with the processor time that the tests leave. What they say where something is wrong. */
async function wrongByCheck(): Promise<string | undefined> {
  const checks = spawn('nice', ['-n', '10', 'npm', 'run', '--silent', 'check'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: stop.signal,
    // The compilers are written in Go and make much garbage: to collect it less often takes a quarter less processor time, for a tenth more memory.
    env: { ...process.env, GOGC: '400' },
  });
  let said = '';
  for (const stream of [checks.stdout, checks.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await new Promise<number | null>((done) => checks.on('error', (error) => (said += error.message)).on('close', done));
  return code === 0 ? undefined : said;
}

const checked = wrongByCheck().then((wrong) => {
  if (wrong !== undefined) stop.abort();
  return wrong;
});
const tests = run({
  files: testFiles(),
  concurrency: processesAtOnce,
  timeout: longestFileMs,
  execArgv: [`--test-timeout=${longestTestMs}`],
  signal: stop.signal,
});
tests.on('test:summary', ({ file, success }) => {
  if (file === undefined && !success) process.exitCode = 1;
});
const report = tests.compose(spec);
report.pipe(process.stdout);
await finished(report);
const wrong = await checked;
if (wrong !== undefined) {
  console.error(`npm run check fails, which ended the tests:\n${wrong}`);
  process.exitCode = 1;
}
