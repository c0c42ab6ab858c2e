import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { before, suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';

const root = join(import.meta.dirname, '../..');

/**
 * Runs all tests below the folders in this process, each file as a suite of its own name, so that its hooks are its own. For tests that need no
 * process to themselves: to start one costs more processor time than most of them.
 */
export function room(...folders: readonly string[]): void {
  const files = folders.flatMap((folder) => globSync('**/*.test.ts', { cwd: join(root, folder) }).map((file) => join(root, folder, file)));
  for (const file of files.sort()) suite(relative(root, file), async () => void (await import(pathToFileURL(file).href)));
  // Each file sets a seed for all; which one comes last is a matter of chance, and would make another test of every run.
  before(() => fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_128) }));
}
