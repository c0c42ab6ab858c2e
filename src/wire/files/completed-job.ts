// A finished job as its history file tells it. Semantics: JobHistoryParser, CompletedJob, CompletedTask, CompletedTaskAttempt of
// Hadoop 3.4. Times are epoch milliseconds, -1 where the file says nothing.
import { pause, Slices } from '../../lib/pause.ts';
import { parseAttemptId } from '../../model/ids.ts';
import type { JobFacts, MasterGenerationFacts, TaskAttemptFacts, TaskFacts } from '../batch/facts.ts';
import { countersOf, type JobCounters, sumInSlices, sumOf } from './job-counters.ts';
import type { HistoryEvent, HistoryFields, HistoryReading, HistoryRecord, JhCounters } from './job-history.ts';
import type { JobIndex } from './job-history-names.ts';
import { TasksById } from './tasks-by-id.ts';

/** An attempt of a finished job. */
export interface CompletedAttempt extends TaskAttemptFacts {
  readonly counters: JobCounters;
  readonly nodeHost: string;
  readonly nodePort: number;
}

/** A task of a finished job. */
export interface CompletedTask extends TaskFacts {
  readonly counters: JobCounters;
  readonly attempts: readonly CompletedAttempt[];
}

/** A finished job. */
export interface CompletedJob extends JobFacts {
  readonly uberized: boolean;
  readonly diagnostics: string;
  readonly mapsTotal: number;
  readonly mapsCompleted: number;
  readonly reducesTotal: number;
  readonly reducesCompleted: number;
  /** By ACL name; empty where access lists were off when the job ran. */
  readonly acls: ReadonlyMap<string, string>;
  readonly masters: readonly MasterGenerationFacts[];
  /** Maps by index, then reduces by index. */
  readonly tasks: readonly CompletedTask[];
  task(id: string): CompletedTask | undefined;
  /** Summed over its tasks, once: others are served meanwhile. */
  counters(): Promise<CountersOfKinds>;
}

/** All counters of a job, and what its maps and its reduces bring to them. */
export interface CountersOfKinds {
  readonly total: JobCounters;
  readonly map: JobCounters;
  readonly reduce: JobCounters;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
/** Becomes the attempt that is shown: a job may have a hundred thousand. `state` is empty until the file tells an end. */
type AttemptBeingRead = Writable<CompletedAttempt>;
/** As those. */
type TaskBeingRead = Omit<Writable<CompletedTask>, 'attempts'> & { attempts: AttemptBeingRead[] };

/** Thrown when events contradict each other so that the job cannot be shown. */
export class ContradictoryHistory extends Error {
  override readonly name = 'ContradictoryHistory';
}

/** Thrown where a job has more parts than there is memory for. */
export class JobTooLarge extends Error {
  override readonly name = 'JobTooLarge';
}

/** What a job is not made of: of a file with hundreds of thousands of events it is not read. */
const unused = {
  TaskStarted: ['startTime', 'splitLocations'],
  TaskFinished: ['taskType', 'status'],
  TaskFailed: ['taskType', 'error', 'failedDueToAttempt', 'status'],
  TaskAttemptStarted: ['taskType', 'shufflePort', 'locality', 'avataar'],
  MapAttemptFinished: ['taskType', 'taskStatus', 'mapFinishTime', 'clockSplits', 'cpuUsages', 'vMemKbytes', 'physMemKbytes'],
  ReduceAttemptFinished: ['taskType', 'taskStatus', 'clockSplits', 'cpuUsages', 'vMemKbytes', 'physMemKbytes'],
  TaskAttemptUnsuccessfulCompletion: ['taskType', 'clockSplits', 'cpuUsages', 'vMemKbytes', 'physMemKbytes'],
} as const satisfies HistoryFields;

/** An event as a job is made of it. */
export type JobEvent = HistoryEvent<typeof unused>;
type JobRecord<Type extends JobEvent['type']> = Extract<JobEvent, { readonly type: Type }>['event'];

/** How a history file is read of which a job is made. */
export const jobReading: HistoryReading<typeof unused> = { deferCounters: true, without: unused };

/** Reads a job from its events. @throws ContradictoryHistory when an attempt ends that never began. */
export function readCompletedJob(events: Iterable<JobEvent>, index: JobIndex): CompletedJob {
  const reader = new JobReader(index);
  for (const event of events) reader.take(event);
  return reader.finish();
}

/** For how long events are read before other work gets its turn, and after how many it is looked how long that was. */
const sliceMs = 10;
const eventsPerLook = 64;

/** How a job is read in slices. */
export interface SlicedReading {
  /** Tasks, attempts and masters together. */
  readonly mostParts?: number;
  /** Waited for where events say that they need more of the file. */
  readonly more?: () => Promise<void>;
}

/**
 * As `readCompletedJob`, in slices between which other requests are served.
 * @throws ContradictoryHistory, JobTooLarge
 */
export async function readCompletedJobInSlices(
  events: Iterable<JobEvent | undefined>,
  index: JobIndex,
  { mostParts = Number.POSITIVE_INFINITY, more = pause }: SlicedReading = {},
): Promise<CompletedJob> {
  const reader = new JobReader(index);
  let count = 0;
  const slices = new Slices(sliceMs);
  for (const event of events) {
    if (event === undefined) await more();
    else reader.take(event);
    if (++count % eventsPerLook > 0) continue;
    if (reader.parts > mostParts) throw new JobTooLarge(`${index.jobId} has more than ${mostParts} tasks, attempts and masters`);
    if (slices.isOver) await slices.next();
  }
  return reader.finish();
}

/**
 * A time that the file has not told, until it has ended. No whole number: those that are small are kept in another way than times are, and a hundred
 * thousand tasks and attempts would be made over when theirs come.
 */
const untold = Number.NaN;
const toldMs = (timeMs: number): number => (Number.isNaN(timeMs) ? -1 : timeMs);

/** Up to so many attempts of a task are looked through one by one. */
const fewAttempts = 8;

const noCounters = countersOf(null);
const nothingSaid: readonly string[] = [''];
// The spelling is Hadoop's.
const endMissing: readonly string[] = [', Attmpt state missing from History : marked as KILLED'];

class JobReader {
  readonly #index: JobIndex;
  readonly #tasks = new TasksById<TaskBeingRead>();
  /** The one that was asked for last: events of a task often come one after the other. */
  #lastTask: TaskBeingRead | undefined;
  #lastNode = { name: '', port: -1, address: '' };
  /** The attempts of tasks with more than a few. */
  readonly #crowded = new Map<TaskBeingRead, Map<string, AttemptBeingRead>>();
  readonly #masters: MasterGenerationFacts[] = [];
  /** How many attempts there are. */
  #attempts = 0;
  #submitted: HistoryRecord<'JobSubmitted'> | undefined;
  #inited: HistoryRecord<'JobInited'> | undefined;
  #finished: HistoryRecord<'JobFinished'> | undefined;
  #unsuccessful: HistoryRecord<'JobUnsuccessfulCompletion'> | undefined;
  #queue: string | undefined;
  #times: { submitTime: number; launchTime: number } | undefined;

