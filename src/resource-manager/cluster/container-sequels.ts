// What follows from the end of a container elsewhere in the cluster.
import type { Application } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';

/** What follows from the end of a container elsewhere. */
export interface ContainerSequels {
  /** The container of an attempt's master ended. `started` false: its node never had it. */
  masterEnded(application: Application, attempt: Attempt, exitCode: number, diagnostics: string, started: boolean): void;
  /** Something of a node is gone: if it is draining and nothing needs it any more, it leaves. */
  nodeFreed(nodeId: string): void;
}
