// What others hear of changes: the publisher to the timeline, long polls, the audit. They only watch; the cluster does not wait for them.
import type { Application, Attempt, Container } from '../applications/application.ts';

/** Everything an observer may hear; every part is optional. */
export interface ClusterObserver {
  applicationCreated?(application: Application): void;
  /** Queue, priority or lifetime changed. */
  applicationUpdated?(application: Application): void;
  applicationStateChanged?(application: Application): void;
  applicationFinished?(application: Application): void;
  attemptRegistered?(application: Application, attempt: Attempt): void;
  attemptFinished?(application: Application, attempt: Attempt): void;
  containerCreated?(application: Application, container: Container): void;
  containerFinished?(application: Application, container: Container): void;
}

/** Tells every observer in turn. */
export function tellAll(observers: readonly ClusterObserver[]): Required<ClusterObserver> {
  return {
    applicationCreated: (application) => observers.forEach((observer) => observer.applicationCreated?.(application)),
    applicationUpdated: (application) => observers.forEach((observer) => observer.applicationUpdated?.(application)),
    applicationStateChanged: (application) => observers.forEach((observer) => observer.applicationStateChanged?.(application)),
    applicationFinished: (application) => observers.forEach((observer) => observer.applicationFinished?.(application)),
    attemptRegistered: (application, attempt) => observers.forEach((observer) => observer.attemptRegistered?.(application, attempt)),
    attemptFinished: (application, attempt) => observers.forEach((observer) => observer.attemptFinished?.(application, attempt)),
    containerCreated: (application, container) => observers.forEach((observer) => observer.containerCreated?.(application, container)),
    containerFinished: (application, container) => observers.forEach((observer) => observer.containerFinished?.(application, container)),
  };
}
