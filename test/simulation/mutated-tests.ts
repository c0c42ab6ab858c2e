// The tests of this folder that play one situation each, with a mutation: what is too rare for histories may have a test of its own.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Mutation } from './mutate.ts';

/** Histories are played by themselves; the others play no situation. */
const others = /^(cluster-histories|memory|mutated-checks)\./;
const folder = fileURLToPath(new URL('.', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.test.ts') && !others.test(name));
const own = files.map((name) => `${folder}${name}`);
/** A mutated product may go in circles; all these tests take seconds. */
const longestMs = 300_000;

/** The first of the tests that fails with the mutation; undefined: none. `paths`: other tests than those of this folder. */
export function failsWith(mutation: Mutation | undefined, paths: readonly string[] = own): Promise<string | undefined> {
  // What a mutation keeps from ending keeps a process, too: only the tests of this folder have none.
  const how = paths === own ? ['--test-isolation=none', '--test-timeout=60000'] : ['--test-force-exit', '--test-timeout=20000'];
  const parameters = ['--test', ...how, '--test-reporter=tap'];
  const preload = `--import=${new URL('mutated-process.ts', import.meta.url)}`;
  return new Promise((done) => {
    execFile(
      process.execPath,
      [preload, ...parameters, ...paths],
      {
        env: { ...process.env, HEDDLE_MUTATION: mutation ? JSON.stringify(mutation) : '' },
        maxBuffer: 2 ** 26,
        timeout: longestMs,
        killSignal: 'SIGKILL',
      },
      (error, output) => {
        const failed = /^ *not ok \d+ - (.*)$/m.exec(output)?.[1];
        done(failed ?? (error ? `they did not come to an end: ${error.message.split('\n')[0]}` : undefined));
      },
    );
  });
}
