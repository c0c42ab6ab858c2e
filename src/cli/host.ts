// What the executable gives to commands: the means to start roles. Commands never import a server.
import type { Configuration } from '../config/load.ts';
import type { RunningRole } from '../lib/role.ts';

/** Names of the roles, in the order in which they are listed. */
export const roleNames = ['timeline', 'resource-manager', 'node-manager', 'history', 'proxy'] as const;

/** The name of a role. */
export type RoleName = (typeof roleNames)[number];

/** Starts roles, here or in threads of their own. */
export interface RoleHost {
  startRole(role: RoleName, configuration: Configuration): Promise<RunningRole>;
  startRoleInThread(role: RoleName, configuration: Configuration, died: (error: Error) => void): Promise<RunningRole>;
}
