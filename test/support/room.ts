import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { before, suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';

const root = join(import.meta.dirname, '../..');

/**
 * Runs these tests, and all below these folders, in this process, each file as a suite of its own name, so that its hooks are its own. For tests
 * that need no process to themselves: to start one, and to load the servers into it, costs more processor time than most of them.
 */
export function room(...places: readonly string[]): void {
  const patterns = places.map((place) => (place.endsWith('.ts') ? place : `${place}/**/*.test.ts`));
  const files = globSync(patterns, { cwd: root }).map((file) => join(root, file));
  for (const file of files.sort()) suite(relative(root, file), async () => void (await import(pathToFileURL(file).href)));
  // Each file sets a seed for all; which one comes last is a matter of chance, and would make another test of every run.
  before(() => fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_128) }));
}
