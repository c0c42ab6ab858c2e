// What the package offers to programs: `import { ClusterClient, MasterClient } from 'heddle/client'`. Everything else of the package is
// its inside and may change in any release.
export type { ApplicationInfo } from '../wire/cluster/application.ts';
export type { AttemptInList, ContainerInfo } from '../wire/cluster/attempt.ts';
export type { ClusterInfo } from '../wire/cluster/cluster-info.ts';
export type {
  AllocateRequest,
  AllocateResponse,
  FinishRequest,
  RegisterRequest,
  RegisterResponse,
} from '../wire/cluster/master-protocol.ts';
export type { NodeInfo } from '../wire/cluster/node.ts';
export type { SubmissionContext } from '../wire/cluster/submission.ts';
export {
  ApiClient,
  type ApiClientOptions,
  type ApplicationExplanation,
  type ApplicationQuery,
  type ClusterEvent,
  type EventQuery,
  type PlainApplication,
  RemoteFailure,
  type Submission,
  type SubmittedContext,
  type ToldEvent,
} from './browser.ts';
export { type ApplicationFilters, ClusterClient, type HostAttributes, type NodeChange, type QueueInfo } from './cluster-client.ts';
export { type Authorize, bearing, readTokenFile } from './credentials.ts';
export { type HttpClientOptions, Unreachable } from './http.ts';
export { MasterClient, type MasterClientOptions, MasterRefused, masterOptionsFromEnvironment, newRegistrationId } from './master-client.ts';
