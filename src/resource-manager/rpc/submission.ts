// A submission in Hadoop's messages, as the command knows it. What is absent stays unsaid: the command has the defaults.
import { failure } from '../../model/errors.ts';
import { readCredentials } from '../../wire/files/read-credentials.ts';
import { applicationIdText } from '../../wire/rpc/ids.ts';
import { readLaunch } from '../../wire/rpc/launch-context.ts';
import type { Decoded } from '../../wire/rpc/message.ts';
import type { ApplicationSubmissionContextProto } from '../../wire/rpc/tables/applications.ts';
import type { ResourceRequestProto } from '../../wire/rpc/tables/placement.ts';
import type { MasterRequest, SubmissionRequest } from '../commands/submission-request.ts';
import { reservationIdText } from './reservations.ts';
import { namedAmount } from './values.ts';

type Context = Decoded<typeof ApplicationSubmissionContextProto>;
type Launch = SubmissionRequest['launch'];

/** The request of a submission. @throws Failure LOCAL_RESOURCE_WITHOUT_URI */
export function readSubmission(context: Context): SubmissionRequest {
  const acls = new Map(context.am_container_spec?.application_ACLs.map(({ accessType, acl }) => [accessType, acl]));
  const asked = context.am_container_resource_request.map(readMasterRequest);
  const capability = namedAmount(context.resource);
  // A size alone is a request for a container anywhere (RMAppManager.validateAndCreateResourceRequest).
  const isRequest = asked.length === 0 && capability !== undefined && !context.unmanaged_am;
  return {
    applicationId: applicationIdText(context.application_id),
    name: context.application_name,
    queue: context.queue,
    priority: context.priority?.priority,
    type: context.applicationType,
    tags: context.applicationTags,
    unmanaged: context.unmanaged_am,
    maximumAttempts: context.maxAppAttempts,
    keepContainers: context.keep_containers_across_application_attempts,
    failuresValidityIntervalMs: context.attempt_failures_validity_interval,
    resource: isRequest ? undefined : capability,
    masterRequests: isRequest ? [{ resourceName: '*', capability, labelExpression: undefined, relaxLocality: true }] : asked,
    masterBlacklisting: undefined,
    launch: readMasterLaunch(context.am_container_spec),
    viewAcl: acls.get('APPACCESS_VIEW_APP'),
    modifyAcl: acls.get('APPACCESS_MODIFY_APP'),
    applicationLabelExpression: context.node_label_expression,
    masterLabelExpression: undefined,
    logAggregation: readLogAggregation(context.log_aggregation_context),
    reservationId: reservationIdText(context.reservation_id),
    timeouts:
      context.application_timeouts.length === 0
        ? undefined
        : new Map(context.application_timeouts.map(({ timeout = 0 }) => ['LIFETIME', timeout])),
  };
}

const readMasterRequest = (request: Decoded<typeof ResourceRequestProto>): MasterRequest => ({
  resourceName: request.resource_name,
  capability: namedAmount(request.capability),
  labelExpression: request.node_label_expression,
  relaxLocality: request.relax_locality,
});

/** What a master runs; its tokens must be readable, since one is added. @throws Failure LOCAL_RESOURCE_WITHOUT_URI, BAD_REQUEST */
function readMasterLaunch(spec: Context['am_container_spec']): Launch {
  const launch = readLaunch(spec);
  if (launch.tokens !== undefined && !readCredentials(Buffer.from(launch.tokens, 'base64')))
    throw failure('BAD_REQUEST', { reason: 'Bad header found in token storage.' });
  return launch;
}

function readLogAggregation(context: Context['log_aggregation_context']): SubmissionRequest['logAggregation'] {
  if (!context) return undefined;
  return {
    includePattern: context.include_pattern,
    excludePattern: context.exclude_pattern,
    rolledLogsIncludePattern: context.rolled_logs_include_pattern,
    rolledLogsExcludePattern: context.rolled_logs_exclude_pattern,
    policyClassName: context.log_aggregation_policy_class_name,
    policyParameters: context.log_aggregation_policy_parameters,
  };
}
