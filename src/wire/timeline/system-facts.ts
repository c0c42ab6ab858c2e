// What the resource manager knows at each step of an application's life, as its publishers need it.
// All times are ms since the epoch; texts are Hadoop's own (states of org.apache.hadoop.yarn.api.records).

export interface ApplicationCreated {
  applicationId: string;
  name: string;
  /** Application type, '' when the client gave none. */
  type: string;
  user: string;
  /** Full path of the queue, `root.default`. */
  queue: string;
  submittedTimeMs: number;
  /** Start time of the application. */
  createdTimeMs: number;
  tags: readonly string[];
  unmanaged: boolean;
  /** As submitted: −1 when the client gave none. */
  priority: number;
  /** As submitted; undefined when not set. */
  appNodeLabelExpression?: string;
  /** Of the request for the master's container; undefined when not set. */
  amNodeLabelExpression?: string;
  /** Commands of the master's container. */
  launchCommands?: readonly string[];
}

export interface ApplicationFinished {
  applicationId: string;
  finishedTimeMs: number;
  diagnostics: string;
  /** SUCCEEDED, FAILED, KILLED, ENDED or UNDEFINED: what the master reported. */
  finalStatus: string;
  /** FINISHED, FAILED or KILLED. */
  state: string;
  latestAttemptId?: string;
  memoryMiBSeconds: number;
  vcoreSeconds: number;
  preemptedMemoryMiBSeconds?: number;
  preemptedVcoreSeconds?: number;
  /** Timeline v2 only. */
  preemptedMemoryMiB?: number;
  preemptedVcores?: number;
  preemptedMasterContainers?: number;
  preemptedOtherContainers?: number;
}

export interface AttemptRegistered {
  applicationId: string;
  attemptId: string;
  registeredTimeMs: number;
  trackingUrl: string;
  originalTrackingUrl: string;
  host: string;
  rpcPort: number;
  /** Container of the master; absent for an unmanaged one. */
  masterContainerId?: string;
  /** `host:port` of the node's web server, and its id (timeline v2 only). */
  masterNodeAddress?: string;
  masterNodeId?: string;
}

export interface AttemptFinished {
  applicationId: string;
  attemptId: string;
  finishedTimeMs: number;
  trackingUrl?: string;
  originalTrackingUrl?: string;
  diagnostics: string;
  finalStatus: string;
  /** FINISHED, FAILED or KILLED. */
  state: string;
  masterContainerId?: string;
}

export interface ContainerCreated {
  containerId: string;
  attemptId: string;
  createdTimeMs: number;
  memoryMiB: number;
  vcores: number;
  host: string;
  port: number;
  priority: number;
  /** With scheme, `http://localhost:8042`. */
  nodeHttpAddress: string;
}

export interface ContainerFinished {
  containerId: string;
  attemptId: string;
  finishedTimeMs: number;
  diagnostics: string;
  exitStatus: number;
  /** COMPLETE. */
  state: string;
  host: string;
  port: number;
}

/** What a container was found to use. */
export interface ContainerUsed {
  containerId: string;
  atMs: number;
  /** Physical memory of all its processes. */
  memoryBytes: number;
  /** Of one processor since the look before: 150 is one and a half processors. */
  cpuPercent: number;
}
