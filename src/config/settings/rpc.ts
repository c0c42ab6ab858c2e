// Settings of Hadoop RPC, for every server that speaks it.
import { defineSettings } from '../table.ts';

const backoffAt = (port: string, protocol: string) =>
  ({
    key: `ipc.${port}.backoff.enable`,
    type: 'boolean',
    about: `The same for ${protocol} alone, where it is served at port ${port}.`,
  }) as const;

/** Settings of ports of Hadoop RPC. */
export const rpcSettings = defineSettings({
  enabled: {
    key: 'heddle.rpc.enabled',
    type: 'boolean',
    default: true,
    about: 'Whether the ports of Hadoop RPC are served, for programs that speak it instead of REST.',
  },
  protection: {
    key: 'hadoop.rpc.protection',
    type: 'list',
    default: 'authentication',
    about:
      'What SASL protects of callers who log in by a token or a ticket, by their choice where several stand here: authentication (nothing after the login), integrity (messages cannot be changed), privacy (nor read). Callers who say their name are not protected.',
  },
  frameLimitBytes: {
    key: 'ipc.maximum.data.length',
    type: 'bytes',
    default: 128 * 1024 * 1024,
    minimum: 1024,
    maximum: 2 ** 31 - 1,
    about: 'Longest request, in bytes.',
  },
  queueSize: {
    key: 'ipc.server.handler.queue.size',
    type: 'integer',
    default: 100,
    minimum: 1,
    about:
      'How many calls of a port may wait for each of its threads (`thread-count`) in Hadoop. Here calls are served side by side: as many may be under way as Hadoop would serve and let wait together. Connections that bring more are not read until there is room.',
  },
  backoff: {
    key: 'ipc.backoff.enable',
    type: 'boolean',
    default: false,
    about: 'Whether clients that bring more are told to come again (RetriableException) and closed instead.',
  },
  backoffOfClients: backoffAt('8032', 'ApplicationClientProtocol'),
  backoffOfMasters: backoffAt('8030', 'ApplicationMasterProtocol'),
  backoffOfAdministrators: backoffAt('8033', 'ResourceManagerAdministrationProtocol'),
  backoffOfNodes: backoffAt('45454', 'ContainerManagementProtocol'),
  backoffOfHistory: backoffAt('10020', 'HSClientProtocol'),
  backoffOfHistoryAdministrators: backoffAt('10033', '`mapred hsadmin`'),
  backoffOfApplicationHistory: backoffAt('10200', 'ApplicationHistoryProtocol'),
  clientThreads: {
    key: 'yarn.resourcemanager.client.thread-count',
    type: 'integer',
    default: 50,
    minimum: 1,
    about:
      'Threads that serve ApplicationClientProtocol in Hadoop; here how many of its calls may be under way goes by it (ipc.server.handler.queue.size).',
  },
  masterThreads: {
    key: 'yarn.resourcemanager.scheduler.client.thread-count',
    type: 'integer',
    default: 50,
    minimum: 1,
    about: 'The same for ApplicationMasterProtocol.',
  },
  administratorThreads: {
    key: 'yarn.resourcemanager.admin.client.thread-count',
    type: 'integer',
    default: 1,
    minimum: 1,
    about: 'The same for ResourceManagerAdministrationProtocol.',
  },
  historyThreads: {
    key: 'mapreduce.jobhistory.client.thread-count',
    type: 'integer',
    default: 10,
    minimum: 1,
    about: 'The same for HSClientProtocol.',
  },
  applicationHistoryThreads: {
    key: 'yarn.timeline-service.handler-thread-count',
    type: 'integer',
    default: 10,
    minimum: 1,
    about: 'The same for ApplicationHistoryProtocol.',
  },
  connectionLimit: {
    key: 'ipc.server.max.connections',
    type: 'integer',
    default: 16_384,
    minimum: 0,
    about: 'How many connections a port accepts; 0: as many as the files that the process may open allow. More are closed at once.',
  },
  connectionLimitOfAddress: {
    key: 'heddle.rpc.maximum-connections-per-address',
    type: 'integer',
    default: 12_288,
    minimum: 1,
    about: 'How many of them may come from one address, or from one unix user of this machine.',
  },
  idleThreshold: {
    key: 'ipc.client.idlethreshold',
    type: 'integer',
    default: 4000,
    minimum: 0,
    about: 'From how many connections on those that are idle are closed.',
  },
  idleMs: {
    key: 'ipc.client.connection.maxidletime',
    type: 'durationMs',
    default: '10s',
    minimum: 100,
    about: 'How long a connection may be idle then; and twice as long a login or a request may take to arrive.',
  },
  masterKeySeconds: {
    key: 'yarn.resourcemanager.am-rm-tokens.master-key-rolling-interval-secs',
    type: 'integer',
    default: 86_400,
    minimum: 1,
    about:
      'After how many seconds tokens of masters for the resource manager are signed with another key. A master gets a new token with its next call, its last one counts as long again.',
  },
  containerKeySeconds: {
    key: 'yarn.resourcemanager.container-tokens.master-key-rolling-interval-secs',
    type: 'integer',
    default: 86_400,
    minimum: 1,
    about:
      'After how many seconds tokens of containers are signed with another key. A token may be used for as long as its container may wait for its start.',
  },
  nodeKeySeconds: {
    key: 'yarn.resourcemanager.nm-tokens.master-key-rolling-interval-secs',
    type: 'integer',
    default: 86_400,
    minimum: 1,
    about:
      'After how many seconds tokens of masters for nodes are signed with another key. A token counts as long again, and on a node that runs containers of its application for ever.',
  },
});
