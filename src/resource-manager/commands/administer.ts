// What administrators do to the resource manager itself: reading again who may do what (`yarn rmadmin -refreshAdminAcls` and its like), and
// the switch for the scheduler's log.

import type { Audit } from '../../auth/audit-log.ts';
import { ConfigurationError } from '../../config/table.ts';
import type { Clock } from '../../lib/clock.ts';
import { parseInteger } from '../../lib/java-number.ts';
import { failure } from '../../model/errors.ts';
import type { Caller } from './caller.ts';
import type { AdministratorsGate } from './update-node.ts';

export interface RefreshAccessPorts {
  /** Reads the settings and groups again; where that fails all stays as it is. @throws ConfigurationError */
  readonly refresh: () => { readonly adminAcl: string };
  readonly access: AdministratorsGate & { useAdministrators(adminAcl: string): void };
  readonly audit: Audit;
}

/**
 * Has read again who administers, who may act for which user and who is in which group; returns the list of administrators.
 * @throws Failure ONLY_ADMINISTRATORS, ACCESS_REFUSED
 */
export function refreshAccess({ refresh, access, audit }: RefreshAccessPorts, caller: Caller): string {
  access.administrator(caller, 'refresh access');
  const { adminAcl } = readAgainOrRefuse(refresh);
  access.useAdministrators(adminAcl);
  audit.changed(caller, { operation: 'refresh access', target: 'cluster', administrators: adminAcl });
  return adminAcl;
}

export interface RefreshPriorityPorts {
  /** Reads `yarn.cluster.max-application-priority` again and says what it is now. @throws ConfigurationError */
  readonly refresh: () => number;
  readonly access: AdministratorsGate;
  readonly audit: Audit;
}

/**
 * Has the highest priority of applications read again; applications keep theirs, also above it (AdminService.refreshClusterMaxPriority).
 * @throws Failure ONLY_ADMINISTRATORS, ACCESS_REFUSED
 */
export function refreshMaximumPriority({ refresh, access, audit }: RefreshPriorityPorts, caller: Caller): number {
  access.administrator(caller, 'refresh the highest priority');
  const maximum = readAgainOrRefuse(refresh);
  audit.changed(caller, { operation: 'refresh the highest priority', target: 'cluster', maximum });
  return maximum;
}

/** What reading settings again gives. @throws Failure ACCESS_REFUSED for settings that cannot be read */
function readAgainOrRefuse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigurationError) throw failure('ACCESS_REFUSED', { reason: error.message });
    throw error;
  }
}

export interface SchedulerLogsPorts {
  readonly access: AdministratorsGate;
  readonly clock: Pick<Clock, 'steadyMs'>;
  /** Until when more is written, by that clock. */
  readonly written: { untilMs: number };
}

/**
 * Hadoop writes more of its scheduler's log for `period` seconds (a Java int in text), once at a time; Heddle logs by level and name, and only
 * checks the call.
 * @throws Failure ONLY_ADMINISTRATORS, SCHEDULER_LOG_PERIOD_MISSING, BAD_NUMBER, SCHEDULER_LOG_PERIOD_TOO_SMALL, SCHEDULER_LOG_BUSY
 */
export function writeSchedulerLogs({ access, clock, written }: SchedulerLogsPorts, caller: Caller, period: string | undefined): void {
  access.administrator(caller, 'write scheduler logs');
  if (period === undefined) throw failure('SCHEDULER_LOG_PERIOD_MISSING');
  const seconds = parseInteger(period);
  if (seconds === undefined) throw failure('BAD_NUMBER', { value: period });
  if (seconds <= 0) throw failure('SCHEDULER_LOG_PERIOD_TOO_SMALL');
  const nowMs = clock.steadyMs();
  if (nowMs < written.untilMs) throw failure('SCHEDULER_LOG_BUSY');
  written.untilMs = nowMs + seconds * 1000;
}
