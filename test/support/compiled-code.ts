import { mkdirSync, symlinkSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';

/**
 * Lets masters and tasks of batch jobs in the cluster of a data folder use what those of earlier clusters compiled. A user's jobs keep it in the
 * staging folder, which is empty in every test, so that each master and its first tasks would take twice the processor time. Beside the folder
 * that a run of all tests keeps for itself (`NODE_COMPILE_CACHE`); alone, a test starts as users do.
 */
export function shareCompiledCode(dataDir: string): void {
  const ofTests = process.env['NODE_COMPILE_CACHE'];
  if (ofTests === undefined) return;
  // Not the same: node managers hide theirs from containers.
  const kept = `${ofTests}-of-containers`;
  const staging = join(dataDir, 'staging', userInfo().username, '.staging');
  mkdirSync(kept, { recursive: true });
  mkdirSync(staging, { recursive: true, mode: 0o700 });
  symlinkSync(kept, join(staging, '.compile-cache'));
}
