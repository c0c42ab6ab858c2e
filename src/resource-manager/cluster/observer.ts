// What others hear of changes: the publisher to the timeline, long polls, counters. They only watch; the cluster does not wait for them.
import type { Closeness } from '../../scheduler/policy.ts';
import type { Application } from '../applications/application.ts';
import type { ApplicationEvent, ApplicationState } from '../applications/application-states.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import type { Node } from '../nodes/node.ts';
import type { NodeState } from '../nodes/node-states.ts';

/** A step of an application through its table. The application itself may be further when observers hear of it. */
export interface StateChange {
  readonly event: ApplicationEvent;
  readonly from: ApplicationState;
  readonly to: ApplicationState;
}

/** Everything an observer may hear, each change once and in the order of the changes; every part is optional. */
export interface ClusterObserver {
  applicationCreated?(application: Application): void;
  /** Its submission could not be stored: nothing more is told of it. */
  submissionRefused?(application: Application): void;
  /** It counts among those submitted to its queue: the scheduler took it for the first time. */
  applicationAdmitted?(application: Application): void;
  /** It lives on in this process. Those of before may have told others that it was created, or not. */
  applicationRecovered?(application: Application): void;
  /** It ended in an earlier process, which may have told others of the end, or not. */
  endRecovered?(application: Application): void;
  /** Queue, priority, lifetime or number of instances changed. */
  applicationUpdated?(application: Application): void;
  applicationStateChanged?(application: Application, change: StateChange): void;
  applicationFinished?(application: Application): void;
  /** The start of its master was sent to the node. */
  attemptLaunched?(application: Application, attempt: Attempt): void;
  attemptRegistered?(application: Application, attempt: Attempt): void;
  attemptFinished?(application: Application, attempt: Attempt): void;
  /** `closeness`: to where it was asked for; undefined where the scheduler did not give it. */
  containerCreated?(application: Application, container: Container, closeness?: Closeness): void;
  containerFinished?(application: Application, container: Container): void;
  /** Its state in the cluster is another than before; `from`: NEW where it was not known. */
  nodeStateChanged?(node: Node, from: NodeState, to: NodeState): void;
}

/** What is said of an application as a whole. */
type ApplicationNews =
  | 'applicationCreated'
  | 'submissionRefused'
  | 'applicationAdmitted'
  | 'applicationRecovered'
  | 'endRecovered'
  | 'applicationUpdated'
  | 'applicationFinished';

/** One thing that observers hear, as data. */
export type Publication =
  | { readonly about: ApplicationNews; readonly application: Application }
  | { readonly about: 'applicationStateChanged'; readonly application: Application; readonly change: StateChange }
  | {
      readonly about: 'attemptLaunched' | 'attemptRegistered' | 'attemptFinished';
      readonly application: Application;
      readonly attempt: Attempt;
    }
  | {
      readonly about: 'containerCreated';
      readonly application: Application;
      readonly container: Container;
      readonly closeness?: Closeness | undefined;
    }
  | { readonly about: 'containerFinished'; readonly application: Application; readonly container: Container }
  | { readonly about: 'nodeStateChanged'; readonly node: Node; readonly from: NodeState; readonly to: NodeState };

/** Tells one observer. */
export function tell(observer: ClusterObserver, publication: Publication): void {
  if (publication.about === 'nodeStateChanged') return observer.nodeStateChanged?.(publication.node, publication.from, publication.to);
  const { application } = publication;
  switch (publication.about) {
    case 'applicationStateChanged':
      return observer.applicationStateChanged?.(application, publication.change);
    case 'attemptLaunched':
    case 'attemptRegistered':
    case 'attemptFinished':
      return observer[publication.about]?.(application, publication.attempt);
    case 'containerCreated':
      return observer.containerCreated?.(application, publication.container, publication.closeness);
    case 'containerFinished':
      return observer.containerFinished?.(application, publication.container);
    default:
      return observer[publication.about]?.(application);
  }
}
