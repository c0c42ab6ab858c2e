// What the resource manager answers below `/api/v1`, where it is no record of Hadoop's: the shapes are the description, from which types,
// clients and `/openapi.json` derive.

import { fields, type JsonOf, type JsonShape, many, number, optional, text, truth, whole, word } from '../../lib/json-shape.ts';
import { publicApplicationStates } from '../../model/application-states.ts';
import { eventKinds } from '../../model/event-kinds.ts';
import { exitOutcomes } from '../../model/exit-status.ts';
import { adjustment } from './adjustment.ts';

/** Milliseconds since the epoch; 0: not yet. */
const time = number({ minimum: 0 });

/** States that clients see (YarnApplicationState). */
const applicationState = word(...publicApplicationStates);
const finalStatus = word('UNDEFINED', 'SUCCEEDED', 'FAILED', 'KILLED', 'ENDED');

const applicationMembers = {
  id: text(),
  user: text(),
  name: text(),
  type: text(),
  tags: many(text()),
  queue: text(),
  priority: whole(),
  state: applicationState,
  finalStatus,
  /** From 0 to 1. */
  progress: number({ minimum: 0, maximum: 1 }),
  diagnostics: text(),
  trackingUrl: optional(text()),
  attempts: whole({ minimum: 0 }),
  /** From here on only for who may view the application. */
  startedTime: optional(time),
  launchedTime: optional(time),
  finishedTime: optional(time),
  masterNodeId: optional(text()),
  masterContainerId: optional(text()),
  allocatedMemoryMiB: optional(number({ minimum: 0 })),
  allocatedVcores: optional(number({ minimum: 0 })),
  runningContainers: optional(whole({ minimum: 0 })),
  /** How many further ones it asks for. */
  pendingContainers: optional(whole({ minimum: 0 })),
  /** How many ended in which way, masters included. */
  endedContainers: optional(fields({ succeeded: whole({ minimum: 0 }), failed: whole({ minimum: 0 }), stopped: whole({ minimum: 0 }) })),
};

/** An application as plain JSON. */
export const plainApplication = fields(applicationMembers);
export type PlainApplication = JsonOf<typeof plainApplication>;

/** A page of applications; with `fields` some of the members. `next`: the cursor of the next page, absent on the last. */
export const applicationsPage = fields({
  applications: many(
    fields(Object.fromEntries(Object.entries<JsonShape<unknown>>(applicationMembers).map(([name, member]) => [name, optional(member)]))),
  ),
  next: optional(text()),
});

/** What a submission was taken as, and what of it is otherwise than was asked for. */
export const submittedApplication = fields({ id: text(), adjusted: many(adjustment) });
export type SubmittedApplication = JsonOf<typeof submittedApplication>;

/** What an unmanaged master needs to register. */
export const masterAccess = fields({ attemptId: text(), token: text(), resourceManager: text() });

/** An event; what it tells further depends on its kind. */
export const clusterEvent = fields({
  id: text(),
  kind: word(...eventKinds),
  time,
  applicationId: optional(text()),
  nodeId: optional(text()),
});
export type ClusterEvent = JsonOf<typeof clusterEvent>;

/** A slice of events. `next`: where to go on; `missed`: events before these are forgotten. */
export const eventSlice = fields({ events: many(clusterEvent), next: text(), missed: truth() });
export type EventSlice = JsonOf<typeof eventSlice>;

