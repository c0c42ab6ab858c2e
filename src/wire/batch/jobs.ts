// A running job (`/jobs`, `/jobs/{id}`, `/jobs/{id}/jobattempts`) and its master (`/info`): JobInfo, AMAttemptInfo, AppInfo of
// Hadoop's app module.
import { boolean, float, int, list, long, object, record, rooted, type Shape, text } from '../codec/describe.ts';
import { elapsedMs, type MasterGenerationFacts, percent, type TaskFacts } from './facts.ts';

/** Who may do what: `mapreduce.job.acl-view-job` and `mapreduce.job.acl-modify-job`. */
export const accessListMember = object({ name: text(), value: text() });

export const masterInfo = record(
  'info',
  { appId: text(), name: text(), user: text(), startedOn: long(), elapsedTime: long() },
  { json: 'natural' },
);

/** Hosts that the master avoids. */
export const avoidedHosts = record(
  'blacklistednodesinfo',
  { blacklistedNodes: list(text(), { keepEmpty: true }) },
  { json: 'natural', wrapped: false },
);

const jobMember = object({
  startTime: long(),
  finishTime: long(),
  elapsedTime: long(),
  id: text(),
  name: text(),
  user: text(),
  queue: text(),
  state: text(),
  mapsTotal: int(),
  mapsCompleted: int(),
  reducesTotal: int(),
  reducesCompleted: int(),
  mapProgress: float(),
  reduceProgress: float(),
  mapsPending: int(),
  mapsRunning: int(),
  reducesPending: int(),
  reducesRunning: int(),
  uberized: boolean(),
  diagnostics: text(),
  newReduceAttempts: int(),
  runningReduceAttempts: int(),
  failedReduceAttempts: int(),
  killedReduceAttempts: int(),
  successfulReduceAttempts: int(),
  newMapAttempts: int(),
  runningMapAttempts: int(),
  failedMapAttempts: int(),
  killedMapAttempts: int(),
  successfulMapAttempts: int(),
  acls: list(accessListMember),
});
export const job = rooted('job', jobMember, { json: 'natural' });
export type Job = Shape<typeof job>;
export const jobs = record('jobs', { job: list(jobMember) }, { json: 'natural' });

const jobAttemptMember = object({
  nodeHttpAddress: text(),
  nodeId: text(),
  id: int(),
  startTime: long(),
  containerId: text(),
  logsLink: text(),
});
export const jobAttempts = record('jobAttempts', { jobAttempt: list(jobAttemptMember) }, { json: 'natural' });

/** A running job as its view functions need it. */
export interface RunningJobFacts {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly queue: string;
  readonly state: string;
  readonly startTimeMs: number;
  readonly finishTimeMs: number;
  readonly uberized: boolean;
  readonly diagnostics: readonly string[];
  readonly tasks: readonly TaskFacts[];
  readonly mapProgress: number;
  readonly reduceProgress: number;
  readonly accessLists: { readonly view: string; readonly modify: string } | undefined;
}

const finished = new Set(['SUCCEEDED', 'FAILED', 'KILLED']);

/** Tasks of one kind by their states. */
export function countTasks(tasks: readonly TaskFacts[], kind: 'MAP' | 'REDUCE') {
  const count = { total: 0, completed: 0, pending: 0, running: 0 };
  for (const task of tasks) {
    if (task.kind !== kind) continue;
    count.total++;
    if (finished.has(task.state)) count.completed++;
    else if (task.state === 'SCHEDULED') count.pending++;
    else if (task.state === 'RUNNING') count.running++;
  }
  return count;
}

/** Attempts at tasks of one kind by their states, as the interfaces group them. */
export function countAttempts(tasks: readonly TaskFacts[], kind: 'MAP' | 'REDUCE') {
  const count = { fresh: 0, running: 0, failed: 0, killed: 0, successful: 0 };
  for (const task of tasks) {
    if (task.kind !== kind) continue;
    for (const { state } of task.attempts) {
      if (state === 'NEW' || state === 'STARTING') count.fresh++;
      else if (state === 'RUNNING' || state === 'COMMIT_PENDING') count.running++;
      else if (state === 'FAILED') count.failed++;
      else if (state === 'KILLED') count.killed++;
      else if (state === 'SUCCEEDED') count.successful++;
    }
  }
  return count;
}

/** The access lists as they are listed; undefined where none are kept. */
export const accessListsView = (lists: { readonly view: string; readonly modify: string } | undefined) =>
  lists && [
    { name: 'mapreduce.job.acl-view-job', value: lists.view },
    { name: 'mapreduce.job.acl-modify-job', value: lists.modify },
  ];

/** A running job. Where the caller may not view it (`mayView` false), everything about its inside keeps its empty value. */
export function jobView(facts: RunningJobFacts, nowMs: number, mayView: boolean): Job {
  const maps = countTasks(facts.tasks, 'MAP');
  const reduces = countTasks(facts.tasks, 'REDUCE');
  const none = { fresh: 0, running: 0, failed: 0, killed: 0, successful: 0 };
  const mapAttempts = mayView ? countAttempts(facts.tasks, 'MAP') : none;
  const reduceAttempts = mayView ? countAttempts(facts.tasks, 'REDUCE') : none;
  const shown = (count: number) => (mayView ? count : 0);
  return {
    startTime: facts.startTimeMs,
    finishTime: facts.finishTimeMs,
    elapsedTime: elapsedMs(facts.startTimeMs, facts.finishTimeMs, nowMs),
    id: facts.id,
    name: facts.name,
    user: facts.user,
    queue: facts.queue,
    state: facts.state,
    mapsTotal: maps.total,
    mapsCompleted: maps.completed,
    reducesTotal: reduces.total,
    reducesCompleted: reduces.completed,
    mapProgress: percent(facts.mapProgress),
    reduceProgress: percent(facts.reduceProgress),
    mapsPending: shown(maps.pending),
    mapsRunning: shown(maps.running),
    reducesPending: shown(reduces.pending),
    reducesRunning: shown(reduces.running),
    uberized: mayView && facts.uberized,
    diagnostics: mayView ? facts.diagnostics.join('') : undefined,
    newReduceAttempts: reduceAttempts.fresh,
    runningReduceAttempts: reduceAttempts.running,
    failedReduceAttempts: reduceAttempts.failed,
    killedReduceAttempts: reduceAttempts.killed,
    successfulReduceAttempts: reduceAttempts.successful,
    newMapAttempts: mapAttempts.fresh,
    runningMapAttempts: mapAttempts.running,
    failedMapAttempts: mapAttempts.failed,
    killedMapAttempts: mapAttempts.killed,
    successfulMapAttempts: mapAttempts.successful,
    acls: mayView ? accessListsView(facts.accessLists) : undefined,
  };
}

/** The generations of a job's master; `logsLink` gives the address of one's logs. */
export const jobAttemptsView = (
  generations: readonly MasterGenerationFacts[],
  logsLink: (generation: MasterGenerationFacts) => string,
): Shape<typeof jobAttempts> => ({
  jobAttempt: generations.map((generation) => ({
    nodeHttpAddress: generation.nodeHttpAddress,
    nodeId: generation.nodeId,
    id: generation.number,
    startTime: generation.startTimeMs,
    containerId: generation.containerId,
    logsLink: generation.containerId === '' ? '' : logsLink(generation),
  })),
});
