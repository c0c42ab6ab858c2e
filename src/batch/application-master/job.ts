// The job: creates its tasks, has them tried (task-attempts.ts) and decides its own end.
// Nothing here waits: what takes time is asked for through the ports and comes back as another call.
import type { Clock } from '../../lib/clock.ts';
import { nextState } from '../../lib/state-machine.ts';
import { systemErrorText } from '../../lib/system-error.ts';
import { Counters, sumCounters } from '../counters/counters.ts';
import { hintOf } from '../tasks/describe-error.ts';
import type { InputSplit } from '../tasks/input/input-split.ts';
import type { JobConfiguration } from '../tasks/job-configuration.ts';
import { formatTaskId } from '../tasks/task-ids.ts';
import { type Attempt, InvalidEvent } from './attempt.ts';
import * as history from './history-events.ts';
import type { JobOptions, JobPorts } from './job-ports.ts';
import type { JobRecord, TaskEnds } from './job-record.ts';
import { type JobRules, jobRules } from './job-rules.ts';
import { externalJobState, type JobEvent, type JobInternalState, jobEnded, jobTransitions, killNotes } from './job-states.ts';
import type { JobProperty, JobState, MasterGenerationView, RunningJob, TaskKind } from './job-view.ts';
import { earlierCommitEvents, type RecoveredTask } from './recovery.ts';
import { Task } from './task.ts';
import { TaskAttempts } from './task-attempts.ts';
import { TaskSet } from './task-set.ts';
import { TaskSkipping } from './task-skipping.ts';

/** A running job. */
export class Job implements RunningJob, JobRecord {
  readonly id: string;
  readonly applicationId: string;
  readonly name: string;
  readonly user: string;
  readonly submitTimeMs: number;
  readonly settings: JobConfiguration;
  readonly configuration: readonly JobProperty[];
  readonly configurationPath: string;
  readonly masters: readonly MasterGenerationView[];
  readonly masterStartTimeMs: number;
  readonly generation: number;
  readonly uberized: boolean;
  readonly diagnostics: string[] = [];
  readonly rules: JobRules;
  readonly jobCounters: Counters;
  readonly #noCounters: Counters;
  readonly attempts: TaskAttempts;
  queue: string;
  startTimeMs = 0;
  finishTimeMs = 0;
  /** The resource manager knows the end: only then the outside may see it. */
  unregistered = false;
  readonly #clock: Clock;
  readonly #ports: JobPorts;
  readonly #set = new TaskSet();
  #state: JobInternalState = 'NEW';
  #shownState: JobState = 'NEW';
  #endsAtFailure: TaskEnds | undefined;

  constructor(options: JobOptions) {
    this.id = options.id;
    this.applicationId = options.applicationId;
    this.user = options.user;
    this.submitTimeMs = options.submitTimeMs;
    this.settings = options.settings;
    this.configuration = options.configuration;
    this.configurationPath = options.configurationPath;
    this.masters = options.masters;
    this.masterStartTimeMs = options.masters.at(-1)!.startTimeMs;
    this.generation = options.generation;
    this.uberized = options.uberized ?? false;
    this.#clock = options.clock;
    this.#ports = options.ports;
    this.name = this.settings.text('mapreduce.job.name', '');
    this.queue = this.settings.text('mapreduce.job.queuename', 'default');
    this.rules = jobRules(this.settings);
    this.jobCounters = new Counters(undefined, this.rules.counterLimits);
    this.#noCounters = new Counters(undefined, this.rules.counterLimits);
    this.attempts = new TaskAttempts({
      job: this,
      set: this.#set,
      clock: this.#clock,
      ports: this.#ports,
      changed: () => this.#checkTasks(),
    });
    const create = (kind: TaskKind, index: number, split: InputSplit | undefined) => {
      const id = formatTaskId(this.id, kind, index);
      const rules = this.rules.skipping[kind];
      const skipping = rules && new TaskSkipping(rules, options.skipping?.get(id));
      this.#set.add(new Task({ id, kind, index, split, generation: this.generation, noCounters: this.#noCounters, skipping }));
    };
    for (const [index, split] of options.splits.entries()) create('MAP', index, split);
    for (let index = 0; index < this.rules.reduces; index++) create('REDUCE', index, undefined);
  }

