// Errors of the resource manager's interfaces. Sentences, classes and statuses are those of RMWebServices and ClientRMService of Hadoop 3.4;
// where Hadoop answers 5xx to a caller's mistake, the right 4xx stands here.
import { authorizationClass, badRequestClass, exceptionPrefix, forbiddenClass, notFoundClass } from './common.ts';
import type { ErrorEntry } from './entry.ts';

const yarnExceptions = 'org.apache.hadoop.yarn.exceptions';
const illegalArgument = 'java.lang.IllegalArgumentException';
const bad = (message: string, remedy?: string) =>
  ({ status: 400, javaClass: badRequestClass, prefix: exceptionPrefix, message, remedy }) as const;
const text = (status: number, message: string, remedy?: string) =>
  ({ status, javaClass: forbiddenClass, message, form: 'text', remedy }) as const;
const states = '[NEW, NEW_SAVING, SUBMITTED, ACCEPTED, RUNNING, FINISHED, FAILED, KILLED]';

export const clusterErrors = {
  BEARER_QUEUE: {
    status: 403,
    javaClass: authorizationClass,
    message: 'The token of {user} does not reach the queue {queue}.',
    remedy: 'Use a token for that queue ("heddle token create --queue").',
  },
  BEARER_OTHERS: {
    status: 403,
    javaClass: authorizationClass,
    message: 'A token with the scope submit changes applications of its own user alone; {id} is of another.',
    remedy: 'Use a token with the scope admin.',
  },
  BEARER_BY_NARROW_TOKEN: {
    status: 403,
    javaClass: authorizationClass,
    message: 'Tokens are made, listed and revoked with a bearer token of the scope admin for all queues, or without a token.',
    remedy: 'Prove who you are another way, for example as the user who runs the cluster, on its machine.',
  },
  BEARER_TOO_MANY: {
    status: 403,
    javaClass: authorizationClass,
    message: '{user} has {most} tokens, and there are no more for one user.',
    remedy: 'Revoke those that are not used ("heddle token list", "heddle token revoke").',
  },
  BEARER_UNKNOWN: {
    status: 404,
    javaClass: notFoundClass,
    message: 'You have no token {named}.',
    remedy: '"heddle token list" shows those that you have.',
  },
  WEBHOOK_BY_NARROW_TOKEN: {
    status: 403,
    javaClass: authorizationClass,
    message: 'Webhooks are made, listed and changed with a bearer token of the scope admin for all queues, or without a token.',
    remedy: 'Prove who you are another way, for example as the user who runs the cluster, on its machine.',
  },
  WEBHOOK_TOO_MANY: {
    status: 403,
    javaClass: authorizationClass,
    message: '{whose} has {most} webhooks, and there are no more.',
    remedy: 'Remove those that are not used ("heddle webhook list", "heddle webhook remove").',
  },
  WEBHOOK_UNKNOWN: {
    status: 404,
    javaClass: notFoundClass,
    message: 'You have no webhook {id}.',
    remedy: '"heddle webhook list" shows those that you have.',
  },
  WEBHOOK_TARGET_REFUSED: {
    status: 403,
    javaClass: authorizationClass,
    message: 'A webhook may not go to {target}: {reason}.',
    remedy: 'Use a receiver with a public address, or have an administrator name its host in heddle.webhooks.allowed-hosts.',
  },
  SCHEDULE_BY_NARROW_TOKEN: {
    status: 403,
    javaClass: authorizationClass,
    message: 'Schedules are made, listed and changed with a bearer token of the scope admin for all queues, or without a token.',
    remedy: 'Prove who you are another way, for example as the user who runs the cluster, on its machine.',
  },
  SCHEDULE_TOO_MANY: {
    status: 403,
    javaClass: authorizationClass,
    message: '{whose} has {most} schedules, and there are no more.',
    remedy: 'Remove those that are not used ("heddle schedule list", "heddle schedule remove").',
  },
  SCHEDULE_UNKNOWN: {
    status: 404,
    javaClass: notFoundClass,
    message: 'You have no schedule {name}.',
    remedy: '"heddle schedule list" shows those that you have.',
  },
  SCHEDULE_EXISTS: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: 'You have a schedule {name} already.',
    remedy: 'Take another name, or replace it.',
  },
  SCHEDULE_UNPROVED: {
    status: 403,
    javaClass: authorizationClass,
    message: 'The schedule {name} was made by a caller who only named themselves {user}, and the cluster asks for proofs now.',
    remedy: 'Make it again.',
  },
  // ---- who may
  ONLY_ADMINISTRATORS: {
    status: 403,
    javaClass: forbiddenClass,
    prefix: exceptionPrefix,
    message: 'Only admins can carry out this operation.',
    remedy: 'Call as a user of yarn.admin.acl.',
  },
  STATIC_USER_REFUSED: {
    status: 403,
    javaClass: forbiddenClass,
    prefix: exceptionPrefix,
    message: 'The default static user cannot carry out this operation.',
    remedy: 'Authenticate.',
  },
  LABEL_WRITE_REFUSED: {
    status: 401,
    javaClass: authorizationClass,
    message: 'User {user} not authorized for post to ...{path}',
    remedy: 'Call as a user of yarn.admin.acl.',
  },
  ATTEMPT_VIEW_REFUSED: {
    status: 403,
    javaClass: forbiddenClass,
    prefix: exceptionPrefix,
    message: 'User {user} does not have privilege to see this attempt {id}',
    remedy: 'Ask the owner for VIEW_APP.',
  },
  APPLICATION_VIEW_REFUSED: {
    status: 403,
    javaClass: forbiddenClass,
    prefix: exceptionPrefix,
    message: 'User {user} does not have privilege to see this application {id}',
    remedy: 'Ask the owner for VIEW_APP.',
  },
  KILL_REFUSED: text(403, 'Unauthorized attempt to kill appid {id} by remote user {user}', 'Ask the owner for MODIFY_APP.'),
  MOVE_REFUSED: text(
    403,
    'Unauthorized attempt to move appid {id} by remote user {user}',
    'Needs MODIFY_APP and submit access to the queue.',
  ),
  PRIORITY_REFUSED: text(
    403,
    'Unauthorized attempt to change priority of appid {id} by remote user {user}',
    'Ask the owner for MODIFY_APP.',
  ),
  INSTANCES_REFUSED: {
    status: 403,
    javaClass: forbiddenClass,
    prefix: exceptionPrefix,
    message: '{user} may not change how many instances {id} has.',
    remedy: 'Ask the owner for MODIFY_APP.',
  },
  TIMEOUT_REFUSED: text(403, 'Unauthorized attempt to change timeout of app {id} by remote user {user}', 'Ask the owner for MODIFY_APP.'),
  SIGNAL_REFUSED: {
    status: 403,
    javaClass: forbiddenClass,
    prefix: exceptionPrefix,
    message: 'User {user} may not signal container {id}',
    remedy: 'Ask the owner for MODIFY_APP.',
  },

  RPC_LOGIN_REFUSED: {
    status: 401,
    javaClass: 'org.apache.hadoop.security.AccessControlException',
    message: '{reason}',
    remedy: 'Log in as the port asks: by a token, or by name where names are enough.',
  },

  // ---- identifiers
  ID_MALFORMED: { status: 400, javaClass: badRequestClass, prefix: `${illegalArgument}: `, message: '{reason}' },
  APPLICATION_NOT_FOUND: { status: 404, javaClass: notFoundClass, prefix: exceptionPrefix, message: 'app with id: {id} not found' },
  LOG_OUT_OF_REACH: {
    status: 502,
    javaClass: 'java.net.ConnectException',
    message: 'The logs are at {address}, which this server does not reach: {reason}',
    remedy: 'Look whether that server runs, or ask it for the logs itself: /api/v1/containers/ID/logs leads there.',
  },
  USAGE_OUT_OF_REACH: {
    status: 502,
    javaClass: 'java.net.ConnectException',
    message: 'What was used is known to {address} alone, which this server does not reach: {reason}',
    remedy: 'Look whether that node manager runs.',
  },
  APPLICATION_UNKNOWN: {
    status: 404,
    javaClass: notFoundClass,
    prefix: `${yarnExceptions}.ApplicationNotFoundException: `,
    message: "Application with id '{id}' doesn't exist in RM. Please check that the job submission was successful.",
  },
  ATTEMPT_NOT_FOUND: {
    status: 404,
    javaClass: notFoundClass,
    prefix: `${yarnExceptions}.ApplicationAttemptNotFoundException: `,
    message: "ApplicationAttempt with id '{id}' doesn't exist in RM.",
  },
  CONTAINER_NOT_FOUND: {
    status: 404,
    javaClass: notFoundClass,
    prefix: `${yarnExceptions}.ContainerNotFoundException: `,
    message: "Container with id '{id}' doesn't exist in RM.",
  },
  ATTEMPT_OF_ANOTHER: { status: 404, javaClass: notFoundClass, prefix: exceptionPrefix, message: "appId and appAttemptId don't match" },
  CONTAINER_OF_ANOTHER: {
    status: 404,
    javaClass: notFoundClass,
    prefix: exceptionPrefix,
    message: "appAttemptId and containerId don't match",
  },
  NODE_NOT_FOUND: { status: 404, javaClass: notFoundClass, prefix: exceptionPrefix, message: 'nodeId, {id}, is not found' },
  QUEUE_NOT_FOUND: {
    status: 404,
    javaClass: notFoundClass,
    prefix: exceptionPrefix,
    message: 'There is no queue {queue}.',
    remedy: 'See which there are: "heddle queue list".',
  },
  NODE_EXCLUDED: {
    status: 409,
    javaClass: `${yarnExceptions}.YarnRuntimeException`,
    message: 'Node {id} is kept out by the lists of nodes.',
    remedy: 'Change the include or exclude file, then refresh the nodes.',
  },
  NODE_NOT_ACTIVE: {
    status: 409,
    javaClass: `${yarnExceptions}.YarnRuntimeException`,
    message: 'Failed to update the node resource {id}.',
    remedy: 'The node is not part of the cluster now.',
  },
  RESERVATION_ID_INVALID: { status: 404, javaClass: 'java.io.IOException', message: 'The specified reservation id is invalid: {id}' },
  RESERVATION_ID_NOT_PARSABLE: {
    status: 404,
    javaClass: 'java.io.IOException',
    message: 'The specified reservation id is not parseable: {id}',
  },

  // ---- lists
  APPLICATION_STATE_UNKNOWN: bad(`Invalid application-state {state} specified. It should be one of ${states}`),
  TIMEOUT_TYPE_UNKNOWN: bad('Invalid application-state {type} specified. It should be one of [LIFETIME]'),
  DESELECT_UNKNOWN: bad(
    'Invalid deSelects string {name} specified. It should be one of [resourceRequests, timeouts, appNodeLabelExpression, amNodeLabelExpression, resourceInfo]',
  ),
  ENUM_UNKNOWN: { status: 400, javaClass: illegalArgument, message: 'No enum constant org.apache.hadoop.yarn.api.records.{constant}' },
  QUEUE_UNKNOWN: bad('Unknown queue: {queue}'),
  QUEUE_AMBIGUOUS: bad('Ambiguous queue reference: {queue} please use full queue path instead.'),
  TOO_MANY_TYPES: bad('# of applicationTypes = {count}, we temporarily support at most one applicationType'),

  // ---- submission
  SUBMISSION_DISABLED: text(403, 'App submission via REST is disabled.', 'Set yarn.webapp.enable-rest-app-submissions.'),
  APPLICATION_ID_NOT_PARSABLE: bad('Could not parse application id {id}'),
  CREDENTIALS_NOT_PARSABLE: bad('Could not parse credentials data; exception message = {reason}'),
  LOCAL_RESOURCE_WITHOUT_URI: bad('The local resource {name} names no resource URI.', 'Give every local resource the member resource.'),
  LOCAL_RESOURCE_MALFORMED: bad('The local resource {name} has a {member} that is none: {value}'),
  TOO_MANY_CORES: bad('Requested more cores than configured max'),
  TOO_MUCH_MEMORY: bad('Requested more memory than configured max'),
  TOO_MANY_TAGS: bad(`${illegalArgument}: Too many applicationTags, a maximum of only {limit} are allowed!`),
  TAG_TOO_LONG: bad(`${illegalArgument}: Tag {tag} is too long, maximum allowed length of a tag is {limit}`),
  TAG_NOT_ASCII: bad(`${illegalArgument}: A tag can only have ASCII characters! Invalid tag - {tag}`),
  SUBMISSION_REFUSED: bad('{reason}'),
  SUBMISSION_KEY_MALFORMED: bad('An idempotency key has 1 to 255 printable characters without blanks.'),
  SUBMISSION_KEY_TAKEN: {
    ...bad('Under this idempotency key another request was taken, as {id}. A request of its own needs a key of its own.'),
    status: 422,
  },
  BODY_MEMBER_MALFORMED: bad('{reason}'),

  // ---- changes
  STATE_TARGET_UNKNOWN: bad("Only 'KILLED' is allowed as a target state.", 'Send {"state":"KILLED"}.'),
  STATE_MISSING: bad('The body names no state.', 'Send {"state":"KILLED"}.'),
  APPLICATION_NOT_MOVABLE: text(400, 'App in {state} state cannot be moved.'),
  MOVE_IMPOSSIBLE: bad('{reason}'),
  PRIORITY_IMPOSSIBLE: bad('{reason}'),
  INSTANCES_IMPOSSIBLE: bad('{reason}'),
  RUN_IS_OVER: {
    status: 409,
    javaClass: `${yarnExceptions}.YarnException`,
    message: '{id} is over: {state}.',
    remedy: 'Submit it again with as many instances as it is to have.',
  },
  TIMEOUT_INCOMPLETE: text(400, 'Timeout type or ExpiryTime is null.'),
  TIMEOUT_NOT_PARSABLE: {
    status: 400,
    javaClass: 'java.time.format.DateTimeParseException',
    message: "Text '{text}' could not be parsed at index {index}",
    remedy: "Use the form yyyy-MM-dd'T'HH:mm:ss.SSSZ, for example 2036-01-01T00:00:00.000+0000.",
  },
  TIMEOUT_IN_THE_PAST: bad('Expire time is less than current time, current-time={now} expire-time={expiry}'),
  APPLICATION_TOO_YOUNG: bad('Application is in {state} state can not update {what}.', 'Try again in a moment.'),
  SIGNAL_UNKNOWN: text(400, 'Invalid command: {command}, valid commands are: [OUTPUT_THREAD_DUMP, GRACEFUL_SHUTDOWN, FORCEFUL_SHUTDOWN]'),
  SIGNAL_ID_MALFORMED: { status: 400, javaClass: illegalArgument, message: '{reason}' },
  SIGNAL_CONTAINER_ABSENT: { status: 404, javaClass: notFoundClass, message: 'Trying to signal an absent container {id}' },

  // ---- labels
  LABELS_REFUSED: { status: 400, javaClass: badRequestClass, prefix: 'java.io.IOException: ', message: '{reason}' },
  NODE_ATTRIBUTES_REFUSED: { status: 400, javaClass: badRequestClass, prefix: 'java.io.IOException: ', message: '{reason}' },
  NODE_RESOURCES_REFUSED: {
    status: 400,
    javaClass: badRequestClass,
    message: '{reason}',
    remedy: 'Repair dynamic-resources.xml; the nodes stay as they are.',
  },
  LABELS_NOT_CENTRALIZED: {
    status: 404,
    javaClass: 'java.io.IOException',
    message: 'Error when invoke method={method} because centralized node label configuration is not enabled.',
  },

  // ---- delegation tokens
  TOKEN_NEEDS_KERBEROS: text(
    403,
    'Delegation token operations can only be carried out on a Kerberos authenticated channel. Expected auth type is kerberos, got type {type}',
  ),
  TOKEN_BY_TOKEN: text(403, 'Delegation token operations cannot be carried out using delegation token authentication.'),
  TOKEN_HEADER_MISSING: bad("Header 'Hadoop-YARN-RM-Delegation-Token' containing encoded token not found"),
  TOKEN_NOT_DECODABLE: bad('Could not decode encoded token'),
  TOKEN_UNKNOWN: bad('{reason}'),
  TOKEN_OPERATION_REFUSED: text(403, '{reason}'),

  // ---- reservations
  RESERVATION_DISABLED: bad('Reservation is not enabled. Please enable & try again', 'Set yarn.resourcemanager.reservation-system.enable.'),
  QUEUES_REFUSED: {
    status: 400,
    javaClass: 'java.io.IOException',
    message: 'Failed to re-init queues : {reason}',
    remedy: 'Repair the key it names; the queues that run stay as they are.',
  },
  ACCESS_REFUSED: {
    status: 400,
    javaClass: 'java.io.IOException',
    message: 'The settings cannot be read: {reason}',
    remedy: 'Repair the key it names; who may do what stays as it is.',
  },
  MASTER_IS_MANAGED: {
    status: 400,
    javaClass: 'org.apache.hadoop.yarn.webapp.BadRequestException',
    message: 'The master of {id} runs in a container, which was given what it needs.',
  },
  RUN_NOT_KNOWN: {
    status: 404,
    javaClass: 'org.apache.hadoop.yarn.webapp.NotFoundException',
    message: '{id} was not submitted as a run, or what it ran is not kept any more.',
  },
  RUN_READ_REFUSED: {
    status: 403,
    javaClass: 'org.apache.hadoop.yarn.webapp.ForbiddenException',
    message: '{user} may not read what {id} was asked to run: its variables are for who may change it.',
  },
  MASTER_ACCESS_REFUSED: {
    status: 403,
    javaClass: 'org.apache.hadoop.yarn.webapp.ForbiddenException',
    message: 'Only {owner}, who submitted {id}, may be its master.',
  },
  RESERVATION_REFUSED: bad('{reason}'),
  RESERVATION_ACCESS_REFUSED: bad('java.security.AccessControlException: User {user} cannot perform operation {acl} on queue {queue}'),
  RESERVATION_INTERPRETER_UNKNOWN: {
    status: 400,
    javaClass: 'java.lang.ArrayIndexOutOfBoundsException',
    message: 'Index {index} out of bounds for length 4',
  },
  QUERY_NUMBER_MALFORMED: {
    status: 400,
    javaClass: 'com.sun.jersey.api.ParamException$QueryParamException',
    message: 'java.lang.NumberFormatException: For input string: "{value}"',
  },

  // ---- queue configuration
  QUEUES_NOT_READABLE: text(
    400,
    'This API only supports to retrieve scheduler configuration from a mutable-conf scheduler, underneath scheduler {scheduler} is not an instance of MutableConfScheduler',
    'Set yarn.scheduler.configuration.store.class to leveldb or memory, with the capacity scheduler.',
  ),
  QUEUES_NOT_CHANGEABLE: text(400, 'Configuration change only supported by MutableConfScheduler.', 'Use the capacity scheduler.'),
  QUEUES_IN_FILE: text(
    400,
    'Configuration change only supported by mutable configuration store.',
    'Change capacity-scheduler.xml and refresh the queues, or set yarn.scheduler.configuration.store.class.',
  ),
  QUEUES_NOT_FORMATTABLE: text(400, 'Scheduler Configuration format only supported by MutableConfScheduler'),
  QUEUES_WITHOUT_VERSION: text(400, 'Configuration Version only supported by MutableConfScheduler.'),
  QUEUES_NOT_VALIDATED: text(400, 'Configuration change validation only supported by MutableConfScheduler.'),
  QUEUE_CHANGE_REFUSED: text(400, '{reason}', 'Repair the change; the queues that run stay as they are.'),
  QUEUE_VALIDATION_FAILED: text(400, 'CapacityScheduler configuration validation failed:java.io.IOException: {reason}'),

  // ---- scheduler
  QUEUE_ACCESS_CHECK_REFUSED: {
    status: 403,
    javaClass: forbiddenClass,
    prefix: exceptionPrefix,
    message: "User={user} doesn't haven access to queue={queue} so it cannot check ACLs for other users.",
    remedy: 'Ask as an administrator of the queue.',
  },
  QUEUE_ACCESS_USER_MISSING: { status: 400, javaClass: illegalArgument, message: 'Null user', remedy: 'Name the user: ?user=ada.' },
  QUEUE_ACL_TYPE_UNKNOWN: bad(
    'Specified queueAclType={type} is not a valid type, valid queue acl types={SUBMIT_APPLICATIONS/ADMINISTER_QUEUE}',
  ),
  SCHEDULER_LOG_PERIOD_TOO_SMALL: bad('Period must be greater than 0'),
  SCHEDULER_LOG_PERIOD_MISSING: { status: 400, javaClass: 'java.lang.NumberFormatException', message: 'Cannot parse null string' },
  SCHEDULER_LOG_BUSY: {
    status: 409,
    javaClass: `${yarnExceptions}.YarnRuntimeException`,
    message: 'Appender is already dumping logs',
    remedy: 'Ask again when the period that was asked for before is over.',
  },
  SCHEDULER_ACTIVITIES_REFUSED: bad('{reason}'),

  // ---- web proxy
  PROXY_ID_MALFORMED: { status: 400, javaClass: `${yarnExceptions}.YarnRuntimeException`, message: 'Error parsing application ID: {id}' },
  PROXY_TARGET_UNREACHABLE: {
    status: 502,
    javaClass: 'java.net.ConnectException',
    message: "The application's master at {target} does not answer: {reason}",
    remedy: 'Look at the state and logs of the application.',
  },
  PROXY_TARGET_REFUSED: {
    status: 403,
    javaClass: authorizationClass,
    message: "The application's master names {target} as its address, which is not passed on: {reason}.",
    remedy: 'Let the master name the host it runs on, or add the host to heddle.proxy.allowed-hosts.',
  },
  PROXY_REDIRECT_REFUSED: {
    status: 403,
    javaClass: authorizationClass,
    message: "The application's master sends its visitors to {target}, which is no host of the cluster.",
    remedy: 'Add the host to heddle.proxy.allowed-hosts.',
  },
  PROXY_LOOP: {
    status: 400,
    javaClass: badRequestClass,
    message:
      'A server of the cluster sent this request for a user: the web proxy, which leads to masters alone, or a node, for a container.',
    remedy: 'Let the master name its own address, and containers ask for themselves.',
  },
  PROXY_WORKER_REFUSED: {
    status: 403,
    javaClass: authorizationClass,
    message: "Pages of an application's master may not install service workers.",
  },
  PROXY_BODY_TOO_LARGE: { status: 413, javaClass: 'java.io.IOException', message: 'The body is larger than {limitBytes} bytes.' },
  ASK_REFUSED: {
    status: 400,
    javaClass: 'org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException',
    message: 'Ask {askId} cannot be served: {reason}',
    remedy: 'Ask for at most the maximumResource that register answered, on a label that the queue may use.',
  },
  BLACKLIST_REFUSED: {
    status: 400,
    javaClass: `${yarnExceptions}.InvalidResourceBlacklistRequestException`,
    message: '{reason}',
    remedy: 'Name hosts, nodes (host:port) or racks (/rack), and remove those that may be used again.',
  },
  RELEASE_REFUSED: {
    status: 400,
    javaClass: `${yarnExceptions}.InvalidContainerReleaseException`,
    message: 'Cannot release container : {containerId} not belonging to this application attempt : {attemptId}',
    remedy: 'Release containers of the attempt itself, or submit with containers kept across attempts.',
  },
  PLACEMENT_CONSTRAINTS_DISABLED: {
    status: 400,
    javaClass: `${yarnExceptions}.YarnException`,
    message:
      'Found non empty {what} for application={attemptId}, but the configured yarn.resourcemanager.placement-constraints.handler cannot handle placement constraints. Rejecting this {operation} operation',
    remedy: 'Set yarn.resourcemanager.placement-constraints.handler to scheduler.',
  },
  PLACEMENT_CONSTRAINT_REFUSED: {
    status: 400,
    javaClass: 'org.apache.hadoop.yarn.util.constraint.PlacementConstraintParseException',
    message: '{reason}',
    remedy: 'Write for example notin,node,TAG or in,rack,TAG or cardinality,node,TAG,0,2 or and(A:B) or NAME=VALUE.',
  },
  MASTER_NOT_EXPECTED: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.InvalidApplicationMasterRequestException',
    message: 'The master of {attemptId} is not expected to call now: its attempt is {state}.',
  },
  REGISTRATION_SUPERSEDED: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.InvalidApplicationMasterRequestException',
    message: 'The master of {attemptId} has registered anew since its registration {registrationId}.',
    remedy: 'Give each registration a registrationId of its own, and repeat only the last one.',
  },

  // ---- staging area
  STAGING_REFUSED: {
    status: 403,
    javaClass: forbiddenClass,
    prefix: exceptionPrefix,
    message: 'User {user} may not use the staging area of {owner}.',
    remedy: 'Stage files under your own name.',
  },
  STAGING_NAME_BAD: bad("'{name}' cannot be {what}."),
  STAGING_ABSENT: { status: 404, javaClass: notFoundClass, prefix: exceptionPrefix, message: '{user} has staged no file {name} for {id}.' },
  STAGING_TOO_LARGE: {
    status: 413,
    javaClass: 'java.io.IOException',
    message: 'A staged file has at most {limitBytes} bytes.',
    remedy: 'Raise heddle.staging.maximum-file-bytes, or let the nodes read the file from a web address or a store.',
  },
  STAGING_QUOTA: {
    status: 413,
    javaClass: 'java.io.IOException',
    message: 'The staged files of {user} would be more than {limitBytes} bytes or {limitFiles} files.',
    remedy: 'Wait for applications to end, remove what is not needed, or raise heddle.staging.user-quota.',
  },
  STAGING_FULL: {
    status: 413,
    javaClass: 'java.io.IOException',
    message: 'The staged files of all users would be more than {limitBytes} bytes or {limitFiles} files.',
    remedy: 'Wait for applications to end, or let an administrator raise heddle.staging.total-quota.',
  },
  STAGING_DISK_FULL: {
    status: 503,
    javaClass: 'org.apache.hadoop.ipc.RetriableException',
    message: 'The disk of {folder} is full: the file was not taken.',
    remedy: 'Make room on that disk of the resource manager, then try again.',
  },
  STAGING_CHANGED: {
    status: 409,
    javaClass: 'java.io.IOException',
    message: 'Another file {name} was staged for {id}, which has been submitted.',
    remedy: 'Give it another name.',
  },
  STAGING_ENDED: {
    status: 409,
    javaClass: 'java.io.IOException',
    message: 'Application {id} has ended or is not of {user}; nothing can be staged for it.',
    remedy: 'Take a new application id.',
  },
  STAGING_DIGEST: bad('The body is not what content-digest says: its SHA-256 is {sha256}.', 'Send the file again.'),
} as const satisfies Record<string, ErrorEntry>;