  constructor(index: JobIndex) {
    this.#index = index;
  }

  /** How many tasks, attempts and masters it has. */
  get parts(): number {
    return this.#tasks.size + this.#attempts + this.#masters.length;
  }

  take({ type, event }: JobEvent): void {
    switch (type) {
      case 'AM_STARTED':
        this.#masters.push(generation(event));
        return;
      case 'JOB_SUBMITTED':
        if (event.userName !== this.#index.user) throw new ContradictoryHistory(`${this.#index.jobId} names another user than its file`);
        this.#submitted = event;
        return;
      case 'JOB_QUEUE_CHANGED':
        this.#queue = event.jobQueueName;
        return;
      case 'JOB_INITED':
        this.#inited = event;
        return;
      case 'JOB_INFO_CHANGED':
        this.#times = event;
        return;
      case 'JOB_FINISHED':
        this.#finished = event;
        return;
      case 'JOB_FAILED':
      case 'JOB_KILLED':
      case 'JOB_ERROR':
        this.#unsuccessful = event;
        return;
      case 'TASK_STARTED':
        if (event.taskType === 'MAP' || event.taskType === 'REDUCE') {
          this.#lastTask = newTask(event.taskid, event.taskType);
          this.#tasks.set(this.#lastTask);
        }
        return;
      case 'TASK_FINISHED':
        this.#taskEnded(event.taskid, 'SUCCEEDED', event.finishTime, event.counters, event.successfulAttemptId ?? '');
        return;
      case 'TASK_FAILED':
        // Also where the event's own status is KILLED, as the history server of Hadoop shows it.
        this.#taskEnded(event.taskid, 'FAILED', event.finishTime, event.counters ?? null);
        return;
      case 'TASK_UPDATED': {
        const task = this.#taskOf(event.taskid);
        if (task) task.finishTimeMs = event.finishTime;
        return;
      }
      case 'MAP_ATTEMPT_STARTED':
      case 'REDUCE_ATTEMPT_STARTED':
        this.#attemptStarted(event);
        return;
      case 'MAP_ATTEMPT_FINISHED':
        this.#attemptFinished(event, -1, -1);
        return;
      case 'REDUCE_ATTEMPT_FINISHED':
        this.#attemptFinished(event, event.shuffleFinishTime, event.sortFinishTime);
        return;
      case 'MAP_ATTEMPT_FAILED':
      case 'MAP_ATTEMPT_KILLED':
      case 'REDUCE_ATTEMPT_FAILED':
      case 'REDUCE_ATTEMPT_KILLED':
        this.#attemptUnsuccessful(event);
        return;
      default:
        return;
    }
  }

  #taskOf(id: string): TaskBeingRead | undefined {
    if (this.#lastTask?.id === id) return this.#lastTask;
    const task = this.#tasks.get(id);
    if (task !== undefined) this.#lastTask = task;
    return task;
  }

  /** Of the many attempts of a node one after the other the address is one text. */
  #addressOf(name: string, port: number): string {
    const last = this.#lastNode;
    if (last.name !== name || last.port !== port) this.#lastNode = { name, port, address: `${name}:${port}` };
    return this.#lastNode.address;
  }

