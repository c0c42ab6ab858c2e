// Why the scheduler gives or does not give, as data: the tree of one cycle, queue by queue, application, request, node. It is worked
// out from the state of the moment, so it costs nothing until a client asks (Hadoop's ActivitiesManager records instead).

export type ActivityState = 'SKIPPED' | 'REJECTED' | 'ACCEPTED' | 'ALLOCATED' | 'RESERVED';

/** One step of the tree; which members are set tells its level. */
export interface ActivityEntry {
  readonly name: string;
  readonly state: ActivityState;
  readonly diagnostic?: string;
  readonly applicationPriority?: number;
  readonly requestPriority?: number;
  readonly allocationRequestId?: number;
  readonly nodeId?: string;
  readonly children: readonly ActivityEntry[];
}

/** What a cycle on the node comes to. */
export interface ActivityCycle {
  readonly nodeId: string;
  readonly timeMs: number;
  readonly partition: string;
  readonly state: ActivityState;
  readonly root: ActivityEntry;
}

/** What a cycle comes to for one application. */
export interface ApplicationActivity {
  readonly nodeId: string;
  readonly timeMs: number;
  readonly queueName: string;
  readonly priority: number;
  readonly state: ActivityState;
  readonly requests: readonly ActivityEntry[];
}

export interface ActivityRecorder {
  /** Nodes by id (`host:port`) or by host alone. */
  nodeOf(name: string): string | undefined;
  anyNode(): string | undefined;
  cycle(nodeId: string): ActivityCycle;
  /** Undefined when the application has no part in cycles now. */
  application(applicationId: string): ApplicationActivity | undefined;
}
