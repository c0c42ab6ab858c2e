// What tests of commands give them: callers, an audit log that is remembered, applications as data, and the policy of two queues.

import { type AuditedCaller, type AuditedOperation, AuditLog } from '../../auth/audit-log.ts';
import { silentLogger } from '../../lib/log.ts';
import { Failure } from '../../model/errors.ts';
import { ResourceTypes } from '../../model/resource.ts';
import { presetSettings } from '../../scheduler/conformance/presets.ts';
import { createPolicy } from '../../scheduler/create-policy.ts';
import type { PolicyKind, SchedulingPolicy } from '../../scheduler/policy.ts';
import type { Application } from '../applications/application.ts';
import type { Caller } from '../commands/caller.ts';
import type { SubmissionRequest } from '../commands/submission-request.ts';
import { Access } from '../security/access.ts';
import { anApplication, aSubmission } from './builders.ts';

export const types = new ResourceTypes();

/** A caller of that name. */
export const callerNamed = (user: string, more: Partial<Caller> = {}): Caller => ({
  user,
  principal: user,
  realUser: undefined,
  authentication: 'simple',
  groups: () => [],
  remoteAddress: '127.0.0.1',
  ...more,
});

/** An audit log whose lines tests can read: `refused ada kill application`. */
export class RememberedAudit extends AuditLog {
  readonly lines: string[] = [];

  constructor() {
    super(silentLogger);
  }

  override refused(caller: AuditedCaller, operation: AuditedOperation, failure: Failure): Failure {
    this.lines.push(`refused ${caller.user} ${operation.operation}`);
    return super.refused(caller, operation, failure);
  }

  override changed(caller: AuditedCaller, operation: AuditedOperation): void {
    this.lines.push(`changed ${caller.user} ${operation.operation}`);
    super.changed(caller, operation);
  }
}

const prefix = 'yarn.scheduler.capacity';
const queueProperties = new Map([
  [`${prefix}.root.queues`, 'open,closed'],
  [`${prefix}.root.acl_submit_applications`, ' '],
  [`${prefix}.root.acl_administer_queue`, ' '],
  [`${prefix}.root.open.capacity`, '50'],
  [`${prefix}.root.open.acl_submit_applications`, '*'],
  [`${prefix}.root.open.acl_application_max_priority`, '[max_priority=5 user=*]'],
  [`${prefix}.root.closed.capacity`, '50'],
  [`${prefix}.root.closed.acl_submit_applications`, 'bob,hue'],
  [`${prefix}.root.closed.acl_administer_queue`, 'carol'],
  [`${prefix}.root.closed.acl_application_max_priority`, '[max_priority=5 user=*]'],
  [`${prefix}.queue-mappings`, 'u:bob:closed'],
]);

const fairQueues = `<allocations><queue name="root"><aclSubmitApps> </aclSubmitApps><aclAdministerApps> </aclAdministerApps>
<queue name="open"><aclSubmitApps>*</aclSubmitApps></queue><queue name="closed"><aclSubmitApps>bob</aclSubmitApps></queue></queue></allocations>`;

/** A policy with the queues `open` (all users) and `closed` (bob and hue; carol administers it), in both up to priority 5; bob is placed in `closed`. Containers have up to 8192 MiB and 4 cores. */
export const queuePolicy = (kind: PolicyKind = 'capacity'): SchedulingPolicy =>
  createPolicy({
    kind,
    properties: queueProperties,
    allocations: fairQueues,
    types,
    clock: { now: () => 0, steadyMs: () => 0 },
    settings: { ...presetSettings, nodeLabelsEnabled: false },
  });

/** The rules of access with lists on; `admin` administers. */
export const accessOf = (policy: SchedulingPolicy, audit: AuditLog, aclEnabled = true): Access =>
  new Access({ aclEnabled, adminAcl: 'admin', processUser: 'heddle', groupsOf: () => [], policy, audit });

/** A running application of ada in the queue `root.open`, as data. */
export const applicationOf = (more: Partial<Application> = {}): Application => {
  const id = 'application_1_0001';
  return anApplication({ id, submission: aSubmission({ applicationId: id }), user: 'ada', queue: 'root.open', ...more });
};

/** Finds the given applications by id. */
export const lookupOf = (...applications: Application[]) => ({
  findAny: (id: string) => applications.find((application) => application.id === id),
});

/** The code of the failure that a command ends with, `done` where it has none. */
export async function codeOf(run: () => unknown): Promise<string> {
  try {
    await run();
    return 'done';
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
}

/** A submission to the queue `open` with nothing else; `more` is laid over it. */
export const bareSubmission = (applicationId: string, more: Partial<SubmissionRequest> = {}): SubmissionRequest => ({
  applicationId,
  name: undefined,
  queue: 'open',
  priority: undefined,
  type: undefined,
  tags: [],
  unmanaged: undefined,
  maximumAttempts: undefined,
  keepContainers: undefined,
  failuresValidityIntervalMs: undefined,
  resource: undefined,
  masterRequests: [],
  masterBlacklisting: undefined,
  launch: { commands: [], environment: {}, localResources: {}, serviceData: {} },
  viewAcl: undefined,
  modifyAcl: undefined,
  applicationLabelExpression: undefined,
  masterLabelExpression: undefined,
  logAggregation: undefined,
  reservationId: undefined,
  timeouts: undefined,
  ...more,
});
