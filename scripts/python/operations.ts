// The operations of the resource manager that the client for Python has, and what they are called there.

/** How an operation stands in the client. */
export interface PythonOperation {
  /** The method. */
  readonly name: string;
  /** What an answer, or a body, without a name of its own is called. */
  readonly answer?: string;
  readonly body?: string;
  /** Other answers than the one that the method gives, by their status: types alone, for methods written by hand. */
  readonly others?: Readonly<Record<string, string>>;
  /** A request that may come twice although it is a POST. */
  readonly isRepeatable?: boolean;
  /** Parameters that make sense only for who sees headers of answers. */
  readonly without?: readonly string[];
}

const own = '/api/v1';
const yarn = '/ws/v1/cluster';
/** Of one thing that is waited for. */
const awaited = ['If-None-Match', 'wait', 'until'];

/** Operations by method and path. */
export const operations: Readonly<Record<string, PythonOperation>> = {
  [`GET ${own}/applications`]: { name: 'applications', answer: 'ApplicationsPage', without: ['If-None-Match', 'wait'] },
  [`POST ${own}/applications`]: {
    name: 'submit_application',
    answer: 'SubmittedApplication',
    others: { 200: 'TriedSubmission' },
    without: ['dryRun'],
  },
  [`GET ${own}/applications/{appid}`]: { name: 'application', answer: 'Application', without: awaited },
  [`GET ${own}/applications/{appid}/explain`]: { name: 'explain' },
  [`GET ${own}/applications/{appid}/life`]: { name: 'application_life', answer: 'ApplicationLife' },
  [`GET ${own}/applications/{appid}/run`]: { name: 'submitted_run', answer: 'SubmittedRun' },
  [`PUT ${own}/applications/{appid}/instances`]: {
    name: 'set_instances',
    answer: 'WantedInstances',
    body: 'InstancesChange',
    isRepeatable: true,
  },
  [`GET ${own}/applications/{appid}/submission`]: { name: 'submission', answer: 'SubmittedContext' },
  [`GET ${own}/applications/{appid}/master`]: { name: 'master_access', answer: 'MasterAccess' },
  [`GET ${own}/application-counts`]: { name: 'application_counts', answer: 'ApplicationCounts' },
  [`GET ${own}/placement`]: { name: 'placement', answer: 'Placement' },
  [`GET ${own}/usage`]: { name: 'usage', answer: 'ClusterUsage' },
  [`GET ${own}/waiting`]: { name: 'waiting', answer: 'WaitingApplications' },
  [`GET ${own}/job-folders`]: { name: 'job_folders', answer: 'JobFolders' },
  [`GET ${own}/server-log`]: { name: 'server_log', answer: 'ServerLog', without: ['Last-Event-ID'] },
  [`GET ${own}/risks`]: { name: 'risks', answer: 'StartRisks' },
  [`GET ${own}/logs/{containerid}`]: { name: 'log_files', answer: 'LogFiles' },
  [`GET ${own}/logs/{containerid}/{filename}`]: { name: 'log', without: ['follow'] },
  [`POST ${own}/attempts/{attemptId}/register`]: { name: 'register_master', answer: 'Registered', body: 'Registration' },
  [`POST ${own}/attempts/{attemptId}/allocate`]: { name: 'allocate', answer: 'Allocated', body: 'Allocation', isRepeatable: true },
  [`POST ${own}/attempts/{attemptId}/finish`]: { name: 'finish_master', answer: 'Finished', body: 'Finish', isRepeatable: true },
  [`GET ${own}/node-attributes`]: { name: 'node_attributes', answer: 'NodeAttributes' },
  [`POST ${own}/node-attributes`]: { name: 'change_node_attributes', answer: 'ChangedCount', body: 'NodeAttributeChange' },
  [`GET ${own}/node-attributes/nodes`]: { name: 'attributes_of_nodes', answer: 'AttributedNodes' },
  [`GET ${own}/nodes/{nodeId}`]: { name: 'node', answer: 'Node', without: awaited },
  [`GET ${own}/containers/{containerid}`]: { name: 'container', answer: 'Container', without: awaited },
  [`GET ${own}/queues/{queue}`]: { name: 'queue', answer: 'Queue', without: awaited },
  [`GET ${own}/nodes/{nodeId}/containers`]: { name: 'node_containers', answer: 'NodeContainers' },
  [`GET ${own}/nodes/{nodeId}/usage`]: { name: 'node_usage', answer: 'NodeUsage' },
  [`GET ${own}/nodes/{nodeId}/usage/containers`]: { name: 'node_containers_usage', answer: 'ContainersUsage' },
  [`GET ${own}/applications/{appid}/usage`]: { name: 'application_usage', answer: 'ContainersUsage' },
  [`GET ${own}/containers/{containerid}/usage`]: { name: 'container_usage', answer: 'ContainerUsage' },
  [`POST ${own}/nodes/{nodeId}/drain`]: { name: 'drain_node', answer: 'NodeStanding', body: 'Leave' },
  [`POST ${own}/nodes/{nodeId}/resume`]: { name: 'resume_node', answer: 'NodeStanding' },
  [`POST ${own}/nodes/refresh`]: { name: 'refresh_nodes', answer: 'ChangedNodes', body: 'Leave' },
  [`POST ${own}/nodes/refresh-resources`]: { name: 'refresh_node_resources', answer: 'ResizedNodes' },
  [`POST ${own}/queues/refresh`]: { name: 'refresh_queues', answer: 'RefreshedQueues' },
  [`POST ${own}/queues/what-if`]: { name: 'queue_what_if', answer: 'QueueWhatIf', body: 'QueueProposal' },
  [`GET ${own}/queues/history`]: { name: 'queue_history', answer: 'QueueHistory' },
  [`POST ${own}/access/refresh`]: { name: 'refresh_access', answer: 'RefreshedAccess' },
  [`GET ${own}/users/{user}/groups`]: { name: 'user_groups', answer: 'UserGroups' },
  [`PUT ${own}/staging/{user}/{application}/{name}`]: { name: 'stage_file', answer: 'StagedFile' },
  [`GET ${own}/staging/{user}/{application}/{name}`]: { name: 'staged_file' },
  [`DELETE ${own}/staging/{user}/{application}`]: { name: 'remove_staged_files', answer: 'RemovedFiles' },
  [`POST ${own}/tokens`]: { name: 'create_token', answer: 'MadeToken', body: 'TokenWish' },
  [`GET ${own}/tokens`]: { name: 'tokens', answer: 'Tokens' },
  [`DELETE ${own}/tokens/{token}`]: { name: 'revoke_token', answer: 'Token' },
  [`POST ${own}/schedules`]: { name: 'create_schedule', answer: 'Schedule', body: 'ScheduleWish' },
  [`GET ${own}/schedules`]: { name: 'schedules', answer: 'Schedules' },
  [`GET ${own}/schedule-times`]: { name: 'schedule_times', answer: 'ScheduleTimes' },
  [`GET ${own}/schedules/{user}/{schedule}`]: { name: 'schedule', answer: 'ScheduleDetail' },
  [`DELETE ${own}/schedules/{user}/{schedule}`]: { name: 'remove_schedule', answer: 'RemovedSchedule' },
  [`POST ${own}/schedules/{user}/{schedule}/pause`]: { name: 'pause_schedule', answer: 'Schedule' },
  [`POST ${own}/schedules/{user}/{schedule}/resume`]: { name: 'resume_schedule', answer: 'Schedule' },
  [`POST ${own}/schedules/{user}/{schedule}/run`]: { name: 'run_schedule', answer: 'ScheduleRun' },
  [`POST ${own}/webhooks`]: { name: 'create_webhook', answer: 'MadeWebhook', body: 'WebhookWish' },
  [`GET ${own}/webhooks`]: { name: 'webhooks', answer: 'Webhooks' },
  [`GET ${own}/webhooks/{webhook}`]: { name: 'webhook', answer: 'WebhookDetail' },
  [`DELETE ${own}/webhooks/{webhook}`]: { name: 'remove_webhook', answer: 'RemovedWebhook' },
  [`POST ${own}/webhooks/{webhook}/redeliver`]: { name: 'redeliver', answer: 'Redelivered', body: 'RedeliveryWish' },

  [`GET ${yarn}/info`]: { name: 'cluster_info' },
  [`GET ${yarn}/metrics`]: { name: 'cluster_metrics' },
  [`GET ${yarn}/scheduler`]: { name: 'cluster_scheduler' },
  [`GET ${yarn}/apps`]: { name: 'cluster_apps' },
  [`GET ${yarn}/apps/{appid}`]: { name: 'cluster_app' },
  [`GET ${yarn}/apps/{appid}/state`]: { name: 'cluster_app_state' },
  [`PUT ${yarn}/apps/{appid}/state`]: { name: 'cluster_set_app_state' },
  [`GET ${yarn}/nodes`]: { name: 'cluster_nodes' },
  [`GET ${yarn}/nodes/{nodeId}`]: { name: 'cluster_node' },
};

/** Operations of `/api/v1` that the client leaves out, with why. */
export const leftOut: Readonly<Record<string, string>> = {
  [`GET ${own}/events`]: 'a stream; the client has events() by hand',
  [`GET ${own}/containers/{containerid}/logs`]: 'leads to other servers; logs/… passes the same on',
  [`GET ${own}/containers/{containerid}/logs/{filename}`]: 'leads to other servers; logs/… passes the same on',
  [`GET ${own}/nodes/staging/{user}/{application}/{name}`]: 'for nodes',
  [`POST ${own}/token-examinations`]: 'for servers of the cluster',
  [`POST ${own}/token-changes`]: 'for servers of the cluster',
};

/** Schemas of the document that have a better name here. */
export const renamed: Readonly<Record<string, string>> = {
  ApplicationSubmissionContextStrict: 'Submission',
  Appstate: 'AppState',
  AppstateNatural: 'AppStateChange',
};