  #taskEnded(id: string, state: string, finishTimeMs: number, counters: JhCounters | null, successfulAttempt = ''): void {
    const task = this.#taskOf(id);
    if (!task) throw new ContradictoryHistory(`${id} ended without having started`);
    task.state = state;
    task.finishTimeMs = finishTimeMs;
    task.counters = countersOf(counters);
    task.successfulAttempt = successfulAttempt;
  }

  /** Most tasks have one attempt, or a few. */
  #attemptOf(task: TaskBeingRead | undefined, id: string): AttemptBeingRead | undefined {
    if (!task) return undefined;
    const { attempts } = task;
    if (attempts.length > fewAttempts) return this.#crowded.get(task)?.get(id);
    for (let at = attempts.length - 1; at >= 0; at--) if (attempts[at]!.id === id) return attempts[at];
    return undefined;
  }

  #attemptStarted(event: JobRecord<'MAP_ATTEMPT_STARTED'>): void {
    const task = this.#taskOf(event.taskid);
    if (!task) throw new ContradictoryHistory(`${event.attemptId} started before its task`);
    const attempt: AttemptBeingRead = {
      id: event.attemptId,
      kind: task.kind,
      state: '',
      progress: 1,
      statusText: '',
      startTimeMs: event.startTime,
      finishTimeMs: untold,
      shuffleFinishTimeMs: untold,
      sortFinishTimeMs: untold,
      diagnostics: nothingSaid,
      containerId: event.containerId,
      nodeHttpAddress: this.#addressOf(event.trackerName, event.httpPort),
      rack: '',
      nodeHost: '',
      nodePort: -1,
      counters: noCounters,
    };
    const before = this.#attemptOf(task, attempt.id);
    if (before) {
      Object.assign(before, attempt);
      return;
    }
    this.#attempts++;
    // Most have but one: an array that grows has room for many.
    if (task.attempts.length === 0) task.attempts = [attempt];
    else task.attempts.push(attempt);
    if (task.attempts.length <= fewAttempts) return;
    const known = this.#crowded.get(task) ?? new Map(task.attempts.map((one) => [one.id, one]));
    this.#crowded.set(task, known.set(attempt.id, attempt));
  }

  #attemptFinished(event: JobRecord<'MAP_ATTEMPT_FINISHED' | 'REDUCE_ATTEMPT_FINISHED'>, shuffled: number, sorted: number): void {
    const attempt = this.#attemptOf(this.#taskOf(event.taskid), event.attemptId);
    if (!attempt) throw new ContradictoryHistory(`${event.attemptId} finished without having started`);
    attempt.finishTimeMs = event.finishTime;
    attempt.shuffleFinishTimeMs = shuffled;
    attempt.sortFinishTimeMs = sorted;
    attempt.state = 'SUCCEEDED';
    attempt.statusText = event.state;
    attempt.nodeHost = event.hostname;
    attempt.nodePort = event.port;
    attempt.rack = event.rackname;
    attempt.counters = countersOf(event.counters);
  }

  #attemptUnsuccessful(event: JobRecord<'MAP_ATTEMPT_FAILED'>): void {
    const task = this.#taskOf(event.taskid);
    const attempt = this.#attemptOf(task, event.attemptId);
    // An attempt that was stopped before it got a container has no beginning: it is left out.
    if (!task || !attempt) return;
    attempt.finishTimeMs = event.finishTime;
    attempt.shuffleFinishTimeMs = event.finishTime;
    attempt.sortFinishTimeMs = event.finishTime;
    attempt.state = event.status === 'FAILED' ? 'FAILED' : 'KILLED';
    attempt.diagnostics = [event.error];
    attempt.nodeHost = event.hostname;
    attempt.nodePort = event.port;
    attempt.rack = event.rackname;
    attempt.counters = countersOf(event.counters);
    // The attempt that had made the task succeed was lost afterwards: the task begins again.
    if (task.state === 'SUCCEEDED' && task.successfulAttempt === event.attemptId) this.#taskEnded(task.id, '', untold, null);
  }

  finish(): CompletedJob {
    const index = this.#index;
    const ended = this.#finished ?? this.#unsuccessful;
    const tasks = this.#tasks.values().sort(compareTasks);
    for (const task of tasks) complete(task);
    const byId = this.#tasks;
    let counters: Promise<CountersOfKinds> | undefined;
    const count = (...numbers: (number | undefined)[]) => numbers.reduce<number>((total, number) => total + Math.max(0, number ?? 0), 0);
    return {
      id: index.jobId,
      name: this.#submitted?.jobName ?? index.jobName,
      user: index.user,
      queue: this.#queue ?? this.#submitted?.jobQueueName ?? index.queue,
      // A file that breaks off has no last word; its name still tells how the job ended.
      state: this.#finished ? 'SUCCEEDED' : (this.#unsuccessful?.jobStatus ?? index.status),
      submitTimeMs: this.#times?.submitTime ?? this.#submitted?.submitTime ?? index.submitTime,
      startTimeMs: this.#times?.launchTime ?? this.#inited?.launchTime ?? -1,
      finishTimeMs: ended?.finishTime ?? index.finishTime,
      uberized: this.#inited?.uberized ?? false,
      diagnostics: this.#unsuccessful?.diagnostics ?? '',
      mapsTotal: this.#inited?.totalMaps ?? 0,
      mapsCompleted: count(ended?.finishedMaps, ended?.failedMaps, ended?.killedMaps),
      reducesTotal: this.#inited?.totalReduces ?? 0,
      reducesCompleted: count(ended?.finishedReduces, ended?.failedReduces, ended?.killedReduces),
      acls: new Map(Object.entries(this.#submitted?.acls ?? {})),
      masters: this.#masters,
      tasks,
      task: (id) => byId.get(id),
      counters: () => (counters ??= countersOfKinds(tasks, this.#finished?.totalCounters)),
    };
  }
}

function generation(event: HistoryRecord<'AMStarted'>): MasterGenerationFacts {
  let number = 0;
  try {
    number = parseAttemptId(event.applicationAttemptId).attempt;
  } catch {
    // Shown as generation 0 rather than not at all.
  }
  return {
    number,
    startTimeMs: event.startTime,
    containerId: event.containerId,
    nodeId: `${event.nodeManagerHost}:${event.nodeManagerPort}`,
    nodeHttpAddress: `${event.nodeManagerHost}:${event.nodeManagerHttpPort}`,
  };
}

/** Replaced by the first attempt. */
const noAttempts: AttemptBeingRead[] = [];

const newTask = (id: string, kind: 'MAP' | 'REDUCE'): TaskBeingRead => ({
  id,
  kind,
  state: '',
  progress: 1,
  startTimeMs: untold,
  finishTimeMs: untold,
  successfulAttempt: '',
  counters: noCounters,
  attempts: noAttempts,
});

/** `told`: what the file says of the whole job. */
async function countersOfKinds(tasks: readonly CompletedTask[], told: JhCounters | undefined): Promise<CountersOfKinds> {
  const of = (kind: 'MAP' | 'REDUCE') => sumInSlices(tasks.filter((task) => task.kind === kind).map((task) => task.counters));
  const map = await of('MAP');
  const reduce = await of('REDUCE');
  return { total: told ? countersOf(told) : sumOf([map, reduce]), map, reduce };
}

const numberAt = (id: string): number => Number(id.slice(id.lastIndexOf('_') + 1));
const compareTasks = (a: TaskBeingRead, b: TaskBeingRead): number =>
  a.kind === b.kind ? numberAt(a.id) - numberAt(b.id) : a.kind === 'MAP' ? -1 : 1;

/** The file has ended: what it did not tell is filled in, and what follows from attempts. */
function complete(task: TaskBeingRead): void {
  const { attempts } = task;
  if (attempts.length > 1) attempts.sort((a, b) => numberAt(a.id) - numberAt(b.id));
  task.successfulAttempt = '';
  task.startTimeMs = toldMs(task.startTimeMs);
  task.finishTimeMs = toldMs(task.finishTimeMs);
  for (const attempt of attempts) {
    if (task.startTimeMs < 0 || attempt.startTimeMs < task.startTimeMs) task.startTimeMs = attempt.startTimeMs;
    if (attempt.state === 'SUCCEEDED' && task.successfulAttempt === '') task.successfulAttempt = attempt.id;
    attempt.finishTimeMs = toldMs(attempt.finishTimeMs);
    attempt.shuffleFinishTimeMs = toldMs(attempt.shuffleFinishTimeMs);
    attempt.sortFinishTimeMs = toldMs(attempt.sortFinishTimeMs);
    if (attempt.state !== '') continue;
    attempt.state = 'KILLED';
    attempt.diagnostics = endMissing;
  }
  if (task.state === '') task.state = 'KILLED';
}
