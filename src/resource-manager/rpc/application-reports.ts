// Applications, attempts and containers as Hadoop's client protocol reports them (RMAppImpl.createAndGetApplicationReport,
// RMAppAttemptImpl.createApplicationAttemptReport, RMContainerImpl.createContainerReport).

import { zeros } from '../../model/resource.ts';
import { applicationIdMessage, attemptIdMessage, containerIdMessage, nodeIdMessage } from '../../wire/rpc/ids.ts';
import type { Encodable } from '../../wire/rpc/message.ts';
import type { ApplicationAttemptReportProto, ApplicationReportProto, ApplicationTimeoutProto } from '../../wire/rpc/tables/applications.ts';
import type { ContainerReportProto } from '../../wire/rpc/tables/containers.ts';
import { type Application, currentAttempt, finalStatus, publicState, usedResourceSeconds } from '../applications/application.ts';
import { type Attempt, publicAttemptState } from '../applications/attempt.ts';
import type { PublicAttemptState } from '../applications/attempt-states.ts';
import type { Container } from '../applications/container.ts';
import { logAggregationStatus } from '../applications/log-gathering.ts';
import type { ApplicationViews } from '../views/applications-view.ts';
import { containerInfo } from '../views/attempt-view.ts';
import { amountsByType, resourceMessage } from './values.ts';

export type ApplicationReport = Encodable<typeof ApplicationReportProto>;
type Usage = NonNullable<ApplicationReport['app_resource_Usage']>;

/** Tokens that a report carries. */
export type ReportTokens = Pick<ApplicationReport, 'am_rm_token' | 'client_to_am_token'>;

const notKnown = 'N/A';
const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

/** The report of an application; a caller who may not view it sees no more than what it is called and when it ran, and has no tokens. */
export function applicationReport(
  views: ApplicationViews,
  application: Application,
  visible: boolean,
  tokens: ReportTokens,
): ApplicationReport {
  const { submission } = application;
  const attempt = currentAttempt(application);
  const shown = visible ? attempt : undefined;
  const hasFailed = shown?.state === 'FAILED' || shown?.state === 'KILLED';
  return {
    applicationId: applicationIdMessage(application.id),
    user: application.user,
    queue: application.queue,
    name: submission.name,
    host: shown && !hasFailed ? shown.host : notKnown,
    rpc_port: shown && !hasFailed ? shown.rpcPort : -1,
    client_to_am_token: tokens.client_to_am_token,
    yarn_application_state: publicState(application),
    trackingUrl: visible ? (views.trackingUrl(application, attempt) ?? proxied(views, application)) : notKnown,
    diagnostics: visible ? views.diagnosticsOf(application) : notKnown,
    startTime: application.startedMs,
    finishTime: application.finishedMs,
    launchTime: application.launchedMs,
    final_application_status: `APP_${finalStatus(application)}`,
    app_resource_Usage: visible ? usageReport(views, application, attempt) : nothingKnown(views),
    originalTrackingUrl: shown ? views.originalTrackingUrl(application, shown) : notKnown,
    currentApplicationAttemptId: attemptIdMessage(shown?.id ?? `${application.id.replace('application', 'appattempt')}_-000001`),
    progress: Math.fround(shown?.progress ?? 0),
    applicationType: submission.type,
    am_rm_token: tokens.am_rm_token,
    applicationTags: submission.tags,
    log_aggregation_status: visible ? `LOG_${logAggregationStatus(application)}` : undefined,
    unmanaged_application: submission.unmanaged,
    priority: { priority: application.priority },
    appNodeLabelExpression: submission.applicationLabelExpression || '<Not set>',
    amNodeLabelExpression: submission.unmanaged
      ? '<Not set>'
      : submission.masterLabelExpression || submission.applicationLabelExpression || '<DEFAULT_PARTITION>',
    appTimeouts: [{ application_timeout_type: 'APP_TIMEOUT_LIFETIME', application_timeout: timeoutReport(views, application) }],
    submitTime: visible ? application.submittedMs : undefined,
    rmClusterId: visible ? views.options.clusterId : undefined,
  };
}

const proxied = ({ options }: ApplicationViews, { id }: Application): string => `${options.proxyUrl()}/proxy/${id}/`;

