// Entities of the system metrics publisher read back into reports (ApplicationHistoryManagerOnTimelineStore.convertTo…Report).
// Pure functions; who may see what is decided in history.ts.
import { isFinalApplicationState } from '../../model/application-states.ts';
import { exitStatus } from '../../model/exit-status.ts';
import type { JsonValue, TimelineEntity, TimelineEvent } from '../../wire/timeline/entity.ts';
import { isRaw } from '../../wire/timeline/exact-json.ts';
import { applicationNames as app, attemptNames as attempt, containerNames as box } from '../../wire/timeline/system-names.ts';

/** An application as the timeline knows it. Times in ms since the epoch, 0 when unknown. */
export interface ApplicationReport {
  readonly applicationId: string;
  user?: string;
  viewAcl?: string;
  name?: string;
  queue?: string;
  type?: string;
  tags: string[];
  unmanaged: boolean;
  priority: number;
  submittedTimeMs: number;
  createdTimeMs: number;
  launchTimeMs: number;
  finishedTimeMs: number;
  finished: boolean;
  state: string;
  finalStatus: string;
  diagnostics?: string;
  latestAttemptId?: string;
  appNodeLabelExpression?: string;
  amNodeLabelExpression?: string;
  /** Present once the application has ended. */
  usage?: { memoryMiBSeconds: number; vcoreSeconds: number; preemptedMemoryMiBSeconds: number; preemptedVcoreSeconds: number };
}

/** An attempt as the timeline knows it. */
export interface AttemptReport {
  readonly attemptId: string;
  host?: string;
  rpcPort: number;
  trackingUrl?: string;
  originalTrackingUrl?: string;
  diagnostics?: string;
  state?: string;
  masterContainerId?: string;
}

/** A container as the timeline knows it. */
export interface ContainerReport {
  readonly containerId: string;
  memoryMiB: number;
  vcores: number;
  host?: string;
  port: number;
  priority: number;
  createdTimeMs: number;
  finishedTimeMs: number;
  diagnostics?: string;
  exitStatus: number;
  state?: string;
  nodeHttpAddress?: string;
}

type Info = Readonly<Record<string, JsonValue>> | undefined;

