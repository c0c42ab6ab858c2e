// The application history as clients of Hadoop RPC are told of it (ApplicationHistoryManagerOnTimelineStore of Hadoop 3.4.2).
import { nodeResourceMessage } from '../../wire/rpc/amounts.ts';
import { applicationIdMessage, attemptIdMessage, containerIdMessage } from '../../wire/rpc/ids.ts';
import { type Encodable, nameIn } from '../../wire/rpc/message.ts';
import {
  type ApplicationAttemptReportProto,
  type ApplicationReportProto,
  FinalApplicationStatusProto,
  YarnApplicationAttemptStateProto,
  YarnApplicationStateProto,
} from '../../wire/rpc/tables/applications.ts';
import { type ContainerReportProto, ContainerStateProto } from '../../wire/rpc/tables/containers.ts';
import type { SeenApplication } from '../application-history/history.ts';
import { containerLogUrl, placeholderAttemptId } from '../application-history/history-view.ts';
import type { ApplicationReport, AttemptReport, ContainerReport } from '../application-history/reports.ts';

const unavailable = 'N/A';
/** Of what has not ended nothing is known of its end. */
const stateIn = (enumeration: typeof YarnApplicationAttemptStateProto, text: string | undefined) =>
  text === undefined ? undefined : nameIn(enumeration, `APP_ATTEMPT_${text}`);

/** An application as its caller may see it. @throws InvalidId where an id in it is none */
export function applicationMessage({ report, attempt }: SeenApplication): Encodable<typeof ApplicationReportProto> {
  return {
    applicationId: applicationIdMessage(report.applicationId),
    user: report.user,
    queue: report.queue,
    name: report.name,
    host: attempt?.host ?? unavailable,
    rpc_port: attempt?.rpcPort ?? -1,
    yarn_application_state: nameIn(YarnApplicationStateProto, report.state),
    trackingUrl: attempt?.trackingUrl ?? unavailable,
    diagnostics: report.diagnostics ?? '',
    startTime: report.createdTimeMs,
    finishTime: report.finishedTimeMs,
    final_application_status: nameIn(FinalApplicationStatusProto, `APP_${report.finalStatus}`),
    app_resource_Usage: usageMessage(report.usage),
    originalTrackingUrl: attempt?.originalTrackingUrl ?? unavailable,
    currentApplicationAttemptId: attemptIdMessage(report.latestAttemptId ?? placeholderAttemptId(report.applicationId)),
    progress: report.finished ? 1 : 0,
    applicationType: report.type,
    applicationTags: report.tags,
    unmanaged_application: report.unmanaged,
    priority: { priority: report.priority },
    appNodeLabelExpression: report.appNodeLabelExpression,
    amNodeLabelExpression: report.amNodeLabelExpression,
    launchTime: report.launchTimeMs,
    submitTime: report.submittedTimeMs,
  };
}

/** What it used, once it has ended; what it holds is nothing then. */
const usageMessage = (usage: ApplicationReport['usage']): Encodable<typeof ApplicationReportProto>['app_resource_Usage'] =>
  usage && {
    num_used_containers: 0,
    num_reserved_containers: 0,
    memory_seconds: usage.memoryMiBSeconds,
    vcore_seconds: usage.vcoreSeconds,
    queue_usage_percentage: 0,
    cluster_usage_percentage: 0,
    preempted_memory_seconds: usage.preemptedMemoryMiBSeconds,
    preempted_vcore_seconds: usage.preemptedVcoreSeconds,
    application_resource_usage_map: secondsByType(usage.memoryMiBSeconds, usage.vcoreSeconds),
    application_preempted_resource_usage_map: secondsByType(usage.preemptedMemoryMiBSeconds, usage.preemptedVcoreSeconds),
  };

const secondsByType = (memoryMiBSeconds: number, vcoreSeconds: number) => [
  { key: 'memory-mb', value: memoryMiBSeconds },
  { key: 'vcores', value: vcoreSeconds },
];

/** An attempt; its times are not kept in version 1 of the timeline. @throws InvalidId as above */
export const attemptMessage = (report: AttemptReport): Encodable<typeof ApplicationAttemptReportProto> => ({
  application_attempt_id: attemptIdMessage(report.attemptId),
  host: report.host,
  rpc_port: report.rpcPort,
  tracking_url: report.trackingUrl,
  diagnostics: report.diagnostics,
  yarn_application_attempt_state: stateIn(YarnApplicationAttemptStateProto, report.state),
  am_container_id: report.masterContainerId === undefined ? undefined : containerIdMessage(report.masterContainerId),
  original_tracking_url: report.originalTrackingUrl,
  startTime: 0,
  finishTime: 0,
});

/** A container. `owner`: for whom it ran; `webUrl`: base URL of the server that shows its logs. @throws InvalidId as above */
export const containerMessage = (
  report: ContainerReport,
  owner: string | undefined,
  webUrl: string,
): Encodable<typeof ContainerReportProto> => ({
  container_id: containerIdMessage(report.containerId),
  resource: nodeResourceMessage({ memoryMiB: report.memoryMiB, vcores: report.vcores }),
  node_id: report.host === undefined ? undefined : { host: report.host, port: report.port },
  priority: { priority: report.priority },
  creation_time: report.createdTimeMs,
  finish_time: report.finishedTimeMs,
  diagnostics_info: report.diagnostics,
  log_url: containerLogUrl(report, owner, webUrl),
  container_exit_status: report.exitStatus,
  container_state: report.state === undefined ? undefined : nameIn(ContainerStateProto, `C_${report.state}`),
  node_http_address: report.nodeHttpAddress,
});