  get internalState(): JobInternalState {
    return this.#state;
  }
  /** Without the delay until the resource manager knows. */
  get finalState(): JobState {
    return externalJobState(this.#state);
  }
  get ended(): boolean {
    return jobEnded(this.#state);
  }
  get state(): JobState {
    return this.unregistered ? externalJobState(this.#state) : this.#shownState;
  }
  get tasks(): readonly Task[] {
    return this.#set.all;
  }
  get taskEnds(): TaskEnds {
    return this.#endsAtFailure ?? history.taskEnds(this.tasks);
  }
  ofKind(kind: TaskKind): readonly Task[] {
    return this.#set.ofKind(kind);
  }
  get mapProgress(): number {
    return this.#set.progress('MAP');
  }
  get reduceProgress(): number {
    return this.#set.progress('REDUCE');
  }
  /** 0 to 1 of the whole job, as clients see it. */
  get progress(): number {
    if (this.ended) return 1;
    if (this.#state === 'NEW' || this.#state === 'INITED' || this.#state === 'SETUP') return 0;
    return this.#set.wholeProgress();
  }
  get accessLists(): RunningJob['accessLists'] {
    return this.rules.accessLists;
  }
  task(id: string): Task | undefined {
    return this.#set.find(id);
  }
  attempt(id: string): Attempt | undefined {
    return this.#set.findAttempt(id);
  }
  mapCounters(): Counters {
    return this.#set.counters('MAP');
  }
  reduceCounters(): Counters {
    return this.#set.counters('REDUCE');
  }
  totalCounters(): Counters {
    if (this.#state === 'NEW' || this.#state === 'INITED') return new Counters();
    return sumCounters([this.jobCounters, this.mapCounters(), this.reduceCounters()]);
  }

  #move(event: JobEvent): boolean {
    const next = nextState(jobTransitions, this.#state, event);
    if (next === undefined) {
      if (this.ended) return false;
      throw new InvalidEvent(`Invalid event ${event} on Job ${this.id}`);
    }
    this.#state = next;
    const external = externalJobState(next);
    if (external === 'NEW' || external === 'INITED' || external === 'RUNNING') this.#shownState = external;
    if (this.ended) {
      this.finishTimeMs = this.#clock.now();
      this.#ports.history(history.jobEndEvent(this));
      this.#ports.ended();
    }
    return true;
  }

  /** Tells the history who runs the job; `startTimeMs` is kept over restarts of the master. */
  init(startTimeMs: number): void {
    this.startTimeMs = startTimeMs;
    this.#move('JOB_INIT');
    this.#ports.history(history.jobSubmitted(this));
  }

  /** The queue's full path, as the resource manager knows it. */
  setQueue(queue: string): void {
    if (queue === '' || queue === this.queue) return;
    this.queue = queue;
    this.#ports.history(history.jobQueueChanged(this));
  }

  start(recovered: ReadonlyMap<string, RecoveredTask>): void {
    this.#goOn(recovered);
    this.#move('JOB_START');
    this.#ports.setup();
  }

  /** What the job is, and what earlier masters have done of it, goes into the history of this one. */
  #goOn(recovered: ReadonlyMap<string, RecoveredTask>): void {
    for (const event of history.jobInited(this)) this.#ports.history(event);
    for (const [id, task] of recovered) this.attempts.recover(id, task);
  }

  setupDone(error?: Error): void {
    if (this.#state !== 'SETUP') return;
    if (error !== undefined) {
      this.diagnostics.push(`Job setup failed : ${error.name}: ${systemErrorText(error)}`);
      this.#move('JOB_SETUP_FAILED');
      this.#ports.abort();
      return;
    }
    this.#move('JOB_SETUP_COMPLETED');
    if (this.tasks.length === 0) this.diagnostics.push(`No of maps and reduces are 0 ${this.id}`);
    this.attempts.scheduleAll();
    this.#checkTasks();
  }

  commitDone(error?: Error): void {
    if (this.#state !== 'COMMITTING') return;
    if (error === undefined) {
      this.#move('JOB_COMMIT_COMPLETED');
      return;
    }
    this.diagnostics.push(`Job commit failed: ${error.name}: ${error.message}${hintOf(error)}`);
    this.#move('JOB_COMMIT_FAILED');
    this.#ports.abort();
  }

  abortDone(): void {
    if (this.#state === 'FAIL_ABORT' || this.#state === 'KILL_ABORT') this.#move('JOB_ABORT_COMPLETED');
  }

  /** Ends the job at once, before its start, as the commit of an earlier master has decided. Its history keeps the tasks that were done. */
  forceEnd(state: 'SUCCEEDED' | 'FAILED' | 'ERROR', diagnostic: string, recovered: ReadonlyMap<string, RecoveredTask>): void {
    this.#goOn(recovered);
    this.diagnostics.push(diagnostic);
    this.#move(earlierCommitEvents[state]);
  }

  /** Something went wrong in the master itself. */
  internalError(error: Error): void {
    if (this.ended) return;
    this.diagnostics.push(error.message);
    this.#move('INTERNAL_ERROR');
  }

  killJob(diagnostic: string): void {
    if (this.ended || nextState(jobTransitions, this.#state, 'JOB_KILL') === undefined) return;
    this.diagnostics.push(diagnostic);
    const before = this.#state;
    const note = killNotes[before];
    if (note !== undefined) this.diagnostics.push(note);
    this.#move('JOB_KILL');
    if (before === 'RUNNING') this.#killTasks();
    else if (before === 'SETUP' || before === 'COMMITTING') this.#ports.abort();
  }

  killAttempt(attemptId: string, diagnostic: string): void {
    this.attempts.kill(attemptId, diagnostic);
  }
  failAttempt(attemptId: string, diagnostic: string): boolean {
    return this.attempts.fail(attemptId, diagnostic);
  }
  killTask(taskId: string): void {
    const task = this.task(taskId);
    if (task !== undefined) this.attempts.killTask(task);
    this.#checkTasks();
  }

  #killTasks(): void {
    this.attempts.killAll();
    this.#checkTasks();
  }

  /** After a task's end: is the job done, lost, or may it go on? (JobImpl.checkJobAfterTaskCompletion) */
  #checkTasks(): void {
    const { allEnded } = this.#set;
    if (this.#state === 'KILL_WAIT' || this.#state === 'FAIL_WAIT') {
      if (allEnded && !this.attempts.haveContainers) {
        this.#move('JOB_ALL_TASKS_ENDED');
        this.#ports.abort();
      }
      return;
    }
    if (this.#state !== 'RUNNING') return;
    const failure = this.#set.failure(this.rules);
    if (failure !== undefined) {
      this.diagnostics.push(failure);
      this.#endsAtFailure = history.taskEnds(this.tasks);
      this.#move('JOB_TASKS_FAILED');
      this.#killTasks();
      return;
    }
    const reducesDone = this.rules.reduces > 0 && this.rules.finishWhenReducesDone && this.ofKind('REDUCE').every((task) => task.ended);
    // Maps whose output nothing reads any more are killed (JobImpl.checkReadyForCompletionWhenAllReducersDone); the end of each asks again.
    if (reducesDone && !allEnded) for (const task of this.tasks) this.attempts.killTask(task);
    if (this.#set.allEnded && this.internalState === 'RUNNING') {
      this.#move('JOB_TASKS_DONE');
      this.#ports.commit();
    }
  }
}
