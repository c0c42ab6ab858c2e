// Which clusters need a realm of their own, and whether there can be one here.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { ClusterDescription } from './peer-settings.ts';

/** Whether the settings name keys of a realm (`{kdc}`). */
export const needsKerberos = (cluster: ClusterDescription): boolean => JSON.stringify(cluster).includes('{kdc}');

/** The principals that the settings name, without their realm. */
export function principalsOf({ core, yarn, mapred }: ClusterDescription): string[] {
  const values = Object.values({ ...core, ...yarn, ...mapred });
  return [...new Set(values.map((value) => /^([\w-]+\/[\w.-]+)@[\w.]+$/.exec(value)?.[1]).filter((name) => name !== undefined))];
}

/** Makes sure that a realm can be started and that Heddle can take tickets; gives what is missing, or undefined. */
export function lacksKerberos(): string | undefined {
  const { status, stdout } = spawnSync(join(import.meta.dirname, '../install-kerberos.sh'), { encoding: 'utf8' });
  return status === 0 ? undefined : stdout.trim() || 'Kerberos';
}
