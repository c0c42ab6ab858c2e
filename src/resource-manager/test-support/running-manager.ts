// A resource manager as a process has it, on a free port, for tests that speak to it over sockets.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { loadConfiguration } from '../../config/load.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { systemRandom } from '../../lib/random.ts';
import type { RunningRole } from '../../lib/role.ts';
import { start } from '../server.ts';

/** Settings with which access lists are on and one user administers everything. */
export const administeredBy = (user: string): Readonly<Record<string, string>> => ({
  'yarn.acl.enable': 'true',
  'yarn.admin.acl': user,
  'yarn.scheduler.capacity.root.acl_administer_queue': user,
});

/** Starts one that nothing publishes for; its address: `addresses['web']`. */
export function startManager(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
  clock: Clock = systemClock,
): Promise<RunningRole> {
  const set = { 'yarn.resourcemanager.webapp.address': '127.0.0.1:0', 'yarn.timeline-service.enabled': 'false', ...settings };
  return start(loadConfiguration({ dataDir, set }), { logger: silentLogger, clock, random: systemRandom });
}

/** One without Hadoop's RPC for all tests of a suite, on a folder of its own: answers what gives its address. */
export function managerOfSuite(name: string, clock: Clock = systemClock): () => string {
  const folder = mkdtempSync(join(tmpdir(), `heddle-${name}-`));
  let role: RunningRole;
  before(async () => {
    role = await startManager(folder, { 'heddle.rpc.enabled': 'false' }, clock);
  });
  after(async () => {
    await role.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return () => role.addresses['web']!;
}