/** The lifetime as a report has it. */
function timeoutReport(views: ApplicationViews, application: Application): Encodable<typeof ApplicationTimeoutProto> {
  const { expiryTime, remainingTimeInSeconds } = views.timeout(application, true);
  return {
    application_timeout_type: 'APP_TIMEOUT_LIFETIME',
    expire_time: expiryTime,
    remaining_time: Number(remainingTimeInSeconds ?? -1),
  };
}

function usageReport(views: ApplicationViews, application: Application, attempt: Attempt | undefined): Usage {
  const { types, now } = views.options;
  const used = usedResourceSeconds(application, now());
  const preempted = application.resourceSeconds.preempted.map(seconds);
  const usage = views.usageOf(application);
  const held = usage
    ? {
        num_used_containers: usage.runningContainers,
        num_reserved_containers: usage.reservedContainers,
        used_resources: resourceMessage(usage.allocated, types),
        reserved_resources: resourceMessage(usage.reserved, types),
        needed_resources: resourceMessage(
          zeros(types.count).map((_, index) => (usage.allocated[index] ?? 0) + (usage.reserved[index] ?? 0)),
          types,
        ),
        queue_usage_percentage: usage.queueUsagePercentage,
        cluster_usage_percentage: usage.clusterUsagePercentage,
      }
    : { ...nothingHeld(views), ...(attempt ? { queue_usage_percentage: 0, cluster_usage_percentage: 0 } : {}) };
  return { ...held, ...sums(used, preempted, views) };
}

const sums = (used: readonly number[], preempted: readonly number[], { options }: ApplicationViews) => ({
  memory_seconds: used[0] ?? 0,
  vcore_seconds: used[1] ?? 0,
  preempted_memory_seconds: preempted[0] ?? 0,
  preempted_vcore_seconds: preempted[1] ?? 0,
  application_resource_usage_map: amountsByType(used, options.types),
  application_preempted_resource_usage_map: amountsByType(preempted, options.types),
});

/** Amounts are -1 where the scheduler does not know the application (RMServerUtils.DUMMY_APPLICATION_RESOURCE_USAGE_REPORT). */
function nothingHeld({ options }: ApplicationViews): Usage {
  const none = resourceMessage(
    options.types.types.map(() => -1),
    options.types,
  );
  return { num_used_containers: -1, num_reserved_containers: -1, used_resources: none, reserved_resources: none, needed_resources: none };
}

const nothingKnown = (views: ApplicationViews): Usage => ({ ...nothingHeld(views), ...sums([], [], views) });

const attemptState = (state: PublicAttemptState) => `APP_ATTEMPT_${state}` as const;

/** The report of an attempt. */
export function attemptReport(
  views: ApplicationViews,
  application: Application,
  attempt: Attempt,
): Encodable<typeof ApplicationAttemptReportProto> {
  const hasFailed = attempt.state === 'FAILED' || attempt.state === 'KILLED';
  return {
    application_attempt_id: attemptIdMessage(attempt.id),
    host: hasFailed ? notKnown : attempt.host,
    rpc_port: hasFailed ? -1 : attempt.rpcPort,
    tracking_url: views.trackingUrl(application, attempt),
    diagnostics: views.attemptDiagnosticsOf(application, attempt),
    yarn_application_attempt_state: attemptState(publicAttemptState(attempt)),
    am_container_id: attempt.masterContainerId === undefined ? undefined : containerIdMessage(attempt.masterContainerId),
    original_tracking_url: views.originalTrackingUrl(application, attempt),
    startTime: attempt.startedMs,
    finishTime: attempt.finishedMs,
  };
}

/** The report of a live container. */
export function containerReport(views: ApplicationViews, container: Container, user: string): Encodable<typeof ContainerReportProto> {
  const shown = containerInfo(views, container, user);
  return {
    container_id: containerIdMessage(container.id),
    resource: resourceMessage(container.resource, views.options.types),
    node_id: nodeIdMessage(container.nodeId),
    priority: { priority: container.priority },
    creation_time: container.createdMs,
    finish_time: container.finishedMs,
    log_url: shown.logUrl,
    container_exit_status: 0,
    container_state: 'C_RUNNING',
    node_http_address: shown.nodeHttpAddress,
    executionType: container.executionType,
    exposed_ports: '',
  };
}