const attributeMembers = { prefix: text(), name: text(), type: text() };
/** Attributes of nodes, each with the hosts that have it. */
export const attributeList = fields({
  attributes: many(fields({ ...attributeMembers, nodes: many(fields({ host: text(), value: text() })) })),
});
/** Hosts, each with its attributes. */
export const attributedHosts = fields({
  nodes: many(fields({ host: text(), attributes: many(fields({ ...attributeMembers, value: text() })) })),
});
/** How many hosts were changed. */
export const changedCount = fields({ changed: whole({ minimum: 0 }) });
/** Ids of nodes that have another size now. */
export const resizedNodes = fields({ changed: many(text()) });
/** Where a node stands after a change. */
export const nodeStanding = fields({ nodeId: text(), state: text() });
/** What the cluster has on a node; `hidden`: how many containers the caller may not view. */
export const nodeContainers = fields({
  containers: many(
    fields({
      id: text(),
      applicationId: text(),
      applicationName: text(),
      user: text(),
      queue: text(),
      state: text(),
      isMaster: truth(),
      executionType: word('GUARANTEED', 'OPPORTUNISTIC'),
      memoryMiB: whole({ minimum: 0 }),
      vcores: whole({ minimum: 0 }),
      createdTime: time,
    }),
  ),
  hidden: whole({ minimum: 0 }),
  /** Whether the connection to the node is up; without it the node gets nothing new. */
  connected: truth(),
});
/** A node in brief; what it and its containers really use is in its `usage`. */
export const plainNode = fields({
  id: text(),
  rack: text(),
  httpAddress: text(),
  state: word('NEW', 'RUNNING', 'UNHEALTHY', 'DECOMMISSIONING', 'DECOMMISSIONED', 'LOST', 'REBOOTED', 'SHUTDOWN'),
  connected: truth(),
  healthReport: text(),
  version: text(),
  labels: many(text()),
  containers: whole({ minimum: 0 }),
  usedMemoryMiB: whole({ minimum: 0 }),
  usedVcores: whole({ minimum: 0 }),
  /** May be below 0, where a node was made smaller than what runs on it. */
  availableMemoryMiB: whole(),
  availableVcores: whole(),
});
export type PlainNode = JsonOf<typeof plainNode>;
const amountOf = { memoryMiB: whole({ minimum: 0 }), vcores: whole({ minimum: 0 }) };
/** A queue in brief, with those below it. */
export const plainQueue = fields({
  path: text(),
  state: word('RUNNING', 'DRAINING', 'STOPPED'),
  /** Paths of the queues right below it. */
  queues: many(text()),
  runningApplications: whole({ minimum: 0 }),
  waitingApplications: whole({ minimum: 0 }),
  allocatedContainers: whole({ minimum: 0 }),
  pendingContainers: whole({ minimum: 0 }),
  reservedContainers: whole({ minimum: 0 }),
  /** With any label, as what is asked for. */
  used: fields(amountOf),
  pending: fields(amountOf),
  /** Without label; of the fair scheduler its share. */
  guaranteed: fields(amountOf),
  maximum: fields(amountOf),
});
export type PlainQueue = JsonOf<typeof plainQueue>;
const placedMembers = { containers: whole({ minimum: 0 }), memoryMiB: whole({ minimum: 0 }), vcores: whole({ minimum: 0 }) };
/** Which applications fill which nodes. */
export const placement = fields({
  nodes: many(
    fields({
      id: text(),
      shares: many(fields({ applicationId: text(), ...placedMembers })),
      /** Of applications that the caller may not view. */
      hidden: fields(placedMembers),
    }),
  ),
  /** Those that have shares. */
  applications: many(fields({ id: text(), name: text(), user: text(), queue: text() })),
  /** Whether there are more nodes than are told of. */
  more: truth(),
});
export type Placement = JsonOf<typeof placement>;
/** Nodes that leave or come back. */
export const changedNodes = fields({ changed: many(nodeStanding) });
/** Which queues are in force now, and where they came from. */
export const refreshedQueues = fields({ scheduler: word('capacity', 'fair', 'fifo'), from: text(), file: optional(text()) });
/** What a caller changed of the queues; absent values: the key was not there before, is not there after. */
const queueChanges = fields({
  /** Of the configuration after the change. */
  version: whole({ minimum: 1 }),
  atMs: time,
  user: text(),
  keys: many(fields({ key: text(), before: optional(text()), after: optional(text()) })),
  /** Keys that are not listed. */
  left: whole({ minimum: 0 }),
});
export type QueueChanges = JsonOf<typeof queueChanges>;
/** The changes that are kept, the newest first. */
export const queueHistory = fields({ changes: many(queueChanges) });
/** The same as it is stored. */
export const storedQueueHistory = many(queueChanges);
/** Who administers the cluster now. */
export const refreshedAccess = fields({ administrators: text() });
/** The groups that a user is in. */
export const userGroups = fields({ user: text(), groups: many(text()) });
/** Whose staged files were removed. */
export const removedFiles = fields({ removed: text() });

const tokenMembers = {
  id: text(),
  name: text(),
  user: text(),
  scope: word('read', 'submit', 'admin'),
  queues: optional(many(text())),
  createdMs: time,
  expiresMs: time,
  lastUsedMs: optional(time),
  proved: truth(),
};
/** A bearer token, without its text. */
export const bearerToken = fields(tokenMembers);
/** A bearer token that was made now: the only answer with its text. */
export const madeBearerToken = fields({ ...tokenMembers, text: text() });
/** Bearer tokens. */
export const bearerTokens = fields({ tokens: many(bearerToken) });

/** A message between servers under the cluster's secret. */
export const sealedMessage = fields({ nonce: text(), content: text(), mac: text() });