function textOf(info: Info, name: string): string | undefined {
  const value = info && Object.hasOwn(info, name) ? info[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (isRaw(value)) return value.rawJSON;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function numberOf(info: Info, name: string, otherwise = 0): number {
  const number = Number(textOf(info, name));
  return Number.isFinite(number) && textOf(info, name)?.trim() ? Math.trunc(number) : otherwise;
}

/** Sets only what is known. */
function assignKnown<Target extends object>(target: Target, values: Partial<Target>): void {
  for (const [name, value] of Object.entries(values)) if (value !== undefined) (target as Record<string, unknown>)[name] = value;
}

/** The report of a YARN_APPLICATION entity. */
export function applicationReport(entity: TimelineEntity): ApplicationReport {
  const info = entity.otherinfo;
  const tags = info?.[app.tags];
  const report: ApplicationReport = {
    applicationId: entity.entity,
    tags: Array.isArray(tags) ? tags.map(String) : [],
    unmanaged: textOf(info, app.unmanaged) === 'true',
    priority: numberOf(info, app.priority),
    submittedTimeMs: numberOf(info, app.submittedTime),
    createdTimeMs: 0,
    launchTimeMs: 0,
    finishedTimeMs: 0,
    finished: false,
    state: 'ACCEPTED',
    finalStatus: 'UNDEFINED',
  };
  assignKnown(report, {
    user: textOf(info, app.user),
    viewAcl: textOf(info, app.viewAcls) || undefined,
    name: textOf(info, app.name),
    queue: textOf(info, app.queue),
    type: textOf(info, app.applicationType),
    appNodeLabelExpression: textOf(info, app.appNodeLabelExpression),
    amNodeLabelExpression: textOf(info, app.amNodeLabelExpression),
  });
  if (textOf(info, app.cpu) !== undefined) {
    report.usage = {
      memoryMiBSeconds: numberOf(info, app.memory),
      vcoreSeconds: numberOf(info, app.cpu),
      preemptedMemoryMiBSeconds: numberOf(info, app.memoryPreempted),
      preemptedVcoreSeconds: numberOf(info, app.cpuPreempted),
    };
  }
  // Oldest first: what came later wins.
  for (const event of [...(entity.events ?? [])].reverse()) applyApplicationEvent(report, event);
  return report;
}

function applyApplicationEvent(report: ApplicationReport, { eventtype, timestamp, eventinfo }: TimelineEvent): void {
  switch (eventtype) {
    case app.created:
      report.createdTimeMs = timestamp;
      break;
    case app.launched:
      report.launchTimeMs = timestamp;
      break;
    case app.updated:
      assignKnown(report, { queue: textOf(eventinfo, app.queue) });
      report.priority = numberOf(eventinfo, app.priority, report.priority);
      break;
    case app.stateUpdated:
      if (!isFinalApplicationState(report.state)) assignKnown(report, { state: textOf(eventinfo, app.state) });
      break;
    case app.finished:
      report.finished = true;
      report.finishedTimeMs = timestamp;
      assignKnown(report, {
        latestAttemptId: textOf(eventinfo, app.latestAttempt),
        diagnostics: textOf(eventinfo, app.diagnostics),
        finalStatus: textOf(eventinfo, app.finalStatus),
        state: textOf(eventinfo, app.state),
      });
      // Its master never said so: the resource manager itself shows FAILED then (RMAppImpl.createFinalApplicationStatus).
      if (report.state === 'FAILED' && report.finalStatus === 'UNDEFINED') report.finalStatus = 'FAILED';
      break;
  }
}

/** The report of a YARN_APPLICATION_ATTEMPT entity. */
export function attemptReport(entity: TimelineEntity): AttemptReport {
  const report: AttemptReport = { attemptId: entity.entity, rpcPort: -1 };
  for (const { eventtype, eventinfo } of [...(entity.events ?? [])].reverse()) {
    if (eventtype === attempt.registered) {
      report.rpcPort = numberOf(eventinfo, attempt.rpcPort, -1);
      assignKnown(report, { host: textOf(eventinfo, attempt.host), masterContainerId: textOf(eventinfo, attempt.masterContainer) });
    } else if (eventtype === attempt.finished) {
      assignKnown(report, {
        trackingUrl: textOf(eventinfo, attempt.trackingUrl),
        originalTrackingUrl: textOf(eventinfo, attempt.originalTrackingUrl),
        diagnostics: textOf(eventinfo, attempt.diagnostics),
        state: textOf(eventinfo, attempt.state),
        masterContainerId: textOf(eventinfo, attempt.masterContainer),
      });
    }
  }
  return report;
}

/** The report of a YARN_CONTAINER entity. */
export function containerReport(entity: TimelineEntity): ContainerReport {
  const info = entity.otherinfo;
  const report: ContainerReport = {
    containerId: entity.entity,
    memoryMiB: numberOf(info, box.allocatedMemory),
    vcores: numberOf(info, box.allocatedVcore),
    port: numberOf(info, box.allocatedPort, -1),
    priority: numberOf(info, box.allocatedPriority),
    createdTimeMs: 0,
    finishedTimeMs: 0,
    exitStatus: exitStatus.invalid,
  };
  assignKnown(report, { host: textOf(info, box.allocatedHost), nodeHttpAddress: textOf(info, box.allocatedHttpAddress) });
  for (const { eventtype, timestamp, eventinfo } of entity.events ?? []) {
    if (eventtype === box.created) report.createdTimeMs = timestamp;
    else if (eventtype === box.finished) {
      report.finishedTimeMs = timestamp;
      report.exitStatus = numberOf(eventinfo, box.exitStatus, exitStatus.invalid);
      assignKnown(report, { diagnostics: textOf(eventinfo, box.diagnostics), state: textOf(eventinfo, box.state) });
    }
  }
  return report;
}
