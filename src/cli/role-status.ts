// What runs on a data folder, and whether it does its work.
import { type ClusterFile, runningOn } from './cluster-file.ts';
import { askReady } from './doctor-cluster.ts';
import { roleNames } from './host.ts';

const lookMs = 100;
/** Between two looks. */
export const pause = () => new Promise((wake) => setTimeout(wake, lookMs));

/** Processes on a data folder, in the order in which they are to end: nodes first, so that the others can take note. */
export function processesOn(dataDir: string): ClusterFile[] {
  const order = ['node-manager', 'proxy', 'cluster', 'resource-manager', 'history', 'timeline'];
  return runningOn(dataDir, order);
}

/** How one role is. */
export interface RoleStatus {
  readonly role: string;
  readonly pid: number;
  readonly url: string;
  readonly ready: boolean;
  readonly reason?: string;
  readonly startedAt: string;
}

/** Every role that runs on the folder and whether it does its work. */
async function look(dataDir: string): Promise<RoleStatus[]> {
  const roles = processesOn(dataDir).flatMap(({ pid, addresses, authorityFile, startedAt }) => {
    if (Object.keys(addresses).length === 0)
      return [Promise.resolve({ role: 'cluster', pid, url: '', ready: false, reason: 'it is starting', startedAt })];
    return Object.entries(addresses).flatMap(([role, urls]) => {
      const url = urls['web'];
      if (url === undefined || !roleNames.some((name) => role === name || role.startsWith(`${name}-`))) return [];
      return [
        askReady(url, authorityFile).then(
          ({ status: code, reason }) => ({ role, pid, url, ready: code === 200, ...(reason === undefined ? {} : { reason }), startedAt }),
          (error: Error) => ({ role, pid, url, ready: false, reason: `does not answer: ${error.message}`, startedAt }),
        ),
      ];
    });
  });
  return Promise.all(roles);
}

/** The roles once all are ready, or as they are after `waitMs`; none where nothing runs. */
export async function readyRoles(dataDir: string, waitMs: number): Promise<readonly RoleStatus[]> {
  for (const endMs = performance.now() + waitMs; ; await pause()) {
    const roles = await look(dataDir);
    if ((roles.length > 0 && roles.every(({ ready }) => ready)) || performance.now() >= endMs) return roles;
  }
}
