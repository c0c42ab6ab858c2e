// Which files `npm test` runs, and in which order they start.
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** All others lie in rooms, many to a process (`room.ts`). */
const patterns = ['src/{engines,node-manager}/**/*.test.ts', 'test/**/*.test.ts'];

/** What takes long starts first, the longest before the others: in the end no core waits for one that came late. */
const longest = [
  'test/rooms/batch-tasks',
  'test/processes/word-count',
  'test/processes/run',
  'test/processes/tls',
  'test/abuse/every-route',
  'test/rooms/scheduler',
  'test/processes/node-manager',
  'test/rooms/batch',
  'test/processes/run-restart',
  'test/rooms/resource-manager',
  'test/processes/no-shared-disk',
  'test/abuse/open-api',
  'test/processes/quickstart',
  'test/rooms/cli',
  'test/processes/placement',
  'test/rooms/wire',
  'test/processes/restart',
  'test/processes/batch-master',
  'test/rooms/history',
  'test/processes/starting',
  'test/processes/several-machines',
  'test/simulation/cluster-histories',
  'src/node-manager/http/routes',
  'src/node-manager/node-manager',
].map((name) => `${name}.test.ts`);

/** The files that are run, from the root of the checkout, the first to start first. */
export function testFiles(): string[] {
  const missing = longest.filter((file) => !existsSync(join(root, file)));
  if (missing.length > 0) throw new Error(`no such tests: ${missing.join()}`);
  const all = globSync(patterns, { cwd: root }).sort();
  return [...longest, ...all.filter((file) => !longest.includes(file))];
}
