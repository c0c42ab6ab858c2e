// What the executable gives to commands: the means to start roles. Commands never import a server.
import type { Configuration } from '../config/load.ts';
import type { RunningRole } from '../lib/role.ts';

/** Names of the roles, in the order in which they are listed. */
export const roleNames = ['timeline', 'resource-manager', 'node-manager', 'history', 'proxy'] as const;

/** The name of a role. */
export type RoleName = (typeof roleNames)[number];

/** What was found in the file of a store. */
interface StoreFound {
  readonly isThere: boolean;
  readonly version: number | undefined;
  readonly rows: number;
  /** Rows that were set aside before. */
  readonly rejected: number;
  /** What is wrong, and what a repair does about it; undefined: nothing, and then what else helps. */
  readonly findings: readonly { readonly what: string; readonly plan: string | undefined; readonly remedy?: string }[];
}

/** A store that can be looked at and repaired. */
export interface StoreToExamine {
  /** `the store of the timeline`. */
  readonly name: string;
  readonly path: string;
  examine(): StoreFound;
  /** Answers what was done. Nothing else may have the file open; `stamp` names what is kept of a damaged one. */
  repair(stamp: string): string[];
}

/** Starts roles, here or in threads of their own. */
export interface RoleHost {
  startRole(role: RoleName, configuration: Configuration): Promise<RunningRole>;
  /** The stores that the settings lead to. */
  stores(configuration: Configuration): Promise<readonly StoreToExamine[]>;
  startRoleInThread(
    role: RoleName,
    configuration: Configuration,
    died: (error: Error) => void,
    mayJoin?: Promise<unknown>,
  ): Promise<RunningRole>;
}
