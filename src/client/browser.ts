// What `heddle/client` offers in browsers: nothing here needs Node.
export type { ApplicationExplanation } from '../wire/cluster/explanation.ts';
export type { ClusterEvent, PlainApplication } from '../wire/cluster/own-answers.ts';
export type { SubmittedContext } from '../wire/cluster/submitted.ts';
export {
  ApiClient,
  type ApiClientOptions,
  type ApplicationQuery,
  type EventQuery,
  type Submission,
  type ToldEvent,
} from './api-client.ts';
export { RemoteFailure } from './remote-failure.ts';
