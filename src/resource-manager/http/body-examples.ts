// Bodies that do something useful, for the examples in `/openapi.json`; a test sends those that a cluster takes as they are.

const ws = '/ws/v1/cluster';
const api = '/api/v1';

const queueChange = {
  'update-queue': [{ 'queue-name': 'root.default', params: { entry: [{ key: 'maximum-am-resource-percent', value: '0.5' }] } }],
};
const reservationDefinition = {
  arrival: 1_767_229_200_000,
  deadline: 1_767_232_800_000,
  'reservation-name': 'nightly',
  'reservation-requests': {
    'reservation-request-interpreter': 0,
    'reservation-request': [{ duration: 1_800_000, 'num-containers': 4, 'min-concurrency': 1, capability: { memory: 1024, vCores: 1 } }],
  },
};

/** By `METHOD /path`. */
export const bodyExamples: Readonly<Record<string, unknown>> = {
  [`POST ${ws}/apps`]: {
    'application-id': 'application_1767225600000_0007',
    'application-name': 'hello',
    'application-type': 'YARN',
    queue: 'default',
    priority: 0,
    'max-app-attempts': 1,
    resource: { memory: 512, vCores: 1 },
    'am-container-spec': {
      commands: { command: ['echo hello 1><LOG_DIR>/stdout'] },
      environment: { entry: [{ key: 'GREETING', value: 'hi' }] },
    },
  },
  [`PUT ${ws}/apps/:appid/state`]: { state: 'KILLED' },
  [`PUT ${ws}/apps/:appid/queue`]: { queue: 'default' },
  [`PUT ${ws}/apps/:appid/priority`]: { priority: 1 },
  [`PUT ${ws}/apps/:appid/timeout`]: { timeout: { type: 'LIFETIME', expiryTime: '2030-01-01T01:00:00.000+0000' } },
  [`POST ${ws}/nodes/:nodeId/resource`]: { resource: { memory: 16_384, vCores: 8 }, overCommitTimeout: -1 },
  [`POST ${ws}/add-node-labels`]: { nodeLabelInfo: [{ name: 'gpu', exclusivity: true }] },
  [`POST ${ws}/replace-node-to-labels`]: { nodeToLabels: [{ nodeId: 'node7.example.org:45454', labels: ['gpu'] }] },
  [`POST ${ws}/delegation-token`]: { renewer: 'ada' },
  [`POST ${ws}/reservation/submit`]: {
    queue: 'root.reserved',
    'reservation-id': 'reservation_1767225600000_0001',
    'reservation-definition': reservationDefinition,
  },
  [`POST ${ws}/reservation/update`]: {
    'reservation-id': 'reservation_1767225600000_0001',
    'reservation-definition': reservationDefinition,
  },
  [`POST ${ws}/reservation/delete`]: { 'reservation-id': 'reservation_1767225600000_0001' },
  [`PUT ${ws}/scheduler-conf`]: queueChange,
  [`POST ${ws}/scheduler-conf/validate`]: queueChange,
  [`POST ${api}/queues/what-if`]: {
    'update-queue': [{ 'queue-name': 'root.default', params: { 'maximum-am-resource-percent': '0.5' } }],
  },
  [`POST ${api}/applications`]: {
    'application-name': 'greeting',
    run: {
      command: ['sh', '-c', 'cat greeting.txt; echo instance $HEDDLE_INSTANCE'],
      instances: 2,
      memoryMiB: 256,
      vcores: 1,
      files: { 'greeting.txt': { text: 'hello\n' } },
      retries: 2,
    },
  },
  [`POST ${api}/tokens`]: { name: 'nightly reports', scope: 'submit', queues: ['root.default'], lifetimeSeconds: 86_400 },
  [`POST ${api}/schedules`]: {
    name: 'nightly',
    cron: '30 2 * * 1-5',
    timeZone: 'Europe/Berlin',
    overlap: 'skip',
    submission: { 'application-name': 'report', run: { command: ['sh', '-c', 'date'], memoryMiB: 256 } },
  },
  [`POST ${api}/webhooks`]: {
    url: 'https://hooks.example.org/heddle',
    secret: 'sixteen-characters-or-more',
    kinds: ['application.finished'],
  },
  [`POST ${api}/webhooks/:webhook/redeliver`]: { deliveries: [1] },
  [`POST ${api}/node-attributes`]: {
    operation: 'add',
    nodes: [{ host: 'node7.example.org', attributes: [{ name: 'rm.yarn.io/java', type: 'STRING', value: '17' }] }],
  },
  [`POST ${api}/nodes/refresh`]: { graceful: true, gracefulSeconds: 3600 },
  [`POST ${api}/nodes/:nodeId/drain`]: { graceful: true, gracefulSeconds: 3600 },
  [`POST ${api}/attempts/:attemptId/register`]: { host: 'node7.example.org', rpcPort: -1, trackingUrl: '' },
  [`POST ${api}/attempts/:attemptId/allocate`]: {
    responseId: 0,
    progress: 0.1,
    asks: [
      {
        askId: 'workers',
        resource: { memoryMiB: 512, vcores: 1 },
        count: 2,
        launch: { commands: ['sleep 60'], environment: { GREETING: 'hi' } },
      },
    ],
  },
  [`POST ${api}/attempts/:attemptId/finish`]: { finalStatus: 'SUCCEEDED', diagnostics: '' },
};