/** Log files of a container. */
export const containerLogFiles = fields({
  containerId: text(),
  running: truth(),
  files: many(fields({ name: text(), bytes: number({ minimum: 0 }), modifiedTime: optional(number()) })),
});

const amount = number({ minimum: 0 });
/** A look at the cluster; memory in MiB. */
const usageSample = fields({
  timeMs: time,
  totalMemoryMiB: amount,
  usedMemoryMiB: amount,
  pendingMemoryMiB: amount,
  totalVcores: amount,
  usedVcores: amount,
  pendingVcores: amount,
  runningApplications: amount,
  waitingApplications: amount,
  containers: amount,
  pendingContainers: amount,
  /** What the machines really use, whatever for: each once, though several nodes may be on it. */
  machineMemoryMiB: amount,
  machineCores: amount,
});
/** Use of the cluster over time, oldest first; the last is of this moment (the only one of the span now). */
export const clusterUsage = fields({
  span: word('now', 'hour', 'day'),
  stepMs: whole({ minimum: 1 }),
  samples: many(usageSample),
});
export type ClusterUsage = JsonOf<typeof clusterUsage>;

/** Applications that wait, each with why: first for their master, then for further containers (RUNNING), the oldest first. */
export const waitingApplications = fields({
  applications: many(
    fields({
      id: text(),
      name: text(),
      user: text(),
      queue: text(),
      state: applicationState,
      sinceMs: time,
      sentence: text(),
      remedy: optional(text()),
    }),
  ),
  /** There are more than these. */
  more: truth(),
});
export type WaitingApplications = JsonOf<typeof waitingApplications>;

export const facet = fields({
  /** The largest first. */
  values: many(fields({ name: text(), count: whole({ minimum: 0 }) })),
  /** How many values are left out. */
  more: whole({ minimum: 0 }),
});
/** What there is to choose from in lists of applications, with how many the list would have. */
export const applicationCounts = fields({
  /** In the list as it is filtered. */
  total: whole({ minimum: 0 }),
  states: facet,
  finalStatuses: facet,
  users: facet,
  queues: facet,
  types: facet,
});
export type ApplicationCounts = JsonOf<typeof applicationCounts>;

/** Folders of batch jobs, and their access lists. */
export const jobFolders = fields({
  /** `yarn.app.mapreduce.am.staging-dir`. */
  staging: text(),
  /** `mapreduce.jobhistory.intermediate-done-dir`. */
  intermediateHistory: text(),
  /** Where `mapreduce.cluster.acls.enabled` is on: a job that does not carry it is open to everyone. */
  accessLists: optional(fields({ /** `mapreduce.cluster.administrators`. */ administrators: text() })),
});
export type JobFolders = JsonOf<typeof jobFolders>;

/** What is less safe about this start than it could be. */
export const startRisks = fields({ risks: many(fields({ what: text(), remedy: text() })) });
export type StartRisks = JsonOf<typeof startRisks>;

/** How it ended; not there while it lives. */
const end = {
  exitStatus: optional(whole()),
  exitOutcome: optional(word(...exitOutcomes)),
  /** In words. */
  exitMeaning: optional(text()),
};
const attemptLife = fields({
  id: text(),
  number: whole({ minimum: 0 }),
  state: text(),
  finalStatus,
  startedTime: time,
  finishedTime: time,
  masterContainerId: optional(text()),
  masterNodeId: optional(text()),
  ...end,
  diagnostics: text(),
});
const containerMembers = {
  id: text(),
  attemptId: text(),
  nodeId: text(),
  state: text(),
  createdTime: time,
  /** 0: it has not started, or that is not known. */
  startedTime: time,
  /** 0: it lives. */
  finishedTime: time,
  ...end,
  isMaster: truth(),
  executionType: text(),
  /** Of a run: which instance it is for, and which try of it. */
  instance: optional(whole({ minimum: 0 })),
  tryNumber: optional(whole({ minimum: 1 })),
  memoryMiB: amount,
  vcores: amount,
  diagnostics: text(),
};
const containerLife = fields(containerMembers);
/** One container. */
export const plainContainer = fields({ ...containerMembers, applicationId: text() });
export type PlainContainer = JsonOf<typeof plainContainer>;
/** The life of an application: its attempts, and its containers as far as they live or ended lately. */
export const applicationLife = fields({
  id: text(),
  nowMs: time,
  attempts: many(attemptLife),
  containers: many(containerLife),
  /** Containers that ended before this are not listed; the application history has them. */
  containersSinceMs: time,
  /** There are more containers than are listed. */
  more: truth(),
});
export type ApplicationLife = JsonOf<typeof applicationLife>;
