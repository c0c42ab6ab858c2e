// Which files `npm test` runs, and in which order they start.
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** All others are in rooms, many to a process (`room.ts`). */
const patterns = ['src/{engines,node-manager}/**/*.test.ts', 'test/**/*.test.ts'];
const inRooms = ['test/{cluster,simulation}/**', 'test/abuse/{callers,folders,lists,protocols,random-bodies,rpc-ports}.test.ts'];

/** What takes long starts first, the longest before the others: in the end no core waits for one that came late. */
const longest = [
  'test/rooms/batch-tasks',
  'test/processes/word-count',
  'test/rooms/cluster',
  'test/processes/run',
  'test/rooms/abuse',
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
  'test/rooms/simulation',
  'src/node-manager/http/routes',
  'src/node-manager/node-manager',
].map((name) => `${name}.test.ts`);

/** The files that are run, from the root of the checkout, the first to start first. */
export function testFiles(): string[] {
  const missing = longest.filter((file) => !existsSync(join(root, file)));
  if (missing.length > 0) throw new Error(`no such tests: ${missing.join()}`);
  const all = globSync(patterns, { cwd: root, exclude: inRooms }).sort();
  return [...longest, ...all.filter((file) => !longest.includes(file))];
}
