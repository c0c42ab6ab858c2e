// A log as the commands about logs find it.
import type { ContainerLogs } from '../client/container-logs.ts';

/** A log file and who has it. */
export interface FoundLog {
  readonly containerId: string;
  readonly role: 'master' | 'task';
  readonly file: string;
  readonly bytes: number;
  readonly logs: ContainerLogs;
}
