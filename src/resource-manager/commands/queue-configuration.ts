// Reading and changing the queue configuration (RMWebServices.updateSchedulerConfiguration and its like, AdminService.refreshQueues).

import type { Audit } from '../../auth/audit-log.ts';
import { ConfigurationError } from '../../config/table.ts';
import { type ErrorCode, failure } from '../../model/errors.ts';
import type { PolicyNames } from '../../scheduler/abilities.ts';
import { ChangeRefused, type ConfigurationChange } from '../../scheduler/capacity/settings/mutation.ts';
import { ConfigurationRefused, type SchedulingPolicy } from '../../scheduler/policy.ts';
import type { QueueConfiguration } from '../queue-configuration.ts';
import type { QueueChanges } from '../queue-history.ts';
import type { Caller } from './caller.ts';
import type { AdministratorsGate } from './update-node.ts';

export interface QueuePorts {
  readonly queues: Pick<
    QueueConfiguration,
    'mutable' | 'version' | 'properties' | 'history' | 'change' | 'validate' | 'format' | 'refresh'
  >;
  readonly policy: Pick<SchedulingPolicy, 'names' | 'queueEditing'>;
  readonly access: AdministratorsGate;
  readonly audit: Audit;
}

/** The keys that the queues run with. @throws Failure ONLY_ADMINISTRATORS, QUEUES_NOT_READABLE */
export function readQueues({ queues, policy, access }: QueuePorts, caller: Caller): ReadonlyMap<string, string> {
  access.administrator(caller, 'read the scheduler configuration');
  if (!queues.mutable) throw failure('QUEUES_NOT_READABLE', { scheduler: policy.names.className });
  return queues.properties();
}

/** How many changes the configuration has seen. @throws Failure ONLY_ADMINISTRATORS, QUEUES_WITHOUT_VERSION */
export function readQueuesVersion({ queues, access }: QueuePorts, caller: Caller): number {
  access.administrator(caller, 'read the scheduler configuration');
  if (!queues.mutable) throw failure('QUEUES_WITHOUT_VERSION');
  return queues.version;
}

/** What callers changed of the queues, the newest first; nothing where the file has them. @throws Failure ONLY_ADMINISTRATORS */
export function readQueueHistory({ queues, access }: QueuePorts, caller: Caller): readonly QueueChanges[] {
  access.administrator(caller, 'read the history of the queues');
  return queues.history();
}

/** Changes the queues, all or nothing; resolves when that is durable. @throws Failure ONLY_ADMINISTRATORS, QUEUES_NOT_CHANGEABLE, QUEUES_IN_FILE, QUEUE_CHANGE_REFUSED, UNAVAILABLE */
export async function changeQueues(
  { queues, policy, access, audit }: QueuePorts,
  caller: Caller,
  change: ConfigurationChange,
): Promise<void> {
  access.administrator(caller, 'change the scheduler configuration');
  if (!policy.queueEditing) throw failure('QUEUES_NOT_CHANGEABLE');
  if (!queues.mutable) throw failure('QUEUES_IN_FILE');
  await refusable('QUEUE_CHANGE_REFUSED', () => queues.change(change, caller.user));
  audit.changed(caller, { operation: 'change the scheduler configuration', target: 'queues' });
}

/** The keys after a change that is only tried. @throws Failure ONLY_ADMINISTRATORS, QUEUES_NOT_VALIDATED, QUEUE_VALIDATION_FAILED */
export async function validateQueues(
  { queues, access }: QueuePorts,
  caller: Caller,
  change: ConfigurationChange,
): Promise<ReadonlyMap<string, string>> {
  access.administrator(caller, 'validate a scheduler configuration');
  if (!queues.mutable) throw failure('QUEUES_NOT_VALIDATED');
  return refusable('QUEUE_VALIDATION_FAILED', () => queues.validate(change));
}

/** Sets the configuration back to the file; resolves when that is durable. @throws Failure ONLY_ADMINISTRATORS, QUEUES_NOT_FORMATTABLE, QUEUE_CHANGE_REFUSED, UNAVAILABLE */
export async function formatQueues({ queues, access, audit }: QueuePorts, caller: Caller): Promise<void> {
  access.administrator(caller, 'format the scheduler configuration');
  if (!queues.mutable) throw failure('QUEUES_NOT_FORMATTABLE');
  await refusable('QUEUE_CHANGE_REFUSED', () => queues.format(caller.user));
  audit.changed(caller, { operation: 'format the scheduler configuration', target: 'queues' });
}

/** Runs what queues may refuse; the refusal's sentence stands in the failure. */
async function refusable<T>(code: ErrorCode, run: () => Promise<T> | T): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ConfigurationRefused) throw failure(code, { reason: `Failed to re-init queues : ${error.told}` });
    if (error instanceof ChangeRefused) throw failure(code, { reason: error.message });
    throw error;
  }
}

export interface RefreshQueuesPorts extends Omit<QueuePorts, 'queues'> {
  readonly queues: Pick<QueueConfiguration, 'refresh'>;
  /** The name of the file that has the queues; undefined: no file has them. */
  readonly fileName: () => string | undefined;
  /** A refusal as an error that names file, key and remedy. */
  readonly explained: (refusal: ConfigurationRefused) => ConfigurationError;
}

/** What was read again. */
export interface RefreshedQueues {
  readonly scheduler: PolicyNames['short'];
  readonly from: ReturnType<QueueConfiguration['refresh']>;
  readonly file: string | undefined;
}

/** Has the file of queues read again and taken over, all or nothing. @throws Failure ONLY_ADMINISTRATORS, QUEUES_REFUSED */
export function refreshQueues({ queues, policy, access, audit, fileName, explained }: RefreshQueuesPorts, caller: Caller): RefreshedQueues {
  access.administrator(caller, 'refresh queues');
  try {
    const from = queues.refresh();
    audit.changed(caller, { operation: 'refresh queues', target: 'queues', from });
    return { scheduler: policy.names.short, from, file: fileName() };
  } catch (error) {
    const refused = error instanceof ConfigurationRefused ? explained(error) : error;
    if (!(refused instanceof ConfigurationError)) throw error;
    throw failure('QUEUES_REFUSED', { reason: refused.message });
  }
}
