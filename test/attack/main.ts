// `npm run attack`: every attack below this folder on running clusters. Ends with what did not run, and why.

import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { chosenNames, readArguments } from '../../scripts/arguments.ts';
import { hasOtherUsers } from './harness.ts';

const usage = 'npm run attack -- [NAME …]';
const { positionals } = readArguments(usage, { allowPositionals: true });
const names = globSync('*.attack.ts', { cwd: import.meta.dirname }).map((file) => basename(file, '.attack.ts'));
const files = chosenNames(usage, 'attack', positionals, names.sort()).map((name) => join(import.meta.dirname, `${name}.attack.ts`));
process.stdout.write(
  hasOtherUsers
    ? `Attacks of ${files.length} files, as root: other users of this machine take part.\n`
    : `Attacks of ${files.length} files, not as root: those that need other users of this machine do not run.\n`,
);

const left: string[] = [];
const tests = run({ files, concurrency: 1, timeout: 170_000 });
tests.on('test:pass', ({ name, skip }) => {
  if (skip !== undefined) left.push(`${name}: ${skip === true ? 'no reason given' : skip}`);
});
tests.on('test:fail', () => (process.exitCode = 1));
tests.on('end', () => {
  // After the summary, so that it is what is read last.
  process.once('exit', () => {
    if (left.length === 0) process.stdout.write('All attacks ran.\n');
    else process.stdout.write(`${left.length} did not run:\n${left.map((line) => `  ${line}\n`).join('')}`);
  });
});
tests.compose(new spec()).pipe(process.stdout);
